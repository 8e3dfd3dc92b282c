"""How long an iteration on five-bucket hold'em takes, beside the matrix products that it cannot do without.

    python benchmarks/bucket_holdem.py [--threads 1] [--iterations 20]

Prints JSON: seconds of an iteration of CFR (two products, two passes), of one CFR-FBR iteration (four products), of the two bare
products of the river measured in the same run, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import platform
from time import perf_counter

import numpy as np

from equilibrist.exploit.response_functions.class_cfr_f import RoundTraining
from equilibrist.exploit.response_functions.class_uct_fbr import RoundFBR
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bucket_game import BucketPoker
from equilibrist.solvers.hand_classes.solve_classes import start_rounds
from equilibrist.version import __version__


def bare_products(classes: int, folds: int, leaves: int, repeats: int) -> float:
    """Seconds of two river products, in 32-bit floats."""
    rng = np.random.default_rng(0)
    matrix = rng.random((classes, classes), dtype=np.float32)
    packed = rng.random((classes, leaves), dtype=np.float32)
    out = np.empty_like(packed)
    begin = perf_counter()
    for _ in range(2 * repeats):
        np.matmul(matrix, packed[:, :folds], out=out[:, :folds])
        np.matmul(matrix, packed[:, folds:], out=out[:, folds:])
    return (perf_counter() - begin) / repeats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=20)
    given = parser.parse_args()
    game = load_game("bucket-holdem")
    assert isinstance(game, BucketPoker)
    form = game.form(given.threads)
    run, training = start_rounds(form, "dcfr"), RoundTraining(form, RoundFBR(1000))
    seconds = {}
    for name, advance in (("cfr", run.advance), ("cfr-fbr-1000", training.advance)):
        advance(2)  # kernels compiled
        begin = perf_counter()
        advance(given.iterations)
        seconds[name] = (perf_counter() - begin) / given.iterations
    river = form.rounds[-1]
    floor = bare_products(5 ** len(form.rounds), river.folds, river.leaves, given.iterations)
    print(
        json.dumps(
            {
                "version": __version__,
                "machine": platform.processor() or platform.machine(),
                "threads": given.threads,
                "infosets": sum(form.infosets),
                "seconds": seconds,
                "two river products": floor,
                "cfr / products": seconds["cfr"] / floor,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
