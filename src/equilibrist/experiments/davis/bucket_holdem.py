"""What the experiments with limit hold'em in buckets share: the game, its equilibrium, values in milli-blinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.compute.machine import cores
from equilibrist.core.arrays import Floats, Longs
from equilibrist.experiments.findings import Request
from equilibrist.exploit.response_functions.class_uct_fbr import ClassArena, RoundResponder, graded_value
from equilibrist.exploit.response_functions.response_functions import SampleMean
from equilibrist.forms.hand_classes.bucket_form import bucket_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bucket_game import BucketPoker
from equilibrist.solvers.hand_classes.class_cfr import ClassCFR
from equilibrist.solvers.hand_classes.passes import ClassPass, RoundStrategy, Weights
from equilibrist.solvers.hand_classes.solve_classes import DEFAULT_ROUND_SOLVER, start_rounds

CHECKED = 10  # iterations between looks at the exploitability


@dataclass(frozen=True, eq=False)
class BucketSetting:
    """One game of buckets, ready to be played."""

    game: BucketPoker
    arena: ClassArena

    @property
    def unit(self) -> float:
        """Milli-blinds in a chip."""
        assert self.game.big_blind is not None
        return 1000.0 / self.game.big_blind

    def value(self, weights: Weights, responder: RoundResponder, runs: int, seed: int = 0) -> SampleMean:
        """Against a responder, mbb/g, seats averaged."""
        found = graded_value(self.arena, weights, responder, runs=runs, seed=seed)
        return SampleMean(found.mean * self.unit, found.interval * self.unit, found.runs)

    def exploitability(self, weights: Weights) -> float:
        """What best responses win, mbb/g, seats averaged; in 64-bit floats."""
        best = RoundStrategy(self.arena.form, weights).evaluate().best_response_value
        assert best is not None
        return sum(best) / 2.0 * self.unit

    def always_fold(self) -> Weights:
        """Folds to every bet, otherwise checks."""
        sides = []
        for p in range(2):
            tables = self.arena.passing.tables[p]
            sides.append([_folding(t.columns.names, t.columns.place, r, t.classes) for r, t in enumerate(tables)])
        return sides[0], sides[1]


def _folding(names: Sequence[tuple[str, ...]], place: Longs, round: int, classes: int) -> Floats:
    """[classes, lane columns]: the first action of every infoset is to fold, or to check where there is nothing to fold to."""
    walk = np.array([float(i == 0) for actions in names for i in range(len(actions))])
    row = np.ones(len(place))
    own = place[:, 0] == round
    row[own] = walk[place[own, 1]]
    return np.tile(row, (classes, 1))


def open_setting(name: str, request: Request) -> BucketSetting:
    """The game of a name; its deals are made if this is the first time."""
    game = load_game(name)
    assert isinstance(game, BucketPoker)
    game.prepare(lambda text, share: request.report(f"{name}: {text}", share))
    request.report(f"{name}: laying out", None)
    return BucketSetting(game, ClassArena(bucket_form(game, cores())))


def solve_to(
    setting: BucketSetting, goal: float, request: Request, watch: Callable[[ClassCFR], None] = lambda run: None
) -> tuple[ClassCFR, float]:
    """CFR until an exploitability in mbb/g, and what was reached; `watch` sees the run every ten iterations."""
    run, exact = start_rounds(setting.arena.form, DEFAULT_ROUND_SOLVER), ClassPass(setting.arena.form)
    while True:
        run.advance(CHECKED)
        watch(run)
        reached = exact.evaluate(run.average).exploitability * setting.unit
        request.report(f"CFR: iteration {run.iteration}, exploitability {reached:.1f} mbb/g", None)
        if reached <= goal:
            return run, reached


def numbers(cells: Mapping[int, SampleMean]) -> dict[str, dict[str, float]]:
    """Means and intervals, for reports."""
    return {str(n): {"value": cell.mean, "interval": cell.interval} for n, cell in cells.items()}
