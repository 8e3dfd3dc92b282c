"""What limits NFSP on Leduc poker: nets replaced by exact parts, one at a time.

`--responses exact` answers the average strategies exactly, `table` by means over the ring, `net` by the net Q; `--average table` plays all
moves of best responses so far, `net` a net fitted to them. Printed are iterations, CPU seconds and thousandths of an ante: of what is
played, and of the moves that it imitates.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.compiled import compiled
from equilibrist.learning.reinforcement.fitted_nfsp import FittedNFSP, FittedNFSPLearner
from equilibrist.solvers.responses.best_response import best_response, evaluate_policy

PASSES = 6  # of means over the ring, so that rewards come up from the last move of a hand to the first


class PartlyExact(FittedNFSPLearner):
    """NFSP with exact parts."""

    def __init__(self, settings: FittedNFSP, seed: int, responses: str, average: str) -> None:
        super().__init__(settings, compiled("leduc"), seed, "cpu")
        self.kinds = responses, average

    def responses(self) -> Floats:
        if self.kinds[0] != "exact":
            return super().responses()
        policy, infosets = self.policy(), self.game.infosets
        chosen = np.zeros(infosets.slots)
        for player in range(2):
            own = np.repeat(infosets.player == player, np.diff(infosets.first_slot))
            chosen[own] = best_response(self.game, policy, player).policy.probabilities[own]
        count = np.maximum(self.encoding.by_row(np.ones_like(chosen)), 1.0)
        mean: Floats = self.encoding.by_row(chosen) / count  # infosets of one row have equal responses
        return mean

    def _improve_values(self, steps: int, done: int) -> None:
        if self.kinds[0] == "net":
            super()._improve_values(steps, done)
        elif self.kinds[0] == "table" and not done:
            for _ in range(PASSES):
                self.q_table = self.played.wanted(self.q_table)

    def _improve_average(self) -> None:
        if self.kinds[1] == "net":
            super()._improve_average()
        else:
            self.average_table = self.imitated()

    def imitated(self) -> Floats:
        """[R, A] shares of moves of best responses, even where there are none."""
        moves = self.played.imitated + 1e-9 * self.encoding.legal
        shares: Floats = moves / moves.sum(axis=1, keepdims=True)
        return shares


def exploitability(learner: PartlyExact, table: Floats) -> float:
    policy: TabularPolicy = normalise(learner.game.infosets, learner.encoding.by_slot(table))
    return 1000 * evaluate_policy(learner.game, policy).exploitability


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", choices=("exact", "table", "net"), default="net")
    parser.add_argument("--average", choices=("table", "net"), default="net")
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--decisions", type=int, default=FittedNFSP.decisions)
    parser.add_argument("--ring", type=int, default=FittedNFSP.ring)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(argv)
    settings = FittedNFSP(decisions=asked.decisions, ring=asked.ring)
    learner = PartlyExact(settings, asked.seed, asked.responses, asked.average)
    begin, shown = time.process_time(), 10
    while learner.iteration < asked.iterations:
        learner.advance()
        if learner.iteration in (shown, asked.iterations):
            shown *= 2
            ends = exploitability(learner, learner.average_table), exploitability(learner, learner.imitated())
            print(
                f"{learner.iteration:6d} {time.process_time() - begin:7.1f} s {ends[0]:8.1f} {ends[1]:8.1f}", flush=True
            )


if __name__ == "__main__":
    main()
