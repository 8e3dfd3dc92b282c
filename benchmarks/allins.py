"""All-ins of three hands: time of a sampled deal, and how far the table is from exact numbers: two-player marginals, single triples.

The claim: 10,000 samples for each of 818,805 triples within an hour on two cores. `--table SAMPLES` reads (or makes) the whole table.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time

import numpy as np

from equilibrist.cards.allins.classes import disjoint_pairs
from equilibrist.cards.allins.exact_triples import exact_showdowns
from equilibrist.cards.allins.joint import joint_showdowns
from equilibrist.cards.allins.pairs import pair_outcomes
from equilibrist.cards.allins.triples import OUTCOMES, SAMPLES, TRIPLES, listed_triples, sample_triples, triple_table

SEED = 7


def speed(triples: int, samples: int) -> dict[str, float]:
    """Of one thread, on triples drawn at random."""
    chosen = listed_triples()[np.sort(np.random.default_rng(SEED).choice(TRIPLES, triples, replace=False))]
    sample_triples(chosen[:2], samples=2, threads=1)
    begin = time.thread_time()
    sample_triples(chosen, samples=samples, threads=1)
    seconds = time.thread_time() - begin
    deal = seconds / (triples * samples)
    return {"ns_a_deal": 1e9 * deal, "whole_table_minutes_of_a_core": TRIPLES * SAMPLES * deal / 60.0}


def accuracy(samples: int, triples: int) -> dict[str, float]:
    """Differences from exact chances."""
    table = triple_table(samples)
    weight = joint_showdowns(table).weight
    first, second = OUTCOMES[:, 0], OUTCOMES[:, 1]
    pairs, exact = weight.sum(axis=(0, 3), dtype=np.float64), pair_outcomes()
    won = weight[first < second].sum(axis=(0, 3), dtype=np.float64) / pairs
    deals = disjoint_pairs() / disjoint_pairs().sum()
    off = np.abs(won - exact.win)
    rng, single = np.random.default_rng(SEED), []
    for row in rng.choice(np.flatnonzero(table.deals > 0), triples, replace=False):
        single.append(table.shares(int(row)) - exact_showdowns(*table.triples[row].tolist()))
    return {
        "samples": samples,
        "deals_of_two_classes_largest_difference": float(np.abs(pairs - deals).max()),
        "chance_to_win_of_two_largest_difference": float(off.max()),
        "chance_to_win_of_two_root_mean_square": float(np.sqrt((off**2).mean())),
        "share_of_an_outcome_root_mean_square": float(np.sqrt(np.square(single).mean())),
        "share_of_an_outcome_largest_difference": float(np.abs(single).max()),
        "stated_standard_error_at_most": table.standard_error,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few triples, and no table")
    parser.add_argument("--table", type=int, default=0, help="samples of the table to compare with exact numbers")
    options = parser.parse_args()
    found: dict[str, object] = {"speed": speed(50, 500) if options.quick else speed(1000, 2000)}
    if options.table:
        found["accuracy"] = accuracy(options.table, 20)
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "numpy": np.__version__}
    print(json.dumps({"results": found, "machine": machine}, indent=2))


if __name__ == "__main__":
    main()
