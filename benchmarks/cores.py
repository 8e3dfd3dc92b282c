"""Everything that works on several threads: time by number of threads, against one thread in the same run.

    python benchmarks/cores.py [--parts flop,turn,blueprint,blueprints-apart,batch,streamed,clustering]
                               [--threads 1,2,4,8,16] [--repeats 3] [--solve 8,16]

Every repeat goes through all numbers of threads before the next one begins; medians are shown. CPU time says what threads cost, busy
cores how many of them work. `--solve` adds the seconds of the flop example to 0.1 % of the pot, checks included.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

COUNTS = (1, 2, 4, 8, 16)
RIVERS = [
    f"{before}{card}{suit}" for before in ("Ks8d4c2s", "Qh9h4s5d", "7c7d3h2s") for card in "AJ6T" for suit in "hdcs"
] * 2
Work = Callable[[], float]  # does some work and says how much


def flop(threads: int) -> Work:
    """Iterations of the flop example."""
    return _spot("examples/spots/flop.toml", threads, 6)


def turn(threads: int) -> Work:
    """Iterations of the turn example, in all of which boards are short."""
    return _spot("examples/spots/turn.toml", threads, 200)


def _spot(path: str, threads: int, iterations: int) -> Work:
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import start_spot

    run = start_spot(Spot.from_toml(path), threads=threads)

    def work() -> float:
        run.advance(iterations)
        return iterations

    return work


def blueprint(threads: int) -> Work:
    """Deals of a blueprint for hold'em with 20 big blinds."""
    from equilibrist.solvers.blueprint.presets import find_plan
    from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
    from equilibrist.solvers.blueprint.training import Training

    run = BlueprintRun(
        find_plan("hu-20bb").plan.game(), Training(weighting="none"), planned=1000 * BLOCK, threads=threads
    )

    def work() -> float:
        run.advance(60)
        return 60 * BLOCK

    return work


def blueprints_apart(threads: int) -> Work:
    """The same in as many trainings side by side, each with tables of its own: threads that share nothing but the machine."""
    from equilibrist.compute.threads import Team
    from equilibrist.solvers.blueprint.presets import find_plan
    from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
    from equilibrist.solvers.blueprint.training import Training

    game, team = find_plan("hu-20bb").plan.game(), Team(threads)
    runs = [BlueprintRun(game, Training(seed=k, weighting="none"), planned=1000 * BLOCK) for k in range(threads)]

    def work() -> float:
        team.run([partial(run.advance, 6) for run in runs])
        return 6 * threads * BLOCK

    return work


def batch(threads: int) -> Work:
    """Rivers of a batch, to 0.5 % of the pot."""
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.batches.solve_batch import solve_batch

    river = Spot.from_toml("examples/spots/river.toml")
    spots = [river.changed(board=board) for board in RIVERS]

    def work() -> float:
        solve_batch(spots, until="0.5%", threads=threads, strategies=False)
        return len(spots)

    return work


def streamed(threads: int) -> Work:
    """Iterations on all flops of limit flop hold'em with hands in 100 buckets by strength."""
    from equilibrist.games.catalogue import load_game
    from equilibrist.solvers.cfr.cfr import CFR
    from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
    from equilibrist.solvers.registry import make_solver

    solver = make_solver("cfr+")
    assert isinstance(solver, CFR)
    run = BucketedCFR(_streamed_game(load_game("flop-holdem(ranks=9)")), solver, threads=threads)

    def work() -> float:
        run.advance(4)
        return 4

    return work


_GAMES: dict[str, Any] = {}


def _streamed_game(game: Any) -> Any:
    """Made once: all numbers of threads play the same game."""
    import numpy as np

    from equilibrist.cards.evaluator import evaluate
    from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame

    class ByStrength:
        sizes, hash = (1, 100), "strength"

        def bucket(self, round: int, cards: Any) -> Any:
            strength = self.strength(cards)
            return np.searchsorted(np.quantile(strength, np.arange(1, 100) / 100.0), strength)

        def strength(self, cards: Any) -> Any:
            return np.asarray(evaluate(cards.astype(np.uint8), game.rules.deck), dtype=np.int64)

    if game.name not in _GAMES:
        _GAMES[game.name] = BucketedGame.of(game, ByStrength())
    return _GAMES[game.name]


