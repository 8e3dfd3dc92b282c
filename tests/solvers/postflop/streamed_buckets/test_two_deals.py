"""Buckets on the turn, flops hand by hand: against the board engine where nothing is lost, and against the public tree."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from equilibrist.games.poker.abstracted_holdem import nolimit_turn_holdem
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.blueprint.abstract_poker import ExactBuckets
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop._kernels.layout import LEARN
from equilibrist.solvers.postflop.solve_game import start_boards
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame
from equilibrist.solvers.postflop.streamed_buckets.bucketed_responses import respond_fully, respond_in_buckets
from equilibrist.solvers.registry import make_solver
from streamed_turns import turn_blueprint, turn_game_in_buckets, turn_trunk


def ten_cards() -> Poker:
    return nolimit_turn_holdem(stack=1000, ranks=5, suits=2)


@cache
def without_loss() -> BucketedGame:
    """Every hand on every board is its own bucket."""
    return BucketedGame.of(ten_cards(), ExactBuckets(ten_cards().rules))


def run_of(abstract: BucketedGame, solver: str, iterations: int) -> BucketedCFR:
    made = make_solver(solver)
    assert isinstance(made, CFR)
    run = BucketedCFR(abstract, made)
    run.advance(iterations)
    return run


def best_responses(run: BucketedCFR) -> list[float]:
    return [respond_fully(run.stream, run.profile(), me).average for me in range(2)]


# from none at all many actions gain exactly the same; where players learn in turns, rounding soon decides between them
@pytest.mark.parametrize(
    ("solver", "iterations"),
    [
        *(("cfr(updates=simultaneous)", number) for number in (1, 2, 5)),
        *((solver, number) for solver in ("cfr+", "dcfr", "pcfr+") for number in (1, 2)),
    ],
)
def test_without_loss_it_is_the_board_engine(solver: str, iterations: int) -> None:
    run, engine = run_of(without_loss(), solver, iterations), start_boards(ten_cards(), solver)
    engine.advance(iterations)
    values = [engine.expected_value(me, respond=True) for me in range(2)]
    assert best_responses(run) == pytest.approx(values, rel=1e-6)
    assert max(values) > 80.0  # chips


def test_without_loss_responses_inside_the_abstraction_are_best() -> None:
    run = run_of(without_loss(), "dcfr", 10)
    inside = [respond_in_buckets(run.stream, run.profile(), me)[1].average for me in range(2)]
    assert inside == pytest.approx(best_responses(run), rel=1e-6)


def test_best_responses_are_those_of_the_public_tree() -> None:
    best = turn_blueprint().evaluate().best_response_value
    assert best is not None
    assert [values.average for values in turn_trunk().best] == pytest.approx(list(best), rel=1e-6)


def test_with_loss_responses_inside_get_less() -> None:
    best, inside = ([values.average for values in each] for each in (turn_trunk().best, turn_trunk().believed))
    assert all(small < large for small, large in zip(inside, best, strict=True))
    assert sum(inside) < 0.2 * sum(best)  # an equilibrium of the abstraction, up to how far it is solved


def test_threads_change_nothing_but_the_order_of_sums() -> None:
    abstract, rng = turn_game_in_buckets(), np.random.default_rng(1)
    reach = rng.random((abstract.roots, *abstract.earlier.last.lanes))
    rows = [abstract.rows_matched(p, rng.random((abstract.last.slots[p], abstract.buckets))) for p in range(2)]
    for me in range(2):
        one, three = (BoardStream(abstract, threads).pass_over(LEARN, me, reach, rows) for threads in (1, 3))
        for mine, other in zip(one, three, strict=True):
            assert mine == pytest.approx(other, rel=1e-4, abs=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("solver", ["dcfr", "pcfr+", "cfr(minimiser=hedge)"])
def test_a_run_goes_on_where_it_stopped(solver: str) -> None:
    whole, begun, resumed = (run_of(turn_game_in_buckets(), solver, number) for number in (6, 2, 0))
    resumed.restore({name: array.copy() for name, array in begun.state().items()})
    resumed.advance(4)
    assert resumed.iteration == whole.iteration
    assert any(name.startswith("street1_") for name in whole.state())
    assert all((resumed.state()[name] == array).all() for name, array in whole.state().items())


def test_boards_stand_for_all_their_copies() -> None:
    """A hand of nine cards leaves 35 flops, and then four turn cards that another hand leaves."""
    abstract = turn_game_in_buckets()
    street, first = abstract.earlier.between[0], abstract.first
    assert np.array_equal(street.free.sum(axis=1), [15] * len(street.free))  # two cards of six
    there = np.ones((len(street.forest), *street.lanes)) * street.free
    assert first.over_suits(street.leave(there)[:, 0]) == pytest.approx(np.full((3, 36), 35.0))
    assert street.enter(np.ones((3, 36))) == pytest.approx(there[:3] / 10)  # flops that two hands leave
    assert abstract.copies.sum() == 84 * 6
