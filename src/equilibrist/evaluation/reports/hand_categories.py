"""Kinds of hands on a board, from straight flush to nothing, and how a solution plays each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import board_strengths
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Longs
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode

# strengths of the 7,462 classes of five cards at which each kind begins (1,277 high cards, 2,860 pairs, …)
_FIRST = np.array([1, 1278, 4138, 4996, 5854, 5864, 7141, 7297, 7453])
MADE = (
    "straight flush", "four of a kind", "full house", "flush", "straight", "three of a kind", "two pair",
    "overpair", "top pair", "second pair", "lower pair", "pair on the board", "ace high", "no pair",
)  # fmt: skip
DRAWS = ("flush draw", "open-ended straight draw", "gutshot")
_BY_STRENGTH = {8: 0, 7: 1, 6: 2, 5: 3, 4: 4, 3: 5, 2: 6}
_PAIR = 1


@dataclass(frozen=True)
class CategoryLine:
    """Hands of one kind at a place: how many, what they are worth, what they do."""

    name: str
    combos: float  # by reach
    share: float  # of the range
    equity: float
    ev: float
    frequencies: tuple[float, ...]


def made_kinds(hands: Longs, board: Sequence[int]) -> Longs:
    """[hand] index into MADE; hands must not meet the board."""
    table = hands_of(STANDARD)
    strength = board_strengths(board)[hands]
    level = np.searchsorted(_FIRST, strength, side="right") - 1
    low, high = table.low[hands] // 4, table.high[hands] // 4
    ranks = sorted({card // 4 for card in board}, reverse=True)
    paired = len(ranks) < len(board)
    best, second = ranks[0], ranks[1] if len(ranks) > 1 else -1
    own = np.where(low == high, high, np.where(np.isin(high, ranks), high, np.where(np.isin(low, ranks), low, -1)))
    pair = np.select(
        [own < 0, (low == high) & (own > best), own == best, own == second],
        [11, 7, 8, 9],
        10,
    )
    out = np.where(high == 12, 12, 13)
    out = np.where(level == _PAIR, np.where(paired & (own < 0), 11, pair), out)
    for found, kind in _BY_STRENGTH.items():
        out = np.where(level == found, kind, out)
    return out.astype(np.int64)


def draw_kinds(hands: Longs, board: Sequence[int]) -> npt.NDArray[np.bool_]:
    """[hand, draw] for DRAWS, among hands that are no straight or flush yet; none on the river."""
    table = hands_of(STANDARD)
    out = np.zeros((len(hands), len(DRAWS)), dtype=np.bool_)
    if len(board) >= 5:
        return out
    cards = np.stack([table.low[hands], table.high[hands]], axis=1)
    suits = np.stack([(cards % 4 == s).sum(axis=1) + sum(card % 4 == s for card in board) for s in range(4)], axis=1)
    own_suit = np.stack([(cards % 4 == s).any(axis=1) for s in range(4)], axis=1)
    out[:, 0] = ((suits == 4) & own_suit).any(axis=1)
    held = np.zeros((len(hands), 14), dtype=np.bool_)  # ace low at 0
    for column in (cards[:, 0], cards[:, 1]):
        held[np.arange(len(hands)), column // 4 + 1] = True
    on_board = np.zeros(14, dtype=np.bool_)
    on_board[[card // 4 + 1 for card in board]] = True
    for each in (held, on_board[None]):
        each[:, 0] = each[:, 13]
    completing = np.zeros((len(hands), 14), dtype=np.bool_)
    for first in range(10):
        window = slice(first, first + 5)
        both = held[:, window] | on_board[window]
        missing = both.sum(axis=1) == 4
        uses_own = (held[:, window] & ~on_board[window]).any(axis=1)
        where = first + np.argmin(both, axis=1)
        rows = np.flatnonzero(missing & uses_own)
        completing[rows, where[rows]] = True
    completing[:, 13] |= completing[:, 0]
    outs = completing[:, 1:].sum(axis=1)
    level = np.searchsorted(_FIRST, board_strengths(board)[hands], side="right") - 1
    unmade = level < 4
    out[:, 0] &= level < 5
    out[:, 1] = unmade & (outs >= 2)
    out[:, 2] = unmade & (outs == 1)
    return out


def category_report(node: SpotNode, player: int | str | None = None) -> list[CategoryLine]:
    """Every kind that a player's range holds at a place, strongest first, then draws (which are counted again)."""
    named = PLAYERS.index(player) if isinstance(player, str) else player
    seat = named if named is not None else PLAYERS.index(node.player or PLAYERS[0])
    hands, reach = node.hands_of(seat), node.reach(seat)
    weight = reach * node.met(seat)
    acts = seat == node.kind
    strategy = node.strategy if acts else np.zeros((len(hands), 0))
    made, draws = made_kinds(hands, node.cards), draw_kinds(hands, node.cards)
    masks = [(name, made == number) for number, name in enumerate(MADE)]
    masks += [(name, draws[:, number]) for number, name in enumerate(DRAWS)]
    equity, ev = node.equity(seat), node.ev(seat)
    lines = []
    for name, mask in masks:
        chosen = mask & (weight > 0.0)
        if chosen.any():
            share = weight[chosen] / weight[chosen].sum()
            lines.append(
                CategoryLine(
                    name,
                    float(reach[chosen].sum()),
                    float(weight[chosen].sum() / weight.sum()),
                    float(share @ equity[chosen]),
                    float(share @ ev[chosen]),
                    tuple((share @ strategy[chosen]).tolist()),
                )
            )
    return lines
