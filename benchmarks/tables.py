"""Tables before the flop: seconds and iterations to a largest gain of 0.1 % (of a big blind or of the prizes), per size of table.

The claim: nine seats with ICM and jam or fold to 0.05 % of the prizes in under 5 s on two cores, six seats with raises in minutes. Also
heads-up anchors, and what comparing three hands by products instead of by their table changes (`--three`, which needs that table).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from itertools import product
from pathlib import Path

import numpy as np

from equilibrist.cards.allins.classes import NAMES, combinations
from equilibrist.cards.allins.pairs import removal
from equilibrist.games.tables.table import Table
from equilibrist.solvers.tables.solve_table import solve_table
from equilibrist.solvers.tables.table_solution import TableSolution

ROOT = Path(__file__).parents[1]
CLAIM = 5.0  # seconds for nine seats with ICM


def measured(table: Table, until: str, threads: int) -> tuple[TableSolution, dict[str, float]]:
    begin, cpu = time.perf_counter(), time.process_time()
    solution = solve_table(table, until=until, threads=threads)
    return solution, {
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
        "iterations": solution.iterations,
        "decisions": solution.tree.decisions,
        "memory_mb": solution.memory_bytes / 1e6,
        "largest_gain": solution.exploitability,
        "sum_of_values": float(sum(solution.value)),
    }


def first_in(solution: TableSolution) -> dict[str, float]:
    """How often each seat does not fold when all before it have."""
    lines = [line for line in solution.tree.lines if set(line) <= set("f:")]
    nodes = [solution.at(line) for line in lines]
    return {str(node.seat): float(1.0 - node.frequencies[0]) for node in nodes}


def left_by_folds(solution: TableSolution) -> dict[str, float]:
    """How much more often a card is held by the blinds after all others have folded."""
    node = solution.at(":".join("f" * (solution.table.seats - 2)))
    weight = combinations() * np.prod(
        [removal() @ node.reach(seat) for seat in range(solution.table.seats - 2)], axis=0
    )
    out = {}
    for rank in "AKQ2":
        held = np.array([name[:2].count(rank) for name in NAMES])
        out[rank] = float(weight @ held / weight.sum() / (combinations() @ held / 1326) - 1.0)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--large", action="store_true", help="also six seats with raises (a minute)")
    parser.add_argument("--three", action="store_true", help="also three hands by their table (made once: minutes)")
    wanted = parser.parse_args()
    solve_table(
        Table(seats=3, stack=10, blinds=[0.5, 1], payouts=[5, 3]), iterations=2, threads=wanted.threads
    )  # compiles
    out: dict[str, object] = {}
    heads_up = solve_table(Table(seats=2, stack=10, blinds=[0.5, 1]), until=1e-7)
    out["heads-up, 10 bb"] = {
        "jams": float(heads_up.root.frequencies[1]), "calls": float(heads_up.at("a").frequencies[1]), "value": heads_up.value[0],
    }  # fmt: skip
    for seats in (2, 3, 4, 6, 9):
        _, found = measured(Table(seats=seats, stack=10, blinds=[0.5, 1]), "0.1%", wanted.threads)
        out[f"{seats} seats, jam or fold, 10 bb, to 1 mbb"] = found
    final = Table.from_toml(ROOT / "examples" / "tables" / "9max-icm-final-table.toml")
    solution, found = measured(final, "0.05%", wanted.threads)
    out["9 seats, ICM, jam or fold, to 0.05 % of the prizes"] = found | {"room": CLAIM / found["seconds"]}
    solution, found = measured(final, "0.001%", wanted.threads)
    out["9 seats, ICM, jam or fold, to 0.001 % of the prizes"] = found | {"first in": first_in(solution)}
    for name in ("hu-20bb", "hu-100bb", "spin-and-go"):
        solution, found = measured(
            Table.from_toml(ROOT / "examples" / "tables" / f"{name}.toml"), "0.1%", wanted.threads
        )
        out[name] = found | {"first in": first_in(solution)}
    if wanted.large:
        solution, found = measured(
            Table.from_toml(ROOT / "examples" / "tables" / "6max-100bb.toml"), "0.1%", wanted.threads
        )
        out["6max-100bb"] = found | {"first in": first_in(solution)}
    for bunching in (False, True):
        table = Table(seats=9, stack=7.5, blinds=[0.5, 1], ante=0.125, bunching=bunching)
        solution, found = measured(table, "0.1%", wanted.threads)
        name = f"9 seats, jam or fold, 7.5 bb, ante of an eighth, {'with' if bunching else 'without'} bunching"
        out[name] = found | {"cards after seven folds": left_by_folds(solution), "first in": first_in(solution)}
    if wanted.three:
        for way, bunching in product(("products", "table"), (False, True)):
            table = Table(seats=3, stack=10, blinds=[0.5, 1], three_way=way, bunching=bunching)
            solution, found = measured(table, "0.001%", wanted.threads)
            shares = {line: float(solution.at(line).frequencies[1]) for line in ("", "f", "f:a", "a:f", "a:c")}
            name = f"3 seats, 10 bb, three hands by {way}, {'with' if bunching else 'without'} bunching"
            out[name] = found | {"all-in or call after": shares}
        for way in ("products", "table"):
            solution, found = measured(final.changed(three_way=way), "0.05%", wanted.threads)
            out[f"9 seats, ICM, three hands by {way}"] = found | {"room": CLAIM / found["seconds"]}
    machine = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    print(json.dumps({"benchmark": "tables", "machine": machine, "threads": wanted.threads, "results": out}, indent=2))


if __name__ == "__main__":
    main()
