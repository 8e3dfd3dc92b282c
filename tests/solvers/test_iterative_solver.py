"""A method of one's own has `name` and `start`; all else is inherited."""

from dataclasses import dataclass

import numpy as np
import pytest

from equilibrist.forms.compiled import compiled
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.iterative_solver import IterativeSolver
from equilibrist.solvers.registry import make_solver


@dataclass(frozen=True)
class Mine(IterativeSolver):
    """CFR by another name."""

    strength: int = 3
    name: str = "mine"

    def start(self, game):
        return CFR().start(game)

    def settings(self, game):
        return {"strength": self.strength, "of": game.game.name}


def test_it_solves_records_and_goes_on():
    game = compiled("kuhn")
    first = Mine().solve(game, Stop(iterations=20))
    assert (first.solver, first.iterations, first.game) == ("mine", 20, "kuhn")
    assert first.settings["strength"] == 3
    assert first.settings["of"] == "kuhn"
    on = Mine().solve(game, Stop(iterations=50), resume=first)
    whole = CFR().solve(game, Stop(iterations=50))
    assert np.array_equal(on.policy.probabilities, whole.policy.probabilities)


def test_readable_as_a_dataclass():
    assert repr(Mine()) == "Mine(strength=3, name='mine')"
    assert Mine() == Mine(3)


def test_a_method_without_a_run_is_none():
    @dataclass(frozen=True)
    class Idle(IterativeSolver):
        name: str = "idle"

    with pytest.raises(TypeError, match="start"):
        Idle()


def test_seeds_and_goals_reach_the_run():
    """Two seeds draw differently; smoothing aims at the goal; sampling draws by the seed."""
    game = compiled("kuhn")
    for name in ("mccfr", "pure-cfr", "sampled-egt(share=0.5)"):
        found = [
            make_solver(name).solve(game, Stop(iterations=30), seed=seed).policy.probabilities for seed in (1, 1, 2)
        ]
        assert np.array_equal(found[0], found[1]), name
        assert not np.array_equal(found[0], found[2]), name
    aimed, coarse = (make_solver("smoothing").begin(game, Stop(exploitability=goal), 0) for goal in (1e-5, None))
    assert aimed.solver.accuracy == 2e-5
    assert coarse.solver.accuracy is None


@pytest.mark.parametrize(
    "name", ["cfr", "dcfr", "mccfr", "pure-cfr", "fp", "cfr-br", "regret-free-cfr", "egt", "smoothing"]
)
def test_one_solve_serves_all(name):
    solver = make_solver(name)
    assert type(solver).solve is IterativeSolver.solve
    assert isinstance(solver, IterativeSolver)
