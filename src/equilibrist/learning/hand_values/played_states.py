"""States as a street of betting leaves them: ranges from before the flop, the street before played by `PlayedStreet`, then a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.allins.pairs import pair_outcomes
from equilibrist.cards.evaluator import boards_strengths
from equilibrist.cards.range_text import STANDARD
from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Bools, Floats, Floats32, Longs
from equilibrist.forms.boards.street_betting import StreetForest, street_forests
from equilibrist.games.spots.spot import Spot
from equilibrist.learning.hand_values.belief_states import (
    BOARD_CARDS,
    HANDS,
    KINDS,
    BeliefStates,
    Street,
    as_stored,
    joined_states,
    possible_hands,
    smooth_weights,
)
from equilibrist.learning.hand_values.played_street import PlayedStreet, Reach, open_ends
from equilibrist.solvers.postflop.depth_limited.showdown_odds import odds_on

TOGETHER = 32  # states of one street that was played
RUNOUTS = 96  # from a flop, drawn
STOPS = (1, 2, 4, 8, 16, 32)  # iterations after which beliefs are taken
LEAST_DEPTH = 0.1  # of the pot
POT = 100.0
Bets = Mapping[str, Any]


def played_states(
    street: Street, count: int, random: np.random.Generator, depths: Sequence[float], bets: Bets
) -> BeliefStates:
    """Depths of a list where the street before begins; both players bet by `bets` there."""
    players, parts = random.spawn(-(-count // TOGETHER)), dict[int, BeliefStates]()

    def play(some: slice) -> None:
        for number in range(some.start, some.stop):
            parts[number] = _played(street, min(TOGETHER, count - number * TOGETHER), players[number], depths, bets)

    in_spans(len(players), play, least=1)
    return joined_states([parts[number] for number in range(len(players))])


def _room(street: Street, count: int) -> tuple[Longs, Floats32, Floats, Longs]:
    ranges = np.zeros((count, 2, HANDS.count), dtype=np.float32)
    kind = np.full(count, KINDS.index("played"))
    return np.zeros((count, BOARD_CARDS[street]), dtype=np.int64), ranges, np.zeros(count), kind


def _played(
    street: Street, count: int, random: np.random.Generator, depths: Sequence[float], bets: Bets
) -> BeliefStates:
    """States after one street."""
    cards = BOARD_CARDS[street] - 1
    before = random.permutation(STANDARD.size)[:cards]
    following = random.permutation(np.setdiff1d(np.arange(STANDARD.size), before))  # a card for each state
    betting = _betting(cards, float(random.choice(np.asarray(depths))), tuple(bets.items()))
    hands = np.flatnonzero(possible_hands(before[None])[0])
    play = _street(before, hands, betting, random)
    ends, behind = open_ends(betting, LEAST_DEPTH)
    boards, ranges, depth, kind = _room(street, count)
    stops = np.sort(random.choice(STOPS, count))
    for n in range(count):
        play.run(int(stops[n]) - play.iterations)
        end = int(random.integers(len(ends)))
        boards[n], depth[n] = [*before, following[n]], round(behind[end], 3)
        ranges[n][:, hands] = np.stack(play.beliefs(int(ends[end]), bool(random.integers(2))))
    return BeliefStates(boards, as_stored(ranges, possible_hands(boards)[:, None]), depth, kind)


def _street(before: Longs, hands: Longs, betting: StreetForest, random: np.random.Generator) -> PlayedStreet:
    boards = _runouts(before, random)
    free = STANDARD.size - len(before)
    missing = 5 - len(before)
    both = np.prod(
        [(free - 4 - k) / (free - k) for k in range(missing)]
    )  # of the boards leave two hands that share no card
    odds = odds_on(boards, np.full(len(boards), 1.0 / (both * len(boards))), hands, hands)
    place, spread = _standing(boards, hands)
    starts = _starts(place, hands, random)
    level = random.normal(0.0, 0.1) * np.array([1.0, -1.0])  # who plays better from here on, or has position
    draws = random.normal(0.0, 0.3, 2)
    first, second = ((level[p] + draws[p] * (spread - spread.mean())).astype(np.float32) for p in range(2))
    return PlayedStreet(betting, odds, _apart()[np.ix_(hands, hands)], starts, (first, second))


def _starts(place: Floats, hands: Longs, random: np.random.Generator) -> Reach:
    """[H] weights as betting before this street leaves them: of classes of hole cards, and often of how they stand on the board."""
    weights = smooth_weights(class_places()[None, None], random)[0][:, HANDS.cell[hands]]
    weights *= (random.random((2, CLASSES)) < random.uniform(0.3, 1.0, (2, 1)))[:, HANDS.cell[hands]]
    if random.random() < 0.5:
        weights *= smooth_weights(place[None, None], random)[0]
    top = np.maximum(weights.max(axis=1, keepdims=True), 1e-12)
    first, second = np.maximum(weights / top, 1e-3).astype(np.float32)
    return first, second


def _runouts(before: Longs, random: np.random.Generator) -> Longs:
    """[board, 5] all rivers of a turn, some of a flop."""
    left = np.setdiff1d(np.arange(STANDARD.size), before)
    if len(before) == 4:
        more = left[:, None]
    else:
        more = random.permuted(np.broadcast_to(left, (RUNOUTS, len(left))), axis=1)[:, : 5 - len(before)]
    return np.column_stack([np.broadcast_to(before, (len(more), len(before))), more])


def _standing(boards: Longs, hands: Longs) -> tuple[Floats, Floats]:
    """[H] share of the hands that are worse, and the standard deviation of how a hand stands on complete boards."""
    strengths = boards_strengths(boards.astype(np.uint8))[:, hands].astype(np.float64)
    there: Bools = strengths > 0.0
    rank = strengths.argsort(axis=1).argsort(axis=1) / len(hands)
    number = np.maximum(there.sum(axis=0), 1)
    mean = (rank * there).sum(axis=0) / number
    spread = np.sqrt(np.maximum((rank**2 * there).sum(axis=0) / number - mean**2, 0.0))
    return mean.argsort().argsort() / len(hands), spread


@cache
def class_places() -> Floats:
    """[class] share of the classes that are worse against an even range."""
    table = pair_outcomes()
    equity = (table.equity * table.deals).sum(axis=1) / table.deals.sum(axis=1)
    out: Floats = equity.argsort().argsort() / CLASSES
    return out


@cache
def _apart() -> Floats32:
    """[1326, 1326] whether two hands share no card."""
    cards = np.zeros((HANDS.count, STANDARD.size), dtype=np.float32)
    cards[np.arange(HANDS.count), HANDS.low] = cards[np.arange(HANDS.count), HANDS.high] = 1.0
    out: Floats32 = (cards @ cards.T == 0.0).astype(np.float32)
    return out


@lru_cache(maxsize=256)
def _betting(cards: int, depth: float, bets: tuple[tuple[str, Any], ...]) -> StreetForest:
    """One street from a pot that is `depth` deep; what comes after it does not count."""
    board = "".join(map(STANDARD.label, range(0, 4 * cards, 4)))
    everything = {"oop": "random", "ip": "random"}
    spot = Spot(board=board, pot=POT, stack=round(POT * depth, 6), range=everything, bets=dict(bets))
    return street_forests(spot)[0]
