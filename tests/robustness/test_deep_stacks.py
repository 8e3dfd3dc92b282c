"""Stacks of up to ten thousand pots: what is stated is right to a ten-thousandth of the pot, and `verify` says so only if it is."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.evaluation.verification.spots import verify_spot
from equilibrist.exploit.responses.data_biased_spots import LockedSpot
from equilibrist.exploit.responses.restricted_spots import RestrictedSpot
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_values import DEEPEST
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.depth_limited.spots import start_street
from equilibrist.solvers.postflop._kernels.layout import RESPOND, VALUE
from equilibrist.solvers.postflop.depth_limited.depth_limited_cfr import DepthLimitedCFR
from equilibrist.solvers.postflop.double_precision.exact_depth_limited import ExactDepthLimited
from equilibrist.solvers.postflop.restricted_nash import BoardModel, ModelledBoards, restricted_nash
from equilibrist.solvers.postflop.solutions.spot_solution import ByPlayer, SpotSolution
from equilibrist.solvers.postflop.solve_spot import solve_spot, start_spot

RANGES = ("66+,A8s+,KQo,QTs+,JTs,96s+,54s", "QQ-22,AQs-A2s,K5s+,T7s+,64s+")
PROMISED = 1e-4  # of the pot
RIVER, TURN, MONOTONE = "Td9d6hQc2s", "Td9d6hQc", "Ts9s6sQs"
CALLS_ALL_IN = '[[lock]]\nline = "a"\nstrategy = { c = 0.7, f = 0.3 }\n'
RAKE = "[rake]\nrate = 0.05\ncap = 30\n"


def deep(pots: float, board: str = RIVER, bets: str = "50%, a", more: str = "", pot: float = 100.0) -> Spot:
    return Spot.from_text(
        f'board = "{board}"\npot = {pot}\nstack = {pot * pots}\n[range]\noop = "{RANGES[0]}"\nip = "{RANGES[1]}"\n'
        f'[bets]\nbet = "{bets}"\nraise = "a"\n{more}'
    )


def off(solution: SpotSolution) -> tuple[float, float]:
    """How far stated numbers are from those of the matrices, and what the file states of that, in chips."""
    found = verify_spot(solution)
    assert found.agrees
    return found.difference, float(solution.provenance["error"])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("more", ["", CALLS_ALL_IN, RAKE], ids=["free", "locked", "raked"])
@pytest.mark.parametrize("pots", [1, 20, 30, 1_000, 10_000])
def test_stated_values_are_exact_to_what_they_state(pots: float, more: str) -> None:
    spot = deep(pots, more=more)
    difference, error = off(solve_spot(spot, iterations=25))
    assert difference <= error <= PROMISED * spot.pot


@pytest.mark.parametrize("board", [TURN, MONOTONE])
def test_boards_that_stand_for_copies_are_as_exact(board: str) -> None:
    spot = deep(1_000, board, more=CALLS_ALL_IN)
    difference, error = off(solve_spot(spot, iterations=10, threads=2))
    assert difference <= error <= PROMISED * spot.pot


def test_single_precision_would_not_do() -> None:
    """With the opponent calling too much, 32 bits are off by more than double precision states."""
    solution = solve_spot(deep(10_000, TURN, more=CALLS_ALL_IN), iterations=10)
    run = solution.boards.run
    single = [run.expected_value(p) for p in range(2)]
    gap = max(abs(a - b) for a, b in zip(single, solution.evaluation.value, strict=True))
    assert gap > 100 * run.error


@pytest.mark.parametrize("pots", [1_000, 10_000])
def test_a_claim_that_is_off_by_more_than_is_promised_is_refused(pots: float) -> None:
    solution = solve_spot(deep(pots), iterations=25)
    moved = 2.0 * PROMISED * solution.spot.pot
    for error in (solution.provenance["error"], 1e9, float("nan")):
        wrong = dataclasses.replace(
            solution.recorded(provenance={**solution.provenance, "error": error}),
            ev=ByPlayer(solution.ev.oop + moved, solution.ev.ip - moved),
        )
        assert not verify_spot(wrong).agrees


def test_values_of_hands_add_up_to_the_pot() -> None:
    """Facing a called bet of a thousand pots, hand by hand."""
    spot = deep(1_000, more=CALLS_ALL_IN)
    root = solve_spot(spot, iterations=25).root
    for node in (root, root.play("a"), root.play("a").play("c")):
        total = node.range_ev("oop") + node.range_ev("ip")
        assert total == pytest.approx(node.pot, abs=1e-6 * spot.pot)


def test_responses_to_a_model_state_what_they_guarantee() -> None:
    """As plain runs of both strategies say, free and locked, whose best responses `verify` finds as well."""
    spot = deep(1_000, more=CALLS_ALL_IN)
    for dial in (RestrictedSpot.of_locks(spot, until="5%"), LockedSpot(spot)):
        for p in (0.0, 1.0):
            answer = dial.respond(p, iterations=25)
            assert answer.guarantee == pytest.approx(worst(spot.changed(lock=()), answer.solution, dial.seat), abs=1e-7)
            if isinstance(dial, LockedSpot):
                assert answer.payoff == pytest.approx(worst(spot, answer.solution, dial.seat), abs=1e-7)
            else:
                off(answer.solution)


def worst(spot: Spot, solution: SpotSolution, seat: int) -> float:
    """What a player's strategy gets from opponents that answer it as well as the spot lets them."""
    played = solution.boards.run
    run = start_spot(compile_spot(spot, isomorphism=played.isomorphism))
    for name, array in run.state().items():
        if name.startswith("average"):
            array[:] = played.state()[name]
    best = run.evaluate().best_response_value
    assert best is not None
    return spot.pot / 2 - best[1 - seat]


