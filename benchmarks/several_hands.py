"""All-ins of three to six hands by odds of two and by products of two, against dealt hands.

The claim: the share of a pot that a class of hands has by odds is within about three points (root mean square over classes) of what it wins
with real cards, where products are off by eight to twelve; and what all seats expect adds up to the pot within some hundredths. Ranges
are the best hands by equity, each of a size drawn from 6 to 70 %; `--pairs` takes ranges of pairs alone, for which averages say little.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, class_weights, combinations
from equilibrist.cards.allins.pairs import pair_outcomes, removal
from equilibrist.cards.equity import multiway_equity
from equilibrist.cards.ranges import from_classes
from equilibrist.compute.threads import Team
from equilibrist.forms.table_tree.table_tree import grow_table
from equilibrist.games.tables.table import Table
from equilibrist.solvers.tables.table_cfr import EndValues

OFTEN = 2e-3  # chance from which a class is compared


def by_odds(reach: np.ndarray) -> np.ndarray:
    """[seat, class] share of one pot of all seats, as a solved table has it."""
    seats, stack = len(reach), 10.0
    table = Table(seats=seats, stack=stack, blinds=[0.5, 1], players_to_flop=seats, three_way="odds")
    tree = grow_table(table)
    end = int(np.flatnonzero(tree.showing == seats)[0])
    values = EndValues(tree, Team(1))
    for seat, row in enumerate(tree.rows[end]):
        values.reach[row] = reach[seat]
    values._products(0, len(values.reach), len(values.reach))
    met = [np.prod([removal() @ row for p, row in enumerate(reach) if p != seat], axis=0) for seat in range(seats)]
    return np.array([(values.of(seat)[end] / met[seat] + stack) / (seats * stack) for seat in range(seats)])


def by_products(reach: np.ndarray) -> np.ndarray:
    """The same as the product of the shares of two."""
    alone = [(removal() * pair_outcomes().equity) @ row / (removal() @ row) for row in reach]
    return np.array(
        [np.prod([each for p, each in enumerate(alone) if p != seat], axis=0) for seat in range(len(reach))]
    )


def best_hands(share: float) -> np.ndarray:
    pairs = pair_outcomes()
    order = np.argsort(-(pairs.equity * pairs.deals).sum(axis=1) / pairs.deals.sum(axis=1))
    reach = np.zeros(CLASSES)
    reach[order[np.cumsum(combinations()[order]) <= share * 1326]] = 1.0
    return reach


def errors(draws: list[np.ndarray], samples: int) -> dict[str, object]:
    """Root mean square errors of shares over classes, seats and draws, and what seats expect together, in pots."""
    ways = {"odds": by_odds, "products": by_products}
    squares, expected, weight = dict.fromkeys(ways, 0.0), {way: [] for way in ways}, 0.0
    for number, reach in enumerate(draws):
        cards = multiway_equity([from_classes(row) for row in reach], samples=samples, seed=number)
        found = {way: share(reach) for way, share in ways.items()}
        sums = dict.fromkeys(ways, 0.0)
        for seat in range(len(reach)):
            held = combinations() * class_weights(cards.reach[seat])
            won = combinations() * class_weights(np.nan_to_num(cards.hand_equity[seat]) * cards.reach[seat])
            often = held > OFTEN
            share = won[often] / held[often]
            weight += held[often].sum()
            for way in ways:
                squares[way] += held[often] @ (found[way][seat][often] - share) ** 2
                sums[way] += held[often] @ found[way][seat][often] / held[often].sum()
        for way in ways:
            expected[way].append(sums[way] - 1.0)
    return {
        way: {
            "root mean square error of a share": float(np.sqrt(squares[way] / weight)),
            "pots too many, mean": float(np.mean(expected[way])),
            "largest": float(np.abs(expected[way]).max()),
        }
        for way in ways
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=500_000)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--pairs", action="store_true", help="also ranges of pairs alone")
    wanted = parser.parse_args()
    out, begin = {}, time.perf_counter()
    for hands in range(3, 7):
        rng = np.random.default_rng(hands)
        draws = [np.array([best_hands(share) for share in rng.uniform(0.06, 0.7, hands)]) for _ in range(wanted.draws)]
        out[f"{hands} hands"] = errors(draws, wanted.samples)
    if wanted.pairs:
        pairs = np.diag(np.ones(13)).reshape(CLASSES)
        out["5 hands, all of them pairs"] = errors([np.array([pairs] * 5)], wanted.samples)
    machine = {"cores": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()}
    told = {"samples": wanted.samples, "draws": wanted.draws, "seconds": time.perf_counter() - begin}
    print(json.dumps({"benchmark": "several_hands", "machine": machine, **told, "results": out}, indent=2))


if __name__ == "__main__":
    main()
