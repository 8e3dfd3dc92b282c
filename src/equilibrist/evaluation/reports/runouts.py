"""What every next card does to a solved spot: strategy, EV and equity, card by card."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.cards.range_text import STANDARD
from equilibrist.core.errors import ParameterError
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.solutions.lazy_boards import Boards, SolvedBoards
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode

Both = tuple[float, float]  # oop, ip


@dataclass(frozen=True)
class Runout:
    """One card that can come, and the first decision after it; nan where the card leaves a player no hand."""

    card: str
    like: str  # the first card that differs from it by suits only; itself where there is none before
    probability: float  # given both ranges; all cards together sum to one
    frequencies: tuple[float, ...]  # of the actions
    ev: Both  # shares of the pot
    equity: Both


@dataclass(frozen=True)
class RunoutReport:
    """Every card that can come after a line, in rising order."""

    line: str
    cards: tuple[int, ...]  # the board before
    pot: float
    player: str | None  # who acts first after the card; nobody where all chips are in
    actions: tuple[str, ...]  # in words
    labels: tuple[str, ...]
    ev: Both  # before the card
    equity: Both
    rows: tuple[Runout, ...]

    @property
    def frequencies(self) -> tuple[float, ...]:
        """Of the actions, averaged over the cards by their probability."""
        return tuple(self._mean([row.frequencies[a] for row in self.rows]) for a in range(len(self.actions)))

    def betting(self, row: Runout) -> float:
        """How often the first player does anything but check; nan where nobody acts."""
        if not self.labels:
            return math.nan
        return math.fsum(share for label, share in zip(self.labels, row.frequencies, strict=True) if label != "x")

    def to_json(self) -> dict[str, Any]:
        """Plain values, the cards by name."""
        return {
            "line": self.line,
            "board": "".join(STANDARD.label(card) for card in self.cards),
            "pot": self.pot,
            "player": self.player,
            "actions": list(self.actions),
            "labels": list(self.labels),
            "frequencies": list(self.frequencies),
            "ev": _by_player(self.ev),
            "equity": _by_player(self.equity),
            "cards": {
                row.card: {
                    "like": row.like,
                    "probability": row.probability,
                    "frequencies": list(row.frequencies),
                    "ev": _by_player(row.ev),
                    "equity": _by_player(row.equity),
                }
                for row in self.rows
            },
        }

    def _mean(self, values: list[float]) -> float:
        """Over the cards that can come at all."""
        weighed = [(row.probability, value) for row, value in zip(self.rows, values, strict=True) if row.probability]
        return math.fsum(share * value for share, value in weighed) if weighed else math.nan


def runout_report(node: SpotNode) -> RunoutReport:
    """Strategy, EV and equity after every card that can come next; cards that differ by suits only are looked at once."""
    _check(node)
    first: dict[tuple[SolvedBoards, Boards], tuple[str, SpotNode, float]] = {}
    found: list[tuple[str, tuple[SolvedBoards, Boards]]] = []
    for card in node.next_cards:
        after = node.play(card)
        if after.solved_board not in first:
            first[after.solved_board] = (card, after, _mass(after))
        found.append((card, after.solved_board))
    total = math.fsum(first[board][2] for _, board in found)
    looked = {board: _look(name, after, mass / total if total else 0.0) for board, (name, after, mass) in first.items()}
    any_card = node.play(node.next_cards[0])  # what can be done depends on the line, not on the card
    return RunoutReport(
        line=node.line,
        cards=node.cards,
        pot=node.pot,
        player=any_card.player,
        actions=any_card.actions,
        labels=any_card.labels,
        ev=both_evs(node),
        equity=both_equities(node),
        rows=tuple(_named(looked[board], card) for card, board in found),
    )


def both_evs(node: SpotNode) -> Both:
    """EVs of both ranges."""
    return node.range_ev(0), node.range_ev(1)


def both_equities(node: SpotNode) -> Both:
    """Equities of both ranges."""
    return node.range_equity(0), node.range_equity(1)


def _check(node: SpotNode) -> None:
    if node.is_deal:
        return
    place = f"after '{node.line}'" if node.line else "at the beginning of the spot"
    if node.is_over:
        raise ParameterError(
            f"The hand is over {place}, so no card comes; give a line that ends a street, such as x:x."
        )
    if len(node.cards) == 5:
        raise ParameterError(f"The board {node.board} is complete {place}, so no card comes; use a flop or turn.")
    raise ParameterError(
        f"A card must come next, but {node.player} acts {place}; give a line that ends a street, such as x:x."
    )


def _mass(node: SpotNode) -> float:
    """Pairs of hands that can be here, by weight: what the probabilities of cards are proportional to."""
    return float(np.dot(node.reach(0), node.met(0)))


def _look(card: str, after: SpotNode, probability: float) -> Runout:
    acts = after.player is not None
    frequencies = tuple(float(share) for share in after.frequencies) if acts else ()
    return Runout(card, card, probability, frequencies, both_evs(after), both_equities(after))


def _named(row: Runout, card: str) -> Runout:
    """What is known of a card, under the name of one like it."""
    return Runout(card, row.like, row.probability, row.frequencies, row.ev, row.equity)


def _by_player(values: Both) -> dict[str, float]:
    return dict(zip(PLAYERS, values, strict=True))