@pytest.mark.parametrize("board", [RIVER, TURN, MONOTONE])
@pytest.mark.parametrize("player", [0, 1])
def test_runs_against_a_model_are_the_same_in_double_precision(board: str, player: int) -> None:
    run = modelled(deep(2, board), player, threads=2)
    mine, best = run._exact_evaluation()
    assert not run.exact
    assert mine == pytest.approx(run.expected_value(run.responder), abs=run.error)
    assert best == pytest.approx(run._best_responses(), abs=run.error)


@pytest.mark.parametrize("player", [0, 1])
def test_runs_against_a_model_state_exact_values(player: int) -> None:
    """At p = 1 the run is the strategy against the model alone, which a plain run evaluates as well."""
    spot = deep(1_000, TURN)
    run = modelled(spot, player, p=1.0)
    assert run.exact
    assert run.error <= PROMISED * spot.pot
    plain = start_spot(compile_spot(spot))
    for street, learned in zip(plain.streets, run.streets, strict=True):
        street.tables[run.responder].average[:] = learned.tables[run.responder].average
        street.tables[run.bound].average[:] = learned.tables[run.bound].model
    assert run.evaluate().value == pytest.approx(plain.evaluate().value, abs=run.error)
    best = run._exact_evaluation()[1][run.responder]
    assert best == pytest.approx(plain.best_response_value(run.responder), abs=run.error)


def modelled(spot: Spot, player: int, p: float = 0.4, threads: int = 1) -> ModelledBoards:
    other = start_spot(compile_spot(spot))
    other.advance(3)
    run = restricted_nash(compile_spot(spot), BoardModel.of_run(other, player), p, threads=threads)
    run.advance(15)
    return run


