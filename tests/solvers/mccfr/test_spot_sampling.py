"""External sampling on spots: right on average, measured exactly, discounted as told."""

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr._kernels.spot_sampling import draw_hand
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.mccfr.spots import SpotMCCFR, _alias_tables
from equilibrist.solvers.postflop.board_runs import DealtBoards
from equilibrist.solvers.postflop.sampled_boards import SampledBoards
from equilibrist.solvers.postflop.solve_spot import start_spot


def spot(board, oop="AsAc,KhJh,8d7d:0.5,Qs5s", ip="QhQd,AdKd,9s8s,JcTc:0.3", more=""):
    return Spot.from_text(
        f'board = "{board}"\npot = 200\nstack = 900\n[range]\noop = "{oop}"\nip = "{ip}"\n[bets]\nbet = "50%, a"\nraise = "a"\n{more}'
    )


RIVER, TURN = spot("Td9d6hQc2s"), spot("Td9d6hQc", "AsAc,KhJh", "QhQd,AdKd,9s8s")


def test_hands_are_drawn_by_their_weights():
    rng = np.random.default_rng(0)
    weights = np.zeros(1326)
    weights[:50] = rng.random(50)
    chance, other, live, count = _alias_tables([weights, weights])
    assert count == [50, 50]
    cells = (np.arange(200_000) + 0.5) / 200_000
    drawn = np.bincount([live[0, draw_hand(chance[0], other[0], u)] for u in cells], minlength=1326)
    assert drawn / drawn.sum() == pytest.approx(weights / weights.sum(), abs=1e-4)


@pytest.mark.parametrize("sampling", ["external", "outcome"])
@pytest.mark.parametrize("case", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.sampled(2)
def test_sampled_regrets_are_right_on_average(case, sampling):
    """From uniform play, the mean of one walk's regrets is weight x counterfactual regret / weight of all deals."""
    run = SpotMCCFR(case, MCCFR(sampling=sampling))
    exact = start_spot(case, "cfr", isomorphism=False)
    exact.advance(1)  # the first player learns against uniform play
    street = exact.streets[0]
    regret = street.tables[0].regret.reshape(street.shape(0))[0]  # [block, slot, hand]
    hands, slots = int(street.boards.player[0].count[0]), regret.shape[1]
    expected = np.moveaxis(regret, 1, 2).reshape(-1, slots)[:hands]
    expected = exact.root_weights[0][:hands, None] * expected / exact.normaliser
    walks, start = 30_000, run.table.copy()
    own = run.table[: 3 * hands * slots].reshape(hands, 3 * slots)
    total, squares = np.zeros((hands, slots)), np.zeros((hands, slots))
    regrets = np.concatenate([3 * s + np.arange(n) for s, n in first_player_rows(run)])
    for seed in range(walks):
        run.table[:], run.random[:] = start, random_state(seed)
        run.advance(1)
        total += own[:, regrets]
        squares += own[:, regrets] ** 2
    mean = total / walks
    error = np.sqrt(np.maximum(squares / walks - mean**2, 0.0) / walks)
    assert (np.abs(mean - expected) <= 5.0 * error + 1e-6).all()
    assert np.abs(expected).max() > 1.0


def first_player_rows(run):
    forest = run.forests[0]
    return [(int(forest.slot[n]), int(forest.children[n])) for n in np.flatnonzero(forest.kind == 0)]


@pytest.mark.parametrize("weighting", ["none", "linear", "initial"])
@pytest.mark.parametrize("case", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.sampled(2)
def test_averages_converge_to_the_exact_solution(case, weighting):
    run = SpotMCCFR(case, MCCFR(weighting=weighting, period=None if weighting == "none" else 1e5), seed=2)
    run.advance_nodes(20_000)
    rough = run.exploitability()
    run.advance_nodes(3_000_000 if case is RIVER else 25_000_000)
    fine = run.exploitability()
    assert fine < 0.4 * rough
    assert fine < 6.0  # 3 % of the pot
    exact = start_spot(case)
    exact.advance(500)
    assert run.exact.expected_value(0) == pytest.approx(exact.expected_value(0), abs=2 * fine)


def test_outcome_sampling_converges_too():
    run = SpotMCCFR(RIVER, MCCFR(sampling="outcome"), seed=2)
    run.advance_nodes(20_000_000)
    assert run.exploitability() < 6.0  # 3 % of the pot
    exact = start_spot(RIVER)
    exact.advance(500)
    assert run.exact.expected_value(0) == pytest.approx(exact.expected_value(0), abs=8.0)


def test_walks_are_a_run_on_boards_and_go_on_where_they_stopped():
    spot = DealtBoards.of_spot(compile_spot(RIVER, isomorphism=False))
    for solver in (MCCFR(weighting="linear", period=5000), MCCFR(sampling="outcome")):
        whole, part, again = (SampledBoards(solver, spot.parts, seed=3) for _ in range(3))
        whole.advance(4000)
        part.advance(1500)
        again.restore(part.state())
        again.advance(2500)
        assert again.exploitability() == whole.exploitability()
        assert again.iteration == 4000


def test_rake_is_paid():
    raked = spot("Td9d6hQc2s", more="[rake]\nrate = 0.05\ncap = 30")
    run = SpotMCCFR(raked)
    run.advance_nodes(1_000_000)
    assert run.exploitability() < 8.0
    assert run.exact.evaluate().value[0] + run.exact.evaluate().value[1] < -1.0


def test_periods_discount_regrets_and_averages_but_not_strategies():
    run = SpotMCCFR(RIVER, MCCFR(weighting="linear", period=1000), seed=1)
    run.advance(20)
    assert run.nodes_touched < 1000
    before = run.table.copy()
    run.tally[0] = 2000  # two periods are over: 1/2 x 2/3
    run._discount()
    assert run.table[run.kept] == pytest.approx(before[run.kept])
    assert run.table[~run.kept] == pytest.approx(before[~run.kept] / 3.0)
    assert run.discounts.number == 3
    once = SpotMCCFR(RIVER, MCCFR(weighting="initial", period=1000), seed=1)
    once.tally[0] = 5000
    once._discount()
    assert once.discounts.number == 2


def test_same_seed_same_result_however_it_is_cut():
    runs = [SpotMCCFR(TURN, MCCFR(weighting="linear", period=5000), seed=7) for _ in range(2)]
    runs[0].advance(2000)
    for _ in range(40):
        runs[1].advance(50)
    assert np.array_equal(runs[0].table, runs[1].table)
    assert runs[0].nodes_touched == runs[1].nodes_touched


def test_refusals():
    with pytest.raises(NotApplicableError, match="externally"):
        SpotMCCFR(RIVER, MCCFR(sampling="chance"))
