"""Endgames solved by linear program on buckets of hands: the solvers of two theses ([Lu16, chapter 4]; [Ganzfried15, chapter 10]).

Both are unsafe: the opponent's range is believed. `search` and `search_spot` are the modern way, exact in hands and, if asked, safe.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, suggest
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.search.endgame_programs.endgame_betting import EndgameBetting
from equilibrist.search.endgame_programs.endgame_buckets import (
    BUCKETINGS,
    bucket_budget,
    endgame_buckets,
    percentile_buckets,
)
from equilibrist.search.endgame_programs.endgame_form import BucketPairs, Weighting, bucket_pairs, endgame_form
from equilibrist.search.endgame_programs.endgame_response import endgame_exploitability
from equilibrist.search.endgame_programs.joint_hands import JointHands
from equilibrist.search.subgame_solving import cfr_settings
from equilibrist.solvers.cfr.runs import SequenceRun
from equilibrist.solvers.linear_programs.plan_program import Goal, PlanProgram

Base = Callable[
    [int, str], Floats | None
]  # (player, line) -> [hand, action], or None where the base does not know the line

DUST = 1e-9  # plan entries below are zeros with rounding
EVERY_HAND = "hands"  # the bucketing with one bucket for each hand


@dataclass(frozen=True)
class EndgameMethod:
    """How an endgame is made small and solved."""

    name: str
    bucketing: str = "phs"  # one of `BUCKETINGS`, or "hands"
    top: float = 0.98  # equity from which hands are the best there are; for "phs"
    infosets: int = 7500  # of each player, at most: buckets times betting sequences
    buckets: int | None = None  # so many instead
    nonzeros: float = math.inf  # payoff entries, at most
    weighting: Weighting = "joint"
    outside: bool = False  # buckets also for hands that the own range leaves out
    solver: str = "lp"  # or one of the CFR family
    lp_method: str = "choose"
    iterations: int = 1000  # of CFR
    tremble: float = 0.0  # share of hands in which the opponent of the program plays uniformly; breaks ties

    def __post_init__(self) -> None:
        known = (*BUCKETINGS, EVERY_HAND)
        if self.bucketing not in known:
            raise ParameterError(
                f"The bucketing '{self.bucketing}' is not one of {', '.join(known)}.{suggest(self.bucketing, known)}"
            )
        if self.infosets < 1 or (self.buckets is not None and self.buckets < 1) or not 0.0 <= self.tremble < 1.0:
            raise ParameterError("Give one or more infosets and buckets, and a tremble from 0 to below 1.")


LU = EndgameMethod("lu", top=0.98, nonzeros=6e4)  # the text gives no budget of infosets
GANZFRIED = EndgameMethod("ganzfried", top=0.99, infosets=7500, outside=True)
EXACT = EndgameMethod("exact", bucketing=EVERY_HAND)


@dataclass(frozen=True)
class EndgameSolution:
    """Strategies of both players, by bucket, and what they are worth."""

    betting: EndgameBetting
    hands: JointHands = field(repr=False)
    method: EndgameMethod
    buckets: tuple[Longs, Longs] = field(repr=False)  # [hand]; -1: cannot be held
    pairs: BucketPairs = field(repr=False)
    behaviour: tuple[Floats, Floats] = field(repr=False)  # [hand, sequence + 1]
    value: float  # of the bucketed game to player 1, chips of the whole hand
    nonzeros: int
    seconds: Mapping[str, float]  # by stage

    @property
    def used(self) -> tuple[int, int]:
        """Buckets in use."""
        return int(self.pairs.mass.shape[0]), int(self.pairs.mass.shape[1])

    def at(self, line: str, player: int) -> Floats:
        """[hand, action] after a line of betting, from the start of the endgame."""
        tree = self.betting.players[player]
        number = tree.infoset(line)
        first = int(tree.first[number])
        return self.behaviour[player][:, first : first + int(tree.width[number])]

    @cached_property
    def exploitability(self) -> float:
        """In chips, by exact best responses of all hands with these ranges."""
        first, second = (self.betting.players[p].plan(self.behaviour[p]) for p in (0, 1))
        return endgame_exploitability(self.betting, self.hands, (first, second))


def solve_endgame(
    betting: EndgameBetting,
    hands: JointHands,
    method: EndgameMethod = LU,
    *,
    player: int | None = None,
    base: Base | None = None,
) -> EndgameSolution:
    """Bucket the hands, solve the bucketed endgame and give every hand the strategy of its bucket.

    With `player`, only that player's program is solved and the other plan is read off its multipliers. Where a plan never comes, the
    hand plays by `base` if that knows the line, and uniformly otherwise.
    """
    clock = _Clock()
    buckets = choose_buckets(betting, hands, method)
    pairs = bucket_pairs(hands, buckets, method.weighting)
    clock.stop("buckets")
    form = endgame_form(betting, pairs)
    clock.stop("matrices")
    plans, value = _by_program(form, method, player) if method.solver == "lp" else _by_cfr(form, method)
    clock.stop("solving")
    first, second = (_spread(betting, hands, p, plans[p], buckets[p], base) for p in (0, 1))
    clock.stop("strategy")
    return EndgameSolution(
        betting, hands, method, buckets, pairs, (first, second), value, form.payoff.nonzeros, clock.seconds
    )


def choose_buckets(betting: EndgameBetting, hands: JointHands, method: EndgameMethod) -> tuple[Longs, Longs]:
    """Both players' buckets, as many as the budget allows."""
    first, second = (_buckets_of(betting, hands, method, p) for p in (0, 1))
    return first, second


