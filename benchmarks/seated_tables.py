"""What seats win with real cards when all of them play a solved table, beside what its solution says.

The claim: heads-up both agree within the interval of the sample; with more seats they differ by what the model leaves out (cards of
others, three hands by products), and that is said here seat by seat. Hands are drawn without the solver: cards from a deck, actions by
the strategies of the classes, boards run out, pots by the rules. `--three` adds tables of three hands.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from typing import Any

import numpy as np

from equilibrist.cards.evaluator import evaluate
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.evaluation.play.statistics import Z95
from equilibrist.games.tables.betting import play_line
from equilibrist.games.tables.payoffs import MOST_RANKED, Payoffs, weak_orders
from equilibrist.games.tables.table import Table
from equilibrist.solvers.tables.solve_table import solve_table
from equilibrist.solvers.tables.table_solution import TableSolution

AT_ONCE = 100_000


def sampled(solution: TableSolution, hands: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """[seat] mean payoffs and their standard errors; tables whose seats may hold anything."""
    rng, total, squares, done = np.random.default_rng(seed), 0.0, 0.0, 0
    while done < hands:
        won = _some(solution, min(AT_ONCE, hands - done), rng)
        total, squares, done = total + won.sum(axis=0), squares + (won**2).sum(axis=0), done + len(won)
    mean = total / done
    return mean, np.sqrt((squares / done - mean**2) / done)


def _some(solution: TableSolution, count: int, rng: np.random.Generator) -> np.ndarray:
    """[hand, seat] payoffs."""
    tree, seats = solution.tree, solution.table.seats
    deck = np.argsort(rng.random((count, 52)), axis=1)[:, : 2 * seats + 5].astype(np.uint8)
    low, high = (fold(deck[:, : 2 * seats].reshape(count, seats, 2), axis=2) for fold in (np.min, np.max))
    table = hands_of(STANDARD)
    number = np.zeros((52, 52), dtype=np.int64)
    number[table.low, table.high] = np.arange(table.count)
    classes = np.asarray(table.cell)[number[low, high]]  # [hand, seat]
    out, waiting = np.zeros((count, seats)), [(0, np.arange(count), "")]
    while waiting:
        place, rows, line = waiting.pop()
        if not len(rows):
            continue
        if place < 0:
            out[rows] = _paid(solution, -1 - place, line, deck[rows], seats)
            continue
        shares = solution.strategy[tree.slots_of(place)][:, classes[rows, tree.seat[place]]]  # [action, hand]
        taken = (rng.random(len(rows)) >= np.cumsum(shares, axis=0)).sum(axis=0).clip(max=len(shares) - 1)
        first = int(tree.first[place])
        waiting += [
            (int(tree.children[first + action]), rows[taken == action], f"{tree.lines[place]}:{label}")
            for action, label in enumerate(tree.labels[place])
        ]
    return out


def _paid(solution: TableSolution, end: int, line: str, deck: np.ndarray, seats: int) -> np.ndarray:
    tree = solution.tree
    staying = [int(seat) for seat in tree.staying[end] if seat >= 0]
    first = int(tree.first_pay[end])
    if len(staying) == 1:
        return np.broadcast_to(tree.pays[first], (len(deck), seats))
    board = deck[:, 2 * seats :]
    strength = np.stack(
        [evaluate(np.hstack([deck[:, 2 * seat : 2 * seat + 2], board])) for seat in staying], axis=1
    ).astype(np.int64)
    ranks = np.stack([(_different(strength) > own[:, None]).sum(axis=1) for own in strength.T], axis=1)
    if len(staying) > MOST_RANKED:  # settled by the rules, order by order
        different, which = np.unique(ranks, axis=0, return_inverse=True)
        payoffs, here = Payoffs(solution.table), play_line(solution.table, line)
        for order in different.tolist():
            payoffs.add(here, order)
        return payoffs.values()[which.ravel()]
    orders = {order: place for place, order in enumerate(weak_orders(len(staying)))}
    places = np.array([orders[tuple(each)] for each in ranks.tolist()])
    return tree.pays[first + places]


def _different(strength: np.ndarray) -> np.ndarray:
    """Strengths of every hand, each once; what is there again is -1."""
    again = [(strength[:, :place] == strength[:, place : place + 1]).any(axis=1) for place in range(strength.shape[1])]
    return np.where(np.stack(again, axis=1), -1, strength)


def compared(table: Table, hands: int) -> dict[str, Any]:
    solution = solve_table(table, until="0.1%" if not table.payouts else "0.01%")
    begin = time.perf_counter()
    mean, error = sampled(solution, hands, seed=1)
    seats = {
        name: {"solution": value, "cards": float(m), "interval": float(Z95 * e), "difference": float(m - value)}
        for name, value, m, e in zip(table.names, solution.value, mean, error, strict=True)
    }
    return {"unit": solution.unit, "seats": seats, "hands": hands, "seconds": time.perf_counter() - begin}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--three", action="store_true", help="also three hands by their table (made once: minutes)")
    wanted = parser.parse_args()
    ten = {"stack": 10, "blinds": [0.5, 1]}
    tables = {
        "2 seats, jam or fold, 10 bb": Table(seats=2, **ten),
        "3 seats, jam or fold, 10 bb, by products": Table(seats=3, three_way="products", **ten),
        "3 seats, jam or fold, 10 bb, by odds": Table(seats=3, three_way="odds", **ten),
        "9 seats, jam or fold, 10 bb, by products": Table(seats=9, three_way="products", **ten),
        "9 seats, jam or fold, 10 bb, by odds": Table(seats=9, three_way="odds", **ten),
        "9 seats, jam or fold, 10 bb, by odds, all may stay": Table(
            seats=9, three_way="odds", players_to_flop=9, **ten
        ),
    }
    if wanted.three:
        by_table = Table(seats=3, three_way="table", **ten)
        tables["3 seats, jam or fold, 10 bb, by table"] = by_table
        tables["3 seats, jam or fold, 10 bb, by table, with bunching"] = by_table.changed(bunching=True)
    out: dict[str, Any] = {name: compared(table, wanted.hands) for name, table in tables.items()}
    machine = {"cores": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()}
    print(json.dumps({"benchmark": "seated_tables", "machine": machine, "results": out}, indent=2))


if __name__ == "__main__":
    main()
