"""`check_solver` and `check_player` pass what is right and name what is wrong."""

import pytest

from equilibrist import solve
from equilibrist.agents.simple import AlwaysCall, RandomPlayer
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iterative_solver import IterativeSolver
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


def inventive(run):
    """States what a good run would state, and plays anything."""
    from equilibrist.core.solution import Evaluation

    worth, left = -1.0 / 18.0, lambda: 1.0 / (1 + run.iteration)
    run.evaluate = lambda: Evaluation((worth, -worth), (worth + left(), -worth + left()))
    uniform = compiled("kuhn").infosets.uniform()
    run.average = lambda: uniform


def giving(**answers):
    """A run some of whose members give something else."""

    def break_run(run):
        for name, answer in answers.items():
            setattr(run, name, (lambda given: lambda *_: given)(answer))

    return break_run


def raising(run):
    def evaluate():
        raise RuntimeError("out of order")

    run.evaluate = evaluate


@pytest.mark.parametrize(
    ("break_run", "rule"),
    [
        (lazy, "not less than"),
        (forgetful, "goes another way"),
        (careless, "is at iteration 2"),
        (boastful, r"does not measure `average\(\)`"),
        (inventive, r"`evaluate\(\)` of 'broken' does not measure `average\(\)`"),
        (giving(evaluate=None), r"`evaluate\(\)` of 'broken' gave nothing; it gives an `Evaluation`"),
        (giving(average=None), r"`average\(\)` of 'broken' gave nothing; it gives a `TabularPolicy`"),
        (giving(state={}), r"`state\(\)` of 'broken' gave an empty dict"),
        (giving(state={"regret": [1.0]}), "has list under 'regret'"),
        (raising, r"`evaluate\(\)` raised RuntimeError: out of order"),
    ],
)
def test_broken_solvers_are_named(break_run, rule):
    with pytest.raises(AssertionError, match=rule):
        check_solver(Broken(break_run))


class Idle(IterativeSolver):
    """Starts whatever it is told to."""

    name = "idle"

    def __init__(self, run):
        self.run = run

    def start(self, game):
        return self.run(game)


def broken_cfr(break_run):
    def start(game):
        run = make_solver("cfr").start(game)
        break_run(run)
        return run

    return start


@pytest.mark.parametrize(
    ("start", "rule"),
    [
        (lambda game: None, r"`start\(game\)` of 'idle' gave None"),
        (lambda game: object(), r"has no `advance\(\)`"),
        (broken_cfr(giving(evaluate=None)), r"`evaluate\(\)` of .* gave nothing"),
        (broken_cfr(giving(average=None)), r"`average\(\)` of 'idle' gave nothing"),
        (broken_cfr(giving(state={})), r"`state\(\)` of 'idle' gave an empty dict"),
    ],
)
def test_solve_and_the_suite_name_the_broken_rule(start, rule):
    with pytest.raises(NotApplicableError, match=rule):
        solve("kuhn", Idle(start), iterations=5)
    with pytest.raises(AssertionError, match=rule):
        check_solver(Idle(start))


@pytest.mark.parametrize("bad", [3, object(), CFR])
def test_what_is_no_solver_is_refused(bad):
    with pytest.raises(ParameterError, match="A solver is a name such as 'dcfr', or an object"):
        solve("kuhn", bad)


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


class Deaf(AlwaysCall):
    def observe(self, event):
        raise KeyError(event.kind)


class Hurried(AlwaysCall):
    def act(self, view):
        return view.passive()


class Vague(AlwaysCall):
    def strategy(self, view):
        return {"c": 1.0}


class Surprised(AlwaysCall):
    """Does not know that a hand ends."""

    def observe(self, event):
        if event.kind == "result":
            raise ValueError(event.label)


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (Cheat, "but the player took 'r999'"),
        (Moody, "acted differently"),
        (Deaf, r"`observe\('deal'\)` raised KeyError"),
        (Hurried, r"`act\(view, deadline\)` raised TypeError"),
        (Vague, r"`strategy\(view\)` gives dict; it gives a `Strategy`"),
        (Surprised, r"`observe\('result'\)` raised ValueError"),
    ],
)
def test_broken_players_are_named(make, rule):
    with pytest.raises(AssertionError, match=rule):
        check_player(make)
