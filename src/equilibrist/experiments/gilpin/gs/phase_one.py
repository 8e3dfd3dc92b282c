"""The first phase of GS2 on a sample of boards: limit hold'em without its river, solved with EGT-2 ([Gilpin09, §6.4.1 and §7.2]).

Hands are put into classes by how often they win when the rest is dealt out: by expectation (new), or by the threshold of lossy GameShrink
(old). The turn ends in a showdown (uniform roll-out), or in what simulated players make of the river (estimated payoffs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards.deals import HOLDEM, hole_columns, indexer_of
from equilibrist.abstraction.cards.features import Strength, feature_table
from equilibrist.abstraction.information._kernels.board_hands import add_outcomes, add_pairs
from equilibrist.abstraction.information.board_hands import board_hands, equity
from equilibrist.abstraction.information.state_classes import by_threshold, by_value
from equilibrist.cards.evaluator import FULL_DECK, boards_strengths, pairs
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.solution import Evaluation
from equilibrist.experiments.gilpin.gs.cut_form import CutForm
from equilibrist.experiments.gilpin.gs.simulated_round import ActionTable
from equilibrist.forms.hand_classes.class_pairs import weighted_pairs
from equilibrist.forms.hand_classes.classes import classes_from_parents
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, kronecker_form
from equilibrist.games.poker.family import limit_holdem
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.plan_space.field import Field

HANDS = len(pairs())
BIG_BET = 4.0
DIGITS = 3  # of winning probabilities that are clustered: a thousand values a class are enough


@dataclass(frozen=True)
class SampleSize:
    """How many boards stand for all: flops, turns of each, rivers of each turn."""

    flops: int
    turns: int
    rivers: int
    seed: int = 0


@dataclass(frozen=True, eq=False)
class SampledStrengths:
    """Sampled boards and how often every hand wins on them, w + d/2; -1 for hands that meet the board."""

    flops: Longs  # [F, 3]
    turns: Longs  # [F, T]
    rivers: Longs  # [F, T, R]
    preflop: Floats  # [pairs]
    flop: Floats  # [F, pairs]
    turn: Floats  # [F, T, pairs]


def board_sample(size: SampleSize) -> SampledStrengths:
    """Boards drawn evenly; winning probabilities before the flop, on flops and on turns are exact."""
    rng = np.random.default_rng([size.seed, 6_4_1])
    flops, turns = np.empty((size.flops, 3), np.int64), np.empty((size.flops, size.turns), np.int64)
    rivers = np.empty((size.flops, size.turns, size.rivers), np.int64)
    flop, turn = np.full((size.flops, HANDS), -1.0), np.full((size.flops, size.turns, HANDS), -1.0)
    for f in range(size.flops):
        deck = rng.permutation(FULL_DECK.size)
        flops[f], turns[f] = deck[:3], deck[3 : 3 + size.turns]
        known = board_hands(deck[:3].tolist())
        flop[f, known.hands] = equity(known.outcomes)
        for t, card in enumerate(turns[f]):
            after = known.after[int(np.searchsorted(known.coming, card))]
            turn[f, t, known.hands] = np.where(after.sum(axis=1) > 0, equity(after), -1.0)
            left = np.setdiff1d(known.coming, [card])
            rivers[f, t] = rng.choice(left, size.rivers, replace=False)
    return SampledStrengths(flops, turns, rivers, preflop_equity(), flop, turn)


def preflop_equity() -> Floats:
    """[pairs] exact winning probability of all hole cards."""
    table = np.asarray(feature_table(HOLDEM, 0, Strength()), np.float64)
    return np.asarray(table[indexer_of((2,), FULL_DECK).index(pairs().astype(np.int8)), 0])


@dataclass(frozen=True, eq=False)
class PhaseClasses:
    """Classes of all hands in three rounds, -1 for hands that meet the board."""

    preflop: Longs  # [pairs]
    flop: Longs  # [F, pairs]
    turn: Longs  # [F, T, pairs]
    parents: tuple[Longs, Longs, Longs]

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(len(parent) for parent in self.parents)

    def largest_share(self) -> tuple[float, ...]:
        """Of all hands of a round, in its largest class."""
        tables = (self.preflop, self.flop, self.turn)
        return tuple(float(np.bincount(t[t >= 0]).max() / (t >= 0).sum()) for t in tables)


def phase_classes(sample: SampledStrengths, sizes: tuple[int, int, int], method: str) -> PhaseClasses:
    """`expectation`: clusters, totals shared out by the 0-1 program; `threshold`: siblings merged along chains, one threshold a round."""
    preflop = _grown(np.zeros(HANDS, np.int64), sample.preflop, sizes[0], method)
    flop, before_flop = _layer(np.broadcast_to(preflop, sample.flop.shape), sample.flop, sizes[1], method)
    turn, before_turn = _layer(np.broadcast_to(flop[:, None], sample.turn.shape), sample.turn, sizes[2], method)
    return PhaseClasses(preflop, flop, turn, (np.zeros(int(preflop.max()) + 1, np.int64), before_flop, before_turn))


def _layer(above: Longs, values: Floats, total: int, method: str) -> tuple[Longs, Longs]:
    """Classes of one round, and the class before each."""
    live = values >= 0.0
    labels = _grown(above[live], values[live], total, method)
    out = np.full(values.shape, -1, np.int64)
    out[live] = labels
    parent = np.zeros(int(labels.max()) + 1, np.int64)
    parent[labels] = above[live]
    return out, parent


def _grown(before: Longs, values: Floats, total: int, method: str) -> Longs:
    if method == "threshold":
        return by_threshold(before, values[:, None], total)
    rounded = np.round(values, DIGITS) if len(values) > HANDS else values
    return by_value(before, rounded, np.ones(len(values)), total)


@dataclass(frozen=True, eq=False)
class Meetings:
    """How turn classes meet over all sampled boards [classes, classes], as shares of all deals."""

    chance: Floats
    balance: Floats  # wins minus losses
    share: Floats  # of the pot, after simulated betting
    bets: Floats  # won in simulated betting


def meetings(
    sample: SampledStrengths, classes: PhaseClasses, table: ActionTable, worth: tuple[Floats, Floats], team: Team
) -> Meetings:
    """All pairs of hands on all sampled boards."""
    flops = np.array_split(np.arange(len(sample.flops)), max(1, min(team.threads, len(sample.flops))))
    parts = team.run([partial(_met, sample, classes, table, worth, some) for some in flops])
    total = np.sum(parts, axis=0)
    return Meetings(*(total / total[0].sum()))


def _met(
    sample: SampledStrengths, classes: PhaseClasses, table: ActionTable, worth: tuple[Floats, Floats], flops: Longs
) -> Floats:
    out = np.zeros((4, classes.counts[2], classes.counts[2]))
    columns = hole_columns(FULL_DECK)
    for f in flops.tolist():
        for t, turn in enumerate(sample.turns[f]):
            boards = np.array([[*sample.flops[f], turn, river] for river in sample.rivers[f, t]], np.uint8)
            strengths = boards_strengths(boards)
            values = value_buckets(strengths, table)
            for strength, value in zip(strengths, values, strict=True):
                here = np.flatnonzero(strength)
                both = np.stack([classes.turn[f, t, here]] * 2)
                cards = columns[0][here], columns[1][here]
                reach = np.ones((2, len(here)))
                add_pairs(strength[here].astype(np.int64), *cards, reach, both, value[here], *worth, out)
    return out


def value_buckets(strengths: NDArray[np.uint16], table: ActionTable) -> Longs:
    """[boards, pairs] bucket of w - l + d/2 in a table of actions; strengths are of complete boards."""
    outcomes = np.zeros((*strengths.shape, 3), np.int64)
    add_outcomes(strengths, np.arange(len(strengths))[:, None], *hole_columns(FULL_DECK), outcomes)
    value = outcomes[..., 0] - outcomes[..., 2] + outcomes[..., 1] / 2.0
    most = len(table.rows[""]) - 1
    return np.clip(np.floor(value / table.width + 0.5).astype(np.int64) + most // 2, 0, most)


def three_rounds() -> PokerRules:
    """Limit hold'em up to the end of the turn."""
    rules = limit_holdem().rules
    return replace(rules, board=rules.board[:3], menus=rules.menus[:3], caps=rules.caps[:3], first=rules.first[:3])


