"""The postflop solver on several threads: milliseconds an iteration of the flop example, CPU time, and how many cores are busy."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

COUNTS = (1, 2, 4, 8, 16)


def measure(threads: int, iterations: int) -> dict[str, float]:
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import start_spot

    run = start_spot(Spot.from_toml("examples/spots/flop.toml"), threads=threads)
    run.advance(2)  # first touch of the tables
    begin, spent = time.perf_counter(), time.process_time()
    run.advance(iterations)
    wall, cpu = time.perf_counter() - begin, time.process_time() - spent
    return {
        "milliseconds": 1e3 * wall / iterations,
        "cpu_milliseconds": 1e3 * cpu / iterations,
        "busy_cores": cpu / wall,
    }


def main(argv: list[str] | None = None) -> None:
    from equilibrist.compute.machine import cores

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--iterations", type=int, default=8)
    arguments = parser.parse_args(argv)
    result: dict[str, Any] = {
        str(threads): measure(threads, arguments.iterations) for threads in COUNTS if threads <= cores()
    }
    for row in result.values():
        row["speedup"] = result["1"]["milliseconds"] / row["milliseconds"]
    if arguments.json:
        print(json.dumps(result, indent=1))
        return
    for threads, row in result.items():
        print(f"{threads} threads:", "  ".join(f"{key} {value:.3g}" for key, value in row.items()))


if __name__ == "__main__":
    main()
