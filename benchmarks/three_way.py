"""Three players: seconds to a largest gain of 0.3 % of the pot, and how much slower listing all pairs of hands is than sums over cards.

The claim: the river of some 300 hands each in under 10 s on two cores. Both routes measure the same strategies.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path

import numba
import numpy as np

from equilibrist.evaluation.verification.verify import verify
from equilibrist.forms.three_way.compiled_seats import compile_seats
from equilibrist.games.spots.three_way_spot import ThreeWaySpot
from equilibrist.solvers.cfr.schedules import Discounted
from equilibrist.solvers.three_way.solve_three_way import solve_three_way
from equilibrist.solvers.three_way.three_way_cfr import ThreeWayCFR

SPOTS = Path(__file__).parents[1] / "examples" / "spots"
UNTIL = "0.3%"


def compiled_already(spot: ThreeWaySpot, threads: int) -> None:
    """One iteration and one check, which compile or load the kernels."""
    solve_three_way(spot, iterations=1, threads=threads)


def measure(name: str, threads: int, listing: bool) -> dict[str, float | str]:
    spot = ThreeWaySpot.from_toml(SPOTS / f"{name}.toml")
    here = compile_seats(spot)
    compiled_already(spot, threads)
    begin = time.perf_counter()
    solution = solve_three_way(spot, until=UNTIL, threads=threads)
    seconds = time.perf_counter() - begin
    found: dict[str, float | str] = {
        "hands": " x ".join(f"{count}" for count in here.hands),
        "decisions": ", ".join(f"{street} {count}" for street, count in here.decisions.items()),
        "threads": threads,
        "iterations": solution.iterations,
        "seconds": seconds,
        "cpu_seconds": solution.cpu_seconds,
        "largest_gain_percent": solution.percent_of_pot,
        "table_megabytes": here.table_bytes / 1e6,
    }
    if not listing:
        return found
    run = ThreeWayCFR(here, Discounted())
    run.restore(solution.state)
    begin = time.perf_counter()
    run.evaluate()
    sums = time.perf_counter() - begin
    checked = verify(solution, full=True)
    return found | {
        "check_seconds": sums,
        "listing_seconds": checked.seconds,
        "listing_over_check": checked.seconds / sums,
        "largest_difference_chips": checked.difference,
    }


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--turn", action="store_true", help="also the turn (minutes)")
    parser.add_argument("--no-listing", action="store_true", help="without the slow route")
    given = parser.parse_args(words)
    names = ["three_way_river", *(["three_way_turn"] if given.turn else [])]
    facts = {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "numba": numba.__version__},
        "spots": {name: measure(name, given.threads, not given.no_listing) for name in names},
    }
    if given.json:
        print(json.dumps(facts, indent=2))
        return 0
    for name, found in facts["spots"].items():
        print(name)
        for what, value in found.items():
            print(f"    {what.replace('_', ' '):28} {value if isinstance(value, str) else format(value, '.3g')}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
