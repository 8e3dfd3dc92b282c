"""ValuedStreetCFR: CFR on the first street of a spot; what a hand is worth where the next card comes is asked ([Brown20, §5.3.3], CFR-D).

The values there depend on what both players are believed to hold, so they are asked anew in every pass, at the beliefs that the present
strategies lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from equilibrist.core.arrays import Floats32
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import DEAL
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

Ask = Callable[[int, tuple[Floats32, Floats32]], Floats32]


class StreetEnds(Protocol):
    """Who knows what hands are worth at the ends of one spot's street."""

    def ask(self, player: int, reach: tuple[Floats32, Floats32]) -> Floats32:
        """[leaf, hand] a player's counterfactual values in chips, net of half the starting pot.

        `reach` is both players' own [leaf, hand].
        """

    def measure(self, player: int, reach: tuple[Floats32, Floats32]) -> Floats32:
        """The same where strategies are measured: equal questions have equal answers, whatever is drawn while they are learned."""

    def told(self) -> Mapping[str, Any]:
        """What answers say of where values come from."""


class ValuedStreetCFR(BoardCFR):
    """Learns the first street alone. The streets below are there in name: what comes after a card is never looked at."""

    first_check = 20  # a check costs about an iteration
    check_growth = 1.1

    def __init__(self, spot: CompiledSpot, schedule: Schedule, values: StreetEnds, *, predictive: bool = False) -> None:
        if len(spot.forests) < 2:
            raise NotApplicableError("A river spot has no street below it, so a search of it ends with the hand.")
        super().__init__(
            spot.forests, spot.deal, spot.weights, schedule, predictive=predictive, isomorphism=spot.isomorphism, boards=spot.boards
        )  # fmt: skip
        self.edge = values
        self.leaves = int((spot.forests[0].kind == DEAL).sum())
        self._mine: list[Floats32 | None] = [None, None]  # each player's reach of the leaves when it last came down

    @property
    def exact(self) -> bool:
        """What is stated comes from values in single precision."""
        return False

    def value_at(
        self, path: Sequence[int], me: int, *, below: Floats32 | None = None, respond: bool = False
    ) -> Floats32:
        """Values on the first board; below it as `values` say at the beliefs of both averages."""
        if path:
            raise NotApplicableError("A depth-limited search has values on its own street only.")
        mode, worker = kernels.RESPOND if respond else kernels.VALUE, self.worker
        self._look_down(worker, path, 1 - me)
        if below is None:
            theirs = self._at_leaves(1 - me)
            below = self._asked(self.edge.measure, me, self._averaged(me), theirs)
            self._look_down(worker, path, 1 - me)
        return self._look_up(worker, path, me, below, mode)

    def _pass(self, mode: int, me: int, weights: Any, given: Floats32 | None = None) -> Floats32:
        worker, them = self.worker, 1 - me
        value = np.zeros_like(self.root_weights[me])
        mine = self._averaged(me) if mode != kernels.LEARN else self._own(me)
        worker.street_down(
            0, 0, mode, me, weights.keep, self.root_weights[them] if given is None else given, worker.nothing
        )
        theirs = self._at_leaves(them)
        if mode == kernels.LEARN:
            self._mine[them] = theirs
        ask = self.edge.ask if mode == kernels.LEARN else self.edge.measure
        worker.next_value[0][me][:] = self._asked(ask, me, mine, theirs).ravel()
        worker.street_up(0, 0, mode, me, weights, value, worker.nothing)
        return value

    def _own(self, me: int) -> Floats32:
        """My reach under my present strategy: as it came down when the other one learned, or even play at first."""
        found = self._mine[me]
        return self._averaged(me) if found is None else found

    def _averaged(self, player: int) -> Floats32:
        """[leaf, hand] a player's reach under its average; even play where there is none yet."""
        worker = self.worker
        worker.street_down(0, 0, kernels.VALUE, 1 - player, np.float32(1), self.root_weights[player], worker.nothing)
        return self._at_leaves(player)

    def _at_leaves(self, player: int) -> Floats32:
        reach: Floats32 = self.worker.next_reach[0][player].reshape(self.leaves, -1)
        return reach[:, : self.streets[0].boards.player[player].count[0]].copy()

    def _asked(self, ask: Ask, me: int, mine: Floats32, theirs: Floats32) -> Floats32:
        found = ask(me, (mine, theirs) if me == 0 else (theirs, mine))
        out = np.zeros((self.leaves, self.worker.width(1, me)), dtype=np.float32)
        out[:, : found.shape[1]] = found
        return out

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._mine = [None, None]
