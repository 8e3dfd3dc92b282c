"""Which member of the CFR family serves postflop spots best: CPU seconds and iterations to 0.1 % of the pot on twelve spots.

Rivers and turns of different textures, stack depths and menus, and two flops with narrow ranges; exploitability is checked every ten
iterations, checks are not timed. The default of spots is the solver with the smallest geometric mean. `--json` prints one object.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

WIDE = "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,86s+,75s+,65s,54s,A8o+,KTo+,QTo+,JTo"
TIGHT = "77+,ATs+,KTs+,QTs+,JTs,T9s,98s,AJo+,KQo"
NARROW = "99+,AJs+,KQs,T9s,AQo+"
DEEP, SHALLOW = 900, 250
MENUS = {"one": 'bet = "66%, a"\nraise = "a"', "two": 'bet = "33%, 75%, a"\nraise = "2.5x, a"'}
SPOTS = {
    "river dry": ("Kc7d2h3s8c", WIDE, TIGHT, DEEP, "two"),
    "river wet": ("Td9d6hQc2d", WIDE, WIDE, DEEP, "two"),
    "river paired": ("8h8c4sKdKs", TIGHT, WIDE, DEEP, "two"),
    "river shallow": ("AsJh5c5d9h", WIDE, WIDE, SHALLOW, "two"),
    "turn dry": ("Kc7d2h3s", WIDE, TIGHT, DEEP, "one"),
    "turn wet": ("Td9d6hQc", WIDE, WIDE, DEEP, "one"),
    "turn monotone": ("Ts7s2s4h", TIGHT, WIDE, DEEP, "one"),
    "turn paired": ("8h8c4sKd", TIGHT, TIGHT, DEEP, "two"),
    "turn shallow": ("AsJh5c9d", WIDE, WIDE, SHALLOW, "two"),
    "turn low": ("6c5d4h2s", TIGHT, WIDE, DEEP, "one"),
    "flop dry": ("Kc7d2h", NARROW, NARROW, SHALLOW, "one"),
    "flop wet": ("Td9d6h", NARROW, NARROW, SHALLOW, "one"),
}
SOLVERS = (
    "dcfr(gamma=3)", "dcfr", "dcfr(gamma=5)", "dcfr(beta=0.5,gamma=3)", "hs-dcfr(start=15.0,horizon=300)", "cfr+(average=quadratic)",
    "lcfr", "pcfr+", "pdcfr+",
)  # fmt: skip
GOAL, MOST = 0.1, 600  # per cent of the pot, iterations

MIDDLING = "22+,A2s+,K9s+,QTs+,J9s+,T9s,98s,87s,76s,ATo+,KJo+"
POLAR = "QQ+,AKs,AKo,A5s,A4s,76s,65s,K9s"
CAPPED = "22-JJ,ATs-AQs,KTs+,QTs+,JTs,T9s,98s,AJo,AQo,KQo"
MENUS |= {"small": 'bet = "25%, 60%, 120%"\nraise = "3x"', "half": 'bet = "50%"\nraise = "2.5x, a"'}
FURTHER = {
    "river pot behind": ("6s5h4c2dKs", MIDDLING, CAPPED, 100, "two"),
    "river half a pot": ("QsJh4c2d9s", MIDDLING, WIDE, 50, "one"),
    "river polar": ("AhKd8c8s3d", POLAR, CAPPED, 400, "small"),
    "river any": ("Ts9c5h2c2d", "random", "random", 150, "two"),
    "river small bets": ("JcTc4d3h2s", MIDDLING, MIDDLING, 600, "small"),
    "river capped": ("Ad7h7c6s2c", CAPPED, POLAR, 1000, "half"),
    "river flush": ("AhQh8h4h2c", WIDE, MIDDLING, 300, "two"),
    "river straight": ("9c8d7s6hKc", MIDDLING, TIGHT, 500, "small"),
    "turn 0.7 pots": ("QdTc8s3h", MIDDLING, CAPPED, 70, "one"),
    "turn polar": ("AcKc5d5h", POLAR, CAPPED, 300, "half"),
    "flop paired": ("QsQh5d", POLAR, NARROW, 400, "half"),
    "flop low": ("5h4h2c", NARROW, POLAR, 150, "one"),
}
EXAMPLES = ("river", "xriver", "turn", "xturn")
WIDE_SOLVERS = (
    "dcfr(gamma=3)", "dcfr(gamma=5)", "restarted", "dcfr(beta=-0.5,gamma=3)", "dcfr(beta=-1,gamma=4)", "dcfr(beta=-inf,gamma=4)",
    "hs-dcfr(start=15.0,horizon=300)",
)  # fmt: skip
WIDE_GOALS, WIDE_MOST = (0.5, 0.1), 800


@dataclass(frozen=True)
class Restarted:
    """DCFR whose averages begin anew at powers of four."""

    gamma: float = 3.0

    def positive(self, t: Any) -> Any:
        return 1.0 / (1.0 + t**-1.5)

    def negative(self, t: Any) -> Any:
        return np.full_like(t, 0.5)

    def keep(self, t: Any) -> Any:
        since = t - 4.0 ** np.floor(np.log(t + 1e-9) / math.log(4.0)) + 1.0
        return ((since - 1.0) / since) ** self.gamma


def start(name: str, solver: str, threads: int) -> Any:
    """A run on one of the spots."""
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.cfr.cfr import CFR
    from equilibrist.solvers.postflop.solve_spot import start_spot

    if name in EXAMPLES:
        spot = Spot.from_toml(Path(__file__).parents[1] / "examples" / "spots" / f"{name}.toml")
    else:
        board, oop, ip, stack, menu = (SPOTS | FURTHER)[name]
        spot = Spot.from_text(
            f'board = "{board}"\npot = 100\nstack = {stack}\n[range]\noop = "{oop}"\nip = "{ip}"\n[bets]\n{MENUS[menu]}\n'
        )
    chosen: Any = CFR(schedule=Restarted()) if solver == "restarted" else solver
    return start_spot(spot, chosen, threads=threads), spot.pot


def iterations_to_goals(name: str, solver: str, threads: int) -> tuple[int, ...]:
    """Iterations to each of `WIDE_GOALS`; the most where one is not reached."""
    run, pot = start(name, solver, threads)
    found = list[int]()
    for goal in WIDE_GOALS:
        while run.iteration < WIDE_MOST and 100.0 * run.exploitability() / pot > goal:
            run.advance(10)
        found.append(run.iteration)
    return tuple(found)


def count_widely(spots: list[str], solvers: list[str], threads: int, as_json: bool) -> None:
    table: dict[str, dict[str, tuple[int, ...]]] = {}
    for name in spots:
        table[name] = {solver: iterations_to_goals(name, solver, threads) for solver in solvers}
        if not as_json:
            print(f"{name:18s}", "  ".join(f"{s} {'/'.join(map(str, n))}" for s, n in table[name].items()), flush=True)
    means = {}
    for solver in solvers:
        for k, goal in enumerate(WIDE_GOALS):
            ratios = [math.log(row[solver][k] / row[solvers[0]][k]) for row in table.values()]
            means[f"{solver} to {goal:g} %"] = [
                math.exp(x) for x in (sum(ratios) / len(ratios), min(ratios), max(ratios))
            ]
    if as_json:
        json.dump({"table": table, "mean_least_most": means}, sys.stdout, indent=1)
        print()
        return
    for row, (mean, least, most) in means.items():
        print(f"{row:44s} {mean:.2f} times as many iterations as {solvers[0]} ({least:.2f} to {most:.2f})")


def seconds_to_goal(name: str, solver: str, threads: int) -> tuple[float, int, float]:
    """CPU seconds, iterations and the exploitability reached, in per cent of the pot."""
    run, _ = start(name, solver, threads)
    spent, gap = 0.0, math.inf
    while gap > GOAL and run.iteration < MOST:
        begin = time.process_time()
        run.advance(10)
        spent += time.process_time() - begin
        gap = run.exploitability()
    return spent, run.iteration, gap


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wide", action="store_true", help="count iterations on more spots")
    parser.add_argument("--spots", nargs="*", choices=[*SPOTS, *FURTHER, *EXAMPLES])
    parser.add_argument("--solvers", nargs="*")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args(argv)
    if arguments.wide:
        spots = arguments.spots or [*SPOTS, *FURTHER, *EXAMPLES]
        count_widely(spots, arguments.solvers or list(WIDE_SOLVERS), arguments.threads, arguments.json)
        return
    arguments.spots, arguments.solvers = arguments.spots or list(SPOTS), arguments.solvers or list(SOLVERS)
    table: dict[str, dict[str, tuple[float, int, float]]] = {solver: {} for solver in arguments.solvers}
    for name in arguments.spots:
        for solver in arguments.solvers:
            table[solver][name] = found = seconds_to_goal(name, solver, arguments.threads)
            if not arguments.json:
                print(
                    f"{name:14s} {solver:34s} {found[0]:8.3f} s {found[1]:4d} iterations {found[2]:.3f} %", flush=True
                )
    best = {name: min(row[name][0] for row in table.values() if row[name][2] <= GOAL) for name in arguments.spots}
    means = {
        solver: math.exp(sum(math.log(row[name][0] / best[name]) for name in best) / len(best))
        for solver, row in table.items()
    }
    if arguments.json:
        json.dump({"goal_percent": GOAL, "table": table, "mean_ratio_to_best": means}, sys.stdout, indent=1)
        print()
    else:
        for solver, mean in sorted(means.items(), key=lambda item: item[1]):
            missed = sum(found[2] > GOAL for found in table[solver].values())
            print(f"{solver:34s} {mean:.2f} times the best of each spot; {missed} not there after {MOST} iterations")


if __name__ == "__main__":
    main()
