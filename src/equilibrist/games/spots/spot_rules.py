"""A spot as rules of betting, so that spots and games are bet by the same code (`games/poker/betting.py`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from equilibrist.cards.deck import Deck
from equilibrist.core.units import number_text
from equilibrist.games.poker.bet_sizes import BetMenu, BettingSituation, Menu
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_values import LIMIT
from equilibrist.games.spots.street_menus import Menus, Thresholds, chips_text, street_totals

_DIGITS = 9
_TINY = 1e-9


@dataclass(frozen=True)
class SpotMenu:
    """What both players may bet on one street of a spot, tidied up and in whole chips; fulfils `BetMenu`."""

    players: tuple[Menus, Menus]
    thresholds: Thresholds
    chip: float

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        kinds = (menu for own in self.players for menu in (own.bet, own.raises, own.donk))
        return tuple(dict.fromkeys(token for menu in kinds for token in menu.tokens))

    @property
    def open_step(self) -> float | None:
        """Sizes are rounded and merged, so they are listed."""
        return None

    def raises(self, spot: BettingSituation) -> list[float]:
        """Raise amounts: what the street totals on offer add to the bet faced."""
        own, bet = self.players[spot.player], round(spot.bet, _DIGITS)
        menu = own.raises if bet > _TINY else own.donk if spot.called and spot.player == 0 else own.bet
        facing = round(spot.facing, _DIGITS)
        here = spot if (bet, facing) == (spot.bet, spot.facing) else replace(spot, bet=bet, facing=facing)
        return [round(total - bet, _DIGITS) for total in street_totals(menu, here, self.thresholds, self.chip)]


def spot_rules(spot: Spot, below: Spot | None = None) -> PokerRules:
    """The betting of a spot as rules: half the pot is an ante; after the first street with the sizes of `below`, if given."""
    half, streets = spot.pot / 2.0, len(spot.menus)
    offered = [spot if below is None or street == 0 else below for street in range(streets)]
    return PokerRules(
        Deck(),
        board=(0,) + (1,) * (streets - 1),
        menus=tuple(_menu(one, street) for street, one in enumerate(offered)),
        caps=tuple(one.betting.cap[street] or math.inf for street, one in enumerate(offered)),
        hole=2,
        ante=half,
        stack=round(half + spot.stack, _DIGITS),
        names_lines=False,  # forests name their nodes themselves
    )


def _menu(spot: Spot, street: int) -> BetMenu:
    if spot.betting.kind == LIMIT:
        return Menu((f"{number_text(spot.betting.size[street])}c",))
    return SpotMenu(spot.menus[street], spot.thresholds, spot.chip)


def spot_start(spot: Spot, below: Spot | None = None) -> BettingNode:
    """Where the betting of a spot stands when it begins."""
    rules, opening = spot_rules(spot, below), spot.opening
    begun = bool(spot.line)
    return replace(
        first_node(rules),
        player=opening.player,
        paid=tuple(round(rules.ante + paid, _DIGITS) for paid in opening.paid),
        waiting=1 if begun else 2,
        bets=opening.bets,
    )


def spot_label(node: BettingNode, index: int, after: BettingNode) -> str:
    """An action as spots write it: bets by the player's total of the street, to twelve digits."""
    letter = node.letter(index)
    if letter in "fcx":
        return letter
    return letter + chips_text(round(after.paid[node.player] - node.at_start[node.player], _DIGITS))
