"""Every equilibrium finder on the same games: seconds until the gap is 1e-2, 1e-4 and 1e-6 of the payoff range.

The gap is what best responses gain together (NashConv). All methods work on the same sequence form; beside them stand HiGHS's simplex
and interior point on that form's linear program and OpenSpiel's LP on its own copy of the game, each in a process of its own with a
time limit. Rhode Island hold'em (13 - 205 - 1,774 classes) is solved through its Kronecker operator. Figures are wall seconds of one
thread; "-" is censored at the limit. The last lines give the ratio of the best linear program to our best method.

    python benchmarks/equilibrium.py [--games kuhn leduc …] [--limit 60] [--lp-limit 600] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

GOALS = (1e-2, 1e-4, 1e-6)
GAMES = {
    "kuhn": "kuhn",
    "leduc": "leduc",
    "leduc-5": "leduc-5",
    "goofspiel-5": "goofspiel(cards=5)",
    "liars-dice 1x5": "liars-dice(faces=5)",
    "rhode-island": "rhode-island",
}
OPEN_SPIEL = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    "goofspiel-5": "turn_based_simultaneous_game(game=goofspiel(num_cards=5,points_order=ascending,returns_type=point_difference))",
    "liars-dice 1x5": "liars_dice(dice_sides=5)",
}
SOLVERS = (
    "cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "pdcfr+", "hs-dcfr", "egt", "egt(variant=aggressive)", "mirror-prox", "optimistic-md",
    "magnetic-md", "iterated-smoothing", "es-mccfr", "linear-fp",
)  # fmt: skip
CLASS_SOLVERS = ("dcfr(gamma=3)", "dcfr", "cfr+", "lcfr", "pcfr+")
LINEAR = ("lp(method=simplex)", "lp(method=ipm)", "OpenSpiel LP")


def times(curve: list[tuple[float, float]], scale: float) -> list[float | None]:
    """Seconds at which a curve of (seconds, gap) first reaches each goal."""
    return [next((seconds for seconds, gap in curve if gap <= goal * scale), None) for goal in GOALS]


def iterate(name: str, solver: str, limit: float) -> list[float | None]:
    """One of our methods on an explicit sequence form."""
    import equilibrist as eq

    target = eq.compiled(name)
    scale = float(target.tree.returns[:, 0].max() - target.tree.returns[:, 0].min())
    _ = target.sequence_form
    eq.solve(target, _on_sequences(solver), iterations=2)  # compiled before anything is timed
    curve: list[tuple[float, float]] = []

    def watch(progress) -> None:
        if progress.exploitability is not None:
            curve.append((progress.seconds, 2 * progress.exploitability))

    eq.solve(target, _on_sequences(solver), until=GOALS[-1] * scale / 2, seconds=limit, progress=watch)
    return times(curve, scale)


def _on_sequences(solver: str) -> str:
    """Large poker games would go to their boards."""
    return (
        f"{solver}(on=sequence)" if solver in ("cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "pdcfr+", "hs-dcfr") else solver
    )


def iterate_classes(solver: str, limit: float) -> list[float | None]:
    """One of our methods on Rhode Island's game of classes."""
    from equilibrist.abstraction.information.gameshrink import shrink
    from equilibrist.forms.hand_classes.kronecker import kronecker_form
    from equilibrist.games.poker.family import rhode_island
    from equilibrist.solvers.hand_classes.solve_classes import solve_rounds

    rules = rhode_island().rules
    form = kronecker_form(rules, shrink(rules, "signature"))
    solve_rounds(form, solver, iterations=1)
    curve: list[tuple[float, float]] = []
    scale = 2 * 15_500.0  # the most that can be won, both ways

    def watch(progress) -> None:
        if progress.exploitability is not None:
            curve.append((progress.seconds, 2 * progress.exploitability))

    solve_rounds(form, solver, until=GOALS[-1] * scale / 2, seconds=limit, progress=watch)
    return times(curve, scale)


def linear(game: str, solver: str) -> float:
    """Seconds of a linear program, the game already laid out."""
    if solver == "OpenSpiel LP":
        import pyspiel
        from open_spiel.python.algorithms import sequence_form_lp

        loaded = pyspiel.load_game(OPEN_SPIEL[game])
        begin = time.perf_counter()
        sequence_form_lp.solve_zero_sum_game(loaded)
        return time.perf_counter() - begin
    import equilibrist as eq

    target = eq.compiled(GAMES[game])
    _ = target.sequence_form
    begin = time.perf_counter()
    eq.solve(target, solver)
    return time.perf_counter() - begin


def censored(game: str, solver: str, limit: float) -> list[float | None] | None:
    """A linear program in a process of its own; exact, so one time for all goals."""
    if game == "rhode-island" or (solver == "OpenSpiel LP" and game not in OPEN_SPIEL):
        return None
    command = [sys.executable, str(Path(__file__).resolve()), "--one", game, solver]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
    except subprocess.TimeoutExpired:
        return [None] * len(GOALS)
    except subprocess.CalledProcessError as error:
        print(f"{solver} on {game} failed: {error.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return [float(done.stdout.split()[-1])] * len(GOALS)


def measure(game: str, limit: float, lp_limit: float) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for solver in CLASS_SOLVERS if game == "rhode-island" else SOLVERS:
        found[solver] = (
            iterate_classes(solver, limit) if game == "rhode-island" else iterate(GAMES[game], solver, limit)
        )
        print(game, solver, found[solver], file=sys.stderr, flush=True)
    for solver in LINEAR:
        one = censored(game, solver, lp_limit)
        if one is not None:
            found[solver] = one
            print(game, solver, one, file=sys.stderr, flush=True)
    return found


def best(found: dict[str, list[float | None]], goal: int, linear_programs: bool) -> tuple[str, float] | None:
    reached = [
        (solver, row[goal])
        for solver, row in found.items()
        if (solver in LINEAR) == linear_programs and row[goal] is not None
    ]
    return min(reached, key=lambda pair: pair[1]) if reached else None  # type: ignore[return-value,arg-type]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of each of our methods")
    parser.add_argument("--lp-limit", type=float, default=600.0, help="seconds of each linear program")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("GAME", "SOLVER"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(linear(*asked.one))
        return
    results = {game: measure(game, asked.limit, asked.lp_limit) for game in asked.games}
    facts = {"machine": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg(), "goals": GOALS}
    if asked.json:
        print(json.dumps({"facts": facts, "seconds": results}, indent=2))
        return
    for game, found in results.items():
        print(f"\n{game}: seconds to a gap of {', '.join(f'{goal:g}' for goal in GOALS)} of the payoff range")
        for solver, row in found.items():
            print(f"  {solver:26s} " + "  ".join("        -" if t is None else f"{t:9.3f}" for t in row))
        for number, goal in enumerate(GOALS[:2]):
            ours, program = best(found, number, False), best(found, number, True)
            if ours and program:
                print(f"  to {goal:g}: {program[0]} / {ours[0]} = {program[1] / max(ours[1], 1e-9):.1f}")


if __name__ == "__main__":
    main()
