"""ICM: seconds of the quadrature for large fields and of both routes for small ones, one thread; how far they agree.

The claim: 1,000 players and 150 prizes in under 0.2 s on one core, and 1e-12 of the recursion. `room` is 0.2 s over what was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from equilibrist.games.tournaments.bubble_factors import bubble_factors
from equilibrist.games.tournaments.icm import icm, placing_probabilities
from equilibrist.games.tournaments.sampled_icm import sample_icm

SEED = 7
CLAIM = 0.2  # seconds for 1,000 players and 150 prizes


def cpu_seconds(step: Callable[[], object], repeats: int) -> float:
    """Median CPU seconds of this thread, after one call that does not count."""
    step()
    measured = []
    for _ in range(repeats):
        begin = time.thread_time()
        step()
        measured.append(time.thread_time() - begin)
    return statistics.median(measured)


def field(players: int, places: int) -> tuple[np.ndarray, np.ndarray]:
    stacks = np.random.default_rng(SEED).lognormal(9.0, 1.0, players)
    return stacks, 100.0 / np.arange(1, places + 1)


def measure(repeats: int) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for players, places in ((9, 3), (12, 4), (16, 5), (20, 6)):
        stacks, prizes = field(players, places)
        recursion = cpu_seconds(partial(icm, stacks, prizes, route="recursion"), repeats)
        quadrature = cpu_seconds(partial(icm, stacks, prizes, route="quadrature"), repeats)
        difference = np.abs(icm(stacks, prizes, route="recursion") - icm(stacks, prizes, route="quadrature")).max()
        out[f"{players} players, {places} prizes"] = {
            "recursion_ms": 1e3 * recursion,
            "quadrature_ms": 1e3 * quadrature,
            "recursion_over_quadrature": recursion / quadrature,
            "largest_difference_of_the_pool": float(difference / prizes.sum()),
        }
    for players, places in ((300, 45), (1000, 150), (5000, 500)):
        stacks, prizes = field(players, places)
        seconds = cpu_seconds(partial(icm, stacks, prizes), repeats if players <= 1000 else 1)
        found = {"seconds": seconds, "pool_error": float(abs(icm(stacks, prizes).sum() / prizes.sum() - 1.0))}
        if (players, places) == (1000, 150):
            sampled = sample_icm(stacks, prizes, samples=20_000, seed=SEED)
            found["room"] = CLAIM / seconds
            found["sampled_deviations"] = float(
                np.sqrt((((sampled.equity - icm(stacks, prizes)) / sampled.standard_error) ** 2).mean())
            )
            found["places_seconds"] = cpu_seconds(partial(placing_probabilities, stacks, places), 1)
            found["bubble_factors_of_nine_seats_seconds"] = cpu_seconds(
                partial(bubble_factors, stacks, prizes, seats=range(9)), 1
            )
        out[f"{players} players, {places} prizes"] = found
    return out


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args(words)
    facts = {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "fields": measure(given.repeats),
    }
    if given.json:
        print(json.dumps(facts, indent=2))
        return 0
    for name, found in facts["fields"].items():
        print(name)
        for what, value in found.items():
            print(f"    {what.replace('_', ' '):42} {value:.3g}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
