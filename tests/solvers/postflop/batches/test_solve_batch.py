"""Batches on the CPU, how spots are put together, and (`-m gpu`) the same on a GPU."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from equilibrist.core.arrays import Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_lists import NamedSpot
from equilibrist.search.engines.spot_batches import search_batch
from equilibrist.solvers.cfr.schedules import DCFR
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.batches import grouped_spots
from equilibrist.solvers.postflop.batches import solve_batch as solve_batch_module
from equilibrist.solvers.postflop.batches.device_batch import DeviceBatch
from equilibrist.solvers.postflop.batches.device_groups import lay_out_group, limits_of
from equilibrist.solvers.postflop.batches.frequency_rounds import solve_in_rounds
from equilibrist.solvers.postflop.batches.grouped_spots import compile_spots, group_spots
from equilibrist.solvers.postflop.batches.river_groups import RiverGroup, share_out_rivers
from equilibrist.solvers.postflop.batches.solve_batch import solve_batch
from equilibrist.solvers.postflop.batches.spot_folder import FolderTask, solve_folder
from equilibrist.solvers.postflop.solve_spot import solve_spot, solver_on_spots
from equilibrist.solvers.postflop.tables import lock_street, make_street
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

RANGES = [{"oop": "QQ+,AKs,T9s,65s", "ip": "JJ-88,AQs,KQs,87s"}, {"oop": "AA,55,AKo,76s", "ip": "KK,44,AQo,T9s,65s"}]
BOARDS = ["Ks7h2d9c3s", "AhTd8d4c4s", "QcJc6h5d2s"]


def river(number: int, *, pot: float = 100, stack: float = 300) -> Spot:
    bets = {"bet": "50%, a", "raise": "a"}
    return Spot(board=BOARDS[number % 3], pot=pot, stack=stack, range=RANGES[number % 2], bets=bets)


def turn(number: int) -> Spot:
    board = BOARDS[number % 3][:8]
    return Spot(board=board, pot=100, stack=150, range=RANGES[number % 2], bets={"bet": "75%", "raise": "a"})


MIXED = [river(0), river(1, pot=50, stack=150), river(2, stack=20), turn(0), river(3), turn(1)]


def test_spots_of_one_shape_come_together() -> None:
    def grouped(largest: int = 4096) -> list[list[int]]:
        return [group.tolist() for group in group_spots(compile_spots(MIXED), largest)]

    assert grouped() == [[0, 1, 4], [2], [3, 5]]  # amounts do not count, the number of bets before all-in does
    assert grouped(largest=2) == [[0, 1], [4], [2], [3, 5]]


def test_equal_bets_are_grown_once() -> None:
    compiled = compile_spots([river(0), river(1), river(2, stack=20)])
    assert len(compiled.betting) == 2
    assert compiled.which.tolist() == [0, 0, 1]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_is_its_spots(threads: int) -> None:
    seen = list[tuple[int, int]]()
    batch = solve_batch(MIXED, until="0.5%", threads=threads, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(k + 1, len(MIXED)) for k in range(len(MIXED))]
    for k, spot in enumerate(MIXED):
        alone = solve_spot(spot, until="0.5%")
        assert batch.exploitability[k] == alone.exploitability <= 0.005 * spot.pot
        assert batch.iterations[k] == alone.iterations
        assert batch.values[k] == pytest.approx(alone.evaluation.value)
        assert batch.solution(k).ev == alone.ev
        for p in range(2):
            root = alone.boards.run.streets[0].boards.player[p]
            held = np.zeros(1326, dtype=bool)
            held[root.pair[0, : root.count[0]]] = True
            assert np.array_equal(np.isfinite(batch.by_hand[p][k]), held)


def test_rivers_of_one_call_have_the_bits_of_each_alone() -> None:
    """Narrow and wide ranges, of one block of hands and of three, and different amounts: tables of one must not get into another's."""
    wide, narrow = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KTo+", "AA,T9s"
    ranges = [{"oop": wide, "ip": wide}, {"oop": narrow, "ip": wide}, {"oop": "QQ-99,AKs,AQo", "ip": narrow}]
    pots = [100, 50, 100]  # whose bets are as many
    spots = [river(k, pot=pots[k], stack=3 * pots[k]).changed(range=ranges[k]) for k in range(3)]
    compiled = compile_spots([*spots, spots[0]])
    (numbers,) = group_spots(compiled)
    solver = solver_on_spots("dcfr(gamma=3)")
    ((shape, *_), *_), others = share_out_rivers(compiled, solver, 1)
    assert not others
    group = RiverGroup(compiled, shape, numbers, solver)
    assert len({tuple(each) for each in group.blocks[0].tolist()}) > 2
    group.solve(np.array([0.5, 0.3, np.nan, 0.2]), 60)
    for place, goal in enumerate((0.5, 0.3, None, 0.2)):
        alone = solve_spot(compiled.compiled(place), until=goal, iterations=60)
        found = group.solution(place, Stop(goal, 60), "dcfr(gamma=3)")
        assert (found.iterations, found.evaluation) == (alone.iterations, alone.evaluation)
        assert (found.record.converged, found.solver) == (alone.record.converged, alone.solver)
        state = alone.boards.run.state()
        for name, table in found.boards.run.state().items():
            assert np.array_equal(table, state[name]), (place, name)


