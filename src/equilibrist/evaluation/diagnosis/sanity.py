"""Tests of common sense of a blueprint: each passes, fails with the hands and lines that offend, or does not apply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, NAMES, class_number, disjoint_pairs
from equilibrist.cards.allins.pairs import pair_outcomes
from equilibrist.core.arrays import Bools, Floats
from equilibrist.evaluation.diagnosis.first_round import FirstRound
from equilibrist.evaluation.diagnosis.untrained import Untrained
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

NEVER_FOLD, NOT_TO_A_BET = ("AA", "KK"), ("QQ", "AKs")  # the second fold to no raise that leaves chips behind
FOLDS = 0.02  # chance of a fold that is no rounding of bytes
FOLDS_MORE = 0.1  # how much more often than a weaker hand
STRONGER = 0.01  # difference of equity from which a hand is the stronger one
PLAYED = 1e-4  # hands that get to a decision less often have not learnt what to do there
IN_PLAY = 0.001  # share of decisions in play at rows that were never trained


@dataclass(frozen=True)
class Offence:
    """A hand and a line that fail a test."""

    hand: str
    line: str
    text: str
    share: float  # of the times that the hand is dealt, or of the decisions of a street


@dataclass(frozen=True)
class SanityCheck:
    """One test."""

    name: str
    passed: bool | None  # None: it does not apply
    looked: int = 0  # situations that were looked at
    offences: tuple[Offence, ...] = ()  # the most frequent first
    why: str = ""  # why it does not apply

    @classmethod
    def of(cls, name: str, looked: int, offences: list[Offence]) -> SanityCheck:
        if not looked:
            return cls(name, None, why="there is no such decision that is ever played")
        ranked = sorted(offences, key=lambda each: -each.share)
        return cls(name, not ranked, looked, tuple(ranked))


PREMIUM = "premium hands do not fold before the flop to a single raise"
CALLS = "facing an all-in before the flop, a hand with more equity does not fold more"
TRAINED = "no action in play was never trained"


def sanity_checks(blueprint: PokerBlueprint, untrained: Untrained) -> tuple[SanityCheck, ...]:
    """The whole suite."""
    first = FirstRound(blueprint)
    if first.is_holdem:
        return premium_hands(first), calls_of_all_ins(first), never_trained(untrained)
    why = "it is for hold'em with 52 cards"
    return *(SanityCheck(name, None, why=why) for name in (PREMIUM, CALLS)), never_trained(untrained)


def premium_hands(first: FirstRound) -> SanityCheck:
    """Whether the best hands fold to one raise."""
    looked, found = 0, list[Offence]()
    nodes = [node for node in first.decisions if first.folds(node) and first.raises(node) == 1]
    for node, name in product(nodes, (*NEVER_FOLD, *NOT_TO_A_BET)):
        hand = class_number(name)
        share = first.share(node, hand)
        if share < PLAYED or (name in NOT_TO_A_BET and first.all_in(node)):
            continue
        looked += 1
        fold = float(first.strategies[node][hand, 0])
        if fold > FOLDS:
            found.append(Offence(name, first.tree.line(node), f"folds {100 * fold:.0f} %", share))
    return SanityCheck.of(PREMIUM, looked, found)


def calls_of_all_ins(first: FirstRound) -> SanityCheck:
    """Equity against the very range that went all-in decides alone: a call wins the more of it, and a fold costs all hands the same."""
    if not first.has_whole_boards:
        return SanityCheck(CALLS, None, why="it is for games with five board cards")
    nodes = [node for node in first.decisions if first.meets_all_in(node) and first.tree.players == 2]
    return SanityCheck.of(CALLS, *_folding_more(first, nodes))


def _stronger(first: FirstRound, node: int) -> Bools:
    """[hand, weaker hand] of one decision."""
    weights = disjoint_pairs() * first.reach[node][1 - int(first.tree.player[node])]
    equity: Floats = (weights * pair_outcomes().equity).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-300)
    return np.asarray(equity[:, None] > equity[None, :] + STRONGER)


def _folding_more(first: FirstRound, nodes: list[int]) -> tuple[int, list[Offence]]:
    """How many hands and decisions were looked at, and those where a hand folds more than a weaker one."""
    looked, found = 0, list[Offence]()
    for node in nodes:
        shares = [first.share(node, hand) for hand in range(CLASSES)]
        played = np.array(shares) >= PLAYED
        looked += int(played.sum())
        found += _offences(first, node, _stronger(first, node) & played[:, None] & played[None, :], shares)
    return looked, found


def _offences(first: FirstRound, node: int, better: Bools, shares: list[float]) -> Iterator[Offence]:
    """Each hand beside the weaker one that folds least."""
    fold = first.strategies[node][:, 0]
    least = np.where(better, fold[None, :], np.inf)
    for hand in np.flatnonzero(fold > least.min(axis=1) + FOLDS_MORE).tolist():
        weaker = int(least[hand].argmin())
        text = f"folds {100 * fold[hand]:.0f} %, but {NAMES[weaker]} {100 * fold[weaker]:.0f} %"
        yield Offence(NAMES[hand], first.tree.line(node), text, shares[hand])


def never_trained(found: Untrained) -> SanityCheck:
    """Whether play comes to rows that are as they were before training."""
    if not found.streets:
        return SanityCheck(TRAINED, None, why="its actions were purified, which leaves nothing of the rows")
    offences = [
        Offence("", each.street, f"{each.rows:,} of {each.of:,} rows were never trained", each.share.value)
        for each in found.streets
        if each.share.low > IN_PLAY
    ]
    return SanityCheck.of(TRAINED, sum(each.decisions for each in found.streets), offences)
