"""How the opponent enters a subgame that is solved again ([Brown20] 5.1; brown-search 2.5.3, 2.0.5).

An `Entry` is a description; `begin` makes a `RootGadget` of it, which is told the counterfactual values of entering after each
iteration and answers with one weight per hand. Nothing here knows how subgames are stored, so any solver can ask.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.leaf_values import RootGadget

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

NEGLIGIBLE = (
    1e-9  # external reach, relative to the largest: hands below it do not take part in decisions by expected value
)
NARROWEST = 1e-9  # standard deviation of an alternative payoff
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


class Entry(Protocol):
    """A way of entering."""

    @property
    def fixed(self) -> bool:
        """Weights never change."""

    @property
    def needs_values(self) -> bool:
        """Alternative payoffs must be known."""

    def begin(self, doorstep: Doorstep) -> RootGadget:
        """A gadget at work."""

    def first(self, doorstep: Doorstep) -> Floats:
        """Weights before anything is known."""


@dataclass(frozen=True)
class Unsafe:
    """The opponent's hands come as the blueprint says; no guarantee."""

    fixed: bool = True
    needs_values: bool = False

    def begin(self, doorstep: Doorstep) -> RootGadget:
        return _Constant(doorstep.reach)

    def first(self, doorstep: Doorstep) -> Floats:
        return doorstep.reach


class _Constant:
    def __init__(self, weights: Floats) -> None:
        self.weights = weights

    def entry(self, values: Floats, mass: Floats, alternative: Floats, iteration: int) -> Floats:
        return self.weights


@dataclass(frozen=True)
class Resolve:
    """Each hand enters or takes its alternative payoff, by regret matching+."""

    fixed: bool = False
    needs_values: bool = True

    def begin(self, doorstep: Doorstep) -> RootGadget:
        doorstep.alternatives("Resolve")
        return _TwoWays(self.first(doorstep))

    def first(self, doorstep: Doorstep) -> Floats:
        return np.full(len(doorstep.mass), 0.5)


class _TwoWays:
    def __init__(self, first: Floats) -> None:
        self.enters = first
        self.stay, self.enter = np.zeros_like(first), np.zeros_like(first)

    def entry(self, values: Floats, mass: Floats, alternative: Floats, iteration: int) -> Floats:
        """Compared in counterfactual units: external reach may be tiny."""
        outside = alternative * mass
        mixed = self.enters * values + (1.0 - self.enters) * outside
        self.enter = np.maximum(self.enter + values - mixed, 0.0)
        self.stay = np.maximum(self.stay + outside - mixed, 0.0)
        total = self.enter + self.stay
        self.enters = np.where(total > 0, self.enter / np.where(total > 0, total, 1.0), 0.5)
        return self.enters


@dataclass(frozen=True)
class Maxmargin:
    """One hand is chosen to enter, the one that gains most over its alternative payoff, by regret matching+."""

    fixed: bool = False
    needs_values: bool = True

    def begin(self, doorstep: Doorstep) -> RootGadget:
        doorstep.alternatives("Maxmargin")
        return _OneHand(doorstep)

    def first(self, doorstep: Doorstep) -> Floats:
        return _OneHand(doorstep).weights()


class _OneHand:
    def __init__(self, doorstep: Doorstep) -> None:
        self.group, self.groups = doorstep.group, int(doorstep.group.max(initial=-1)) + 1
        largest = np.zeros(self.groups)
        np.maximum.at(largest, self.group, doorstep.mass)
        self.takes_part = doorstep.mass > NEGLIGIBLE * largest[self.group]
        self.mass = np.where(self.takes_part, doorstep.mass, 1.0)
        self.regret = np.zeros(len(self.mass))
        self.chance = self._spread(self.takes_part.astype(np.float64))

    def _sums(self, numbers: Floats) -> Floats:
        return np.bincount(self.group, numbers, minlength=self.groups)[self.group].astype(np.float64)

    def _spread(self, weights: Floats) -> Floats:
        """Weights that sum to one in each subgame; even where all are zero."""
        total = self._sums(weights)
        even = self.takes_part / np.maximum(self._sums(self.takes_part.astype(np.float64)), 1.0)
        return np.where(total > 0, weights / np.where(total > 0, total, 1.0), even)

    def weights(self) -> Floats:
        return np.where(self.takes_part, self.chance / self.mass, 0.0)

    def entry(self, values: Floats, mass: Floats, alternative: Floats, iteration: int) -> Floats:
        gain = np.where(self.takes_part, values / self.mass - alternative, 0.0)
        self.regret = np.maximum(self.regret + gain - self._sums(self.chance * gain), 0.0) * self.takes_part
        self.chance = self._spread(self.regret)
        return self.weights()


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

    def begin(self, doorstep: Doorstep) -> RootGadget:
        doorstep.alternatives("Distributional search")
        if doorstep.deviation is None:
            raise NotApplicableError(
                "Distributional search needs to know how uncertain the alternative payoffs are; use it with estimates."
            )
        return _Uncertain(np.maximum(doorstep.deviation, NARROWEST), hedge=self.form == "hedge")

    def first(self, doorstep: Doorstep) -> Floats:
        return np.full(len(doorstep.mass), 0.5)


class _Uncertain:
    def __init__(self, deviation: Floats, hedge: bool) -> None:
        self.deviation, self.hedge = deviation, hedge
        self.total, self.variance = np.zeros_like(deviation), np.zeros_like(deviation)
        self.enters = np.full_like(deviation, 0.5)
        self.node, weight = np.polynomial.hermite_e.hermegauss(NODES)
        self.weight = weight / weight.sum()

    def entry(self, values: Floats, mass: Floats, alternative: Floats, iteration: int) -> Floats:
        worth = np.where(mass > 0, values / np.where(mass > 0, mass, 1.0), alternative)
        if self.hedge:
            self.enters = self._soften(worth, alternative, iteration)
        else:
            self.enters = ndtr((worth - alternative) / self.deviation)
        return self.enters

    def _soften(self, worth: Floats, alternative: Floats, iteration: int) -> Floats:
        """Hedge with the rate of its observed variance, averaged over the draws."""
        spread = (worth - alternative) ** 2 + self.deviation**2
        self.variance += self.enters * (1.0 - self.enters) * spread  # between the two actions, as seen before the draw
        self.total += worth
        rate = math.sqrt(math.log(2.0)) / (3.0 * np.sqrt(np.maximum(self.variance, NARROWEST**2)))  # = / sqrt(VAR t)
        draws = alternative[:, None] + self.deviation[:, None] * self.node
        lead = np.clip(rate[:, None] * (iteration * draws - self.total[:, None]), -700.0, 700.0)
        entered: Floats = (self.weight / (1.0 + np.exp(lead))).sum(axis=1)
        return entered
