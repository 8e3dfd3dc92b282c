"""Pruning on boards: intervals without actions come to what all actions would have come to."""

import numpy as np
import pytest

from equilibrist import Spot, load_solution, solve, verify
from equilibrist.core.errors import EquilibristError
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.forms.boards.cut_betting import without_actions
from equilibrist.solvers.postflop.pruned_boards import PrunedBoards
from equilibrist.solvers.postflop.solve_spot import start_spot

pytestmark = pytest.mark.slow

TURN = Spot(
    board="KhTd7c4s",
    pot=60.0,
    stack=900.0,
    range={"oop": "AA,KQs,T9s,65s", "ip": "KK,AKo,JTs,A5s,98s:0.5"},
    bets={"bet": "50%, 200%, a", "raise": "a"},
)
RIVER = TURN.changed(board="KhTd7c4s2h")


@pytest.mark.parametrize(("spot", "threads"), [(TURN, 1), (TURN, 2), (RIVER, 1)])
def test_an_interval_is_settled_exactly(spot, threads):
    """Regrets and averages of all streets, behind the actions that were cut too, are those of a run that cuts nothing."""
    plain, pruned = start_spot(spot, "cfr"), start_spot(spot, "cfr(pruning=rbp)", threads=threads)
    assert isinstance(pruned, PrunedBoards)
    plain.advance(400)
    pruned.restore(plain.state())
    pruned._unplayed()
    forest = pruned.forests[0]
    for _ in range(20):  # until both players are cut
        plain.advance(25)
        pruned.restore(plain.state())
        dropped = pruned._unplayed()
        if {int(forest.kind[forest.parent[node]]) for node in dropped} == {0, 1}:
            break
    else:
        pytest.fail("in 500 iterations both players were never cut at once")
    behind = plain.streets[0].tables[1].average.copy()
    plain.advance(25)
    assert pruned._interval(dropped, 25)
    for mine, theirs in zip(pruned.streets, plain.streets, strict=True):
        for p in range(2):
            for name in ("regret", "average"):
                found, wanted = getattr(mine.tables[p], name), getattr(theirs.tables[p], name)
                assert np.abs(found - wanted).max() <= 2e-5 * np.abs(wanted).max()
    assert not np.array_equal(behind, plain.streets[0].tables[1].average)


def test_intervals_in_which_an_action_should_be_played_are_undone():
    run = start_spot(TURN, "cfr(pruning=rbp)")
    assert isinstance(run, PrunedBoards)
    run.advance(50)
    before = {name: table.copy() for name, table in run.state().items()}
    played = frozenset({int(run.forests[0].first_child[0])})  # checking is right for most hands
    assert not run._interval(played, 25)
    assert all(np.array_equal(table, before[name]) for name, table in run.state().items())


@pytest.mark.parametrize("where", ["spot", "game"])
def test_it_ends_where_plain_cfr_ends(tmp_path, where):
    game, how, length = (TURN, {}, 600) if where == "spot" else ("leduc(ranks=4)", {"on": "boards"}, 600)
    plain = solve(game, "cfr", iterations=length, **how)
    pruned = solve(game, "cfr(pruning=rbp,skip=10)", iterations=length, **how)
    assert pruned.exploitability == pytest.approx(plain.exploitability, rel=0.05)
    gap = plain.exploitability + pruned.exploitability
    assert pruned.evaluation.value[0] == pytest.approx(plain.evaluation.value[0], abs=0.2 * gap)
    if where == "spot":
        assert pruned.extra["cut_actions_per_iteration"] > 1.0
    pruned.save(tmp_path / "pruned.eqb")
    opened = load_solution(tmp_path / "pruned.eqb")
    assert verify(opened).agrees
    on = solve(game, "cfr(pruning=rbp,skip=10)", iterations=length + 100, resume=opened)
    assert on.exploitability < pruned.exploitability


def test_betting_without_actions():
    """What is left is numbered as grown anew: parents before children, siblings side by side, slots in node order."""
    forests = compile_spot(TURN).forests
    dropped = [int(forests[0].first_child[0]) + 1, int(forests[0].first_child[1])]
    cut = without_actions(forests, dropped)
    for forest, whole, nodes, slots in zip(cut.forests, forests, cut.nodes, cut.slots, strict=True):
        assert (np.diff(nodes) > 0).all()
        for node in range(len(forest)):
            n, first = int(forest.children[node]), int(forest.first_child[node])
            assert (n > 0) == (first >= 0)
            assert all(forest.parent[child] == node for child in range(first, first + n))
            assert forest.line(node) == whole.line(int(nodes[node]))
        for p in range(2):
            acting = np.flatnonzero(forest.kind == p)
            assert forest.slots[p] == int(forest.children[acting].sum()) == len(slots[p])
            labels = [label for node in acting for label in forest.labels(int(node))]
            before = [label for node in np.flatnonzero(whole.kind == p) for label in whole.labels(int(node))]
            assert labels == [before[slot] for slot in slots[p]]
    assert cut.forests[1].roots < forests[1].roots
    assert len(cut.forests[0].labels(0)) == len(forests[0].labels(0)) - 1


@pytest.mark.parametrize(
    ("solver", "spot", "how"),
    [
        ("cfr(pruning=partial)", RIVER, {}),
        ("cfr(pruning=brp)", RIVER, {}),
        ("lcfr(pruning=rbp)", RIVER, {}),
        ("cfr(minimiser=hedge,threshold=0.5)", RIVER, {}),
        ("cfr(pruning=rbp)", RIVER, {"bits": 16}),
        ("cfr(pruning=rbp)", RIVER.changed(lock=[{"line": "", "strategy": {"x": 1.0}}]), {}),
        ("cfr(pruning=rbp)", RIVER.changed(rake={"rate": 0.05, "cap": 3.0}), {}),
    ],
)
def test_refusals(solver, spot, how):
    with pytest.raises(EquilibristError, match=r"cfr\(pruning=rbp\)|no locks|rake"):
        solve(spot, solver, iterations=3, **how)
