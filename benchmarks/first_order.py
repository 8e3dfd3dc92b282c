"""First-order methods beside CFR+ and DCFR in one run: gaps against iterations and seconds, and seconds per iteration.

Blocks of the solvers alternate when an iteration is timed, so that a noisy machine disturbs all alike; what counts is the ratio to CFR+.
Curves stop at a time limit per solver. `--json` prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time

import equilibrist as eq

GAMES = ("leduc", "leduc-5", "liars-dice(faces=5)", "goofspiel")
SOLVERS = (
    "cfr+",
    "dcfr",
    "egt(variant=1)",
    "egt",
    "egt(weights=growing)",
    "egt(variant=aggressive,weights=growing)",
    "egt(prox=euclidean)",
    "mirror-prox",
    "mirror-prox(prox=entropy,average=uniform)",
    "optimistic-md",
    "magnetic-md",
    "iterated-smoothing",
)
MARKS = (10, 100, 300, 1000, 3000, 10000)


def seconds_per_iteration(game: str, solvers: list[str], blocks: int) -> dict[str, float]:
    """Medians of alternating blocks."""
    runs = {name: eq.make_solver(name).start(eq.compiled(game)) for name in solvers}
    found: dict[str, list[float]] = {name: [] for name in solvers}
    steps = {}
    for name, run in runs.items():
        run.advance(2)
        begin = time.perf_counter()
        run.advance(2)
        steps[name] = max(2, int(0.1 / max((time.perf_counter() - begin) / 2, 1e-6)))
    for _ in range(blocks):
        for name, run in runs.items():
            begin = time.perf_counter()
            run.advance(steps[name])
            found[name].append((time.perf_counter() - begin) / steps[name])
    return {name: statistics.median(values) for name, values in found.items()}


def curve(game: str, solver: str, limit: float) -> list[dict[str, float]]:
    """Iterations, seconds of work and gap (NashConv, twice the exploitability)."""
    run, spent, rows = eq.make_solver(solver).start(eq.compiled(game)), 0.0, []
    for mark in MARKS:
        begin = time.perf_counter()
        run.advance(mark - run.iteration)
        spent += time.perf_counter() - begin
        rows.append({"iterations": mark, "seconds": spent, "gap": run.evaluate().nash_conv})
        if spent > limit:
            break
    return rows


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    parser.add_argument("--solvers", nargs="*", default=list(SOLVERS))
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0, help="limit of each curve")
    arguments = parser.parse_args(argv)
    result: dict[str, object] = {
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]},
        "version": eq.__version__,
    }
    for game in arguments.games:
        per = seconds_per_iteration(game, arguments.solvers, arguments.blocks)
        table = {}
        for solver in arguments.solvers:
            ratio = per[solver] / per[arguments.solvers[0]]
            table[solver] = {
                "seconds_per_iteration": per[solver],
                "times_first": ratio,
                "curve": curve(game, solver, arguments.seconds),
            }
            if not arguments.json:
                points = "  ".join(
                    f"{r['iterations']}: {r['gap']:.2g} ({r['seconds']:.2f} s)" for r in table[solver]["curve"]
                )
                print(f"{game:22s} {solver:44s} {per[solver] * 1e6:9.0f} us {ratio:5.1f}x  {points}", flush=True)
        result[game] = table
    if arguments.json:
        json.dump(result, sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
