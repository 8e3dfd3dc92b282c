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


def seconds_to_goal(name: str, solver: str, threads: int) -> tuple[float, int, float]:
    """CPU seconds, iterations and the exploitability reached, in per cent of the pot."""
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import start_spot

    board, oop, ip, stack, menu = SPOTS[name]
    text = (
        f'board = "{board}"\npot = 100\nstack = {stack}\n[range]\noop = "{oop}"\nip = "{ip}"\n[bets]\n{MENUS[menu]}\n'
    )
    run = start_spot(Spot.from_text(text), solver, threads=threads)
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
    parser.add_argument("--spots", nargs="*", default=list(SPOTS), choices=list(SPOTS))
    parser.add_argument("--solvers", nargs="*", default=list(SOLVERS))
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args(argv)
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
