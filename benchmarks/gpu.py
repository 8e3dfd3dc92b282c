"""The postflop solver on a GPU: milliseconds an iteration, seconds to 0.5, 0.3 and 0.1 % of the pot, memory, building; CPU beside.

The physical limit is memory traffic: the bytes that one iteration must read and write (regrets read twice and written, averages read and
written), at the speed of a copy on the device measured in this run. Times are medians of repeats. `--json` prints one object.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SPOTS = ("turn", "flop", "public_flop", "public_flop_two_tone")  # of examples/spots, or beside this script
GAMES = ("flop-holdem",)  # 52 cards, 1,755 flops
GAME_ITERATIONS = 100
BATCHES = ("river", "xriver")  # whose betting; the first with the ranges of the flop example
GOALS = (0.5, 0.3, 0.1)  # per cent of the pot
MOST = 1000
GROUPED = 16_384  # rivers in groups that follow one another


def copy_speed() -> float:
    """Bytes read and written per second by a large copy on the device."""
    import cupy

    source = cupy.ones(1 << 28, dtype=cupy.float32)
    target = cupy.zeros_like(source)
    best = float("inf")
    for _ in range(5):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        cupy.copyto(target, source)
        cupy.cuda.Device().synchronize()
        best = min(best, time.perf_counter() - begin)
    return 2.0 * source.nbytes / best


def measure(name: str, copied: float, repeats: int, cpu: bool, bits: int = 32) -> dict[str, Any]:
    from equilibrist.forms.boards.compiled_spot import compile_spot
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import solve_spot, start_spot

    beside = Path(__file__).with_name(f"{name}.toml")
    spot = Spot.from_toml(beside if beside.exists() else f"examples/spots/{name}.toml")
    begin = time.perf_counter()
    start_spot(spot, bits=bits, device="cuda")
    row: dict[str, Any] = {"first_build_seconds": time.perf_counter() - begin}
    begin = time.perf_counter()
    here = compile_spot(spot)
    _ = here.forests, here.boards
    row["betting_and_boards_seconds"] = time.perf_counter() - begin
    begin = time.perf_counter()
    run: Any = start_spot(here, bits=bits, device="cuda")
    row["device_build_seconds"] = time.perf_counter() - begin
    run.advance(20)
    blocks = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run.advance(100)
        blocks.append((time.perf_counter() - begin) / 100)
    row["milliseconds_per_iteration"] = 1e3 * statistics.median(blocks)
    row["table_bytes"], row["device_bytes"] = run.memory_bytes, sum(plan.bytes for plan in run.passes.plans)
    row["times_memory_limit"] = statistics.median(blocks) / (5.0 * run.memory_bytes / 2 / copied)
    for goal in GOALS:
        seconds = []
        for _ in range(repeats):
            found = solve_spot(here, until=f"{goal}%", iterations=MOST, bits=bits, device="cuda")
            seconds.append(found.seconds)
        row[f"seconds_to_{goal}"], row[f"iterations_to_{goal}"] = statistics.median(seconds), found.iterations
    if cpu:
        solve_spot(here, iterations=2, bits=bits, threads=8)  # compiles
        begin = time.perf_counter()
        solve_spot(here, until="0.1%", iterations=MOST, bits=bits, threads=8)
        row["cpu_seconds_8_threads_to_0.1"] = time.perf_counter() - begin
        row["times_cpu"] = row["cpu_seconds_8_threads_to_0.1"] / row["seconds_to_0.1"]
    return row


def measure_command(repeats: int) -> dict[str, Any]:
    """Seconds of a whole command that makes one iteration of a turn: the first of these runs may compile kernels."""
    words = ["solve", "examples/spots/turn.toml", "--device", "cuda", "--iterations", "1", "--json"]
    keeping = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "equilibrist", *words], check=True, capture_output=True, env=keeping)
        seconds.append(time.perf_counter() - begin)
    return {"first_seconds": seconds[0], "later_seconds": statistics.median(seconds[1:])}


def measure_game(name: str) -> dict[str, Any]:
    """Whole games on their boards: iterations, and how far they come."""
    import equilibrist as eq

    found = eq.solve(name, "dcfr", on="boards", iterations=GAME_ITERATIONS, device="cuda")
    return {
        "milliseconds_per_iteration": 1e3 * found.seconds / GAME_ITERATIONS,
        "exploitability": found.exploitability,
    }


def batch_of(name: str, number: int) -> tuple[Any, dict[str, Any]]:
    """A spot with the betting of an example, and arrays of rivers: random boards, the ranges of the flop example or all hands."""
    import equilibrist as eq

    spot = eq.Spot.from_toml(f"examples/spots/{name}.toml")
    flop = eq.Spot.from_toml("examples/spots/flop.toml")
    draw = np.random.default_rng(1)
    boards = draw.random((number, 52)).argsort(axis=1)[:, :5]
    held = np.stack([each.weights for each in flop.ranges]) if name == "river" else np.ones((2, 1326))
    return spot, {"boards": boards, "ranges": np.repeat(held[None].astype(np.float32), number, axis=0)}


def measure_batch(name: str, number: int, repeats: int) -> dict[str, Any]:
    """Subgames a second to each goal: solving alone, with building, and a batch of several groups as its user sees it."""
    import equilibrist as eq
    from equilibrist.games.spots.spot_arrays import SpotArrays
    from equilibrist.solvers.postflop.batches.device_groups import lay_out_group, start_group
    from equilibrist.solvers.postflop.batches.grouped_spots import compile_spots, group_spots
    from equilibrist.solvers.registry import make_solver

    spot, arrays = batch_of(name, number)
    solver: Any = make_solver("dcfr(gamma=3)")
    row: dict[str, Any] = {}
    for goal in GOALS:
        laid, started, solved, iterations = [], [], [], 0.0
        for _ in range(repeats):
            begun = time.perf_counter()
            spots = compile_spots(SpotArrays.of(spot, **arrays))
            (group,) = group_spots(spots)
            layout = lay_out_group(spots, group)
            laid.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            batch = start_group(spots, group, layout, solver)
            started.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            batch.solve(np.full(number, goal / 100.0 * spot.pot), np.full(number, MOST))
            solved.append(time.perf_counter() - begun)
            iterations = float(np.mean(batch.iterations))
            assert (batch.iterations < MOST).all()
        row[f"iterations_to_{goal:g}%"] = iterations
        row[f"subgames_per_second_to_{goal:g}%"] = number / statistics.median(solved)
        row[f"with_building_to_{goal:g}%"] = number / sum(map(statistics.median, (laid, started, solved)))
    row["laying_out_seconds"], row["on_device_seconds"] = statistics.median(laid), statistics.median(started)
    begun = time.perf_counter()
    batch.passes.advance(0, 50)
    row["milliseconds_per_iteration"] = 20.0 * (time.perf_counter() - begun)
    several, whole = batch_of(name, GROUPED)[1], []
    for _ in range(2):
        begun = time.perf_counter()
        eq.solve_batch(spot, **several, until="0.1%", device="cuda", strategies=False)
        whole.append(time.perf_counter() - begun)
    row[f"{GROUPED}_at_once_per_second_to_0.1%"] = GROUPED / min(whole)
    return row


def measure_layout(name: str, number: int, repeats: int) -> dict[str, float]:
    """Seconds, and seconds of all cores, that rivers take on the host before they go to a device: checks, boards, hands, ranges."""
    from equilibrist.games.spots.spot_arrays import SpotArrays
    from equilibrist.solvers.postflop.batches.device_groups import lay_out_group
    from equilibrist.solvers.postflop.batches.grouped_spots import compile_spots, group_spots

    spot, arrays = batch_of(name, number)
    seconds, of_cores = [], []
    for _ in range(repeats + 1):
        begun, before = time.perf_counter(), time.process_time()
        spots = compile_spots(SpotArrays.of(spot, **arrays))
        for group in group_spots(spots):
            lay_out_group(spots, group)
        seconds.append(time.perf_counter() - begun)
        of_cores.append(time.process_time() - before)
    return {"laying_out_seconds": min(seconds[1:]), "of_all_cores": min(of_cores[1:])}  # the first compiles


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--spots", nargs="*", default=list(SPOTS))
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    parser.add_argument("--batches", nargs="*", default=list(BATCHES), help="rivers at once")
    parser.add_argument("--rivers", type=int, default=1000, help="in a batch")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--bits", type=int, default=32, choices=(16, 32), help="of tables of spots")
    parser.add_argument("--cpu", action="store_true", help="solve on 8 threads of the CPU, too")
    parser.add_argument("--layout", action="store_true", help="what the host does for batches, alone; needs no GPU")
    arguments = parser.parse_args(argv)
    if arguments.layout:
        for name in arguments.batches:
            found = measure_layout(name, arguments.rivers, arguments.repeats)
            print(f"{arguments.rivers} x {name}", json.dumps(found))
        return
    import cupy

    copied = copy_speed()
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    result: dict[str, Any] = {"device": device, "copy_bytes_per_second": copied}
    for name in arguments.spots:
        result[name] = measure(name, copied, arguments.repeats, arguments.cpu, arguments.bits)
    result["command"] = measure_command(arguments.repeats)
    for name in arguments.games:
        result[name] = measure_game(name)
    for name in arguments.batches:
        result[f"{arguments.rivers} x {name}"] = measure_batch(name, arguments.rivers, arguments.repeats)
    if arguments.json:
        print(json.dumps(result, indent=1))
        return
    print(f"{device}, copies {copied / 1e12:.2f} TB/s")
    for name, row in result.items():
        if not isinstance(row, dict):
            continue
        print(name, "  ".join(f"{key} {value:.4g}" for key, value in row.items()))


if __name__ == "__main__":
    main()
