"""Turn and river of limit hold'em from beliefs, as a linear program over buckets: second phase of GS1 and GS2 ([Gilpin09, §6.3 and §6.4]).

When the turn card comes, Bayes' rule on the strategies of the first phase says how likely each hand of either player is. Hands of this
one board are put into buckets, by expectation (GS2: 10 and 100) or by the threshold of lossy GameShrink (GS1: about 25 and 125), and the
game of two rounds that is left is solved exactly.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from equilibrist.abstraction.information._kernels.board_hands import add_pairs
from equilibrist.abstraction.information.board_hands import BoardHands, board_hands, equity
from equilibrist.abstraction.information.state_classes import MergedStates, by_value, merged_states
from equilibrist.cards.evaluator import boards_strengths
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError
from equilibrist.core.solution import Evaluation
from equilibrist.forms.hand_classes.class_pairs import weighted_pairs
from equilibrist.forms.hand_classes.classes import classes_from_parents
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, kronecker_form
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.linear_programs.plan_program import PlanProgram, PlanSolution
from equilibrist.solvers.plan_space.field import Field

BIG_BET, CAP = 4.0, 4


@dataclass(frozen=True, eq=False)
class TurnBuckets:
    """Buckets of all hands on one turn, and of all hands and rivers after it; both players use the same ones."""

    hands: BoardHands
    turn: Longs  # [H]
    river: Longs  # [C, H]; -1 where the hand holds the card

    @cached_property
    def counts(self) -> tuple[int, int]:
        return int(self.turn.max()) + 1, int(self.river.max()) + 1

    @cached_property
    def parent(self) -> Longs:
        """[river buckets] the turn bucket before each."""
        out = np.zeros(self.counts[1], np.int64)
        card, hand = np.nonzero(self.river >= 0)
        out[self.river[card, hand]] = self.turn[hand]
        return out


def expectation_buckets(hands: BoardHands, sizes: tuple[int, int] = (10, 100)) -> TurnBuckets:
    """EB of one board: clusters of w + d/2, river buckets shared out among turn buckets by the 0-1 program."""
    turn = by_value(np.zeros(len(hands.hands), np.int64), equity(hands.outcomes), np.ones(len(hands.hands)), sizes[0])
    card, hand = np.nonzero(hands.possible)
    values = equity(hands.after[card, hand])
    return TurnBuckets(hands, turn, _table(hands, by_value(turn[hand], values, np.ones(len(hand)), sizes[1])))


@dataclass(frozen=True, eq=False)
class ThresholdBuckets:
    """Lossy GameShrink of one board: the buckets, and the thresholds that bisection found."""

    buckets: TurnBuckets
    thresholds: tuple[float, float]


def threshold_buckets(hands: BoardHands, sizes: tuple[int, int] = (25, 125)) -> ThresholdBuckets:
    """Thresholds of turn, then river, by bisection, so that no more than `sizes` classes are left."""
    turn = turn_merges(hands)
    first = turn.bisect(sizes[0])
    classes = turn.classes(first)
    card, hand = np.nonzero(hands.possible)
    river = merged_states(classes[hand], _stairs(hands.after[card, hand]), cost="aligned")
    second = river.bisect(sizes[1])
    return ThresholdBuckets(TurnBuckets(hands, classes, _table(hands, river.classes(second))), (first, second))


def turn_merges(hands: BoardHands) -> MergedStates:
    """Merges of turn hands: rivers after two hands are matched in order of strength.

    Algorithm 3 asks for the cheapest matching, half a million assignments for one board. In order of w + d/2 most pairs cost the same,
    but some that tie often cost more, so that a threshold may keep apart what the cheapest matching would merge.
    """
    held = hands.possible.T  # [H, C]
    after = hands.after.transpose(1, 0, 2)[held].reshape(len(hands.hands), -1, 3)
    order = np.lexsort((after[:, :, 0], 2 * after[:, :, 0] + after[:, :, 1]), axis=1)
    ranked = np.take_along_axis(after, order[:, :, None], axis=1)
    return merged_states(
        np.zeros(len(hands.hands), np.int64), _stairs(ranked).reshape(len(hands.hands), -1), cost="aligned"
    )


def _stairs(outcomes: Longs) -> Floats:
    """[…, 2] wins, and wins with ties."""
    return np.cumsum(outcomes[..., :2], axis=-1).astype(np.float64)


def _table(hands: BoardHands, labels: Longs) -> Longs:
    out = np.full(hands.possible.shape, -1, np.int64)
    out[hands.possible] = labels
    return out


@dataclass(frozen=True, eq=False)
class TurnProgram:
    """A bucketed turn with beliefs: two rounds of limit betting, payoffs in chips of the whole hand."""

    buckets: TurnBuckets
    ranges: tuple[
        Floats, Floats
    ]  # [H] how likely each hand is, up to a factor; cards that collide are left to the pairs
    form: KroneckerForm

    def solve(self, player: int = 0, method: str = "ipm") -> TurnSolution:
        """The player's program by HiGHS; the opponent's plan comes from its multipliers."""
        begin = time.perf_counter()
        found = PlanProgram(self.form, player).maximise(method=method)
        return TurnSolution(self, player, found, time.perf_counter() - begin)


@dataclass(frozen=True, eq=False)
class TurnSolution:
    """Plans of both players and what they are worth."""

    program: TurnProgram
    player: int
    found: PlanSolution
    seconds: float

    @property
    def value(self) -> float:
        """To player 1, by the program."""
        return self.found.guarantee if self.player == 0 else -self.found.guarantee

    @cached_property
    def plan(self) -> Floats:
        """[sequences of both players]"""
        both = (self.found.plan, self.found.opponent)
        return np.maximum(np.concatenate(both if self.player == 0 else both[::-1]), 0.0)

    @cached_property
    def evaluation(self) -> Evaluation:
        """By best responses to both plans, without the program: the second route to the value."""
        field = Field(self.program.form)
        return field.evaluate(field.plan(field.behaviour(self.plan)))


def turn_program(
    board: Sequence[int],
    ranges: tuple[ArrayLike, ArrayLike],
    pot: float,
    *,
    buckets: TurnBuckets | None = None,
    bet: float = BIG_BET,
    cap: int = CAP,
) -> TurnProgram:
    """The program of a turn with this pot (half of it from each) and ranges [all pairs] of both players."""
    made = buckets or expectation_buckets(board_hands(board))
    hands = made.hands
    if tuple(board) != hands.board or not pot > 0:
        raise ParameterError(f"Give a pot above 0 and buckets of the board {list(board)}, not of {list(hands.board)}.")
    reach = np.stack([np.asarray(given, np.float64)[hands.hands] for given in ranges])
    reach /= np.maximum(reach.max(axis=1, keepdims=True), 1e-300)
    met = _meetings(made, reach)
    if not met[0].any():
        raise ParameterError("No two hands of these ranges can be dealt together on this board; give wider ranges.")
    rules = PokerRules(
        hands.deck, board=(0, 1), menus=(Menu((f"{bet:g}c",)),) * 2, caps=(cap, cap), hole=2, ante=pot / 2.0
    )
    turn, river = made.counts
    classes = classes_from_parents(rules, [np.zeros(turn, np.int64), made.parent])
    last = weighted_pairs(met[0], met[1])
    pairs = (last.merged(made.parent, made.parent), last)
    name = f"a turn with {turn} and {river} buckets"
    return TurnProgram(made, (reach[0], reach[1]), kronecker_form(rules, classes, name=name, pairs=pairs))


def _meetings(made: TurnBuckets, reach: Floats) -> Floats:
    """[4, buckets, buckets] over all rivers: weight of the deals, and wins minus losses."""
    hands, (_, count) = made.hands, made.counts
    out, nothing = np.zeros((4, count, count)), np.zeros((1, 1, 3))
    boards = np.array([[*hands.board, card] for card in hands.coming.tolist()], np.uint8)
    strengths = boards_strengths(boards, hands.deck)[:, hands.hands].astype(np.int64)
    for strength, river in zip(strengths, made.river, strict=True):
        here = river >= 0
        cards = np.ascontiguousarray(hands.low[here]), np.ascontiguousarray(hands.high[here])
        both = np.stack([river[here]] * 2)
        value = np.zeros(int(here.sum()), np.int64)
        add_pairs(strength[here], *cards, np.ascontiguousarray(reach[:, here]), both, value, nothing, nothing, out)
    return out
