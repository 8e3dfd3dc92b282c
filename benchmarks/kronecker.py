"""The implicit payoff product and an iteration of CFR on Rhode Island hold'em, 13 - 205 - 1,774 classes: threads, memory, peers.

Prints, as JSON, the seconds of one product F ⊗ B + S ⊗ W in 64-bit floats and of one iteration of DCFR with 1 and 2 threads (minimum and
median of several, interleaved), their speed-ups, bytes of the implicit operator beside those of the written-out matrix, and the ratio to
scipy's product with a matrix written out, on a smaller deck where that fits. Nothing is timed before it has been compiled.

    python benchmarks/kronecker.py [--repeats 30]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, kronecker_form
from equilibrist.games.poker.family import rhode_island
from equilibrist.solvers.hand_classes.solve_classes import start_rounds
from equilibrist.solvers.linear_programs.plan_program import payoff_matrix
from equilibrist.version import __version__


def timed(work: dict[str, Callable[[], object]], repeats: int) -> dict[str, dict[str, float]]:
    """Seconds of each job, taken in turn so that other load on the machine hits all alike."""
    taken: dict[str, list[float]] = {name: [] for name in work}
    for job in work.values():
        job()
    for _ in range(repeats):
        for name, job in work.items():
            begin = time.perf_counter()
            job()
            taken[name].append(time.perf_counter() - begin)
    return {name: {"least": min(t), "median": statistics.median(t)} for name, t in taken.items()}


def product_job(form: KroneckerForm) -> Callable[[], object]:
    plan, out = np.random.default_rng(0).random(form.sequences[1]), np.empty(form.sequences[0])
    return lambda: form.gradient(0, plan, out)


def iteration_job(form: KroneckerForm) -> Callable[[], object]:
    run = start_rounds(form)
    return lambda: run.advance(1)


def implicit_bytes(form: KroneckerForm) -> int:
    """Pairs of classes of both players: where, how likely, how much oftener won."""
    return sum(20 * pairs.meeting + 8 * len(pairs.start) for side in form.pairs for pairs in side)


def beside_scipy(repeats: int) -> dict[str, object]:
    rules = rhode_island(ranks=6, suits=3).rules
    form = kronecker_form(rules, shrink(rules))
    matrix = payoff_matrix(form, 0).tocsr()
    plan = np.random.default_rng(0).random(form.sequences[1])
    seconds = timed({"implicit": product_job(form), "scipy": lambda: matrix @ plan}, repeats)
    return {
        "game": "rhode-island(ranks=6,suits=3)",
        "nonzeros": matrix.nnz,
        "seconds": seconds,
        "scipy / implicit": round(seconds["scipy"]["least"] / seconds["implicit"]["least"], 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=30)
    repeats = parser.parse_args().repeats
    rules = rhode_island().rules
    form = kronecker_form(rules, shrink(rules, "signature"))
    two = form.with_threads(2)
    jobs = {"product, 1 thread": product_job(form), "product, 2 threads": product_job(two)}
    jobs |= {"iteration, 1 thread": iteration_job(form), "iteration, 2 threads": iteration_job(two)}
    seconds = timed(jobs, repeats)
    print(
        json.dumps(
            {
                "version": __version__,
                "machine": {"cpu": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()},
                "sequences": form.sequences,
                "implied non-zeros": form.payoff_nonzeros,
                "implicit bytes": implicit_bytes(form),
                "written out, bytes": 12 * form.payoff_nonzeros,
                "seconds": seconds,
                "speed-up of 2 threads": {
                    what: {
                        kind: round(seconds[f"{what}, 1 thread"][kind] / seconds[f"{what}, 2 threads"][kind], 2)
                        for kind in ("least", "median")
                    }
                    for what in ("product", "iteration")
                },
                "peak memory of this process, bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                "beside scipy": beside_scipy(repeats),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
