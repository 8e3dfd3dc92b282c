"""Two hands all-in before the flop: exact chances to win, tie and lose of all 169 x 169 classes.

Every board up to suits (134,459) is swept once over all hands by strength, with card removal; counts are whole numbers. That takes
seconds, so the table comes with the package (`pairs.eqb`); `build_pairs` makes it again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.allins._kernels.pairs import add_class_wins
from equilibrist.cards.allins.classes import CLASSES, combinations, disjoint_pairs
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.runouts import BOARDS_AT_ONCE, Sums, runouts_of
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError

KIND = "allin-pairs"
BOARDS = math.comb(48, 5)  # once two hands are known

Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class PairOutcomes:
    """How two classes of hands fare against each other when all cards come."""

    wins: Longs  # [class, class] deals (hands without a common card, and boards) in which the first beats the second
    deals: Longs  # [class, class] all deals

    @property
    def win(self) -> Floats:
        """[class, class] chance of the first hand to win."""
        share: Floats = self.wins / self.deals
        return share

    @property
    def tie(self) -> Floats:
        """[class, class] chance of a tie."""
        share: Floats = (self.deals - self.wins - self.wins.T) / self.deals
        return share

    @property
    def equity(self) -> Floats:
        """[class, class] share of the pot of the first hand."""
        return self.win + 0.5 * self.tie


@cache
def pair_outcomes() -> PairOutcomes:
    """The table of all pairs of classes."""
    return _read(Path(__file__).with_name("pairs.eqb"))


def save_pairs(path: Path, pairs: PairOutcomes) -> None:
    """The file that comes with the package."""
    save_artifact(path, Artifact(KIND, {"boards": BOARDS}, {"wins": pairs.wins}))


def _read(path: Path) -> PairOutcomes:
    """What a file holds; refuses what cannot be."""
    wins = load_artifact(path, KIND).arrays.get("wins")
    if wins is None or wins.shape != (CLASSES, CLASSES) or wins.dtype != np.int64:
        raise FormatError(f"'{path}' holds no table of pairs")
    deals = disjoint_pairs() * BOARDS
    if (wins < 0).any() or (wins + wins.T > deals).any():
        raise FormatError(f"'{path}' holds more wins than deals")
    return PairOutcomes(wins, deals)


def build_pairs(report: Report = lambda text, share: None) -> PairOutcomes:
    """Sweep all boards; the same numbers whatever the number of threads."""
    hands, runouts = hands_of(STANDARD), runouts_of(())
    every, done = np.arange(hands.count), [0]
    blocks = -(-len(runouts.boards) // BOARDS_AT_ONCE)

    def work(strengths: NDArray[np.uint16], multiplicity: NDArray[np.uint8]) -> list[Sums]:
        wins = np.zeros((CLASSES, CLASSES), np.int64)
        add_class_wins(strengths, multiplicity, every, hands.low, hands.high, hands.cell, wins)
        done[0] += 1
        report("all-ins of two hands", min(1.0, done[0] / blocks))
        return [wins]

    (wins,) = runouts.sum_over_boards(work)
    return PairOutcomes(wins, disjoint_pairs() * BOARDS)


def removal() -> Floats:
    """[class, class] chance that another player holds the second class, given that one holds the first; rows sum to one."""
    share: Floats = disjoint_pairs() / (combinations()[:, None] * math.comb(50, 2))
    return share
