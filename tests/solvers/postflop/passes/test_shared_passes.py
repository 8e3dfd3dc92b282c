"""Passes that threads share: the same bits with any number of them, and the same numbers as passes by one worker."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.games.catalogue import load_game
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.passes.shared_passes import SharedPasses, make_order
from equilibrist.solvers.postflop.passes.worker import Worker
from equilibrist.solvers.postflop.solve_game import start_boards
from equilibrist.solvers.postflop.solve_spot import start_spot

TREE = '[range]\noop = "88,A5s,KQo,AsJs:0.3"\nip = "QQ,J9s,ATo"\n[bets]\nbet = "50%, a"\nraise = "a"\n'
TURN = f'board = "Td9d6hQc"\npot = 200\nstack = 900\n{TREE}'
FLOP = f'board = "Td9d6h"\npot = 200\nstack = 250\n{TREE}'
FOUR_STREETS = "nolimit-holdem(ranks=9,suits=1,stack=200)"
LOCK = '[[lock]]\nline = "x"\nstrategy = { "A5s" = { x = 0.25, b100 = 0.75 } }\n'


def tables(run):
    return {name: array.copy() for name, array in run.state().items()}


def assert_same_bits(one, other):
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (TURN, {}),
        (FLOP, {}),
        (FLOP, {"solver": "pcfr+", "isomorphism": False}),
        (TURN, {"bits": 16}),
        (TURN, {"solver": "dcfr(updates=simultaneous)"}),
    ],
    ids=["turn", "flop", "predictive", "16 bits", "apart"],
)
@pytest.mark.sampled(3)
def test_any_number_of_threads_gives_the_same_bits(text, how):
    found = []
    for threads in (1, 2, 5):
        run = start_spot(Spot.from_text(text), threads=threads, **how)
        run.advance(7)
        found.append((tables(run), run.exploitability(), run.values(0)))
    for state, gap, values in found[1:]:
        assert_same_bits(found[0][0], state)
        assert gap == found[0][1]
        assert values.tobytes() == found[0][2].tobytes()


@pytest.mark.parametrize("name", ["turn", "flop", "leduc", "rhode-island(ranks=3,suits=2)", FOUR_STREETS])
@pytest.mark.parametrize("mode", [kernels.LEARN, kernels.VALUE, kernels.RESPOND])
def test_passes_are_those_of_one_worker(name, mode):
    """`Worker.below` goes from board to board by itself."""

    def start(threads):
        if name in ("turn", "flop"):
            return start_spot(Spot.from_text(TURN if name == "turn" else FLOP), threads=threads)
        return start_boards(load_game(name), "dcfr", threads=threads)

    shared, alone = start(3), start(1)
    for run in (shared, alone):
        rng = np.random.default_rng(1)
        for array in run.state().values():
            if array.dtype == np.float32:
                array[:] = rng.uniform(0.0, 1.0, len(array))
    weights = kernels.Weights(*np.array([0.9, 0.5, 0.8], dtype=np.float32))
    worker = Worker(alone.streets)
    for me in range(2):
        value = np.zeros_like(alone.root_weights[me])
        worker.below(0, 0, 1, mode, me, weights, alone.root_weights[1 - me], value)
        found = shared._pass(mode, me, weights)
        np.testing.assert_allclose(found, value, rtol=1e-4, atol=1e-5 * np.abs(value).max())
    for one, other in zip(alone.state().values(), shared.state().values(), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5 * np.abs(one).max(initial=0.0))


def test_threads_that_never_come_hold_nobody_up():
    run = start_spot(Spot.from_text(FLOP), threads=4)
    with ThreadPoolExecutor(1) as pool:
        run._shared.pool = pool
        run.advance(3)
    assert_same_bits(tables(run), tables(advanced(start_spot(Spot.from_text(FLOP)), 3)))


def advanced(run, iterations):
    run.advance(iterations)
    return run


def test_an_interrupt_leaves_a_call_finished(monkeypatch):
    """The first thread is interrupted before its part: the others do all of it before anybody hears of it."""
    run, first = start_spot(Spot.from_text(FLOP), threads=3), SharedPasses._call

    def interrupted(self, worker, *rest):
        if worker is run._workers[0]:
            raise KeyboardInterrupt
        first(self, worker, *rest)

    monkeypatch.setattr(SharedPasses, "_call", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.advance(1)
    monkeypatch.undo()
    whole, found = tables(advanced(start_spot(Spot.from_text(FLOP)), 1)), tables(run)
    assert_same_bits(
        {n: a for n, a in whole.items() if n != "iteration"}, {n: a for n, a in found.items() if n != "iteration"}
    )


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
def test_more_threads_than_cores_get_on():
    before = os.sched_getaffinity(0)
    run = start_spot(Spot.from_text(TURN), threads=8)
    os.sched_setaffinity(0, {min(before)})
    try:
        run.advance(20)
    finally:
        os.sched_setaffinity(0, before)
    assert run.iteration == 20


counts = st.lists(st.integers(0, 48), min_size=1, max_size=49)


@settings(deadline=None, max_examples=60)
@given(counts, st.booleans(), st.integers(1, 20))
def test_every_piece_depends_on_earlier_ones(counts, between, threads):
    last = np.cumsum([11, *counts]).astype(np.int64)
    below = [np.array([5, 5 + len(counts)], dtype=np.int64), last] if between else [last[:2]]
    order = make_order(below, 3, threads)
    level = len(below) - 1
    covered, begun, done = np.zeros(last[-1], dtype=int), {0: [], 1: []}, {0: {}, 1: {}}
    for row in zip(order.level, order.board, order.piece, order.first, order.last, strict=True):
        here, board, piece, first, end = (int(each) for each in row)
        place = board - int(order.begin[here])
        if first < 0:
            assert int(order.rank[here, place]) == len(begun[here])
            free = len(begun[here]) - int(order.slots[here])
            if free >= 0:  # the board before it in this slot has no piece left
                earlier = begun[here][free]
                assert done[here][earlier] == int(order.pieces[here, earlier - int(order.begin[here])])
            assert here == 0 or begun[0] == [3]
            begun[here].append(board)
            done[here][board] = 0
        else:
            assert here == level
            assert board in begun[here]
            assert piece == done[here][board]
            done[here][board] += 1
            covered[first:end] += 1
    expected = below[-1]
    assert (covered[expected[0] : expected[-1]] == 1).all()
    assert covered.sum() == expected[-1] - expected[0]
    if between:
        assert int(order.pieces[0, 0]) == len(counts)
    alone = make_order(below, 3, 1)
    assert np.array_equal(alone.pieces, order.pieces)
    assert sorted(zip(alone.first, alone.last, strict=True)) == sorted(zip(order.first, order.last, strict=True))
