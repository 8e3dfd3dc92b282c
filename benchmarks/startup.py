"""How long people wait: the first solve after installation, later ones, and `--help`.

The first solve runs with an empty kernel cache; `--help` is measured in CPU seconds, median of ten. `--json` prints one object.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def run(arguments: list[str], cache: str | None = None) -> tuple[float, float]:
    """Wall and CPU seconds of one command."""
    environment = os.environ | ({"EQUILIBRIST_CACHE": cache} if cache else {})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "equilibrist", *arguments], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=10)
    arguments = parser.parse_args(argv)
    solve = ["solve", "kuhn", "--until", "1e-4", "--json"]
    with tempfile.TemporaryDirectory() as cache:
        first = run(solve, cache)
        later = [run(solve, cache) for _ in range(arguments.repeats)]
    helps = [run(["--help"]) for _ in range(arguments.repeats)]
    result = {
        "first_solve_wall_seconds": first[0],
        "first_solve_limit": 15.0,
        "later_solve_wall_seconds_median": statistics.median(wall for wall, _ in later),
        "later_solve_limit": 1.5,
        "help_cpu_seconds_median": statistics.median(cpu for _, cpu in helps),
        "help_limit": 0.4,
        "load": os.getloadavg()[0],
    }
    if arguments.json:
        json.dump(result, sys.stdout, indent=1)
        print()
    else:
        for name, value in result.items():
            print(f"{name:36s} {value:.3f}")


if __name__ == "__main__":
    main()