def _buckets_of(betting: EndgameBetting, hands: JointHands, method: EndgameMethod, player: int) -> Longs:
    equities = hands.equities(player, outside=method.outside)
    if method.bucketing == EVERY_HAND:
        held = equities >= 0
        return np.where(held, np.cumsum(held) - 1, -1)
    count = method.buckets or bucket_budget(method.infosets, betting.players[player].sequences, equities)
    if method.nonzeros < math.inf:
        count = min(count, max(1, math.isqrt(int(method.nonzeros / betting.terminals))))
    if method.bucketing == "phs":
        return percentile_buckets(equities, count, top=method.top)
    return endgame_buckets(equities, count, method.bucketing)


def _by_program(form: SequenceForm, method: EndgameMethod, player: int | None) -> tuple[list[Floats], float]:
    """Plans of both players; each from its own program unless one player asks."""
    plans: list[Floats] = [np.empty(0), np.empty(0)]
    value = 0.0
    for solving in (0, 1) if player is None else (player,):
        program = PlanProgram(form, solving)
        found = program.maximise(_goal(form, program, method.tremble), method=method.lp_method)
        plans[solving] = found.plan
        value = found.guarantee if solving == 0 else -found.guarantee
        if player is not None:
            plans[1 - solving] = found.opponent
    return plans, value


def _goal(form: SequenceForm, program: PlanProgram, tremble: float) -> Goal | None:
    """What is maximised when the opponent plays uniformly now and then; None: the guarantee alone."""
    if not tremble:
        return None
    other = slice(int(form.offset[1 - program.player]), int(form.offset[2 - program.player]))
    uniform = form.plan(form.behaviour(np.zeros(int(form.offset[2]))))[other]
    weight = np.zeros(program.other.shape[0])
    weight[0] = 1.0 - tremble
    return Goal(payoff=tremble * form.payoff.gradient(program.player, uniform), weight=weight)


def _by_cfr(form: SequenceForm, method: EndgameMethod) -> tuple[list[Floats], float]:
    run = SequenceRun(cfr_settings(method.solver), form)
    run.advance(method.iterations)
    plan = form.plan(form.strategy(run.average()))
    plans = [plan[: int(form.offset[1])], plan[int(form.offset[1]) :]]
    return plans, float(plans[0] @ form.payoff.gradient(0, plans[1]))


def _spread(
    betting: EndgameBetting, hands: JointHands, player: int, plan: Floats, buckets: Longs, base: Base | None
) -> Floats:
    """[hand, sequence + 1] behaviour of every hand: that of its bucket, or of the bucket nearest in equity."""
    tree = betting.players[player]
    count = int(buckets.max()) + 1
    rows = np.maximum(plan[1:], 0.0).reshape(count, tree.sequences)
    rows = np.where(rows > DUST, rows, 0.0)
    out = np.ones((len(buckets), tree.sequences + 1))
    place = _nearest(hands.equities(player, outside=True), buckets)
    for number, (first, width) in enumerate(zip(tree.first, tree.width, strict=True)):
        weight = rows[:, first - 1 : first - 1 + width]
        total = weight.sum(axis=1, keepdims=True)
        known = np.divide(weight, total, out=np.full_like(weight, 1.0 / width), where=total > 0)[place]
        given = None if base is None else base(player, tree.lines[number])
        if given is not None:
            usable = (total[place] <= 0) & (given.sum(axis=1, keepdims=True) > 0)
            known = np.where(usable, given, known)
        out[:, first : first + width] = known
    return out


def _nearest(equities: Floats, buckets: Longs) -> Longs:
    """Buckets, with those of the nearest equity for hands that have none."""
    held = np.flatnonzero(buckets >= 0)
    out = buckets.copy()
    for hand in np.flatnonzero(buckets < 0):
        out[hand] = buckets[held[int(np.argmin(np.abs(equities[held] - equities[hand])))]]
    return out


class _Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begin = time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage] = now - self._begin
        self._begin = now
