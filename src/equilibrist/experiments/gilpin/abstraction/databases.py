"""Precomputed tables of Texas hold'em bots: handval and db5 built and checked, db223 counted ([Gilpin09, §6.3.1])."""

from __future__ import annotations

import time
from math import comb

import numpy as np

from equilibrist.abstraction.cards.deals import HOLDEM, indexer_of
from equilibrist.cards.evaluator import boards_strengths, hand_index, pairs
from equilibrist.compute.machine import cores
from equilibrist.compute.workers import ThreadWorkers
from equilibrist.experiments.findings import Check, Findings, Request, equal, printed
from equilibrist.experiments.gilpin.abstraction.strength_tables import Prospects, flop_prospects, strength_of_all
from equilibrist.experiments.registry import Experiment

SIZES = {"handval": 133_784_560, "db5": 25_989_600, "db223": 14_047_378_800}  # [Gilpin09, §6.3.1]
CLASSES = (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)  # of five cards, the weakest category first
CATEGORIES = {  # seven-card hands by category, counted by combinatorics
    "high card": 23_294_460,
    "pair": 58_627_800,
    "two pair": 31_433_400,
    "three of a kind": 6_461_620,
    "straight": 6_180_020,
    "flush": 4_047_644,
    "full house": 3_473_184,
    "four of a kind": 224_848,
    "straight flush": 41_584,
}
ALONE = 3  # flop hands that are also counted one opponent and one runout at a time


def category_counts(strengths: np.ndarray[tuple[int], np.dtype[np.uint16]]) -> dict[str, int]:
    counts = np.bincount(strengths, minlength=sum(CLASSES) + 1)[1:]
    ends = np.cumsum(CLASSES)
    return {
        name: int(counts[end - width : end].sum()) for name, width, end in zip(CATEGORIES, CLASSES, ends, strict=True)
    }


def counted_alone(cards: list[int]) -> tuple[int, int]:
    """Wins and losses of hole cards and a flop, from the strengths of all hands on each of its runouts."""
    free = [card for card in range(52) if card not in cards]
    both = pairs(HOLDEM.deck).astype(np.int64)
    boards = np.array([[*cards[2:], a, b] for a in free for b in free if a < b])
    strengths, own = boards_strengths(boards), int(hand_index(np.array([cards[:2]]))[0])
    apart = ~np.isin(both, cards[:2]).any(axis=1)
    wins = losses = 0
    for row in strengths:
        met = row[apart & (row > 0)]
        wins += int((met < row[own]).sum())
        losses += int((met > row[own]).sum())
    return wins, losses


def flop_checks(found: Prospects) -> list[Check]:
    indexer = indexer_of(HOLDEM.merged(1), HOLDEM.deck)
    times = indexer.multiplicity(np.arange(indexer.size))
    totals = [int(times @ table.astype(np.int64)) for table in (found.wins, found.losses)]
    rows = indexer.unindex(np.random.default_rng(1).choice(indexer.size, ALONE, replace=False))
    alone = [list(counted_alone(cards.tolist())) for cards in rows]
    return [
        *printed([equal("db5: entries", SIZES["db5"], int(times.sum()))]),
        equal("db5: entries up to suits", 1_286_792, len(found.wins)),
        equal("db5: wins and losses of all entries balance", totals[0], totals[1]),
        equal("db5: three entries counted one by one", alone, found.of(rows).tolist()),
    ]


def run(request: Request) -> Findings:
    workers = ThreadWorkers(cores())
    request.report("handval: strengths of all seven-card hands", 0.0)
    begin = time.perf_counter()
    strengths = strength_of_all(workers=workers)
    seconds = {"handval": time.perf_counter() - begin}
    counts = category_counts(strengths)
    checks = printed([equal("handval: entries", SIZES["handval"], len(strengths))])
    checks += [equal(f"handval: {name}", number, counts[name]) for name, number in CATEGORIES.items()]
    request.report("db5: flop hands against all others", 0.2)
    begin = time.perf_counter()
    found = flop_prospects(workers=workers, report=lambda share: request.report("db5", 0.2 + 0.7 * share))
    seconds["db5"] = time.perf_counter() - begin
    checks += flop_checks(found)
    pair_of_hands = comb(52, 2) * comb(50, 2) // 2 * comb(48, 3)
    checks += printed([equal("db223: entries", SIZES["db223"], pair_of_hands)])
    return Findings(
        setting="handval and db5 built whole, db5 up to suits; db223 counted only",
        checks=checks,
        published=SIZES,
        recomputed={"seven-card hands": CATEGORIES},
        measured={"seconds": seconds, "bytes": {"handval": strengths.nbytes, "db5": 2 * found.wins.nbytes}},
        remarks=["db223 is not built: who wins is worked out board by board where it is needed."],
    )


EXPERIMENT = Experiment(
    id="gilpin/databases",
    title="Tables of hand values and of flop prospects",
    source="[Gilpin09, §6.3.1]",
    seconds_quick=15,
    seconds_full=15,
    run=run,
    text="Texas hold'em",
    quick={"text": ("printed", "reference")},
)
