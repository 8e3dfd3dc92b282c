"""External sampling: iterations per second on Leduc against OpenSpiel's, exploitability at equal iterations, one thread and two, memory.

An iteration is one walk for each player in both. OpenSpiel (the extra `openspiel`) runs in C++, one thread; ratios are ours over theirs.
The hold'em row has no peer: it says how many nodes a core touches on a blueprint of 20 big blinds. `--workers N` (the extra `cluster`)
trains with a head and 1, 2, … N workers on Ray, each with flops of its own: walks after the flop per second, against one worker (1.6 is
wanted with two, which needs three free cores: the head works, too). `--json` prints one object.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import Any

from equilibrist.forms.compiled import compiled
from equilibrist.solvers.blueprint.abstract_poker import lift
from equilibrist.solvers.blueprint.plan import EXACT, BlueprintPlan
from equilibrist.solvers.blueprint.presets import find_plan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.responses.best_response import evaluate_policy

LEDUC = BlueprintPlan("leduc", cards=EXACT)
CLUSTERED = BlueprintPlan(
    "nolimit-holdem(stack=2000)",
    {"menu": {"bet": "100%, a", "raise": "100%, a"}},
    "ehs-equal(sizes=169/240/240/240, public=8, sample=100000, runouts=100)",
)


def train(plan: BlueprintPlan, blocks: int, threads: int) -> tuple[BlueprintRun, float]:
    """A run and the seconds it took; kernels are compiled before."""
    game = plan.game()
    warm = BlueprintRun(game, Training(weighting="none"), planned=BLOCK, threads=threads)
    warm.advance(1)
    run = BlueprintRun(game, Training(weighting="none"), planned=blocks * BLOCK, threads=threads)
    begin = time.perf_counter()
    run.advance(blocks)
    return run, time.perf_counter() - begin


def ours(plan: BlueprintPlan, blocks: int, threads: int) -> dict[str, float]:
    run, seconds = train(plan, blocks, threads)
    found = {
        "threads": float(threads),
        "iterations_per_second": run.iteration / seconds,
        "nodes_per_second_per_thread": run.nodes_touched / seconds / threads,
        "bytes_per_infoset_action": run.memory_bytes / run.game.slots,
        "seconds": seconds,
    }
    if plan is LEDUC:
        policy = lift(run.game, compiled("leduc").tree.infosets, run.packed())
        found["exploitability"] = evaluate_policy(compiled("leduc"), policy).exploitability
    return found


def openspiel(iterations: int) -> dict[str, float] | None:
    """The same number of iterations by OpenSpiel; None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("leduc_poker")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, 0, pyspiel.MCCFRAverageType.SIMPLE)
    begin = time.perf_counter()
    for _ in range(iterations):
        solver.run_iteration()
    seconds = time.perf_counter() - begin
    gap = pyspiel.exploitability(game, solver.average_policy())
    return {"iterations_per_second": iterations / seconds, "exploitability": gap, "seconds": seconds}


def shared(workers: int, blocks: int) -> dict[str, float]:
    """A head and so many workers on Ray: walks after the flop per second; every worker continues every walk on a flop of its own."""
    from equilibrist.solvers.blueprint.distributed.run import BATCH, DistributedRun, RayTeam
    from equilibrist.solvers.blueprint.distributed.shares import split

    game, training = CLUSTERED.game(), Training(weighting="none")
    shares, walks = split(game, workers), 0
    with RayTeam("local", CLUSTERED, "", [share.clusters for share in shares], training) as team:
        ask = team.walk

        def counted(block: int, me: int, hands: Any, deal: Any, node: Any) -> Any:
            nonlocal walks
            walks += workers * len(node)
            return ask(block, me, hands, deal, node)

        team.walk = counted  # type: ignore[method-assign]
        run = DistributedRun(game, training, team, shares, planned=(blocks + 4) * BATCH)
        run.advance(4)  # compiles
        walks, begin = 0, time.perf_counter()
        run.advance(blocks)
        seconds = time.perf_counter() - begin
    return {"workers": float(workers), "walks_per_second": walks / seconds, "seconds": seconds}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--blocks", type=int, default=60, help="of 4,096 deals on Leduc; a tenth of them for OpenSpiel")
    parser.add_argument("--holdem", type=int, default=24, help="blocks of hold'em with 20 big blinds; 0: none")
    parser.add_argument("--threads", default="1,2", help="of the hold'em rows, such as 1,2,4,8,16")
    parser.add_argument("--workers", type=int, default=0, help="on Ray, at most; 0: none")
    parser.add_argument("--batches", type=int, default=60, help="of 512 deals, with workers")
    arguments = parser.parse_args(argv)
    result: dict[str, object] = {"load": os.getloadavg()[0], "cores": len(os.sched_getaffinity(0))}
    one = ours(LEDUC, arguments.blocks, 1)
    result |= {"leduc, 1 thread": one, "leduc, 2 threads": ours(LEDUC, arguments.blocks, 2)}
    peer = openspiel(arguments.blocks * BLOCK // 10)
    if peer is not None:
        small = ours(LEDUC, max(1, arguments.blocks // 10), 1)
        result |= {
            "openspiel": peer,
            "leduc, same iterations": small,
            "speed over openspiel": one["iterations_per_second"] / peer["iterations_per_second"],
        }
    if arguments.holdem:
        plan = find_plan("hu-20bb").plan
        rows = [ours(plan, arguments.holdem, int(threads)) for threads in arguments.threads.split(",")]
        result |= {f"hold'em, threads {row['threads']:.0f}": row for row in rows}
        for row in rows[1:]:
            name = f"hold'em, threads {row['threads']:.0f} over {rows[0]['threads']:.0f}"
            result[name] = row["iterations_per_second"] / rows[0]["iterations_per_second"]
    crowd = [shared(count, arguments.batches) for count in range(1, arguments.workers + 1)]
    for row in crowd:
        count = int(row["workers"])
        result[f"hold'em, {count} workers"] = row
        result[f"hold'em, {count} workers over 1"] = row["walks_per_second"] / crowd[0]["walks_per_second"]
    if arguments.json:
        print(json.dumps(result))
        return
    for name, row in result.items():
        facts = (
            ", ".join(f"{key} {value:,.4g}" for key, value in row.items()) if isinstance(row, dict) else f"{row:.3g}"
        )
        print(f"{name}: {facts}")


if __name__ == "__main__":
    main()
