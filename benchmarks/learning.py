"""Learning on Leduc poker, beside OpenSpiel's NFSP and Deep CFR in the same run: exploitability after the same processor time.

Runs follow one another, one thread each, seeds in turn. Printed are medians over seeds: nodes, iterations, CPU seconds, exploitability in
thousandths of an ante (mean over players), and how it compares with OpenSpiel's Deep CFR. `--json` prints every run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from equilibrist.forms.compiled import compiled
from equilibrist.learning import load_method

GAME = "leduc"
OURS = {
    "sd-cfr": "sd-cfr(traversals=300,steps=200)",
    "deep-cfr": "deep-cfr(traversals=300,steps=200)",
    "vr-deep-dcfr+": "vr-deep-dcfr+",
    "dream": "dream",
    "nfsp": "nfsp(rate_average=0.01)",
}
THEIRS = ("OpenSpiel NFSP", "OpenSpiel Deep CFR")
WARM_UP = 2  # iterations before the clock starts: kernels are compiled


def ours(name: str, text: str, seconds: float, seed: int) -> dict[str, Any]:
    """One run of ours; measuring is not counted, the last measure with all it takes is."""
    game, method = compiled(GAME), load_method(text)
    warm = method.start(game, seed=seed, device="cpu")
    for _ in range(WARM_UP):
        warm.advance()
    warm.measure()
    learner = method.start(game, seed=seed, device="cpu")
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        learner.advance()
    found, _ = learner.measure()
    return {
        "name": name,
        "seed": seed,
        "iterations": learner.iteration,
        **learner.counts(),
        "seconds": time.process_time() - begin,
        "exploitability": 1000 * found,
    }


def theirs(name: str, seconds: float, seed: int) -> dict[str, Any]:
    """One run of OpenSpiel's."""
    from openspiel_learners import run_deep_cfr, run_nfsp

    run: Callable[..., Any] = {"OpenSpiel NFSP": run_nfsp, "OpenSpiel Deep CFR": run_deep_cfr}[name]
    made = run(seconds, seed)
    return {
        "name": name,
        "seed": seed,
        "iterations": made.episodes,
        "nodes": made.nodes,
        "seconds": made.seconds,
        "exploitability": 1000 * made.exploitability,
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of processor time for each run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--methods", nargs="*", default=list(OURS), help="names below, or methods as 'learn' takes them"
    )
    parser.add_argument("--without-openspiel", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(argv)
    torch.set_num_threads(1)
    runs = []
    for seed in range(asked.seeds):
        for name in asked.methods:
            runs.append(ours(name, OURS.get(name, name), asked.seconds, seed))
            print(runs[-1], file=sys.stderr)
        for name in () if asked.without_openspiel else THEIRS:
            runs.append(theirs(name, asked.seconds, seed))
            print(runs[-1], file=sys.stderr)
    if asked.json:
        json.dump({"runs": runs, "load": os.getloadavg()[0]}, sys.stdout, indent=1)
        return
    table = {name: [run for run in runs if run["name"] == name] for name in dict.fromkeys(run["name"] for run in runs)}
    peer = table.get("OpenSpiel Deep CFR")
    print(
        f"{'method':34s} {'nodes':>12s} {'seconds':>8s} {'mA/g':>8s} {'least':>7s} {'most':>7s}  of OpenSpiel's Deep CFR"
    )
    for name, own in table.items():
        values = [run["exploitability"] for run in own]
        middle = statistics.median(values)
        ratio = f"{middle / statistics.median(run['exploitability'] for run in peer):.2f}" if peer else ""
        nodes, spent = (statistics.median(run.get(key, 0) for run in own) for key in ("nodes", "seconds"))
        print(f"{name:34s} {nodes:12,.0f} {spent:8.1f} {middle:8.1f} {min(values):7.1f} {max(values):7.1f}  {ratio}")


if __name__ == "__main__":
    main()
