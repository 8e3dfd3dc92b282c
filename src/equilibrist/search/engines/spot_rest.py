"""The rest of a solved spot as a spot of its own: from a node on, or after a card."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.cards.range_text import STANDARD
from equilibrist.cards.ranges import FAINTEST, Range, parse_cards
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_values import NO_LIMIT
from equilibrist.games.spots.street_menus import PLAYERS, menus_table
from equilibrist.search.node_alternatives import HANDS
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode


def spot_at(place: SpotNode) -> Spot:
    """The rest of a solved spot as a spot of its own: this street with what was done on it, ranges as they get here."""
    done = [part for part in place.line.split(":") if part]
    dealt = [number for number, part in enumerate(done) if part[0] not in "xcfbr"]
    line = done[dealt[-1] + 1 :] if dealt else [*place.boards.spot.line, *done]
    return _rest(place, street_paid(place), place.cards, ":".join(line))


def spot_after(place: SpotNode, card: str) -> Spot:
    """The next street as a spot of its own, where a card comes in a solved spot: ranges as they get there."""
    if not place.is_deal:
        raise NotApplicableError(
            f"No card comes after '{place.line}'; give a place where the betting of a street is over."
        )
    (dealt,) = parse_cards(card)
    if dealt in place.cards:
        raise ParameterError(f"'{card}' is on the board {place.board} already.")
    return _rest(place, float(place.forest.paid[place.node].min()), (*place.cards, dealt), "")


def street_paid(place: SpotNode) -> float:
    """What each player had paid when this street began."""
    node = place.node
    while place.forest.parent[node] >= 0:
        node = int(place.forest.parent[node])
    return float(place.forest.paid[node].min()) if place.path else 0.0


def _rest(place: SpotNode, paid: float, cards: tuple[int, ...], line: str) -> Spot:
    """A spot with a solved spot's menus and rules, and the ranges of one place."""
    whole, ranges = place.boards.spot, {}
    for seat, name in enumerate(PLAYERS):
        weights, reach = np.zeros(HANDS), place.reach(seat)
        if not reach.max(initial=0.0) > 0.0:
            raise NotApplicableError(
                f"{name} never gets to '{place.line}' in this solution; search from a place that is played."
            )
        weights[place.hands_of(seat)] = np.where(reach > FAINTEST * reach.max(), reach / reach.max(), 0.0)
        ranges[name] = Range(weights)
    kept = ("chip", "thresholds", "rake", "betting")
    table: dict[str, Any] = {key: value for key, value in whole.table().items() if key in kept}
    if whole.betting.kind == NO_LIMIT:
        table["bets"] = menus_table(whole.menus[len(cards) - len(whole.board) :])
    stacks = {name: stack - paid for name, stack in zip(PLAYERS, whole.stacks, strict=True)}
    board = "".join(STANDARD.label(card) for card in cards)
    return Spot(board=board, pot=whole.pot + 2.0 * paid, stacks=stacks, range=ranges, line=line, **table)