def clustering(threads: int) -> Work:
    """Steps of k-means, 100,000 points of 50 numbers in 400 clusters by earth mover's distance."""
    import numpy as np

    from equilibrist.abstraction.clustering.kmeans import KMeansSettings, kmeans
    from equilibrist.compute.threads import Team

    rng = np.random.default_rng(0)
    points = np.cumsum(rng.dirichlet(np.full(50, 0.2), 100_000), axis=1).astype(np.float32)
    team = Team(threads)

    def work() -> float:
        found = kmeans(
            points, np.ones(len(points)), 400, "emd", seed=1, settings=KMeansSettings(iterations=5), team=team
        )
        return sum(len(each) for each in found.history)

    return work


PARTS: dict[str, Callable[[int], Work]] = {
    "flop": flop,
    "turn": turn,
    "blueprint": blueprint,
    "blueprints-apart": blueprints_apart,
    "batch": batch,
    "streamed": streamed,
    "clustering": clustering,
}


def measure(part: str, counts: list[int], repeats: int) -> dict[int, dict[str, float]]:
    """Milliseconds of a piece of work, by number of threads."""
    works = {threads: PARTS[part](threads) for threads in counts}
    for work in works.values():
        work()  # kernels compiled, memory touched
    wall: dict[int, list[float]] = {n: [] for n in counts}
    cpu: dict[int, list[float]] = {n: [] for n in counts}
    for _ in range(repeats):
        for threads, work in works.items():
            begin, spent = time.perf_counter(), time.process_time()
            done = work()
            wall[threads].append(1e3 * (time.perf_counter() - begin) / done)
            cpu[threads].append(1e3 * (time.process_time() - spent) / done)
    return {
        n: {
            "milliseconds": median(wall[n]),
            "cpu_milliseconds": median(cpu[n]),
            "busy_cores": median(cpu[n]) / median(wall[n]),
            "speedup": median(wall[counts[0]]) / median(wall[n]),
        }
        for n in counts
    }


def solve_flop(counts: list[int]) -> Iterator[tuple[int, dict[str, float]]]:
    """The flop example to 0.1 % of the pot."""
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import solve_spot

    spot = Spot.from_toml("examples/spots/flop.toml")
    for threads in counts:
        begin = time.perf_counter()
        solution = solve_spot(spot, until="0.1%", threads=threads)
        yield (
            threads,
            {
                "seconds": time.perf_counter() - begin,
                "solving": solution.seconds,
                "cpu_seconds": solution.record.cpu_seconds,
                "iterations": solution.iterations,
            },
        )


def main(argv: list[str] | None = None) -> None:
    from equilibrist.compute.machine import cores

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--threads", default=",".join(str(n) for n in COUNTS if n <= cores()))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--solve", default="", help="numbers of threads to solve the flop example with")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    counts = [int(n) for n in arguments.threads.split(",")]
    result: dict[str, Any] = {"machine": platform.processor(), "cores": cores(), "load": os.getloadavg()[0]}

    def tell(name: str, rows: Iterator[tuple[int, dict[str, float]]]) -> None:
        result[name] = {}
        for threads, row in rows:
            result[name][str(threads)] = row
            if not arguments.json:
                facts = "  ".join(f"{key} {value:.4g}" for key, value in row.items())
                print(f"{name}, {threads} threads: {facts}", flush=True)

    for part in filter(None, arguments.parts.split(",")):
        tell(part, iter(measure(part, counts, arguments.repeats).items()))
    if arguments.solve:
        tell("flop to 0.1 %", solve_flop([int(n) for n in arguments.solve.split(",")]))
    if arguments.json:
        print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
