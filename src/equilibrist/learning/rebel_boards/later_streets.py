"""LaterStreets: everything behind the leaves of a first street, learned by vector CFR from whatever reach the leaves have."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats, Floats32
from equilibrist.learning.rebel_boards.first_street import FirstStreet, Pair
from equilibrist.solvers.cfr.schedules import LINEAR
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.passes.worker import Worker

PIECES = (
    16  # of a pass: what threads share, and sums of which are added in order, so that results do not hang on threads
)


class LaterStreets:
    """Tables of both players behind every leaf, on every board; vectors are [leaf, H] with the hands of the first street."""

    def __init__(self, street: FirstStreet) -> None:
        self.street = street
        self.run = street.start(LINEAR)  # for its tables and passes; factors are given with every pass
        self.widths = [self.run.worker.width(1, p) for p in range(2)]
        boards = len(self.run.streets[1].boards.cards)
        ends = np.linspace(0, boards, min(PIECES, boards) + 1).astype(int).tolist()
        self.pieces = list(itertools.pairwise(ends))
        self.workers = [Worker(self.run.streets) for _ in range(min(street.threads, len(self.pieces)))]
        self.team = Team(len(self.workers))

    def learn(self, me: int, theirs: Floats, factors: tuple[float, float, float]) -> Floats:
        """One pass of a player against this reach of the opponent, whose averages grow by it; my counterfactual values.

        `factors` are on my positive regrets, my negative ones and the opponent's averages so far.
        """
        return self._pass(kernels.LEARN, me, np.array(factors, dtype=np.float32), theirs)

    def values(self, me: int, theirs: Floats, *, respond: bool = False) -> Floats:
        """My counterfactual values against the opponent's averages, reached with `theirs`; I play mine, or respond."""
        return self._pass(kernels.RESPOND if respond else kernels.VALUE, me, np.ones(3, dtype=np.float32), theirs)

    def tables(self) -> dict[str, Floats32]:
        """Regrets and averages by name, live."""
        return {name: table for name, table in self.run.state().items() if name.split(".")[1:2] not in ([], ["0"])}

    def forget(self) -> None:
        """No regrets, no averages."""
        for table in self.tables().values():
            table[:] = 0.0

    def _pass(self, mode: int, me: int, factors: Floats32, theirs: Floats) -> Floats:
        worker, them = self.run.worker, 1 - me
        reach = np.zeros((len(theirs), self.widths[them]), dtype=np.float32)
        reach[:, : theirs.shape[1]] = theirs
        under = worker.next_value[0][me]
        parts = np.zeros((len(self.pieces), len(under)), dtype=np.float32)

        def share(number: int) -> None:
            for piece in range(number, len(self.pieces), len(self.workers)):
                first, last = self.pieces[piece]
                self.workers[number].below(
                    1, first, last, mode, me, kernels.Weights(*factors), reach.ravel(), parts[piece]
                )

        self.team.run([partial(share, number) for number in range(len(self.workers))])
        under[:] = parts.sum(axis=0)
        worker.symmetrise(0, 0, me)
        return under.reshape(len(theirs), -1)[:, : len(self.street.hands[me])].astype(np.float64)


def scaled(reach: Floats, least: float) -> tuple[Floats, Floats]:
    """Beliefs [leaf, H], one where a hand is most likely, and the factors [leaf, 1] that were taken out.

    Hands that do not get there weigh `least`, so that they know what to do and are answered; where nobody gets, all hands weigh the same.
    """
    most = reach.max(axis=1, keepdims=True)
    return np.maximum(np.where(most > 0.0, reach / np.where(most > 0.0, most, 1.0), 1.0), least), most


class SolvedStreets:
    """An oracle: from beliefs at all leaves everything behind them is solved by CFR+, `iterations` each time.

    Regrets are carried from one question to the next, which are much alike (`carried`), averages are made anew.
    """

    follows = True  # what was found may be evaluated at another reach

    def __init__(self, street: FirstStreet, iterations: int = 24, *, carried: bool = True, least: float = 1e-6) -> None:
        self.later, self.iterations, self.carried, self.least = LaterStreets(street), iterations, carried, least
        self.beliefs: Pair | None = None

    def believe(self, reach: Pair) -> None:
        """Solve at beliefs in proportion to both players' own reach [leaf, H]."""
        self.beliefs = scaled(reach[0], self.least)[0], scaled(reach[1], self.least)[0]
        if not self.carried:
            self.later.forget()
        for t in range(1, self.iterations + 1):
            for me in range(2):
                self.later.learn(me, self.beliefs[1 - me], (1.0, 0.0, (t - 1.0) / t))

    def values(self, me: int, theirs: Floats) -> Floats:
        """My counterfactual values [leaf, H] when both play what was found, the opponent coming with this reach."""
        beliefs, most = scaled(theirs, 0.0)
        return most * self.later.values(me, np.where(most > 0.0, beliefs, 0.0))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Regrets that the next question begins with; averages and beliefs of the last one."""
        asked = {} if self.beliefs is None else {f"beliefs.{p}": self.beliefs[p] for p in range(2)}
        return {f"oracle.{name}": table for name, table in self.later.tables().items()} | asked

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on where a state was taken."""
        for name, table in self.later.tables().items():
            table[:] = state[f"oracle.{name}"]
        if "beliefs.0" in state:
            self.beliefs = np.array(state["beliefs.0"]), np.array(state["beliefs.1"])

    def gaps(self) -> Floats:
        """[leaf] exploitability of what was found, as a share of the pot there."""
        assert self.beliefs is not None, "nothing was asked yet"
        street, own = self.later.street, self.beliefs
        best = sum((own[p] * self.later.values(p, own[1 - p], respond=True)).sum(axis=1) for p in range(2))
        pairs = (own[0] * street.met(1, own[1])).sum(axis=1)
        found: Floats = best / 2.0 / pairs / (2.0 * street.betting.stake[street.leaves])
        return found