def test_values_of_hands_make_up_the_value() -> None:
    """Weighted by how often a hand is held and met, what hands are worth is what the game is worth."""
    batch = solve_batch(MIXED, iterations=50)
    compiled = compile_spots(MIXED)
    for k in range(len(MIXED)):
        spot = compiled.compiled(k)
        for p in range(2):
            weights = np.asarray(spot.weights[p]) * spot.deal.met(np.asarray(spot.weights[1 - p]))
            mean = np.nansum(weights * batch.by_hand[p][k]) / weights.sum()
            assert mean == pytest.approx(batch.values[k][p], abs=1e-3)


def test_goals_may_differ() -> None:
    batch = solve_batch([river(0), river(0)], until=["5%", "0.05%"])
    assert batch.iterations[0] < batch.iterations[1]
    with pytest.raises(ParameterError, match="2 spots takes one goal or as many, but 3"):
        solve_batch([river(0), river(0)], until=[1.0, 2.0, 3.0])


def test_strategies_need_not_be_kept() -> None:
    batch = solve_batch(MIXED[:2], iterations=20, strategies=False)
    assert batch.exploitability == pytest.approx(solve_batch(MIXED[:2], iterations=20).exploitability)
    with pytest.raises(NotApplicableError, match="without strategies"):
        batch.solution(0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "at least one spot"),
        ("river.toml", "a str was given; 'eq.Spot.from_toml' reads a file"),
        (None, "a NoneType was given"),
        ([river(0), "river.toml"], "number 1 of it is a str"),
    ],
)
def test_what_is_no_batch_is_refused(given: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        solve_batch(given)
    with pytest.raises(ParameterError, match=said):
        search_batch(given, "oop")


def test_one_goal_may_be_an_array() -> None:
    goals = (np.array("5%"), np.array(5.0), np.array(["5%"]))
    assert len({tuple(solve_batch([river(0)], until=goal).iterations) for goal in goals}) == 1


OFTEN = [
    river(0).changed(lock=[{"line": "", "frequency": {"x": 0.8}}]),
    river(1),
    river(4).changed(
        lock=[{"line": "x", "frequency": {"x": 0.3}}, {"line": "", "hands": "AA", "strategy": {"x": 1.0}}]
    ),
]


def test_locks_by_frequency_are_settled_in_rounds() -> None:
    """Batches of a GPU come to what solves one by one come to."""
    compiled, calls = compile_spots(OFTEN), list[list[int]]()

    def solve(spots: Any, numbers: Any) -> Any:
        assert all(lock.settled for spot in spots for lock in spot.spot.locks)
        calls.append(numbers.tolist())
        return solve_batch(spots, iterations=60)

    last = solve_in_rounds([compiled.compiled(k) for k in range(3)], solve)
    assert calls[:2] == [[0, 1, 2], [0, 2]]
    alone = solve_batch(OFTEN, iterations=60)
    for k, one in enumerate(last):
        assert one.exploitability == pytest.approx(alone.exploitability[k], rel=1e-9)
        assert one.values == pytest.approx(alone.values[k], rel=1e-9)
        assert one.by_hand[0] == pytest.approx(alone.by_hand[0][k], rel=1e-9, nan_ok=True)
        assert one.solution().spot.to_toml() == alone.solution(k).spot.to_toml()
        assert one.solution().provenance.get("ev_without_locks") == alone.solution(k).provenance.get("ev_without_locks")


def test_spots_without_settled_locks_go_to_the_device_in_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()

    def on_device(spots: Any, solver: Any, goals: Any, *how: Any) -> Any:
        asked.append(len(goals))
        return solve_batch_module._on_threads(spots, solver.name, goals, 60, 1, True, None)

    monkeypatch.setattr(solve_batch_module, "wants_gpu", lambda device, *_, **__: device == "cuda")
    monkeypatch.setattr(solve_batch_module, "_on_device", on_device)
    batch = solve_batch(OFTEN, iterations=60, device="cuda")
    assert asked[:2] == [3, 2]
    assert batch.device == "cuda"
    assert batch.exploitability == pytest.approx(solve_batch(OFTEN, iterations=60).exploitability, rel=1e-9)


@pytest.mark.gpu
def test_locks_by_frequency_in_a_batch_on_a_gpu() -> None:
    cpu, gpu = (solve_batch(OFTEN, until="0.1%", device=device) for device in ("cpu", "cuda"))
    assert gpu.values == pytest.approx(cpu.values, abs=0.002 * OFTEN[0].pot)


LOCKED = [
    river(0).changed(lock=[{"line": "", "strategy": {"x": 1.0}}]),
    river(1, pot=50, stack=150),
    river(4).changed(
        lock=[
            {"line": "x", "hands": "JJ,AQs", "strategy": {"b50": 0.25, "x": 0.75}},
            {"line": "", "hands": "AA", "strategy": {"b300": 1.0}, "weight": 0.5},
        ]
    ),
    turn(0).changed(lock=[{"line": "x:x:2s", "strategy": {"x": 1.0}}]),
    turn(1).changed(lock=[{"line": "x", "hands": "KK", "strategy": {"x": 1.0}}]),
]


def test_locks_of_a_batch_are_those_of_its_spots() -> None:
    """On joined boards the same hands of the same nodes are bound to the same strategies."""
    spots = compile_spots(LOCKED)
    checked = 0
    for group in group_spots(spots):
        layout = lay_out_group(spots, group)
        joined = [
            make_street(each[0], boards, 1.0, 52, False, 32)
            for each, boards in zip(
                zip(*(spots.compiled(k).forests for k in group), strict=True), layout.boards, strict=True
            )
        ]
        for depth, street in enumerate(joined):
            lock_street(street, [lock for lock in layout.locks if lock.depth == depth])
        for number, k in enumerate(group):
            run = BoardCFR.on_spot(spots.compiled(k), DCFR())
            for depth, (street, alone) in enumerate(zip(joined, run.streets, strict=True)):
                before = sum(len(spots.compiled(j).boards[depth].cards) for j in group[:number])
                for board in range(len(alone.boards.cards)):
                    for node in np.flatnonzero(alone.forest.kind <= 1).tolist():
                        p = int(alone.forest.kind[node])
                        count = int(alone.boards.player[p].count[board])
                        mine, theirs = street.strategy(before + board, node), alone.strategy(board, node)
                        assert np.array_equal(mine[:, :count], theirs[:, :count])
                        checked += not np.all(theirs[:, :count] == theirs[0, 0])
    assert checked == 5


def test_a_batch_with_locks_is_its_spots() -> None:
    batch = solve_batch(LOCKED, iterations=40)
    for k, spot in enumerate(LOCKED):
        assert batch.solution(k).ev == solve_spot(spot, iterations=40).ev


@pytest.mark.gpu
def test_locks_of_a_batch_on_a_gpu() -> None:
    cpu, gpu = (solve_batch(LOCKED, iterations=1, device=device) for device in ("cpu", "cuda"))
    assert gpu.values[:3] == pytest.approx(cpu.values[:3], abs=1e-3)
    few = solve_batch(LOCKED, iterations=2, device="cuda")  # in more of them rounding grows
    batch = solve_batch(LOCKED, until="0.05%", iterations=5000, device="cuda")
    for k, spot in enumerate(LOCKED):
        alone = solve_spot(spot, iterations=2, device="cuda")
        assert few.values[k] == pytest.approx(alone.evaluation.value, abs=1e-5 * spot.pot)
        solved = solve_spot(spot, until="0.05%", iterations=5000)
        assert batch.solution(k).converged
        assert batch.values[k] == pytest.approx(solved.evaluation.value, abs=2 * 0.0005 * spot.pot)
    mixed = batch.solution(0).root
    assert mixed.frequencies[mixed.labels.index("x")] == pytest.approx(1.0)


@pytest.mark.gpu
@pytest.mark.parametrize("solver", ["dcfr(gamma=3)", "pcfr+"])
def test_a_gpu_finds_what_the_cpu_finds(solver: str) -> None:
    spots = [*MIXED, *(river(k, pot=60 + k, stack=200) for k in range(40))]
    cpu, gpu = (solve_batch(spots, solver, iterations=1, device=device) for device in ("cpu", "cuda"))
    rivers = np.array([len(spot.board) == 5 for spot in spots])
    assert gpu.values[rivers] == pytest.approx(cpu.values[rivers], abs=1e-3)
    assert gpu.exploitability[rivers] == pytest.approx(cpu.exploitability[rivers], abs=1e-3)
    for p in range(2):
        assert np.nanmax(np.abs(gpu.by_hand[p][rivers] - cpu.by_hand[p][rivers])) < 1e-2
        assert np.array_equal(np.isnan(gpu.by_hand[p]), np.isnan(cpu.by_hand[p]))
    # on turns called all-ins are one product here: where actions are exactly equal, rounding decides what comes next
    for k in np.flatnonzero(~rivers):
        for here, there in zip(*(one.solution(k).boards.run.streets for one in (gpu, cpu)), strict=True):
            held = np.arange(there.hands[0].size) < there.boards.player[0].count[:, None, None, None]
            mine, theirs = (
                np.where(held, each.tables[0].regret.reshape(each.shape(0)), 0.0) for each in (here, there)
            )  # of the player who learned first
            assert np.abs(mine - theirs).max() <= 1e-5 * np.abs(theirs).max()
    for k in (0, 2, 7):
        assert gpu.solution(k).ev == pytest.approx(cpu.solution(k).ev, abs=1e-3)


@pytest.mark.gpu
def test_a_game_of_a_batch_is_the_game_by_itself() -> None:
    for spot in MIXED:
        alone = solve_spot(spot, iterations=30, device="cuda")
        batch = solve_batch([spot], iterations=30, device="cuda")
        assert batch.values[0] == pytest.approx(alone.evaluation.value, abs=1e-5 * spot.pot)
        assert batch.exploitability[0] == pytest.approx(alone.exploitability, abs=1e-5 * spot.pot)


@pytest.mark.gpu
def test_each_game_of_a_gpu_ends_at_its_goal() -> None:
    spots = [*MIXED, *(river(k, pot=60 + k, stack=200) for k in range(20))]
    goals = ["2%" if k % 2 else "0.05%" for k in range(len(spots))]
    batch = solve_batch(spots, until=goals, device="cuda")
    chips = np.array([(0.02 if k % 2 else 0.0005) * spot.pot for k, spot in enumerate(spots)])
    assert (batch.exploitability <= chips).all()
    assert batch.iterations[1] < batch.iterations[0]
    for k in (0, 1, 3, 5):
        verified = batch.solution(k)
        assert verified.exploitability == pytest.approx(batch.exploitability[k], abs=1e-3)
        alone = solve_spot(spots[k], until=goals[k])
        assert abs(alone.ev.oop - verified.ev.oop) <= 2 * chips[k]


class Passes:
    """In place of those on a device: games that go on count iterations."""

    def __init__(self, games: int) -> None:
        self.done, self.left = np.zeros(games, dtype=np.int64), np.arange(games)

    def advance(self, iteration: int, iterations: int) -> None:
        self.done[self.left] += iterations

    def select(self, games: Longs) -> None:
        self.left = games


@pytest.mark.parametrize("most", [None, 500])
def test_games_with_and_without_a_goal_end_as_they_would_alone(
    most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, goals = object.__new__(DeviceBatch), np.array([0.5, np.nan, 10.0])
    passes: Any = Passes(3)
    batch.passes, batch.games, batch.iteration = passes, 3, 0
    batch.iterations, batch.exploitability, batch.seconds = np.zeros(3, dtype=np.int64), np.zeros(3), np.zeros(3)
    monkeypatch.setattr(DeviceBatch, "_gaps", lambda self: 1000.0 / passes.done)
    batch.solve(np.nan_to_num(goals, nan=-1.0), limits_of(goals, most))
    assert batch.iterations.tolist() == passes.done.tolist()
    if most is None:
        assert batch.iterations[0] >= 2000
        assert batch.iterations[1] == 1000
    else:
        assert batch.iterations[:2].tolist() == [500, 500]
    assert 100 <= batch.iterations[2] < 200
    assert batch.exploitability.tolist() == (1000.0 / batch.iterations).tolist()
    assert passes.left.tolist() == [0, 1, 2]


def test_games_without_a_goal_do_not_say_when_to_look() -> None:
    batch = object.__new__(DeviceBatch)
    batch.iteration = 100
    gap, none = np.array([3.0, 8.0]), np.array([-1.0, -1.0])
    assert batch._soonest(gap, none) == batch._soonest(1e9 * gap, np.array([1.0, 1.0]))
    assert batch._soonest(gap, np.array([-1.0, 4.0])) == batch._soonest(gap[1:], np.array([4.0])) > 100


def test_the_betting_of_rivers_is_kept_where_it_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def forests(*spots: Spot) -> list[int]:
        return [id(compile_spots([spot]).betting[0]) for spot in spots]

    kept = dict[Any, Any]()
    monkeypatch.setattr(grouped_spots, "_kept", kept)
    monkeypatch.setattr(grouped_spots, "KEPT_BETTING", 2)
    assert len(set(forests(river(0), river(1), river(2)))) == 1  # of other boards and ranges
    forests(turn(0), river(0, pot=50))
    assert len(kept) == 2
    forests(river(0, pot=60))
    assert [key[1] for key in kept] == [50, 60]
    monkeypatch.setattr(grouped_spots, "KEPT_NODES", 3)
    forests(river(0, pot=70))
    assert [key[1] for key in kept] == [50, 60]


ENDLESS = 3_000_000  # iterations: minutes


def test_an_interrupt_ends_what_threads_are_at_work_on() -> None:
    def interrupt(done: int, of: int) -> None:
        raise KeyboardInterrupt

    begun, spots = time.perf_counter(), [river(0), river(1)]
    with pytest.raises(KeyboardInterrupt):
        solve_batch(spots, until=["50%", 0.0], iterations=ENDLESS, threads=2, progress=interrupt)
    named = [NamedSpot("short", spots[0], "50%"), NamedSpot("long", spots[1], "0")]
    outcomes = solve_folder(FolderTask(named, iterations=ENDLESS, threads=2))
    assert next(outcomes).name == "short"
    outcomes.close()  # type: ignore[attr-defined]
    assert time.perf_counter() - begun < 10.0
