"""The postflop solver on the reference spots: seconds per iteration and to 0.5 % / 0.1 % of the pot, memory, compile time.

The peer is b-inary/postflop-solver (Rust); its figures are its best CPU times per iteration, iterations to the goals and memory on the
same spots, measured on another machine (a 2.3 GHz Xeon with AVX-512) and printed beside ours. The physical limit is memory traffic: the
bytes that one iteration must read and write, at the speed of a large copy measured in this run. `--json` prints one object.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time

import numpy as np

EXAMPLE = (
    "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
)
ALL = ("random", "random")
NARROW = ("AA,KK,JJ,AQs,KQs,JTs,T9s", "QQ,TT,AQo,KJs,QJs,T8s,98s,A5s,77")  # 30 and 38 hands on the board below
FULL = 'bet = "60%, e, a"\nraise = "2.5x"\n[bets.river]\ndonk = "50%"\n[thresholds]\nadd_allin = 1.5\nforce_allin = 0.15\nmerge = 0.1\n'
RIVER = 'bet = "33%, 75%, 150%, a"\nraise = "60%, 2.5x, a"\n[thresholds]\nforce_allin = 0.15\n'
SIMPLE = 'bet = "50%, a"\nraise = "a"\n'
SPOTS = {
    "xriver": ("Td9d6hQc2s", ALL, 'bet = "50%, 100%, a"\nraise = "a"\n'),
    "nriver": ("Td9d6hQc2s", NARROW, RIVER),
    "river": ("Td9d6hQc2s", ALL, RIVER),
    "xturn": ("Td9d6hQc", EXAMPLE, SIMPLE),
    "turn": ("Td9d6hQc", EXAMPLE, FULL),
    "xflop": ("Td9d6h", EXAMPLE, SIMPLE),
    "flop": ("Td9d6h", EXAMPLE, FULL),
}
# peer: best CPU milliseconds per iteration, iterations to 0.5 % and 0.1 % of the pot, bytes (32 bits)
PEER = {
    "xriver": (0.19, 60, 180, 0.462e6),
    "river": (0.78, 80, 290, 1.298e6),
    "xturn": (5.1, 90, 210, 5.46e6),
    "turn": (12.2, 100, 230, 12.06e6),
    "xflop": (620.0, None, None, 498.1e6),
    "flop": (808.0, 90, 300, 721.2e6),
}
GOALS = (0.5, 0.1)  # per cent of the pot
MOST = 400  # iterations on the way to a goal


def make_spot(name: str):
    from equilibrist.games.spots.spot import Spot

    board, (oop, ip), bets = SPOTS[name]
    return Spot.from_text(
        f'board = "{board}"\npot = 200\nstack = 900\n[range]\noop = "{oop}"\nip = "{ip}"\n[bets]\n{bets}'
    )


def measure(name: str, solver: str, threads: int, bits: int, goals: bool) -> dict[str, float]:
    from equilibrist.solvers.postflop.solve_spot import start_spot

    begin = time.perf_counter()
    run = start_spot(make_spot(name), solver, threads=threads, bits=bits)
    row: dict[str, float] = {"build_seconds": time.perf_counter() - begin, "memory_bytes": run.memory_bytes}
    run.advance(1)
    run.evaluate()
    large = row["memory_bytes"] > 1e8
    blocks = []
    for _ in range(3 if large else 7):
        steps = 1 if large else max(1, int(0.2 / max(blocks[0], 1e-4))) if blocks else 5
        cpu = time.process_time()
        run.advance(steps)
        blocks.append((time.process_time() - cpu) / steps)
    row["cpu_seconds_per_iteration"] = statistics.median(blocks[1:])
    pairs = sum(
        int(street.boards.player[p].count.sum()) * street.tables[p].slots for street in run.streets for p in range(2)
    )
    row["nanoseconds_per_slot_and_hand"] = row["cpu_seconds_per_iteration"] / pairs * 1e9
    row["bytes_per_iteration"] = 5.0 * run.memory_bytes / 2  # regrets read twice and written, averages read and written
    if goals:
        row |= seconds_to_goals(name, solver, threads, bits)
    return row


def seconds_to_goals(name: str, solver: str, threads: int, bits: int) -> dict[str, float]:
    """CPU and wall seconds of whole solves to each goal, checks and setting up included: medians; a goal missed is left out."""
    from equilibrist.solvers.postflop.solve_spot import solve_spot

    spot, out = make_spot(name), dict[str, float]()
    for goal in GOALS:
        cpu, wall = [], []
        for _ in range(1 if name.endswith("flop") else 7):
            before = time.process_time(), time.perf_counter()
            found = solve_spot(spot, solver, until=f"{goal}%", iterations=MOST, threads=threads, bits=bits)
            cpu.append(time.process_time() - before[0])
            wall.append(time.perf_counter() - before[1])
        if not found.converged:
            return out | {"percent_reached": found.percent_of_pot}
        out[f"iterations_to_{goal}"] = found.iterations
        out[f"cpu_seconds_to_{goal}"] = statistics.median(cpu)
        out[f"wall_seconds_to_{goal}"] = statistics.median(wall)
    return out


def copy_speed() -> float:
    """Bytes read and written per second by one core copying a large array."""
    source = np.ones(1 << 27, dtype=np.float32)  # written, so that it has pages of its own
    target = np.zeros_like(source)
    target[:] = 2.0
    best = min(_timed(lambda: np.copyto(target, source)) for _ in range(3))
    return 2.0 * source.nbytes / best


def _timed(work) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def first_solve_seconds() -> float:
    """A river solve in a fresh process with an empty kernel cache."""
    import subprocess

    code = (
        f"import runpy; spot = runpy.run_path({__file__!r})['make_spot']('river'); "
        "from equilibrist.solvers.postflop.solve_spot import solve_spot; solve_spot(spot, until='0.5%')"
    )
    with tempfile.TemporaryDirectory() as cache:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"EQUILIBRIST_CACHE": cache}, check=True)
        return time.perf_counter() - begin


def compare(row: dict[str, float], name: str) -> None:
    """Ratios to the peer, where its figures are known: below 1 is faster or smaller."""
    if name not in PEER:
        return
    milliseconds, to_half, to_tenth, memory = PEER[name]
    row["ratio_cpu_per_iteration"] = row["cpu_seconds_per_iteration"] * 1000 / milliseconds
    row["ratio_memory"] = row["memory_bytes"] / memory
    for goal, iterations in zip(GOALS, (to_half, to_tenth), strict=True):
        if iterations and f"cpu_seconds_to_{goal}" in row:
            row[f"ratio_cpu_to_{goal}"] = row[f"cpu_seconds_to_{goal}"] * 1000 / (milliseconds * iterations)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--spots", nargs="*", default=["nriver", "xriver", "river", "xturn", "turn", "flop"], choices=list(SPOTS)
    )
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--solver", default=None, help="a name of the CFR family; the default of spots if absent")
    parser.add_argument("--bits", type=int, default=32, choices=[32, 16], help="the peer's memory is that of 32 bits")
    parser.add_argument("--flop-to-goal", action="store_true", help="also run flops to their goals (minutes)")
    arguments = parser.parse_args(argv)
    from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER

    solver = arguments.solver or DEFAULT_SPOT_SOLVER
    speed = copy_speed()
    result: dict[str, object] = {
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]},
        "solver": solver,
        "copy_bytes_per_second": speed,
        "first_river_solve_seconds": first_solve_seconds(),
    }
    for name in arguments.spots:
        for threads in arguments.threads:
            goals = not name.endswith("flop") or arguments.flop_to_goal
            row = measure(name, solver, threads, arguments.bits, goals)
            compare(row, name)
            row["times_memory_limit"] = row["cpu_seconds_per_iteration"] / (row["bytes_per_iteration"] / speed)
            result[f"{name}, {threads} threads"] = row
            if not arguments.json:
                print(f"\n{name}, {threads} threads, {solver}")
                for key, value in row.items():
                    print(f"  {key:34s} {value:,.6g}")
    small = result.get("xriver, 1 threads"), result.get("river, 1 threads")
    if all(small) and f"cpu_seconds_to_{GOALS[1]}" in small[1]:
        result["xriver_to_river"] = small[0][f"cpu_seconds_to_{GOALS[1]}"] / small[1][f"cpu_seconds_to_{GOALS[1]}"]
        if not arguments.json:
            print(f"\nxriver to {GOALS[1]} % takes {result['xriver_to_river']:.2f} of river's CPU seconds")
    if arguments.json:
        json.dump(result, sys.stdout, indent=1)
        print()
    else:
        print(f"\nfirst river solve with an empty kernel cache: {result['first_river_solve_seconds']:.1f} s")


if __name__ == "__main__":
    main()
