"""BoardSample: some of the cards that can come instead of all of them, each with the weight that keeps sums unbiased."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError


@dataclass(frozen=True)
class BoardSample:
    """How many deals are kept after every board of each later street, and the seed of the draw.

    Deals that differ by suits only are one deal here and count by their copies. The draw is systematic: one random start, then equal steps
    through the deals in order of rank, so that a sample is spread over high and low cards. A deal that is kept with probability q gets
    the weight 1/q (Horvitz and Thompson), so whatever is summed over deals has the right mean over seeds.
    """

    deals: tuple[int, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.deals or min(self.deals) < 1:
            raise ParameterError(
                f"A sample of boards keeps at least one card of every later street, but {self.deals} was given; try (16, 4)."
            )
        if self.seed < 0:
            raise ParameterError(f"A seed is a whole number of zero or more, but {self.seed} was given.")

    def start(self, street: int, parent: int, parents: int) -> float:
        """Where the draw below one board begins, between 0 and 1; boards side by side begin at different places."""
        common = float(np.random.default_rng((self.seed, street)).random())
        return (common + parent / parents) % 1.0

    def choose(self, copies: Longs, street: int, parent: int, parents: int) -> tuple[Longs, Floats]:
        """Which deals below a board are kept, and the weight of each."""
        wanted = min(self.deals[street], len(copies))
        chance = inclusion(copies, wanted)
        ends = np.cumsum(chance)
        ticks = self.start(street, parent, parents) + np.arange(ceil(ends[-1]) + 1)
        kept = np.searchsorted(ticks, ends - 1e-12) - np.searchsorted(ticks, ends - chance - 1e-12) > 0
        return np.flatnonzero(kept), 1.0 / chance[kept]


def inclusion(copies: Longs, wanted: int) -> Floats:
    """Probability of being kept: in proportion to copies, as far as that leaves none above one; they sum to `wanted`."""
    certain = np.zeros(len(copies), dtype=np.bool_)
    while True:
        rest = copies * ~certain
        left = wanted - int(certain.sum())
        chance = np.where(certain, 1.0, left * rest / max(rest.sum(), 1))
        over = (chance >= 1.0) & ~certain
        if not over.any():
            return chance
        certain |= over
