"""Tables whose flops are worth equity as it was realised: nobody gains chips by it, raising cannot be bought, flops are met."""

import numpy as np
import pytest

from equilibrist.evaluation.verification.verify import verify
from equilibrist.forms.table_tree.table_tree import grow_table
from equilibrist.games.tables.betting import play_line
from equilibrist.games.tables.realised_equity import KINDS, about, effects_at, measured, pair_effects
from equilibrist.games.tables.table import Table
from equilibrist.solvers.tables.solve_table import solve_table

TWENTY = Table.from_text("""
stacks = { SB = 20, BB = 20 }
blinds = [0.5, 1]
leaves = "realised"
[menu]
open = "2x, a"
isolate = "3x, a"
3bet = "3x, a"
4bet = "a"
limp = true
""")
THREE = Table(
    stacks=[30, 25, 40], blinds=[0.5, 1], menu={"open": "2.5x", "3bet": "3x", "4bet": "a", "limp": True},
    leaves="realised", rake={"rate": 0.05, "cap": 1}, three_way="products",
)  # fmt: skip


@pytest.fixture(scope="module")
def twenty():
    return solve_table(TWENTY)


def test_what_was_measured_has_a_date_and_its_accuracy():
    told = " ".join(about())
    assert "2026-" in told
    assert "largest gain" in told
    for kind in KINDS:
        assert measured()[kind], kind
        for depth, alpha, beta in measured()[kind]:
            assert alpha.shape == beta.shape == (169,)
            assert np.array_equal(effects_at(kind, depth)[0], alpha)


def test_between_and_beyond_measured_depths():
    for kind in KINDS:
        found = measured()[kind]
        assert np.array_equal(effects_at(kind, 1e-3)[1], found[0][2])
        assert effects_at(kind, 1e6)[0] == pytest.approx(found[-1][1])
        if len(found) > 1:
            middle = effects_at(kind, float(np.sqrt(found[0][0] * found[1][0])))[0]
            assert middle == pytest.approx((found[0][1] + found[1][1]) / 2.0)


def test_who_raised_last_and_who_acts_last():
    """Heads-up the small blind has position; of three the button, then the big blind."""
    raised, limped = play_line(TWENTY, "r2:c"), play_line(TWENTY, "c:x")
    [pair] = pair_effects(raised)
    assert pair.seats == (1, 0)
    assert np.array_equal(pair.alpha, effects_at("ip-raised", 4.5)[0])
    [pair] = pair_effects(limped)
    assert np.array_equal(pair.beta, effects_at("limped", 9.5)[1])
    [pair] = pair_effects(play_line(TWENTY, "c:r3:c"))
    assert np.array_equal(pair.beta, effects_at("oop-raised", 17 / 6)[1])
    assert not list(pair_effects(play_line(TWENTY, "a:c")))
    pairs = list(pair_effects(play_line(THREE, "r2.5:c:c")))
    assert [pair.seats for pair in pairs] == [(1, 2), (1, 0), (2, 0)]
    assert {pair.chips for pair in pairs} == {0.5 * 7.5 * 0.95}
    assert np.array_equal(pairs[0].alpha, effects_at("limped", 22.5 / 7.5)[0])
    assert np.array_equal(pairs[1].alpha, effects_at("ip-raised", 22.5 / 7.5)[0])


@pytest.mark.parametrize("table", [TWENTY, THREE], ids=["two", "three"])
def test_values_by_another_route(table):
    solution = solve_table(table, iterations=5)
    assert verify(solution).agrees
    assert verify(solution).difference < 1e-11
    assert max(solution.gains.values()) > 1e-3


def test_what_one_wins_the_other_loses(twenty):
    assert sum(twenty.value) == pytest.approx(0.0, abs=1e-12)
    assert "what one wins by it the other loses" in " ".join(twenty.model)
    assert Table.from_text(TWENTY.to_toml()) == TWENTY


def test_it_meets_the_flops_that_it_was_measured_on(twenty):
    """The same table on 25 flops, as `python benchmarks/tables.py --flops hu-20bb-flops` prints it."""
    assert twenty.root.frequencies == pytest.approx([0.049, 0.732, 0.207, 0.012], abs=0.03)
    assert twenty.at("r2").frequencies == pytest.approx([0.156, 0.609, 0.066, 0.169], abs=0.03)
    assert twenty.value[0] == pytest.approx(0.029, abs=0.005)


def test_raising_is_not_bought(twenty):
    """A seat that raises every hand brings bad hands to the flop and loses by it; nobody opens everything."""
    always = [{"line": "", "strategy": {"f": 0.0, "c": 0.0, "r2": 1.0, "a": 0.0}}]
    bound = solve_table(TWENTY.changed(lock=always))
    assert bound.value[0] < twenty.value[0] - 0.02
    assert bound.at("r2").frequencies[0] < twenty.at("r2").frequencies[0]
    deep = solve_table(
        Table(seats=2, stack=100, blinds=[0.5, 1], menu={"open": "2.5x", "3bet": "4x", "4bet": "2.2x", "5bet": "a"}, leaves="realised"),
        until="5mbb",
    )  # fmt: skip
    assert 0.3 < deep.root.frequencies[1] < 0.97
    three = solve_table(THREE, until="5mbb")
    assert three.root.frequencies[-1] < 0.8


def test_memory_counts_effects():
    tree = grow_table(THREE)
    from equilibrist.solvers.tables.table_cfr import realised_pairs, tree_bytes

    more = tree_bytes(tree) - tree_bytes(grow_table(THREE.changed(leaves="check-down")))
    assert more == sum(each.nbytes for each in realised_pairs(tree))
