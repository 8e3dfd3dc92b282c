"""Tables before the flop: seconds and iterations to a largest gain of 0.1 % (of a big blind or of the prizes), per size of table.

The claim: nine seats with ICM and jam or fold to 0.05 % of the prizes in under 5 s on two cores, six seats with raises in minutes. Also
heads-up anchors, and what comparing three hands by products or odds instead of by their table changes, and what more than three hands
that show do (`--three`, which needs that table).
`--flops hu-20bb-flops` measures one table of examples/tables whose pots are played on flops, beside the same table checked down; on a GPU
with `--device cuda`, with other flops or cards by `--leaves '{"flops": 184, "reach": 0}'`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from equilibrist.cards.allins.classes import NAMES, combinations
from equilibrist.cards.allins.pairs import removal
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.forms.table_tree.table_tree import grow_table
from equilibrist.games.tables.table import Table
from equilibrist.solvers.tables.exact_bunching import bunching_at
from equilibrist.solvers.tables.future_values import FutureValues, future_values
from equilibrist.solvers.tables.reached import reached
from equilibrist.solvers.tables.solve_table import solve_table, start_table
from equilibrist.solvers.tables.table_solution import TableSolution

ROOT = Path(__file__).parents[1]
CLAIM = 5.0  # seconds for nine seats with ICM


def measured(table: Table, until: str, threads: int, device: str = "cpu") -> tuple[TableSolution, dict[str, float]]:
    if table.three_way == "auto":
        table = table.changed(three_way="products")  # the same on every machine
    begin, cpu = time.perf_counter(), time.process_time()
    solution = solve_table(table, until=until, threads=threads, device=device)
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
    return {str(node.player): float(1.0 - node.frequencies[0]) for node in nodes}


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


def pace(table: Table, threads: int, device: str) -> dict[str, float]:
    """Seconds until a table on flops can begin, and of an iteration and a check."""
    begin = time.perf_counter()
    run = start_table(grow_table(table), threads=threads, device=device)
    set_up = time.perf_counter() - begin
    out, iterations = {"set_up_seconds": set_up}, 3 if device == "cpu" else 30
    for what, work in (("an_iteration", partial(run.advance, iterations)), ("a_check", run.evaluate)):
        run.advance(1)
        begin = time.perf_counter()
        work()
        out[f"seconds_{what}"] = (time.perf_counter() - begin) / (iterations if what == "an_iteration" else 1)
    return out


def on_flops(wanted: argparse.Namespace) -> dict[str, object]:
    """A table on flops, and to 1 mbb checked down and by realised equity: what decisions of 1 % of hands or more do, and values."""
    table = Table.from_toml(ROOT / "examples" / "tables" / f"{wanted.flops}.toml")
    if wanted.leaves is not None:
        table = table.changed(leaves=json.loads(wanted.leaves))
    out: dict[str, object] = {"pace": pace(table, wanted.threads, wanted.device)}
    for leaves in ("check-down", "realised", table.leaves):
        here = ("1mbb", wanted.threads) if isinstance(leaves, str) else (wanted.until, wanted.threads, wanted.device)
        solution, found = measured(table.changed(leaves=leaves), *here)
        often = np.flatnonzero(solution.reached >= 0.01)
        does = {
            f"{solution.at(line).player} after {line or 'nothing'}": dict(
                zip(solution.at(line).labels, np.round(100.0 * solution.at(line).frequencies, 1).tolist(), strict=True)
            )
            for line in (solution.tree.lines[decision] for decision in often)
        }
        said = {"per cent": does, "ev": solution.ev, "gains": solution.gains, "model": solution.model}
        out[leaves if isinstance(leaves, str) else "flops"] = found | said
    return out


def with_exact_folds(seats: int, stack: float, ante: float, threads: int) -> dict[str, object]:
    """The small blind after all others have folded: jams that lose, solved with and without bunching, by all ways to weigh hands."""
    out: dict[str, object] = {}
    for bunching in (False, True):
        table = Table(seats=seats, stack=stack, blinds=[0.5, 1], ante=ante, bunching=bunching, three_way="products")
        solution = solve_table(table, until="0.1%", threads=threads)
        line = ":".join("f" * (seats - 2))
        cpu = time.process_time()
        found = bunching_at(solution, line)
        out["solved with bunching" if bunching else "solved without bunching"] = {
            "cpu_seconds": time.process_time() - cpu,
            "counted exactly": found.exact_seats,
            "by first order": found.other_seats,
            "share of jams that lose": {route: found.lost(route) for route in found.ev},
            "largest change of a jam, against independent hands": found.largest_change(1, "independent"),
            "against first order": found.largest_change(1, "first order"),
            "cards of the blinds by sampled deals": sampled_cards(solution, line),
        }
    return out


def sampled_cards(
    solution: TableSolution, line: str, deals: int = 1_000_000, seed: int = 1
) -> dict[str, tuple[float, float]]:
    """How much more often a card is held by the blinds after folds: over dealt hands, with standard errors."""
    rng, seats = np.random.default_rng(seed), solution.table.seats
    hands = hands_of(STANDARD)
    cell = np.zeros((52, 52), np.int64)
    cell[hands.low, hands.high] = cell[hands.high, hands.low] = hands.cell
    reach = [solution.at(line).reach(seat) for seat in range(seats - 2)]
    weights, ranks = [], []
    for _ in range(deals // 50_000):
        cards = rng.random((50_000, 52)).argsort(axis=1)[:, : 2 * seats]
        weights.append(
            np.prod([reach[p][cell[cards[:, 2 * p], cards[:, 2 * p + 1]]] for p in range(seats - 2)], axis=0)
        )
        ranks.append(cards[:, -4:] // 4)
    weight, rank = np.concatenate(weights), np.concatenate(ranks)
    out = {}
    for name, wanted in (("A", 12), ("K", 11), ("Q", 10), ("2", 0)):
        held = (rank == wanted).mean(axis=1) * 13.0
        mean = float(weight @ held / weight.sum())
        error = float(np.sqrt((weight**2) @ (held - mean) ** 2) / weight.sum())
        out[name] = (mean - 1.0, error)
    return out


def showing(table: Table, threads: int) -> dict[str, object]:
    """How many hands show, in shares of all deals, and how often each seat does not fold first."""
    solution, found = measured(table, "0.1%", threads)
    chances, shown = reached(solution.tree, solution.strategy)[1], solution.tree.showing
    shares = {int(n): float(chances[shown == n].sum()) for n in range(1, int(shown.max()) + 1)}
    return found | {"share of deals by hands that show": shares, "first in": first_in(solution), "ev": solution.ev}


def hands_to_come(table: Table, threads: int) -> dict[str, float]:
    """Seconds until the ends of a table pay what its future-game simulation says."""
    values = FutureValues.of(table, threads)
    begin, cpu = time.perf_counter(), time.process_time()
    tree = grow_table(table, values)
    by_icm = grow_table(table.changed(fgs=0)).pays
    return {
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
        "hands": values.hands,
        "largest_gain": values.largest_gain,
        "outcomes": len(tree.pays),
        "largest difference to ICM": float(np.abs(tree.pays - by_icm).max()),
        "prize money lost": float(np.abs(tree.pays.sum(axis=1) - table.prize_pool).max()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--large", action="store_true", help="also six seats with raises (a minute)")
    parser.add_argument("--three", action="store_true", help="also three hands by their table (made once: minutes)")
    parser.add_argument(
        "--flops", metavar="NAME", help="only this table of examples/tables, on its flops and checked down"
    )
    parser.add_argument("--until", default="10mbb", help="goal of --flops (default: 10mbb)")
    parser.add_argument("--device", default="cpu", help="where --flops are played: cpu or cuda")
    parser.add_argument("--leaves", help="other 'leaves' for the table of --flops, as JSON")
    parser.add_argument("--bunching", action="store_true", help="also folded hands counted exactly (a minute)")
    parser.add_argument("--fgs", action="store_true", help="also future-game simulation (minutes)")
    wanted = parser.parse_args()
    if wanted.flops is not None:
        print(json.dumps(on_flops(wanted), indent=2))
        return
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
        six = Table.from_toml(ROOT / "examples" / "tables" / "6max-100bb.toml")
        for leaves, until in (("check-down", "0.1%"), ("realised", "0.2%")):
            solution, found = measured(six.changed(leaves=leaves, three_way="products"), until, wanted.threads)
            raised = ("r2.5:f:f:f:f", "f:f:f:r2.5:f", "f:f:f:f:r3")
            folds = {line: float(solution.at(line).frequencies[0]) for line in raised}
            told = {"first in": first_in(solution), "BB folds after": folds}
            out[f"6max-100bb, {leaves}"] = found | told
    for bunching in (False, True):
        table = Table(seats=9, stack=7.5, blinds=[0.5, 1], ante=0.125, bunching=bunching)
        solution, found = measured(table, "0.1%", wanted.threads)
        name = f"9 seats, jam or fold, 7.5 bb, ante of an eighth, {'with' if bunching else 'without'} bunching"
        out[name] = found | {"cards after seven folds": left_by_folds(solution), "first in": first_in(solution)}
    if wanted.bunching:
        for seats, stack, ante in ((6, 10.0, 0.0), (9, 7.5, 0.125)):
            name = f"{seats} seats, {stack:g} bb, ante {ante:g}, folded to the small blind"
            out[name] = with_exact_folds(seats, stack, ante, wanted.threads)
    if wanted.fgs:
        six = Table(stacks=[8, 12, 10, 15, 5, 7], blinds=[0.5, 1], payouts=[50, 30, 20], fgs=1)
        hands_to_come(six, wanted.threads)  # compiles
        for depth, flop in ((1, 3), (2, 2), (2, 3)):
            table = six.changed(fgs=depth, players_to_flop=flop)
            name = f"6 seats, prizes after {depth} hands to come, at most {flop} all-in now and 2 then"
            out[name] = hands_to_come(table, wanted.threads)
        out["9 seats, prizes after 1 hand to come (9max-icm-final-table)"] = hands_to_come(
            final.changed(fgs=1), wanted.threads
        )
        out["small blind with 1,800 of 8,000 chips at 300/600, after 0 to 4 hands to come"] = [
            float(future_values([1800, 6200], [1], blinds=[300, 600], depth=depth)[0]) for depth in range(5)
        ]
        three = Table(stacks=[10, 10, 10], blinds=[0.5, 1], payouts=[50, 30, 20])
        for depth in range(1, 5):
            out[f"3 seats, prizes after {depth} hands to come"] = hands_to_come(
                three.changed(fgs=depth), wanted.threads
            )
    if wanted.three:
        for way, bunching in product(("products", "table"), (False, True)):
            table = Table(seats=3, stack=10, blinds=[0.5, 1], three_way=way, bunching=bunching)
            solution, found = measured(table, "0.001%", wanted.threads)
            shares = {line: float(solution.at(line).frequencies[1]) for line in ("", "f", "f:a", "a:f", "a:c")}
            name = f"3 seats, 10 bb, three hands by {way}, {'with' if bunching else 'without'} bunching"
            out[name] = found | {"all-in or call after": shares}
        for way in ("products", "odds", "table"):
            for most in (3, 4, 9) if way != "products" else (3,):
                table = Table(seats=9, stack=7.5, blinds=[0.5, 1], ante=0.125, three_way=way, players_to_flop=most)
                out[f"9 seats, 7.5 bb, ante of an eighth, three hands by {way}, at most {most} show"] = showing(
                    table, wanted.threads
                )
            solution, found = measured(final.changed(three_way=way), "0.05%", wanted.threads)
            out[f"9 seats, ICM, three hands by {way}"] = found | {"room": CLAIM / found["seconds"]}
        all_stay, found = measured(final.changed(three_way="odds", players_to_flop=9), "0.05%", wanted.threads)
        out["9 seats, ICM, all may stay, by odds"] = found | {
            "outcomes": len(all_stay.tree.pays),
            "first in": first_in(all_stay),
        }
    machine = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    print(json.dumps({"benchmark": "tables", "machine": machine, "threads": wanted.threads, "results": out}, indent=2))


if __name__ == "__main__":
    main()
