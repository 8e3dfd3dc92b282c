"""Post-processing of strategies: known examples, and what must hold for any probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.abstraction.bets.purification import (
    Generalised,
    ProcessedPolicy,
    Purify,
    Threshold,
    find_rule,
    postprocess,
)
from equilibrist.core.errors import EquilibristError
from equilibrist.experiments.ganzfried.grouped_leduc import GroupedLeduc, lift
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.linear_programs.matrix_games import solve_matrix
from equilibrist.solvers.solve import solve

BETS = ("f", "c", "b50", "b75", "b100", "b150", "b200", "b500", "b900")
EXAMPLE = np.array([0.1, 0.25, 0.15, 0.15, 0.2, 0.15, 0.0, 0.0, 0.0])  # [Ganzfried15, §8.7]


def test_the_example_of_the_text():
    assert BETS[Purify().row(BETS, EXAMPLE).argmax()] == "c"
    assert Generalised().row(BETS, EXAMPLE).tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]


def test_folding_is_sure_above_the_bound_and_only_above_it():
    row = np.array([0.2, 0.35, 0.45])
    assert Generalised(fold=0.2).row(("f", "c", "b1"), row).tolist() == [0, 0, 1]
    assert Generalised(fold=0.19).row(("f", "c", "b1"), row).tolist() == [1, 0, 0]
    assert Generalised(fold=0.19).row(("x", "b1", "b2"), row).tolist() == [0, 0, 1]  # no fold to be had


ROWS = st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda r: sum(r) > 0.01)


@given(ROWS, st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_properties(weights, least):
    row = np.array(weights) / sum(weights)
    actions = ("f", "c", "b1", "b2", "b3", "b4")[: len(row)]
    for rule in (Purify(), Threshold(least), Generalised(least), Generalised(0.2, least, least)):
        out = rule.row(actions, row)
        assert out.sum() == pytest.approx(1.0)
        assert (out >= 0).all()
    assert Threshold(0.0).row(actions, row) == pytest.approx(row)
    once = Purify().row(actions, row)
    assert Purify().row(actions, once) == pytest.approx(once)
    assert Generalised(fold=1.0, grouped=False).row(actions, row) == pytest.approx(once)
    assert Threshold(1.0).row(actions, row) == pytest.approx(once)


def test_ties_share():
    assert Purify().row("ab", np.array([0.5, 0.5])).tolist() == [0.5, 0.5]
    assert Purify().row("ab", np.array([0.5 + 1e-9, 0.5 - 1e-9])).tolist() == [0.5, 0.5]


def test_the_purification_game():
    # Proposition 5: U = (2, 0, -3k-1), D = (0, 1, -1), the model drops R: U with 1/3; against R it loses k + 1, purified 1
    k = 4.0
    whole = np.array([[2.0, 0.0, -3 * k - 1], [0.0, 1.0, -1.0]])
    mine = solve_matrix(whole[:, :2]).row
    assert mine == pytest.approx([1 / 3, 2 / 3])
    column = solve_matrix(whole).column
    assert mine @ whole @ column == pytest.approx(-k - 1)
    assert Purify().row("UD", mine) @ whole @ column == pytest.approx(-1.0)


def test_tables_and_policies_agree():
    solution = solve("leduc(suits=merged)", "lp")
    rule = Threshold(0.25)
    table, wrapped = postprocess(solution.policy, rule), ProcessedPolicy(solution.policy, rule)
    for i, key in enumerate(table.infosets.keys):
        assert list(wrapped[key].values()) == pytest.approx(list(table[key].values()))
        public, player = table.infosets.public[i], int(table.infosets.player[i])
        assert wrapped.at(public, player) == pytest.approx(table.at(public, player))
    first = table.infosets.public[table.infosets.number("J")]
    kept = postprocess(solution.policy, Purify(), keep={first})
    assert kept["J"] == solution.policy["J"]


def test_names():
    assert find_rule("purify") == Purify()
    assert find_rule("threshold(0.05)") == find_rule("threshold(least=0.05)") == Threshold(0.05)
    assert find_rule("generalised(0.3)") == Generalised(0.3)
    for wrong in ("purity", "threshold(1.5)", "threshold(most=1)", "purify(0.2)"):
        with pytest.raises(EquilibristError):
            find_rule(wrong)


def test_leduc_seen_through_no_abstraction_is_leduc():
    model, whole = GroupedLeduc("full", "full"), Compiled(load_game("leduc(suits=merged)"))
    solution = solve(model, "lp")
    assert solution.value[0] == pytest.approx(-0.0856064, abs=1e-6)
    assert lift(solution.policy, model, whole.tree).infosets is whole.tree.infosets
    coarse = GroupedLeduc("JQ.K", "J.QK")
    assert coarse.key(coarse.whole.start().child(0), 0) in ("JQ", "K")
