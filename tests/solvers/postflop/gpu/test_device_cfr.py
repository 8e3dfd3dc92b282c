"""The solver on a GPU against that of the CPU; needs a CUDA device and CuPy (`-m gpu`)."""

from __future__ import annotations

import contextlib
import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.core.errors import TooLargeError
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.gpu.device_passes import WINDOW
from equilibrist.solvers.postflop.gpu.street_plan import bytes_of, device_bytes, root_arrays
from equilibrist.solvers.postflop.solve_spot import start_spot
from reference.device_spots import ALL_HANDS, RAKED, RIVER, TURN, check_pass, check_values

pytestmark = pytest.mark.gpu
pytest.importorskip("cupy", reason="the extra 'gpu' (CuPy) is not installed")

NARROW = {"oop": "AA,KQs,JTs", "ip": "KK,AJs,T9s"}
SPOTS = {
    "river": RIVER,
    "all hands": RIVER.changed(range=ALL_HANDS),
    "turn": TURN,
    "rake": RAKED,
    "suits alike": RIVER.changed(board="8h8c4s4d"),
    "flop": RIVER.changed(board="8h8c4s", range=NARROW),  # called all-ins by one matrix
    "flop, rake": RAKED.changed(board="8h8c4s", range=NARROW),
}


def compare(spot: Spot, solver: str, iterations: int = 3) -> None:
    """Iteration by iteration from the same tables: where actions are exactly equal, rounding decides what comes next."""
    cpu, gpu = start_spot(spot, solver), start_spot(spot, solver, device="cuda")
    for _ in range(iterations):
        cpu.advance(1)
        gpu.advance(1)
        for me in range(2):
            check_values(cpu, gpu, me)
        assert gpu.exploitability() == pytest.approx(cpu.exploitability(), rel=1e-5)
        gpu.restore(cpu.state())


@pytest.mark.parametrize("solver", ["dcfr(gamma=3)", "cfr+", "pcfr+"])
@pytest.mark.parametrize("name", SPOTS)
def test_iterations_are_those_of_the_cpu(name: str, solver: str) -> None:
    compare(SPOTS[name], solver)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    board=st.sampled_from(["Td9d6hQc2s", "AhKhQh2c7d", "8h8c4s4d", "2c3d4h5s", "9c9d9h2s3s"]),
    bets=st.sampled_from(["50%, a", "33%, 75%, 150%, a", "e, a", "a"]),
    stack=st.integers(20, 2000),
    hands=st.lists(st.sampled_from(["AA", "KQs", "JTs", "98s", "A5o", "T7o", "22", "76s:0.3", "K9o"]), min_size=2, unique=True),
)  # fmt: skip
def test_generated_spots(board: str, bets: str, stack: int, hands: list[str]) -> None:
    half = len(hands) // 2
    ranges = {"oop": ",".join(hands[:half] or hands[:1]), "ip": ",".join(hands[half:])}
    compare(RIVER.changed(board=board, stack=stack, range=ranges, bets={"bet": bets, "raise": "a"}), "dcfr(gamma=3)", 2)


@pytest.mark.parametrize("solver", ["dcfr(gamma=3)", "cfr+", "pcfr+"])
@pytest.mark.parametrize("name", SPOTS)
def test_tables_of_16_bits_are_those_of_the_cpu(name: str, solver: str) -> None:
    """Pass by pass from the same tables; rounding may fall to either side."""
    compare_short(SPOTS[name], solver)


def compare_short(spot: Spot, solver: str) -> None:
    cpu, gpu = (start_spot(spot, solver, bits=16, device=device) for device in ("cpu", "cuda"))
    cpu.advance(5)
    gpu.restore(cpu.state())
    for _ in range(2):
        for me in range(2):
            reach = cpu._at_root(1 - me, cpu.root_weights[1 - me])
            for run in (cpu, gpu):
                run.learn(me, reach)
            check_pass(cpu, gpu, me)
        cpu.iteration = gpu.iteration = cpu.iteration + 1


def test_a_run_in_16_bits_goes_on_on_the_cpu_and_repeats(tmp_path) -> None:
    spot = Spot.from_toml("examples/spots/turn.toml")
    found = eq.solve(spot, until="0.05%", iterations=4000, bits=16, device="cuda")
    assert found.converged
    assert found.ev[0] - spot.pot / 2 == pytest.approx(-8.0387, abs=0.05)
    found.save(tmp_path / "turn.eqb")
    again = eq.load_solution(tmp_path / "turn.eqb")
    assert again.boards.run.exploitability() == pytest.approx(found.exploitability, rel=1e-3)
    further = eq.solve(spot, resume=again, bits=16, iterations=found.iterations + 5)
    assert further.exploitability < 1.2 * found.exploitability
    runs = [start_spot(SPOTS["turn"], bits=16, device="cuda") for _ in range(2)]
    for run in runs:
        run.advance(37)
    first, second = (run.state() for run in runs)
    assert all(np.array_equal(first[name], second[name]) for name in first)


LOCKS = [
    {"line": "", "hands": "QQ,KQs", "strategy": {"x": 0.25, "b50": 0.75}},
    {"line": "x", "strategy": {"x": 1.0}, "weight": 0.4},
    {"line": "b50", "hands": "KK,T9s", "strategy": {"c": 1.0}},
]


