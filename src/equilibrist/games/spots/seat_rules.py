"""A spot of three players as rules of betting (`games/poker/betting.py`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from equilibrist.cards.deck import Deck
from equilibrist.games.poker.bet_sizes import BettingSituation
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.spots.street_menus import Menus, Thresholds, street_totals
from equilibrist.games.spots.three_way_spot import SEATS, ThreeWaySpot

_DIGITS = 9
_POT_DIGITS = 6  # thirds of the pot have no last decimal, their sum has
_TINY = 1e-9


@dataclass(frozen=True)
class SeatMenu:
    """What three players may bet on one street, tidied up and in whole chips; fulfils `BetMenu`."""

    seats: tuple[Menus, ...]
    thresholds: Thresholds
    chip: float

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        kinds = (menu for own in self.seats for menu in (own.bet, own.raises))
        return tuple(dict.fromkeys(token for menu in kinds for token in menu.tokens))

    @property
    def open_step(self) -> float | None:
        """Sizes are rounded and merged, so they are listed."""
        return None

    def raises(self, spot: BettingSituation) -> list[float]:
        """Raise amounts; nobody bets more than another player can match, and no raise is smaller than the one before."""
        own, bet = self.seats[spot.player], round(spot.bet, _DIGITS)
        here = replace(
            spot,
            bet=bet,
            facing=round(spot.minimum, _DIGITS),  # which says how large a raise is at least
            remaining=min(spot.remaining, spot.answerable),
            pot_after_call=round(spot.pot_after_call, _POT_DIGITS),
        )
        menu = own.raises if bet > _TINY else own.bet
        return [round(total - bet, _DIGITS) for total in street_totals(menu, here, self.thresholds, self.chip)]


def seat_start(spot: ThreeWaySpot) -> BettingNode:
    """Where the betting of a spot begins: a third of the pot is an ante of each seat."""
    third = round(spot.pot / SEATS, _DIGITS)
    streets = len(spot.menus)
    rules = PokerRules(
        Deck(),
        board=(0,) + (1,) * (streets - 1),
        menus=tuple(SeatMenu(menus, spot.thresholds, spot.chip) for menus in spot.menus),
        caps=tuple(cap or math.inf for cap in spot.caps),
        players=SEATS,
        hole=2,
        ante=third,
        stacks=tuple(round(third + stack, _DIGITS) for stack in spot.stacks),
        raise_at_least_last=True,
        names_lines=False,  # forests name their nodes themselves
    )
    return first_node(rules)
