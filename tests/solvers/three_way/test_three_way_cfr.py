"""Three-way spots solved: values and gains by other routes, threads, going on, known values."""

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import EquilibristError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import compiled
from equilibrist.forms.three_way.compiled_seats import compile_seats
from equilibrist.games.spots.three_way_spot import ThreeWaySpot
from equilibrist.solvers.cfr.schedules import Discounted
from equilibrist.solvers.three_way.solve_three_way import solve_three_way, three_way_size
from equilibrist.solvers.three_way.three_way_cfr import ThreeWayCFR
from equilibrist.solvers.three_way.three_way_solution import load_three_way_solution
from reference.three_way_game import ThreeWayGame

RIVER = {
    "board": "Ks9d6h4c2s",
    "pot": 60,
    "stacks": {"sb": 90, "bb": 60, "btn": 40},
    "range": {"sb": "AsKd,9c9h,AhQh:0.5", "bb": "AsKd,KhQh,8c7c", "btn": "AhKh:0.25,6c6d,QhJh,8c7c"},
    "bets": {"bet": "50%, a", "raise": "a"},
}
TURN = {
    **RIVER,
    "board": "Ks9d6h4c",
    "stacks": {"sb": 60, "bb": 60, "btn": 30},
    "range": {"sb": "AsKd,9c9h", "bb": "KhQh,8c7c", "btn": "AhQh,8c7d"},
    "bets": {"bet": "a"},
    "betting": {"cap": 1},
}


def wide(**changes):
    table = {
        **RIVER,
        "stacks": {"sb": 200, "bb": 200, "btn": 120},
        "range": {"sb": "TT+,AQs+,KQs,76s", "bb": "99-66,KTs+,QJs,87s", "btn": "88-44,KJs+,JTs,75s"},
    }
    return ThreeWaySpot(**{**table, **changes})


def by_tree(solution):
    """The same strategies judged on the tree of all histories."""
    target = compiled(ThreeWayGame(solution.spot))
    infosets = target.infosets
    out = np.zeros(infosets.slots)
    for number, key in enumerate(infosets.keys):
        row = solution.policy[key]
        first = infosets.first_slot[number]
        out[first : first + len(row)] = [row[label] for label in infosets.actions[number]]
    return eq.evaluate_policy(target, TabularPolicy(infosets, out))


@pytest.mark.parametrize(
    "table", [RIVER, {**RIVER, "rake": {"rate": 0.05, "cap": 4}}, TURN], ids=["river", "rake", "turn"]
)
def test_values_and_gains_are_those_of_the_tree(table):
    solution = solve_three_way(ThreeWaySpot(**table), iterations=7)
    found = by_tree(solution)
    assert solution.evaluation.value == pytest.approx(found.value, abs=1e-9)
    assert solution.evaluation.best_response_value == pytest.approx(found.best_response_value, abs=1e-9)
    assert min(solution.evaluation.gains) > 0.05  # far from the end, where errors would hide


def test_chips_are_conserved_and_a_goal_is_the_largest_gain():
    solution = eq.solve(wide(), until="0.3%")
    assert solution.converged
    assert sum(solution.ev.values()) == pytest.approx(60.0, abs=1e-9)
    assert solution.exploitability == max(solution.gains.values()) <= 0.003 * 60
    assert solution.nash_conv == pytest.approx(sum(solution.gains.values()))
    assert sum(solution.equity.values()) == pytest.approx(1.0, abs=1e-9)


def test_rake_is_lost_by_the_three_together():
    solution = solve_three_way(wide(rake={"rate": 0.1}), iterations=20)
    assert 60.0 - 0.1 * 620 <= sum(solution.ev.values()) <= 0.9 * 60.0 + 1e-9


def test_a_board_that_all_share_is_a_third_each():
    spot = wide(board="AsKsQsJsTs", range={"sb": "99-66", "bb": "99-66", "btn": "99-66"}, stacks=None, stack=100)
    solution = solve_three_way(spot, until="0.05%", iterations=2000)
    assert solution.converged
    assert list(solution.ev.values()) == pytest.approx([20.0] * 3, abs=0.1)
    assert solution.equity == pytest.approx(dict.fromkeys(("sb", "bb", "btn"), 1 / 3))


def test_threads_change_no_bit():
    for table in (wide(), ThreeWaySpot(**TURN)):
        one, two = (ThreeWayCFR(compile_seats(table), Discounted(), threads=threads) for threads in (1, 2))
        for run in (one, two):
            run.advance(3)
        two_state = two.state()
        assert all(np.array_equal(array, two_state[name]) for name, array in one.state().items())
        assert one.evaluate() == two.evaluate()


def test_evaluating_disturbs_nothing_and_runs_go_on(tmp_path):
    spot = wide()
    whole = solve_three_way(spot, iterations=24)
    part = solve_three_way(spot, iterations=9)
    part.save(tmp_path / "part.eqb")
    loaded = load_three_way_solution(tmp_path / "part.eqb")
    assert loaded.evaluation == part.evaluation
    assert loaded.spot == spot
    again = solve_three_way(spot, iterations=24, resume=eq.load_solution(tmp_path / "part.eqb"))
    assert again.evaluation == whole.evaluation
    assert all(np.array_equal(array, whole.state[name]) for name, array in again.state.items())


def test_suits_can_be_renamed():
    swap = str.maketrans("cdhs", "dcsh")
    names = {seat: text.translate(swap) for seat, text in RIVER["range"].items()}
    one = solve_three_way(ThreeWaySpot(**RIVER), iterations=5)
    other = solve_three_way(
        ThreeWaySpot(**{**RIVER, "board": RIVER["board"].translate(swap), "range": names}), iterations=5
    )
    assert other.evaluation.value == pytest.approx(one.evaluation.value, abs=1e-6)
    assert other.evaluation.gains == pytest.approx(one.evaluation.gains, abs=1e-6)


def test_sizes_are_known_before():
    spot = wide()
    size = three_way_size(spot)
    run = ThreeWayCFR(compile_seats(spot), Discounted())
    assert size.table_bytes == sum(array.nbytes for name, array in run.state().items() if name != "iteration")
    assert "hands" in size.sentence


def test_what_does_not_fit_is_refused_before_it_is_allocated(monkeypatch):
    monkeypatch.setattr("equilibrist.solvers.three_way.solve_three_way.memory_limit", lambda: 1000)
    with pytest.raises(EquilibristError, match="This spot needs"):
        eq.solve(wide(), iterations=1)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"solver": "es-mccfr"}, "regret matching"),
        ({"solver": "pcfr+"}, "regret matching"),
        ({"solver": "lp"}, "regret matching"),
        ({"device": "cuda"}, "'device' is for spots of two players"),
        ({"bits": 16}, "'bits' is for spots of two players"),
        ({"keep_best": True}, "are for games"),
        ({"until": "soon"}, "Cannot read the target"),
    ],
)
def test_what_three_players_have_not_is_refused(how, message):
    with pytest.raises(EquilibristError, match=message):
        eq.solve(wide(), **how)


def test_another_spot_does_not_go_on():
    solution = solve_three_way(wide(), iterations=2)
    with pytest.raises(EquilibristError, match="cannot go on"):
        eq.solve(wide(pot=61), resume=solution)
    with pytest.raises(EquilibristError, match="three or more ranges"):
        eq.load_game(solution.game)
