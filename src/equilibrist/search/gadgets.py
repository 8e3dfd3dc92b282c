"""Gadgets: how the opponent enters a subgame that is solved again ([Brown20, §5.1]).

A `Gadget` is a description; `begin` makes `EntryWeights` of it, which are told the counterfactual values of entering after each
iteration and answer with one weight per hand. Nothing here knows how subgames are stored, so any engine can ask. `resolve.py` and
`maxmargin.py` hold the safe ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.search import array_gadgets
from equilibrist.search._kernels import entry as kernels

NEGLIGIBLE = 1e-9  # external reach, relative to the largest: hands below it take no part in decisions by expected value
NODES = 32  # of Gauss-Hermite quadrature
DOUBLE = 1e-12  # relative rounding of sums of doubles


@dataclass(frozen=True)
class GadgetInputs:
    """The opponent's hands at the roots; all arrays [hands], of NumPy or of the module that the engine computes with."""

    mass: Floats  # external reach: chance times the searcher's range
    group: Ints  # which of several subgames a hand belongs to
    reach: Floats  # the opponent's own range, for gadgets that believe in it
    alternative: Floats | None = None  # expected value of staying out
    deviation: Floats | None = None  # standard deviation of that value, where it is uncertain

    def alternatives(self, what: str) -> Floats:
        if self.alternative is None:
            raise NotApplicableError(
                f"{what} needs the blueprint's values at the subgame as alternative payoffs; give a blueprint, or use unsafe search."
            )
        return self.alternative

    @cached_property
    def groups(self) -> int:
        return int(self.group.max()) + 1 if len(self.group) else 1

    @cached_property
    def even(self) -> bool:
        """Whether subgames follow one another, all with equally many hands: then sums over them have a fixed order everywhere."""
        width, rest = divmod(len(self.group), self.groups)
        if rest:
            return False
        number = self.group.reshape(self.groups, width)
        first = number[:, 0] if width else number.ravel()
        counted = not len(first) or (int(first[0]) == 0 and bool((first[1:] - first[:-1] == 1).all()))
        return counted and bool((number == number[:, :1]).all())

    def largest(self, amounts: Floats) -> Floats:
        """[hand] the largest of amounts that are not negative in its subgame."""
        if self.even:
            width = len(amounts) // self.groups
            return np.repeat(amounts.reshape(self.groups, width).max(axis=1), width) if width else amounts
        out = np.zeros(self.groups)
        np.maximum.at(out, self.group, amounts)
        return out[self.group]


class EntryWeights:
    """A gadget at work: its kind, what it is told and what it remembers."""

    def __init__(
        self,
        kind: int,
        inputs: GadgetInputs,
        weights: Floats | None = None,
        *,
        xp: Any = np,
        precision: float = DOUBLE,
    ) -> None:
        """`xp` is the array module of the values to come, `precision` their relative rounding."""
        groups = inputs.groups
        self.kind, self.xp = kind, xp
        door = _door(inputs, precision)
        first = np.full_like(door.mass, 0.5) if weights is None else weights.astype(np.float64)
        outside = (1.0 - first) * door.alternative
        nothing, none = np.zeros_like(door.mass), np.zeros_like(door.mass)
        memory = kernels.Memory(first, outside, nothing, none, np.zeros(groups), np.zeros(groups))
        self.door, self.memory = door, memory
        if xp is np:
            if kind == kernels.ONE_HAND:
                kernels.choose_hand(door, memory)
            return
        door = door._replace(dust=_dust(inputs, precision))  # subgames side by side round by their own amounts
        self.even = inputs.even
        self.door, self.memory = (array_gadgets.moved(xp, bundle) for bundle in (door, memory))
        if kind == kernels.ONE_HAND:
            self.memory = array_gadgets.choose_hand(xp, self.door, self.memory, self.even)

    @property
    def weights(self) -> Any:
        """[hand] as they are now."""
        return self.memory.weights.copy()

    @property
    def stayed(self) -> Any:
        """[hand] expected value of what is taken outside, per unit of external reach."""
        return self.memory.stayed.copy()

    def update(self, values: Any, iteration: int) -> None:
        """New weights, from counterfactual values of entering."""
        if self.xp is np:
            kernels.enter(self.kind, iteration, values, self.door, self.memory)
        else:
            self.memory = array_gadgets.enter(self.xp, self.kind, iteration, values, self.door, self.memory, self.even)

    def entry(self, values: Floats, mass: Floats, alternative: Floats, iteration: int) -> Any:
        """Weight per hand, given counterfactual entry values, external reach and alternative payoffs."""
        self.door = self.door._replace(mass=mass.astype(np.float64), alternative=alternative.astype(np.float64))
        self.update(values.astype(np.float64), iteration)
        return self.weights


