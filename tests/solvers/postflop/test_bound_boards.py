"""Opponent models on the boards of whole games: the same restricted game as on the sequence form."""

from functools import lru_cache

import pytest

from equilibrist import Binding, load_solution, solve, verify
from equilibrist.core.errors import EquilibristError
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import PLUS

GAMES = ("leduc", "leduc(suits=merged)", "rhode-island(ranks=2,suits=2)")


@lru_cache
def modelled(game):
    """A rough solution, and its table."""
    model = solve(game, "cfr", on="boards", iterations=4)
    return model, model.tabular()


def bound(policy, mode, on, game, iterations=300, player=1, weight=0.6):
    solver = CFR(schedule=PLUS, bindings=(Binding(policy, player, weight, mode),))
    return solve(game, solver, on=on, iterations=iterations)


@pytest.mark.parametrize("mode", ["per_hand", "per_infoset"])
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.sampled(1)
def test_models_bind_as_on_the_sequence_form(game, mode):
    """From a table and from a run on boards; values of both equilibria lie within what can be gained in either."""
    model, table = modelled(game)
    tree = bound(table, mode, None, game)
    for policy in (table, model.policy):
        boards = bound(policy, mode, "boards", game)
        gap = tree.exploitability + boards.exploitability
        assert boards.evaluation.value[0] == pytest.approx(tree.evaluation.value[0], abs=gap + 1e-3)
        assert boards.exploitability == pytest.approx(tree.exploitability, rel=0.3, abs=2e-3)
        assert boards.settings["bindings"] == tree.settings["bindings"]
    free = solve(game, "cfr+", iterations=300)
    assert abs(tree.evaluation.value[0] - free.evaluation.value[0]) > 3.0 * (tree.exploitability + free.exploitability)


def test_a_bound_run_goes_on_but_only_bound(tmp_path):
    model = solve("leduc", "cfr", on="boards", iterations=4)
    first = bound(model.policy, "per_hand", "boards", "leduc", 20)
    first.save(tmp_path / "bound.eqb")
    opened = load_solution(tmp_path / "bound.eqb")
    solver = CFR(schedule=PLUS, bindings=(Binding(model.policy, 1, 0.6),))
    on = solve("leduc", solver, iterations=40, resume=opened)
    assert on.exploitability == pytest.approx(bound(model.policy, "per_hand", "boards", "leduc", 40).exploitability)
    with pytest.raises(EquilibristError, match="give the same bindings"):
        solve("leduc", "cfr+", iterations=40, resume=opened)
    with pytest.raises(EquilibristError, match="belong to that other game"):
        verify(opened)


def test_refusals():
    model = solve("leduc", "cfr", on="boards", iterations=2)
    other = solve("leduc(ranks=4)", "cfr", on="boards", iterations=2)
    spot = Binding(model.policy, 1, 0.5)
    for bindings, more, words in (
        ((Binding(other.policy, 1, 0.5),), {}, "is of 'leduc"),
        ((Binding(other.tabular(), 1, 0.5),), {}, "does not say"),
        ((spot, spot), {}, "one model per hand"),
        ((spot,), {"minimiser": "hedge"}, "with regret matching"),
    ):
        with pytest.raises(EquilibristError, match=words):
            solve("leduc", CFR(bindings=bindings, **more), on="boards", iterations=3)
