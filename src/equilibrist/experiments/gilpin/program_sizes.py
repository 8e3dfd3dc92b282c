"""Sizes of sequence-form programs of limit poker, by formula ([Gilpin09] 2.2, Table 8.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Betting:
    """One round for one role: own sequences and infosets, and lines that go on, each with everything before it repeated."""

    sequences: tuple[int, int]  # of player 1 and player 2
    infosets: tuple[int, int]
    continuing: int


def limit_round(cap: int) -> Betting:
    """A round of check or bet, and raises up to `cap` bets."""
    return Betting((3 * cap + 1, 3 * cap + 1), (cap + 1, cap + 1), 2 * cap + 1)


PREFLOP = Betting((10, 11), (4, 4), 7)  # Texas: the big blind is player 1 and counts as the first of four bets


def program_size(classes: Sequence[int], rounds: Sequence[Betting]) -> tuple[int, int]:
    """Rows and columns of the program whose primal variables are player 2's: |S1| + |U2| + 1 and |S2| + |U1| + 1."""
    sequences, infosets, lines = [1, 1], [0, 0], 1
    for count, betting in zip(classes, rounds, strict=True):
        for player in range(2):
            sequences[player] += betting.sequences[player] * count * lines
            infosets[player] += betting.infosets[player] * count * lines
        lines *= betting.continuing
    return sequences[0] + infosets[1] + 1, sequences[1] + infosets[0] + 1