def _door(inputs: GadgetInputs, precision: float) -> Any:
    """Inputs as the kernels want them; what a gadget does not use is zero."""
    mass = inputs.mass.astype(np.float64)
    nothing = np.zeros_like(mass)
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    alternative = nothing if inputs.alternative is None else inputs.alternative.astype(np.float64)
    return kernels.Door(
        mass=mass,
        alternative=alternative,
        deviation=nothing if inputs.deviation is None else np.maximum(inputs.deviation, kernels.NARROWEST),
        group=inputs.group.astype(np.int32),
        takes_part=inputs.mass > NEGLIGIBLE * inputs.largest(inputs.mass),
        dust=precision * float(np.abs(alternative).max()) if len(alternative) else 0.0,
        node=node,
        node_weight=weight / weight.sum(),
    )


def _dust(inputs: GadgetInputs, precision: float) -> Floats:
    """[hand] chips by which values in its subgame may differ and are equal."""
    worth = np.zeros_like(inputs.mass) if inputs.alternative is None else np.abs(inputs.alternative)
    return precision * inputs.largest(worth)


@dataclass(frozen=True)
class GadgetPlay:
    """How a gadget game stands: averages of the opponent's decisions, and what either side can still get; arrays [hands]."""

    entered: Floats  # average weight of entering
    stayed: Floats  # average value taken outside, per unit of external reach
    answer: Floats  # counterfactual value of entering for an opponent that responds best to the searcher's average
    conceded: float  # what entering brings the opponent against a searcher that responds best to these averages


class Gadget(Protocol):
    """A way of entering."""

    @property
    def fixed(self) -> bool:
        """Weights never change."""

    @property
    def needs_values(self) -> bool:
        """Alternative payoffs must be known."""

    @property
    def sound(self) -> bool:
        """With upper bounds as alternative payoffs, exploitability cannot rise."""

    def begin(self, inputs: GadgetInputs, *, xp: Any = np, precision: float = DOUBLE) -> EntryWeights:
        """The gadget at work."""

    def gap(self, inputs: GadgetInputs, play: GadgetPlay) -> float:
        """Half of what both sides could gain in the gadget game, in chips."""


@dataclass(frozen=True)
class Unsafe:
    """The opponent's hands come as the blueprint says; no guarantee."""

    fixed: bool = True
    needs_values: bool = False
    sound: bool = False

    def begin(self, inputs: GadgetInputs, *, xp: Any = np, precision: float = DOUBLE) -> EntryWeights:
        return EntryWeights(kernels.CONSTANT, inputs, inputs.reach, xp=xp, precision=precision)

    def gap(self, inputs: GadgetInputs, play: GadgetPlay) -> float:
        return (float(inputs.reach @ play.answer) - play.conceded) / (2.0 * float(inputs.reach @ inputs.mass))


@dataclass(frozen=True)
class Distributional:
    """Alternative payoffs are normal random variables that only the opponent sees ([Brown20, §5.1.6]).

    `cdf` enters when the draw lies below this iteration's value; `hedge` softens that by exponential weights.
    """

    form: Literal["cdf", "hedge"] = "cdf"
    fixed: bool = False
    needs_values: bool = True
    sound: bool = False

    def __post_init__(self) -> None:
        if self.form not in ("cdf", "hedge"):
            raise ParameterError(f"A distributional entry is of the form cdf or hedge, but {self.form!r} was given.")

    def begin(self, inputs: GadgetInputs, *, xp: Any = np, precision: float = DOUBLE) -> EntryWeights:
        self._deviation(inputs)
        kind = kernels.HEDGE if self.form == "hedge" else kernels.CDF
        return EntryWeights(kind, inputs, xp=xp, precision=precision)

    def gap(self, inputs: GadgetInputs, play: GadgetPlay) -> float:
        """A best response compares each draw with the value of entering."""
        mean, deviation, mass = inputs.alternatives("Distributional search"), self._deviation(inputs), inputs.mass
        worth = np.where(mass > 0, play.answer / np.where(mass > 0, mass, 1.0), mean)
        lead = (worth - mean) / deviation
        enters = array_gadgets.normal_cdf(np, lead)
        density = np.exp(-0.5 * np.minimum(lead**2, 2.0 * kernels.STEEPEST)) * kernels.DENSITY
        best = enters * worth + (1.0 - enters) * mean + deviation * density  # E[max(X, worth)]
        most = float(best @ mass)
        return (most - play.conceded - float(play.stayed @ mass)) / (2.0 * float(mass.sum()))

    def _deviation(self, inputs: GadgetInputs) -> Floats:
        inputs.alternatives("Distributional search")
        if inputs.deviation is None:
            raise NotApplicableError(
                "Distributional search needs to know how uncertain the alternative payoffs are; use it with estimates."
            )
        return np.maximum(inputs.deviation, kernels.NARROWEST)