def phase_form(classes: PhaseClasses, met: Meetings, *, estimated: bool, threads: int = 1) -> KroneckerForm | CutForm:
    """The game of three rounds; hands that reach its end are shown, or play a simulated river."""
    rules = three_rounds()
    turn = weighted_pairs(met.chance, met.balance)
    flop = turn.merged(classes.parents[2], classes.parents[2])
    preflop = flop.merged(classes.parents[1], classes.parents[1])
    name = "the first three rounds of limit hold'em"
    made = classes_from_parents(rules, classes.parents)
    base = kronecker_form(rules, made, name=name, threads=threads, pairs=(preflop, flop, turn))
    return CutForm(base, met.share, met.bets, BIG_BET) if estimated else base


@dataclass(frozen=True, eq=False)
class PhaseStrategy:
    """Behaviour of both players before the turn, by betting line: [classes of the round, actions]."""

    classes: PhaseClasses
    lines: Mapping[str, Floats]
    evaluation: Evaluation  # of the game of three rounds, chips a hand
    iterations: int
    second: tuple[float, float] | None = None  # bracket of that game's value by CFR, where its ends are plain showdowns

    @property
    def bracket(self) -> tuple[float, float]:
        """The value of the game of three rounds to player 1 lies in it, by best responses."""
        assert self.evaluation.best_response_value is not None
        best, other = self.evaluation.best_response_value
        return -other, best

    @property
    def gap(self) -> float:
        """What both players could gain together in the game of three rounds, chips a hand."""
        return self.evaluation.nash_conv


def phase_strategy(
    classes: PhaseClasses, form: KroneckerForm | CutForm, plan: Floats, evaluation: Evaluation, iterations: int
) -> PhaseStrategy:
    """What the first two rounds play; the turn of the first phase is thrown away, as in GS2."""
    base = form.base if isinstance(form, CutForm) else form
    behaviour = Field(form).behaviour(plan)
    lines: dict[str, Floats] = {}
    for player in range(2):
        own, layout = behaviour[int(base.offset[player]) :], base.layouts[player]
        for r in range(2):
            columns, count = base.rounds[r].columns[player], int(layout.count[r + 1])
            first = int(layout.base[r + 1])
            rows = own[first : first + count * int(layout.classes[r + 1])].reshape(-1, count)
            for line, begin, width in zip(columns.labels, columns.first, columns.actions, strict=True):
                lines[line] = rows[:, begin : begin + width]
    return PhaseStrategy(classes, lines, evaluation, iterations)
