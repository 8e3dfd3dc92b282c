"""`check_solver` and `check_player` pass what is right and name what is wrong."""

import pytest

from equilibrist.agents.simple import AlwaysCall, RandomPlayer
from equilibrist.solvers.registry import make_solver
from equilibrist.testing import check_player, check_solver


@pytest.mark.parametrize(
    "name", ["cfr", "cfr+", "dcfr", "pcfr+", "cfr(minimiser=hedge)", "cfr-br", "fp", "flop", "egt", "mirror-prox"]
)
def test_solvers_pass(name):
    check_solver(make_solver(name), gap=0.5 if name in ("cfr-br", "cfr(minimiser=hedge)") else 0.2)


def test_leduc_is_solved_too():
    check_solver(make_solver("dcfr"), "leduc", iterations=200)


class Broken:
    """CFR with one rule broken."""

    name = "broken"

    def __init__(self, break_run):
        self.break_run = break_run

    def start(self, game):
        run = make_solver("cfr").start(game)
        self.break_run(run)
        return run


def lazy(run):
    run.advance = lambda iterations: setattr(run, "iteration", run.iteration + iterations)


def forgetful(run):
    whole = run.state
    run.state = lambda: {name: array * (name != "regret") for name, array in whole().items()}


def careless(run):
    advance = run.advance
    run.advance = lambda iterations: advance(iterations + 1)


def boastful(run):
    from equilibrist.core.solution import Evaluation

    run.evaluate = lambda: Evaluation((1.0, -1.0), (1.0 + 0.5 / (1 + run.iteration), -1.0 + 0.5 / (1 + run.iteration)))


@pytest.mark.parametrize(
    ("break_run", "rule"),
    [
        (lazy, "not less than"),
        (forgetful, "goes another way"),
        (careless, "is at iteration 2"),
        (boastful, "outside of the bracket"),
    ],
)
def test_broken_solvers_are_named(break_run, rule):
    with pytest.raises(AssertionError, match=rule):
        check_solver(Broken(break_run))


def test_players_pass():
    check_player(AlwaysCall)
    check_player(RandomPlayer)
    check_player(RandomPlayer, "kuhn(players=3)")


class Cheat(AlwaysCall):
    def act(self, view, deadline=None):
        return "r999"


class Moody(AlwaysCall):
    moods = 0

    def act(self, view, deadline=None):
        Moody.moods += 1
        return view.actions[Moody.moods % len(view.actions)]


@pytest.mark.parametrize(("make", "rule"), [(Cheat, "but the player took 'r999'"), (Moody, "acted differently")])
def test_broken_players_are_named(make, rule):
    with pytest.raises(AssertionError, match=rule):
        check_player(make)
