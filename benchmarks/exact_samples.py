"""How often samples of flops hold what all flops say: the intervals of `evaluate BLUEPRINT --exact --flops N` against the whole.

equilibrist evaluate BLUEPRINT.eqb --exact [--device cuda]      # leaves BLUEPRINT.flops beside the blueprint
python benchmarks/exact_samples.py BLUEPRINT.eqb --flops 80 --samples 300
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

NAMES = ("value", "gain, first seat", "gain, second seat", "exploitability")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blueprint", type=Path)
    parser.add_argument("--flops", type=int, default=80, help="of a sample")
    parser.add_argument("--samples", type=int, default=300, help="seeds from 0 on")
    arguments = parser.parse_args(argv)
    from equilibrist.compute.checkpoints import Checkpoints
    from equilibrist.forms.boards.precision import Precision
    from equilibrist.interfaces.cli.play.evaluate_exact import KEPT
    from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
    from equilibrist.solvers.blueprint.exact.exact_exploitability import blueprint_key
    from equilibrist.solvers.blueprint.exact.flop_sample import FlopSample, Judge, textures
    from equilibrist.solvers.blueprint.exact.flop_trunk import FlopSums, FlopTrunk
    from equilibrist.solvers.saved_solutions import load_solution

    blueprint = load_solution(arguments.blueprint)
    kept = Checkpoints(arguments.blueprint.with_suffix(KEPT), blueprint_key(blueprint))
    streets = BucketedStreets.of(blueprint)
    cards, copies = streets.flops
    found = {number: kept.load(f"flop-{number}") for number in range(len(cards))}
    missing = sum(each is None for each in found.values())
    if missing:
        parser.error(
            f"{missing:,} of {len(cards):,} flops are not kept yet; evaluate the blueprint with --exact first."
        )
    sums = {n: FlopSums(np.array(each["best"]), float(each["value"][0])) for n, each in found.items() if each}
    judge = Judge(FlopTrunk(streets), sums, Precision.of(streets.forests).single)
    exact = judge.exactly()
    truth = [each.least for each in (exact.value, *exact.gain, exact.exploitability)]
    held, least, most = [], [], []
    for seed in range(arguments.samples):
        sample = judge.estimated(FlopSample.draw(copies, textures(cards, streets.deal.deck), arguments.flops, seed))
        bounds = (sample.value, *sample.gain, sample.exploitability)
        held.append([each.low <= wanted <= each.high for each, wanted in zip(bounds, truth, strict=True)])
        least.append([each.least for each in bounds])
        most.append([each.most for each in bounds])
    print(f"{arguments.samples} samples of {arguments.flops} flops; chips")
    for k, name in enumerate(NAMES):
        share, low, high = (
            np.mean([row[k] for row in held]),
            np.mean([row[k] for row in least]),
            np.mean([row[k] for row in most]),
        )
        print(f"{name:20} {truth[k]:10.4f}   held by {share:.1%} of the intervals; on average {low:.4f} to {high:.4f}")


if __name__ == "__main__":
    main()