@pytest.mark.parametrize("board", [TURN, MONOTONE])
@pytest.mark.parametrize("blueprint", [pytest.param("solved", marks=pytest.mark.slow), "learned"])
def test_depth_limited_values_are_the_same_in_double_precision(board: str, blueprint: str) -> None:
    """Where 32 bits are enough for both routes to be compared."""
    run = searched(deep(2, board), blueprint)
    weights = [run._exact_weights(p) for p in range(2)]
    passes = ExactDepthLimited(run)
    for me in range(2):
        for mode in (VALUE, RESPOND):
            exact = float(weights[me] @ passes.values(mode, me, weights[1 - me])) / run.normaliser
            assert exact == pytest.approx(run.expected_value(me, respond=mode == RESPOND), abs=run.error)
        rows = run.value_at((), me)
        assert passes.value_at((), VALUE, me, weights[1 - me]) == pytest.approx(
            rows, abs=2e-6 * float(np.abs(rows).max())
        )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("board", [TURN, MONOTONE])
@pytest.mark.parametrize("blueprint", ["solved", "learned"])
def test_depth_limited_searches_state_exact_values(board: str, blueprint: str) -> None:
    spot = deep(1_000, board)
    run = searched(spot, blueprint)
    assert run.exact
    assert run.error <= PROMISED * spot.pot
    weights, passes = [run._exact_weights(p) for p in range(2)], run._exact_passes()
    mine, theirs = (float(weights[me] @ passes.values(VALUE, me, weights[1 - me])) / run.normaliser for me in range(2))
    assert abs(mine + theirs) <= run.error  # found one without the other
    assert run.evaluate().value[0] == mine


def searched(spot: Spot, blueprint: str) -> DepthLimitedCFR:
    run = start_street(spot, "dcfr", Continuations(sample=(6,), blueprint=blueprint, iterations=20), 0)
    run.advance(20)
    return run


def test_the_goal_is_reached_by_the_numbers_that_are_stated() -> None:
    solution = solve_spot(deep(100, bets="e, a"), until="0.5%", iterations=2_000)
    assert solution.converged
    assert solution.exploitability <= 0.005 * solution.spot.pot


@pytest.mark.parametrize("pots", [0.0005, 0.01])
def test_stacks_far_below_the_pot_are_as_exact(pots: float) -> None:
    spot = deep(pots, bets="a", pot=1e6)
    difference, error = off(solve_spot(spot, iterations=25))
    assert difference <= error <= PROMISED * spot.stack


@pytest.mark.parametrize(
    ("pot", "stack"), [(1, 1e9), (1, 1.01 * DEEPEST), (1e9, 1), (1e300, 1), (1, 1e19), (1, 10**500)]
)
def test_what_cannot_be_guaranteed_is_refused_with_a_sentence(pot: float, stack: float) -> None:
    with pytest.raises(ParameterError, match="pot|stack") as refusal:
        Spot(board=RIVER, pot=pot, stack=stack, range={"oop": "AA", "ip": "KK"}, bets={"bet": "a"})
    assert str(refusal.value).count(". ") == 0


@pytest.mark.parametrize("amount", [float("inf"), float("nan"), -1.0, 1e19])
@pytest.mark.parametrize("key", ["pot", "stack", "chip"])
def test_amounts_that_are_no_amounts_are_refused(key: str, amount: float) -> None:
    amounts = {"pot": 100.0, "stack": 100.0, key: amount}
    with pytest.raises(ParameterError, match=f"'{key}' must be"):
        Spot(board=RIVER, range={"oop": "AA", "ip": "KK"}, bets={"bet": "a"}, **amounts)


@pytest.mark.parametrize(
    ("board", "pot", "stack"), [("Td9d6hQc2s", 1e6, 200), ("AsKsQsJsTs", 100, 100), ("Td9d6hQc2s", 100, 0.1)]
)
def test_exploitability_is_never_below_zero(board: str, pot: float, stack: float) -> None:
    spot = Spot(board=board, pot=pot, stack=stack, range={"oop": "99-22", "ip": "88-33,87s"}, bets={"bet": "a"}, chip=0)
    seen: list[float] = []
    solution = solve_spot(spot, until=0.0, iterations=60, progress=lambda p: seen.append(p.exploitability or 0.0))
    assert min(seen, default=0.0) >= 0.0
    assert solution.exploitability >= 0.0
    assert np.all(np.array(solution.best_response_ev) >= np.array(solution.ev) - 1e-12 * pot)
