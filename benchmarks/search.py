"""Seconds for one decision searched from ranges of all 1,326 hands to 1 % of the pot: river, turn, deep turn, flop.

Every row solves from nothing what a player would have to solve at the table: tree, tables and search are counted. Rows with "street"
search one street alone, to 1 % of the depth-limited game, the blueprint below it included. The limit beside each row is the time a
player may take; where others compute on the same machine, CPU seconds divided by the threads say more than seconds. `--json` prints one
object.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time

FOUR = {"bet": "33%, 75%, 150%, a", "raise": "60%, a"}
TWO = {"bet": "50%, 100%, a", "raise": "a"}
# name: board, stack-to-pot ratio, menus, depth, seconds allowed
ROWS = {
    "river, four sizes": ("Td9d6hQc2s", 4.5, FOUR, "end", 0.2),
    "turn, four sizes, SPR 1": ("Td9d6hQc", 1.0, FOUR, "end", 5.0),
    "turn, four sizes, SPR 3": ("Td9d6hQc", 3.0, FOUR, "end", 5.0),
    "turn, four sizes, SPR 5": ("Td9d6hQc", 5.0, FOUR, "end", 5.0),
    "turn, two sizes and all-in, SPR 20": ("Td9d6hQc", 20.0, TWO, "end", 30.0),
    "turn street, four sizes, SPR 20": ("Td9d6hQc", 20.0, FOUR, "street", 10.0),
    "flop street, four sizes, SPR 4.5": ("Td9d6h", 4.5, FOUR, "street", 10.0),
    "flop street, four sizes, SPR 18": ("Td9d6h", 18.0, FOUR, "street", 10.0),
}
POT = 200.0
SCHEDULES = (
    "dcfr(gamma=5)",
    "dcfr(gamma=3)",
    "dcfr",
    "hs-dcfr(horizon=100)",
    "cfr+(average=quadratic)",
    "lcfr",
    "pcfr+",
)


def measure(board: str, ratio: float, menus: dict[str, str], depth: str, threads: int) -> dict[str, float]:
    from equilibrist.games.spots.spot import Spot
    from equilibrist.search.engines.spots import search_spot

    spot = Spot(
        board=board,
        pot=POT,
        stack=ratio * POT,
        range={"oop": "random", "ip": "random"},
        bets=menus,
        thresholds={"force_allin": 0.15},
    )
    begin, cpu = time.perf_counter(), time.process_time()
    found = search_spot(spot, "oop", until="1%", threads=threads, depth=depth)
    return {
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
        "iterations": found.solution.iterations,
        "percent_of_pot": found.solution.percent_of_pot,
        "memory_bytes": found.solution.memory_bytes,
    }


def schedules(iterations: int = 90) -> dict[str, dict[str, float]]:
    """Per cent of the pot that solvers leave after some iterations of the exact turns; CPU milliseconds of each with 32 and 16 bits."""
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import start_spot

    found: dict[str, dict[str, float]] = {}
    for name in ("turn, four sizes, SPR 3", "turn, four sizes, SPR 5"):
        board, ratio, menus, _, _ = ROWS[name]
        everything = {"oop": "random", "ip": "random"}
        spot = Spot(
            board=board, pot=POT, stack=ratio * POT, range=everything, bets=menus, thresholds={"force_allin": 0.15}
        )
        for solver in SCHEDULES:
            row = found[f"{name}, {solver}"] = {}
            for bits in (32, 16):
                run = start_spot(spot, solver, bits=bits)
                begin = time.process_time()
                run.advance(iterations)
                row[f"milliseconds, {bits} bits"] = (time.process_time() - begin) / iterations * 1e3
                row[f"percent_of_pot, {bits} bits"] = 100.0 * run.exploitability() / POT
    return found


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--row", choices=tuple(ROWS), action="append")
    parser.add_argument("--schedules", action="store_true", help="compare solvers and table widths instead")
    arguments = parser.parse_args(argv)
    if arguments.schedules:
        for name, row in schedules().items():
            print(name, "  ".join(f"{key} {value:.3g}" for key, value in row.items()))
        return
    measure("Td9d6hQc2s", 1.0, {"bet": "a"}, "end", 1)  # compiles
    for depth in ("end", "street"):
        measure("Td9d6hQc", 1.0, {"bet": "a"}, depth, 2)
    result: dict[str, object] = {"threads": arguments.threads, "load": os.getloadavg()[0]}
    for name in arguments.row or ROWS:
        board, ratio, menus, depth, allowed = ROWS[name]
        rows = [measure(board, ratio, menus, depth, arguments.threads) for _ in range(arguments.repeats)]
        times = {key: statistics.median(row[key] for row in rows) for key in ("seconds", "cpu_seconds")}
        row = rows[0] | times | {"allowed": allowed}
        row["share_of_allowed"] = row["seconds"] / allowed
        result[name] = row
        if not arguments.json:
            print(name)
            for key, value in row.items():
                print(f"  {key:18s} {value:,.4g}")
    if arguments.json:
        json.dump(result, sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
