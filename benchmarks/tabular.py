"""Tabular solvers side by side in one run: equilibrist, OpenSpiel's C++ solvers and LiteEFG.

Prints seconds per iteration (CFR+, alternating), seconds to an exploitability of 1e-3, external-sampling iterations per
second, and the rate at which rules are compiled; every figure with its ratio. Blocks of the engines alternate and medians
are taken, so a noisy machine disturbs all of them alike. `--json` prints one JSON object.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

import equilibrist as eq
from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.forms.public_tree.public_tree import public_tree

# ours, theirs: the same game, infoset for infoset, except Goofspiel: OpenSpiel's states there forget past bids, so it has 3,252 infosets
# where we have 36,852 (perfect recall); both counts are printed
GAMES = {
    "kuhn": ("kuhn", "kuhn_poker"),
    "leduc": ("leduc", "leduc_poker"),
    "liars-dice 1x5": ("liars-dice(faces=5)", "liars_dice(dice_sides=5)"),
    "liars-dice 1x6": ("liars-dice", "liars_dice"),
    "goofspiel 5": (
        "goofspiel(cards=5)",
        "turn_based_simultaneous_game(game=goofspiel(num_cards=5,points_order=ascending,returns_type=point_difference))",
    ),
}
GOAL = 1e-3


def block_seconds(step: Callable[[], None], seconds: float = 0.4) -> float:
    """Seconds per call, over a block of calls of about that length."""
    calls, begin = 0, time.perf_counter()
    while True:
        step()
        calls += 1
        spent = time.perf_counter() - begin
        if spent >= seconds:
            return spent / calls


def alternate(steps: dict[str, Callable[[], None]], blocks: int) -> dict[str, float]:
    """Median seconds per call of each engine, blocks interleaved."""
    measured: dict[str, list[float]] = {name: [] for name in steps}
    for step in steps.values():
        step()
    for _ in range(blocks):
        for name, step in steps.items():
            measured[name].append(block_seconds(step))
    return {name: statistics.median(values) for name, values in measured.items()}


def our_run(name: str, solver: str):
    return eq.make_solver(solver).start(eq.compiled(name))


def lite_efg_step(their: str) -> Callable[[], None] | None:
    try:
        import LiteEFG
        import pyspiel
        from LiteEFG.baselines import CFRplus
    except ImportError:
        return None
    with contextlib.redirect_stdout(io.StringIO()):
        environment = LiteEFG.OpenSpielEnv(pyspiel.load_game(their))
        graph = CFRplus.graph()
        environment.set_graph(graph)

    def step() -> None:
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())

    return step


def iteration_table(blocks: int, names: list[str]) -> dict[str, dict[str, float]]:
    import pyspiel

    table = {}
    for label in names:
        ours, theirs = GAMES[label]
        run, per_call = our_run(ours, "cfr+"), 100
        game = pyspiel.load_game(theirs)
        solver = pyspiel.CFRPlusSolver(game)
        steps = {
            "equilibrist": functools.partial(run.advance, per_call),
            "openspiel": solver.evaluate_and_update_policy,
        }
        lite = lite_efg_step(theirs)
        if lite is not None:
            steps["liteefg"] = lite
        seconds = alternate(steps, blocks)
        seconds["equilibrist"] /= per_call
        row = {f"{engine}_seconds_per_iteration": value for engine, value in seconds.items()}
        row["infosets"] = len(eq.compiled(ours).infosets)
        row["openspiel_infosets"] = len(solver.tabular_average_policy().policy_table())
        for engine in ("openspiel", "liteefg"):
            if engine in seconds:
                row[f"times_{engine}"] = seconds[engine] / seconds["equilibrist"]
        row |= seconds_to_goal(ours, seconds)
        table[label] = row
    return table


def seconds_to_goal(ours: str, per_iteration: dict[str, float]) -> dict[str, float]:
    """Ours measured with its checks; OpenSpiel needs the same CFR+ iterations (its own checks not counted)."""
    game = eq.compiled(ours)
    solution = eq.solve(game, "cfr+", until=GOAL)  # loads the kernels
    seconds = statistics.median(eq.solve(game, "cfr+", until=GOAL).seconds for _ in range(3))
    best = eq.solve(game, "dcfr", until=GOAL)
    theirs = solution.iterations * per_iteration["openspiel"]
    return {
        "iterations_to_goal": solution.iterations,
        "equilibrist_seconds_to_goal": seconds,
        "equilibrist_dcfr_seconds_to_goal": best.seconds,
        "openspiel_seconds_to_goal_by_iterations": theirs,
        "times_openspiel_to_goal": theirs / seconds,
    }


def sampling_table(blocks: int, names: list[str]) -> dict[str, dict[str, float]]:
    import pyspiel

    table = {}
    for label in names:
        ours, theirs = GAMES[label]
        run, per_call = our_run(ours, "es-mccfr"), 2000
        solver = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game(theirs), 1)
        seconds = alternate(
            {"equilibrist": functools.partial(run.advance, per_call), "openspiel": solver.run_iteration}, blocks
        )
        rate, their_rate = per_call / seconds["equilibrist"], 1 / seconds["openspiel"]
        table[label] = {
            "equilibrist_iterations_per_second": rate,
            "openspiel_iterations_per_second": their_rate,
            "times_openspiel": rate / their_rate,
        }
    return table


def compile_table() -> dict[str, dict[str, float]]:
    """Histories per second from rules to arrays, and how much memory a history takes."""
    import tracemalloc

    table = {}
    for name in ("liars-dice", "leduc-5", "bl26"):
        game = eq.load_game(name)
        begin = time.perf_counter()
        tree = compile_tree(game)
        seconds = time.perf_counter() - begin
        table[name] = {
            "histories": tree.histories,
            "seconds": seconds,
            "histories_per_second": tree.histories / seconds,
        }
    for name, build, label in (("leduc-5", compile_tree, "peak"), ("leduc", public_tree, "public_tree_peak")):
        game = eq.load_game(name)
        tracemalloc.start()
        build(game)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        table.setdefault(name, {})[f"{label}_bytes_per_history"] = peak / game.histories()
    return table


def machine() -> dict[str, str | int | None]:
    def installed(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "absent"

    packages = ("numpy", "numba", "open_spiel", "LiteEFG", "highspy")
    return {
        "python": platform.python_version(),
        "cpu": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": f"{os.getloadavg()[0]:.2f}",
        "equilibrist": eq.__version__,
        **{name: installed(name) for name in packages},
    }


def show(title: str, table: dict[str, dict[str, float]]) -> None:
    print(f"\n{title}")
    for name, row in table.items():
        print(f"  {name}")
        for key, value in row.items():
            print(f"    {key:42s} {value:,.6g}")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--blocks", type=int, default=5, help="blocks per engine; the median counts")
    parser.add_argument("--games", nargs="*", default=list(GAMES), choices=list(GAMES))
    arguments = parser.parse_args(argv)
    result: dict[str, object] = {"machine": machine()}
    sections = {
        "iterations": lambda: iteration_table(arguments.blocks, arguments.games),
        "external_sampling": lambda: sampling_table(
            arguments.blocks, [g for g in arguments.games if g != "goofspiel 5"]
        ),
        "compile": compile_table,
    }
    for title, make in sections.items():
        result[title] = table = make()
        if not arguments.json:
            show(title, table)
    if arguments.json:
        json.dump(result, sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
