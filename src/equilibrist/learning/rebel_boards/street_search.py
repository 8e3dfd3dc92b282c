"""FirstStreetSearch: one street searched with leaves that are asked at every pass, in the four ways of [Brown20, §5.3.8, §5.3.9]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.learning.rebel_boards.first_street import FirstStreet, Pair

Algorithm = Literal["cfr-d", "cfr-avg", "modified-cfr-avg", "fp"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)


class LeafSource(Protocol):
    """Who knows what leaves are worth."""

    @property
    def follows(self) -> bool:
        """Whether the policy behind an answer can be evaluated at another reach than it was asked about."""

    def believe(self, reach: Pair) -> None:
        """What leaves [leaf, H] are asked about: both players' own reach."""

    def values(self, me: int, theirs: Floats) -> Floats:
        """My counterfactual values [leaf, H] where the opponent comes with this reach [leaf, H]."""


class FirstStreetSearch:
    """Linear CFR with alternating updates, or linear optimistic fictitious play; leaves are asked in every pass of a player.

    `cfr-d`: at beliefs of the present strategies. `cfr-avg`: at those of the averages, and the policy found is evaluated at the opponent's
    present reach. `modified-cfr-avg`: at those of the averages; what counts is by how much the reach-weighted values have grown, so that
    ends of the game come out as in CFR. `fp`: at those of the averages, to which answers are best responses.
    """

    def __init__(self, street: FirstStreet, leaves: LeafSource, algorithm: Algorithm = "cfr-d") -> None:
        if algorithm not in ALGORITHMS:
            raise ParameterError(f"A street is searched by {', '.join(ALGORITHMS)}, but {algorithm!r} was given.")
        if algorithm == "cfr-avg" and not leaves.follows:
            raise NotApplicableError(
                "cfr-avg evaluates the policies behind the leaves' values at another reach, and a network has none; use modified-cfr-avg."
            )
        self.street, self.leaves, self.algorithm, self.iteration = street, leaves, algorithm, 0
        self.playing = [street.even(p) for p in range(2)]  # [slot, H]
        self.iterate: Pair = (self.playing[0], self.playing[1])  # what leaves were asked about in the last pass of CFR
        self.regret = [np.zeros_like(own) for own in self.playing]
        self.sums = [np.zeros_like(own) for own in self.playing]  # of own reach behind each action, linear
        self.before = [np.zeros((len(street.leaves), len(hands))) for hands in street.hands]

    def advance(self, iterations: int) -> None:
        """So many of both players."""
        for _ in range(iterations):
            self.iteration += 1
            for me in range(2):
                self._answer(me) if self.algorithm == "fp" else self._learn(me)

    def average(self) -> Pair:
        """[slot, H] both players' strategies so far."""
        first, second = (self.street.matched(p, self.sums[p]) for p in range(2))
        return first, second

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything but what the leaves remember."""
        out: dict[str, npt.NDArray[Any]] = {"iteration": np.array([self.iteration])}
        for name in ("playing", "regret", "sums", "before"):
            out |= {f"{name}.{p}": getattr(self, name)[p] for p in range(2)}
        return out

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on where a state was taken."""
        self.iteration = int(state["iteration"][0])
        for name in ("playing", "regret", "sums", "before"):
            setattr(self, name, [np.array(state[f"{name}.{p}"]) for p in range(2)])

    def _learn(self, me: int) -> None:
        """One pass of linear CFR; the opponent's average grows by what it plays now."""
        street, them, t = self.street, 1 - me, float(self.iteration)
        self.iterate = self.playing[0], self.playing[1]
        theirs = street.reach(them, self.playing[them])
        self.sums[them] += t * street.sums_of(them, theirs)
        leaf = self._leaf_values(me, theirs[street.leaves], t)
        _, gain = street.gains(me, self.playing[me], street.ends(me, theirs, leaf))
        self.regret[me] += t * gain
        self.playing[me] = street.matched(me, self.regret[me])

    def _leaf_values(self, me: int, theirs: Floats, t: float) -> Floats:
        """My counterfactual values at the leaves, where the opponent's present reach is `theirs`."""
        street, them = self.street, 1 - me
        if self.algorithm == "cfr-d":
            self._believe(me, street.reach(me, self.playing[me])[street.leaves], theirs)
            return self.leaves.values(me, theirs)
        mine, average = (street.reach(p, street.matched(p, self.sums[p]))[street.leaves] for p in (me, them))
        self._believe(me, mine, average)
        if self.algorithm == "cfr-avg":
            return self.leaves.values(me, theirs)
        found = self.leaves.values(me, average)
        grown = ((t + 1.0) * found - (t - 1.0) * self.before[me]) / 2.0
        self.before[me] = found
        return grown

    def _answer(self, me: int) -> None:
        """A best response to the opponent's average with its last strategy counted once more."""
        street, them, t = self.street, 1 - me, float(self.iteration)
        n = t + me  # of the opponent's next strategy
        last = street.sums_of(them, street.reach(them, self.playing[them]))
        sums = last if n == 1.0 else n / (n + 2.0) * self.sums[them] / (n * (n - 1.0) / 2.0) + 2.0 / (n + 2.0) * last
        theirs = street.reach(them, street.matched(them, sums))
        mine = street.reach(me, street.matched(me, self.sums[me]))[street.leaves]
        self._believe(me, mine, theirs[street.leaves])
        leaf = self.leaves.values(me, theirs[street.leaves])
        _, self.playing[me] = street.answer(me, street.ends(me, theirs, leaf))
        self.sums[me] += t * street.sums_of(me, street.reach(me, self.playing[me]))

    def _believe(self, me: int, mine: Floats, theirs: Floats) -> None:
        self.leaves.believe((mine, theirs) if me == 0 else (theirs, mine))