@pytest.mark.parametrize("solver", ["dcfr(gamma=3)", "pcfr+"])
@pytest.mark.parametrize("name", ["river", "turn"])
def test_locks_are_followed(name: str, solver: str) -> None:
    locks = [*LOCKS, {"line": "x:x:3c:x", "hands": "AJs", "strategy": {"x": 1.0}}] if name == "turn" else LOCKS
    locked = SPOTS[name].changed(lock=locks)
    compare(locked, solver, 2)
    compare_short(locked, solver)
    cpu, gpu = (eq.solve(locked, solver, until="0.05%", iterations=5000, device=device) for device in ("cpu", "cuda"))
    assert gpu.exploitability <= 0.0005 * locked.pot
    assert abs(gpu.ev.oop - cpu.ev.oop) <= gpu.exploitability + cpu.exploitability + 2 * gpu.provenance["error"]


@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("name", ["all hands", "flop", "example"])
def test_memory_is_known_before_it_is_taken(name: str, bits: int) -> None:
    import cupy

    gc.collect()  # runs of other tests
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.used_bytes()
    spot = Spot.from_toml("examples/spots/flop.toml") if name == "example" else SPOTS[name]
    run = start_spot(spot, bits=bits, device="cuda")
    plans = run.passes.plans  # type: ignore[attr-defined]
    staying = sum(plan.bytes for plan in plans) + bytes_of(root_arrays(plans[0], WINDOW))
    gc.collect()
    assert pool.used_bytes() - before == staying
    assert pool.total_bytes() <= device_bytes(plans, WINDOW) + 2**22


def test_memory_that_others_take_in_the_middle_is_said() -> None:
    import cupy

    run = start_spot(SPOTS["turn"], device="cuda")
    run.advance(2)
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=pool.total_bytes())
    taken = list[Any]()
    for size in (2**20, 2**15, 2**9):  # what the pool holds beside arrays that are in use
        with contextlib.suppress(cupy.cuda.memory.OutOfMemoryError):
            while True:
                taken.append(cupy.empty(size, cupy.uint8))
    try:
        with pytest.raises(TooLargeError, match="too little memory left"):
            run.state()  # copies tables
    finally:
        pool.set_limit(size=0)
    taken.clear()
    assert run.exploitability() > 0.0


def test_a_warm_start_is_that_of_the_cpu() -> None:
    profile = eq.solve(SPOTS["turn"], iterations=300)
    cpu, gpu = (
        eq.solve(SPOTS["turn"], iterations=310, warm_start=profile, warm_iterations=300, device=device)
        for device in ("cpu", "cuda")
    )
    assert gpu.exploitability == pytest.approx(cpu.exploitability, rel=0.01)


def test_deep_stacks_are_stated_in_double_precision() -> None:
    deep = SPOTS["turn"].changed(stack=50_000)
    cpu, gpu = (eq.solve(deep, iterations=1, device=device) for device in ("cpu", "cuda"))
    assert gpu.provenance["error"] == cpu.provenance["error"]
    assert gpu.exploitability == pytest.approx(cpu.exploitability, rel=1e-4)


def test_runs_repeat_bit_for_bit() -> None:
    runs = [start_spot(SPOTS["turn"], device="cuda") for _ in range(2)]
    for run in runs:
        run.advance(37)
    first, second = (run.state() for run in runs)
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_a_turn_comes_to_its_known_value_and_goes_on_on_the_cpu(tmp_path) -> None:
    spot = Spot.from_toml("examples/spots/turn.toml")
    found = eq.solve(spot, until="0.01%", iterations=4000, device="cuda")
    assert found.converged
    assert found.ev[0] - spot.pot / 2 == pytest.approx(-8.0387, abs=0.02)
    assert found.settings["device"] == "cuda"
    found.save(tmp_path / "turn.eqb")
    again = eq.solve(spot, resume=eq.load_solution(tmp_path / "turn.eqb"), iterations=found.iterations + 5)
    assert again.exploitability < 0.02


@pytest.mark.parametrize("game", ["leduc", "rhode-island(ranks=4,suits=3)"])
def test_games_on_boards(game: str) -> None:
    cpu, gpu = (eq.solve(game, "dcfr", iterations=200, on="boards", device=device) for device in ("cpu", "cuda"))
    assert gpu.value == pytest.approx(
        cpu.value, abs=gpu.exploitability + cpu.exploitability
    )  # both are so near to the game's
    assert gpu.exploitability == pytest.approx(cpu.exploitability, rel=0.3)


@pytest.mark.parametrize("name", ["turn", "suits alike", "flop", "flop, rake"])
def test_values_on_the_first_street_leave_later_tables_on_the_device(name: str) -> None:
    cpu, gpu = start_spot(SPOTS[name]), start_spot(SPOTS[name], device="cuda")
    cpu.advance(3)
    gpu.restore(cpu.state())  # from the same tables, as in `compare`
    for run in (cpu, gpu):
        run.advance(1)
    for me in range(2):
        assert gpu.reach_at((), me) == pytest.approx(cpu.reach_at((), me), abs=1e-5)
        for respond in (False, True):
            wanted = cpu.value_at((), me, respond=respond)
            assert gpu.value_at((), me, respond=respond) == pytest.approx(wanted, abs=1e-4 * np.abs(wanted).max())
    assert gpu.stale == set(range(1, len(gpu.streets)))  # type: ignore[attr-defined]
