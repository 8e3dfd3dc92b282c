"""How the opponent enters a subgame that is solved again ([Brown20] 5.1; brown-search 2.5.3, 2.0.5).

An `Entry` is a description; `begin` makes a `RootGadget` of it, which is told the counterfactual values of entering after each
iteration and answers with one weight per hand. Nothing here knows how subgames are stored, so any solver can ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.search._kernels import entry as kernels

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

NEGLIGIBLE = (
    1e-9  # external reach, relative to the largest: hands below it do not take part in decisions by expected value
)
NODES = 32  # of Gauss-Hermite quadrature


@dataclass(frozen=True)
class Doorstep:
    """The opponent's hands at the roots; all arrays [hands]."""

    mass: Floats  # external reach: chance times the searcher's range
    group: Ints  # which of several subgames a hand belongs to
    reach: Floats  # the opponent's own range, for entries that believe in it
    alternative: Floats | None = None  # expected value of staying out
    deviation: Floats | None = None  # standard deviation of that value, where it is uncertain

    def alternatives(self, what: str) -> Floats:
        if self.alternative is None:
            raise NotApplicableError(
                f"{what} needs the blueprint's values at the subgame as alternative payoffs; give a blueprint, or use unsafe search."
            )
        return self.alternative


class Gadget:
    """A gadget at work: the kind of entry, what it is told and what it remembers. A `RootGadget` of `core/leaf_values.py`."""

    def __init__(self, kind: int, doorstep: Doorstep, weights: Floats | None = None) -> None:
        hands = len(doorstep.mass)
        self.kind, self.door = kind, _door(doorstep)
        groups = int(doorstep.group.max(initial=0)) + 1
        first = np.full(hands, 0.5) if weights is None else weights.astype(np.float64)
        self.memory = kernels.Memory(first, np.zeros(hands), np.zeros(hands), np.zeros(groups), np.zeros(groups))
        if kind == kernels.ONE_HAND:
            kernels.choose_hand(self.door, self.memory)

    @property
    def weights(self) -> Floats:
        """[hand] as they are now."""
        out: Floats = self.memory.weights.copy()
        return out

    def entry(self, values: Floats, mass: Floats, alternative: Floats, iteration: int) -> Floats:
        """Weight per hand, given counterfactual entry values, external reach and alternative payoffs."""
        told = self.door._replace(mass=mass.astype(np.float64), alternative=alternative.astype(np.float64))
        kernels.enter(self.kind, iteration, values.astype(np.float64), told, self.memory)
        return self.weights


def _door(doorstep: Doorstep) -> Any:
    """A doorstep as the kernels want it; what an entry does not use is zero."""
    largest = np.zeros(int(doorstep.group.max(initial=0)) + 1)
    np.maximum.at(largest, doorstep.group, doorstep.mass)
    nothing = np.zeros(len(doorstep.mass))
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    return kernels.Door(
        mass=doorstep.mass.astype(np.float64),
        alternative=nothing if doorstep.alternative is None else doorstep.alternative.astype(np.float64),
        deviation=nothing if doorstep.deviation is None else np.maximum(doorstep.deviation, kernels.NARROWEST),
        group=doorstep.group.astype(np.int32),
        takes_part=doorstep.mass > NEGLIGIBLE * largest[doorstep.group],
        node=node,
        node_weight=weight / weight.sum(),
    )


class Entry(Protocol):
    """A way of entering."""

    @property
    def fixed(self) -> bool:
        """Weights never change."""

    @property
    def needs_values(self) -> bool:
        """Alternative payoffs must be known."""

    def begin(self, doorstep: Doorstep) -> Gadget:
        """A gadget at work."""

    def first(self, doorstep: Doorstep) -> Floats:
        """Weights before anything is known."""


@dataclass(frozen=True)
class Unsafe:
    """The opponent's hands come as the blueprint says; no guarantee."""

    fixed: bool = True
    needs_values: bool = False

    def begin(self, doorstep: Doorstep) -> Gadget:
        return Gadget(kernels.CONSTANT, doorstep, doorstep.reach)

    def first(self, doorstep: Doorstep) -> Floats:
        return doorstep.reach


@dataclass(frozen=True)
class Resolve:
    """Each hand enters or takes its alternative payoff, by regret matching+."""

    fixed: bool = False
    needs_values: bool = True

    def begin(self, doorstep: Doorstep) -> Gadget:
        doorstep.alternatives("Resolve")
        return Gadget(kernels.TWO_WAYS, doorstep)

    def first(self, doorstep: Doorstep) -> Floats:
        return np.full(len(doorstep.mass), 0.5)


@dataclass(frozen=True)
class Maxmargin:
    """One hand is chosen to enter, the one that gains most over its alternative payoff, by regret matching+."""

    fixed: bool = False
    needs_values: bool = True

    def begin(self, doorstep: Doorstep) -> Gadget:
        doorstep.alternatives("Maxmargin")
        return Gadget(kernels.ONE_HAND, doorstep)

    def first(self, doorstep: Doorstep) -> Floats:
        return Gadget(kernels.ONE_HAND, doorstep).weights


@dataclass(frozen=True)
class Distributional:
    """Alternative payoffs are normal random variables that only the opponent sees ([Brown20] 5.1.6).

    `cdf` enters when the draw lies below this iteration's value; `hedge` softens that by exponential weights.
    """

    form: Literal["cdf", "hedge"] = "cdf"
    fixed: bool = False
    needs_values: bool = True

    def __post_init__(self) -> None:
        if self.form not in ("cdf", "hedge"):
            raise ParameterError(f"A distributional entry is of the form cdf or hedge, but {self.form!r} was given.")

    def begin(self, doorstep: Doorstep) -> Gadget:
        doorstep.alternatives("Distributional search")
        if doorstep.deviation is None:
            raise NotApplicableError(
                "Distributional search needs to know how uncertain the alternative payoffs are; use it with estimates."
            )
        return Gadget(kernels.HEDGE if self.form == "hedge" else kernels.CDF, doorstep)

    def first(self, doorstep: Doorstep) -> Floats:
        return np.full(len(doorstep.mass), 0.5)
