"""Hands a second at the table beside pokerkit: the same random hands of six players, in the same run."""

from __future__ import annotations

import json
import platform
import random
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "games"))

import test_poker_against_pokerkit as shared

from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import CHANCE, TERMINAL

HANDS = 300


def ours(seed: int) -> list[str]:
    """One random hand under our rules; the labels played."""
    rng = random.Random(seed)
    rules, _ = shared.table(rng, 6, False)
    node, played = Poker("table", rules).first, []
    cards = random.Random(seed).sample(range(52), 17)
    while node.player != TERMINAL:
        if node.player == CHANCE:
            node = node.after_deal
            continue
        played.append(shared.choose(rng, node))
        node = node.play(played[-1])
    board = tuple(cards[12 : 12 + sum(rules.board[: node.round + 1])])
    hole = tuple(tuple(cards[2 * p : 2 * p + 2]) for p in range(6))
    PokerState(Poker("table", rules), node, hole, board, "").returns()
    return played


def seconds(work: object) -> float:
    begin = time.perf_counter()
    for seed in range(HANDS):
        work(seed)
    return time.perf_counter() - begin


def setup(seed: int) -> None:
    """What both pay for: the pokerkit state that `table` makes."""
    shared.table(random.Random(seed), 6, False)


def both(seed: int) -> None:
    """The comparison of the tests: both engines, which also name the legal raises, and the checks between them."""
    shared.compare(seed, players=6, limit=False)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    ours(0)
    base = seconds(setup)
    mine, together = seconds(ours) - base, seconds(both) - base
    found = {
        "hands": HANDS,
        "ours_hands_per_second": round(HANDS / mine),
        "pokerkit_hands_per_second": round(HANDS / (together - mine)),
        "ratio": round((together - mine) / mine, 1),
        "machine": platform.processor() or platform.machine(),
    }
    print(json.dumps(found))
