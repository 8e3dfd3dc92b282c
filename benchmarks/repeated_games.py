"""Repeated games: small matrix games one by one against HiGHS, bisection against the text's grid, stages played per second.

Random payoffs, fixed seeds, CPU seconds, compilation not counted. `--json` prints one object.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable

import numpy as np

SHAPES = ((2, 2), (5, 5), (20, 20))
GRIDS = ((2, 0.001), (3, 0.02), (3, 0.01), (4, 0.05))  # states and ε
GAMES = 10  # random games of each, 3 x 3
STAGES = 1_000_000


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def matrix_games(shape: tuple[int, int]) -> dict[str, float]:
    """Microseconds for one game."""
    from equilibrist.solvers.linear_programs.matrix_games import solve_matrices, solve_matrix

    games = np.random.default_rng(0).uniform(-1, 1, (2000, *shape))
    solve_matrices(games[:1])
    ours = seconds(lambda: solve_matrices(games)) / len(games)
    highs = seconds(lambda: [solve_matrix(game) for game in games[:200]]) / 200
    return {"compiled_us": 1e6 * ours, "highs_us": 1e6 * highs, "ratio": highs / ours}


def concavifications(states: int, epsilon: float) -> dict[str, float]:
    """Average games solved and seconds for random repeated games; bisection is asked for the same certified error."""
    from equilibrist.games.library.repeated import RepeatedGame
    from equilibrist.solvers.repeated_games.repeated_games import solve_repeated

    rng = np.random.default_rng(1)
    games = [RepeatedGame(rng.uniform(-1, 1, (states, 3, 3)), rng.dirichlet(np.ones(states))) for _ in range(GAMES)]
    found: dict[str, float] = {}
    for method, share in (
        ("grid", epsilon),
        ("adaptive", epsilon / 2),
    ):  # the grid certifies half of what it is asked for
        solved: list[int] = []
        spent = seconds(lambda s=share, m=method, out=solved: out.extend(solve_repeated(g, s, m).games for g in games))
        found |= {f"{method}_games": sum(solved) / GAMES, f"{method}_ms": 1e3 * spent / GAMES}
    return found | {"ratio": found["grid_ms"] / found["adaptive_ms"]}


def stages_per_second() -> float:
    """Of the uninformed player's strategy, 3 x 3 and three states: one matrix game whenever a target is exceeded."""
    from equilibrist.experiments.gilpin.equilibria.repeated_play import Greedy, oppose_uninformed
    from equilibrist.games.library.repeated import RepeatedGame
    from equilibrist.solvers.repeated_games.repeated_games import solve_repeated

    game = RepeatedGame(np.random.default_rng(1).uniform(-1, 1, (3, 3, 3)), [0.3, 0.3, 0.4])
    strategy, opponent = solve_repeated(game).uninformed, Greedy(np.eye(3)[0])
    oppose_uninformed(strategy, opponent, 10)
    return STAGES / seconds(lambda: oppose_uninformed(strategy, opponent, STAGES))


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    small = {f"{m}x{n}": matrix_games((m, n)) for m, n in SHAPES}
    large = {f"{states} states, ε = {epsilon}": concavifications(states, epsilon) for states, epsilon in GRIDS}
    rate = stages_per_second()
    if arguments.json:
        print(json.dumps({"matrix_games": small, "concavification": large, "stages_per_second": rate}))
        return
    for name, row in small.items():
        print(
            f"{name:>6}: {row['compiled_us']:8.2f} µs compiled, {row['highs_us']:8.0f} µs HiGHS, ratio {row['ratio']:,.0f}"
        )
    for (name, row), (states, epsilon) in zip(large.items(), GRIDS, strict=True):
        points = math.comb(math.ceil(states / epsilon) + states - 1, states - 1)
        assert points == row["grid_games"]
        print(
            f"{name}: grid {points:,} games {row['grid_ms']:,.0f} ms, bisection {row['adaptive_games']:,.0f} games "
            f"{row['adaptive_ms']:.0f} ms, ratio {row['ratio']:.1f}"
        )
    print(f"{rate / 1e6:.2f} million stages a second")


if __name__ == "__main__":
    main()
