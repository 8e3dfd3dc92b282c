"""What pruning saves on Leduc-5, in nodes and in seconds: CFR on the sequence form, on full walks, and with each kind of pruning.

Every run stops at the same total exploitability. Nodes are compared with full walks, processor seconds with the sequence form; `--json`
prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import platform
import time

import numpy as np

import equilibrist as eq

GAME, GOAL = "leduc-5", 0.05  # chips, both players together
SOLVERS = ("cfr", "cfr(on=pruned)", "cfr(pruning=partial)", "cfr(pruning=rbp)", "cfr(pruning=brp)")
SIZES = 2 * 269_560  # histories of both players' full walks


def measure(game: eq.Compiled, solver: str, goal: float) -> dict[str, float]:
    """Iterations, nodes and processor seconds until the goal; checks are not timed."""
    run = eq.make_solver(solver).start(game)
    run.advance(1)
    seconds, step = 0.0, 1
    while run.evaluate().nash_conv > goal:
        step = max(step + 1, int(1.15 * step))
        begin = time.process_time()
        run.advance(step - run.iteration)
        seconds += time.process_time() - begin
    nodes = getattr(run, "nodes_touched", run.iteration * SIZES)
    return {"iterations": run.iteration, "nodes": nodes, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goal", type=float, default=GOAL)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    game = eq.compiled(GAME)
    for solver in SOLVERS:
        eq.make_solver(solver).start(game).advance(2)  # compiles
    found = {solver: measure(game, solver, arguments.goal) for solver in SOLVERS}
    for result in found.values():
        result["nodes_saved"] = found["cfr(on=pruned)"]["nodes"] / result["nodes"]
        result["speed"] = found["cfr"]["seconds"] / result["seconds"]
    if arguments.json:
        about = {"machine": platform.processor() or platform.machine(), "numpy": np.__version__}
        print(json.dumps({"game": GAME, "goal": arguments.goal, "solvers": found, **about}))
        return
    print(f"{GAME}, total exploitability {arguments.goal:g} chips")
    print(f"{'solver':24} {'iterations':>10} {'nodes':>10} {'saved':>6} {'seconds':>8} {'speed':>6}")
    for solver, r in found.items():
        numbers = (
            f"{r['iterations']:10,} {r['nodes']:10.2e} {r['nodes_saved']:6.1f} {r['seconds']:8.2f} {r['speed']:6.2f}"
        )
        print(f"{solver:24} {numbers}")


if __name__ == "__main__":
    main()
