"""Translation: a bet off the menu is read as one on it ([Ganzfried15, chapter 7]; [Lu16, §3.3.4]; [Gilpin09, §7.4.2]).

A mapping answers how likely a bet x between two neighbours A < B of the menu is read as A. Sizes are shares of the pot; a check or
call is the size 0. A randomised mapping gives a probability, a deterministic one jumps from A to B at one size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from equilibrist.core.catalogue import Entry, Makers
from equilibrist.core.errors import ParameterError

Metric = Literal["arithmetic", "geometric", "geometric-2", "pseudo-harmonic"]
METRICS: tuple[Metric, ...] = ("arithmetic", "geometric", "geometric-2", "pseudo-harmonic")
_SAME = 1e-9  # sizes nearer than this are the same


@dataclass(frozen=True)
class Translation:
    """A mapping as a value: which distance between sizes, with or without chance, and where ties go."""

    name: str
    metric: Metric
    randomised: bool
    ties: Literal["smaller", "larger"] = "larger"  # deterministic mappings only
    above_zero: bool = False  # a check is never an answer to a bet: sizes are compared among bets ([Gilpin09, §7.4.2])

    def share(self, x: float, smaller: float, larger: float, pot: float = 1.0) -> float:
        """Probability of reading x as `smaller`; amounts may be in chips when the pot is."""
        if not (0.0 <= smaller < larger and pot > 0.0):
            raise ParameterError(
                f"A bet is read between two sizes 0 <= A < B, but A={smaller:g}, B={larger:g} was given."
            )
        if x <= smaller + _SAME:  # an exact match is certain, also where a formula would divide by nothing
            return 1.0
        if x >= larger - _SAME:
            return 0.0
        if self.randomised:
            return _SHARES[self.metric](x, smaller, larger, pot)
        turning = self.turning_point(smaller, larger, pot)
        if abs(x - turning) <= _SAME:
            return 1.0 if self.ties == "smaller" else 0.0
        return 1.0 if x < turning else 0.0

    def turning_point(self, smaller: float, larger: float, pot: float = 1.0) -> float:
        """The size that is read as either neighbour with probability one half."""
        if self.metric == "arithmetic":
            return (smaller + larger) / 2
        if self.metric == "pseudo-harmonic":
            return (pot * (smaller + larger) + 2 * smaller * larger) / (smaller + larger + 2 * pot)
        return math.sqrt(smaller * larger)

    def read(self, x: float, sizes: Sequence[float], pot: float = 1.0) -> list[tuple[int, float]]:
        """Positions in a rising list of sizes that x is read as, with probabilities; ends of the list stand for all beyond."""
        if not sizes:
            raise ParameterError("There is no size to read a bet as: give at least one, such as 0 for a check or call.")
        if x <= sizes[0] + _SAME:
            return [(0, 1.0)]
        for at in range(1, len(sizes)):
            if x < sizes[at] - _SAME:
                lower = at if self.above_zero and sizes[at - 1] <= _SAME else at - 1
                share = self.share(x, sizes[at - 1], sizes[at], pot) if lower < at else 0.0
                return [(place, p) for place, p in ((at - 1, share), (at, 1.0 - share)) if p > 0.0]
            if x <= sizes[at] + _SAME:
                return [(at, 1.0)]
        return [(len(sizes) - 1, 1.0)]


def _arithmetic(x: float, a: float, b: float, pot: float) -> float:
    return (b - x) / (b - a)


def _geometric(x: float, a: float, b: float, pot: float) -> float:
    return a * (b - x) / (a * (b - x) + x * (x - a))


def _geometric_2(x: float, a: float, b: float, pot: float) -> float:
    return a * (b + x) * (b - x) / ((b - a) * (x * x + a * b))


def _pseudo_harmonic(x: float, a: float, b: float, pot: float) -> float:
    return (b - x) * (pot + a) / ((b - a) * (pot + x))


_SHARES = {
    "arithmetic": _arithmetic,
    "geometric": _geometric,
    "geometric-2": _geometric_2,
    "pseudo-harmonic": _pseudo_harmonic,
}

MAPPINGS: dict[str, Translation] = {
    mapping.name: mapping
    for mapping in (
        Translation("det-arith", "arithmetic", False, ties="smaller"),  # ties as the published tables need them
        Translation("rand-arith", "arithmetic", True),
        Translation("det-geo", "geometric", False),
        Translation("rand-geo-1", "geometric", True),
        Translation("rand-geo-2", "geometric-2", True),
        Translation("det-pshar", "pseudo-harmonic", False, ties="smaller"),
        Translation("rand-pshar", "pseudo-harmonic", True),
    )
}
RELATIVE = replace(MAPPINGS["det-geo"], name="relative", above_zero=True)  # a check has no ratio to a bet
DEFAULT = "rand-pshar"


def _entry(mapping: Translation) -> Entry:
    def make(ties: Literal["smaller", "larger"] = mapping.ties) -> Translation:
        if ties not in ("smaller", "larger"):
            raise ParameterError(f"A translation takes ties=smaller or ties=larger, but ties={ties} was given.")
        return replace(mapping, ties=ties)

    return Entry(mapping.name, f"{mapping.metric} distance between sizes", make, {"ties": mapping.ties})


ENTRIES = [_entry(mapping) for mapping in (*MAPPINGS.values(), RELATIVE)]

TRANSLATIONS: Makers[Entry, Translation] = Makers(
    kind="translation",
    package="equilibrist.abstraction.bets",
    table={"translation": [entry.name for entry in ENTRIES]},
    hint=f"There are {', '.join(MAPPINGS)}.",
    aliases={
        "hard-arithmetic": "det-arith", "soft-arithmetic": "rand-arith", "hard-geometric": "det-geo", "soft-geometric": "rand-geo-1",
        "hard-pseudo-harmonic": "det-pshar", "soft-pseudo-harmonic": "rand-pshar",
        "absolute": "det-arith", "randomised": "rand-arith",
    },
)  # fmt: skip


def find_mapping(name: str) -> Translation:
    """A mapping by name: `rand-pshar`, `det-arith(ties=larger)`, or the names of other authors (`soft-geometric`, `relative`)."""
    return TRANSLATIONS.make(name)
