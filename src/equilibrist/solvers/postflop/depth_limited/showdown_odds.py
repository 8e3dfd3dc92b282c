"""How often hands beat each other by showdown: over all boards that can come, and over a sample of them as a run weighs it.

Both are [hand of oop, hand of ip]: probability of winning less probability of losing, 0 where two hands share a card. Their difference is
what a sample gets wrong where nobody bets any more; added to sampled values it takes out most of the chance of the draw, and none of the
mean (a control variate).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import boards_strengths
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.compute.lanes import LANES
from equilibrist.core.arrays import Floats32, Longs
from equilibrist.forms.boards.street_boards import PlayerBoards, StreetBoards
from equilibrist.solvers.postflop.depth_limited._kernels.followed import add_signs

COMPLETE = 5  # cards of a complete board
_HANDS = hands_of(STANDARD)


def exact_odds(board: Sequence[int], oop: Longs, ip: Longs) -> Floats32:
    """Over all complete boards."""
    free = [card for card in range(STANDARD.size) if card not in board]
    missing = COMPLETE - len(board)
    boards = np.array([(*board, *rest) for rest in combinations(free, missing)])
    chance = 1.0 / comb(len(free) - 4, missing)
    return odds_on(boards, np.full(len(boards), chance), oop, ip)


def odds_on(boards: Longs, chance: npt.NDArray[np.floating], oop: Longs, ip: Longs) -> Floats32:
    """Over some complete boards [board, 5], each with its chance."""
    return _apart(_signs(boards, chance, oop, ip), oop, ip)


def sampled_odds(streets: Sequence[StreetBoards], chances: Sequence[float], oop: Longs, ip: Longs) -> Floats32:
    """Over the boards that a run has, with its weights and its sums over suits that are alike."""
    return _apart(_below(streets, chances, 0, 0, oop, ip), oop, ip)


def _below(
    streets: Sequence[StreetBoards], chances: Sequence[float], depth: int, board: int, oop: Longs, ip: Longs
) -> Floats32:
    """What follows one board, weighted by the chance of each card."""
    here, below = streets[depth], streets[depth + 1]
    children = np.arange(here.first_child[board], here.first_child[board + 1])
    weight = below.share[children].astype(np.float32) * np.float32(chances[depth + 1])
    if depth + 2 == len(streets):
        total = _signs(np.array([below.cards[b] for b in children]), weight, oop, ip)
    else:
        total = np.zeros((len(oop), len(ip)), dtype=np.float32)
        for child, w in zip(children.tolist(), weight, strict=True):
            total += w * _below(streets, chances, depth + 1, child, oop, ip)
    moved = [_moves(own, here.first_image, board, hands) for own, hands in zip(here.player, (oop, ip), strict=True)]
    plain = total.copy() if len(moved[0]) else total
    for rows, columns in zip(*moved, strict=True):
        total += plain[np.ix_(rows, columns)]
    return total


def _moves(own: PlayerBoards, first_image: npt.NDArray[np.int32], board: int, hands: Longs) -> list[Longs]:
    """Where each relabelling of suits takes a player's hands, as places among `hands`; dead hands stay where they are."""
    count = int(own.count[board])
    place = np.full(_HANDS.count, -1)
    place[hands] = np.arange(len(hands))
    live = place[own.pair[board, :count]]
    out = []
    for image in own.images[first_image[board] : first_image[board + 1]]:
        moved = np.arange(len(hands))
        moved[live] = live[image[:count]]
        out.append(moved)
    return out


def _signs(boards: Longs, weight: npt.NDArray[np.floating], oop: Longs, ip: Longs) -> Floats32:
    strengths = boards_strengths(boards.astype(np.uint8)).astype(np.float32)
    width = -(-len(ip) // LANES) * LANES
    theirs = np.zeros((len(boards), width), dtype=np.float32)
    theirs[:, : len(ip)] = strengths[:, ip]
    out = np.zeros((len(oop), width), dtype=np.float32)
    add_signs(np.ascontiguousarray(strengths[:, oop]), theirs, weight.astype(np.float32), out)
    return out[:, : len(ip)]


def _apart(odds: Floats32, oop: Longs, ip: Longs) -> Floats32:
    """Nothing where two hands share a card."""
    shared = np.zeros(odds.shape, dtype=np.bool_)
    for first in (_HANDS.low, _HANDS.high):
        for second in (_HANDS.low, _HANDS.high):
            shared |= first[oop][:, None] == second[ip][None, :]
    return np.where(shared, np.float32(0.0), odds)
