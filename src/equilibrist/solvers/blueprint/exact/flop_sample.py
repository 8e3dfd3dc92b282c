"""Which flops are looked at, and what can be said of all of them: exactly, or from a sample by an interval.

A best response decides before the flop by sums over all flops. Chosen on a sample and valued on the same sample it looks better than it
is; chosen on one half and valued on the other it is some response, so its mean is a lower bound. Both sides together hold the truth
(docs/blueprints.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equilibrist.cards.deck import Deck
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError
from equilibrist.solvers.blueprint.exact.flop_trunk import FlopSums, FlopTrunk

TAIL = 0.975  # each side of an interval is missed with 2.5 %
DRAWS = 2  # of a stratum in each half: the fewest that tell their own variance
LEAST = 8  # flops of a sample: two strata


@dataclass(frozen=True)
class FlopSample:
    """Two halves that are drawn alike: flops in order, cut into strata of equal weight, two draws from each."""

    draws: npt.NDArray[np.int64]  # [half, stratum, draw] numbers of flops

    @classmethod
    def draw(cls, copies: Longs, order: Longs, flops: int, seed: int) -> FlopSample:
        """A flop comes as often as it has copies; drawn twice it counts twice."""
        if flops < LEAST:
            raise ParameterError(f"A sample has at least {LEAST} flops, but {flops} were asked for.")
        if seed < 0:
            raise ParameterError(f"A seed is a whole number from 0 on, but {seed} was given.")
        strata = flops // (2 * DRAWS)
        where = (np.arange(strata)[:, None] + np.random.default_rng(seed).random((2, strata, DRAWS))) / strata
        ends = np.cumsum(copies[order])
        place = np.searchsorted(ends, where * ends[-1], side="right")
        return cls(order[np.minimum(place, len(order) - 1)])

    @property
    def numbers(self) -> Longs:
        """The flops that are drawn, each once."""
        return np.unique(self.draws)


def textures(cards: Longs, deck: Deck) -> Longs:
    """Numbers of flops [F, cards] such that flops alike stand together: by suits, pairs and high cards."""
    ranks = np.sort(np.array([[deck.rank(c) for c in row] for row in cards.tolist()]), axis=1)[:, ::-1]
    suits = np.array([len({deck.suit(c) for c in row}) for row in cards.tolist()])
    pairs = np.array([len(set(row)) for row in ranks.tolist()])
    return np.lexsort((*ranks.T[::-1], pairs, suits))


@dataclass(frozen=True)
class Bounds:
    """A number in chips a hand: estimates of a lower and of an upper bound, and an interval around both.

    With all flops both are the number itself, and the interval is what rounding may be off.
    """

    least: float
    most: float
    low: float
    high: float

    def scaled(self, factor: float) -> Bounds:
        """In another unit."""
        return Bounds(*(factor * each for each in (self.least, self.most, self.low, self.high)))


@dataclass(frozen=True)
class Judgement:
    """What is known of a blueprint."""

    value: Bounds  # of the first player where both follow the blueprint
    gain: tuple[Bounds, Bounds]  # what each player's best response wins more than the blueprint does in its place
    exploitability: Bounds  # the mean of both gains


class Judge:
    """Turns sums of flops into numbers."""

    def __init__(self, trunk: FlopTrunk, sums: Mapping[int, FlopSums], error: float) -> None:
        """`error`: chips that a value may be off by rounding."""
        self.trunk, self.sums, self.error = trunk, sums, error
        self.cards, self.copies = trunk.streets.flops

    @cached_property
    def _chips(self) -> float:
        """From the mean over all particular flops to chips a hand."""
        return self.trunk.streets.flop_chance * float(self.copies.sum()) / self.trunk.first.pairs

    def exactly(self) -> Judgement:
        """From all flops."""
        weight = self.copies / self.copies.sum()
        below = np.zeros(self.trunk.shape)
        for number in range(len(self.copies)):
            below += weight[number] * self.sums[number].best
        value = self._own + self._chips * sum(float(w) * self.sums[n].value for n, w in enumerate(weight))
        gains = [self._response(me, below[me]) - (value, -value)[me] for me in range(2)]
        return Judgement(
            self._known(value), (self._known(gains[0]), self._known(gains[1])), self._known((gains[0] + gains[1]) / 2.0)
        )

    def _known(self, number: float) -> Bounds:
        return Bounds(number, number, number - self.error, number + self.error)

    @cached_property
    def _own(self) -> float:
        """What the first player wins by folds before the flop where both follow the blueprint."""
        return self.trunk.folded(0, self.trunk.strategies[0])

    def _response(self, me: int, below: Floats) -> float:
        """Chips a hand of the best response where flops are worth `below` [root, kind] on average."""
        plan = _Plan.best(self.trunk, me, self._below(below))
        return plan.folded + self._chips * float((plan.taken * below).sum())

    def _below(self, mean: Floats) -> Floats:
        """Counterfactual values of all flops together, of their mean."""
        return mean * self.trunk.streets.flop_chance * float(self.copies.sum())

    def estimated(self, sample: FlopSample) -> Judgement:
        """From a sample."""
        best = np.array([[[self.sums[n].best for n in pair] for pair in half] for half in sample.draws.tolist()])
        value = self._chips * np.array(
            [[[self.sums[n].value for n in pair] for pair in half] for half in sample.draws.tolist()]
        )
        halves, whole = best.mean(axis=(1, 2)), best.mean(axis=(0, 1, 2))  # [half, player, root, kind]
        own = self._own + value
        lower, upper = [], []  # by player, gains draw by draw
        for me in range(2):
            sign = 1.0 - 2.0 * me
            crossed = [_Plan.best(self.trunk, me, self._below(halves[h][me])) for h in (1, 0)]
            lower.append(np.stack([self._won(crossed[h], best[h, :, :, me]) for h in range(2)]) - sign * own)
            naive = _Plan.best(self.trunk, me, self._below(whole[me]))
            upper.append(self._won(naive, best[:, :, :, me]) - sign * own)
        gains = [self._between(lower[me], upper[me]) for me in range(2)]
        mean = _mean(own)
        spread = self.error + _quantile(mean.freedom) * mean.error
        known = Bounds(mean.value, mean.value, mean.value - spread, mean.value + spread)
        return Judgement(
            known, (gains[0], gains[1]), self._between((lower[0] + lower[1]) / 2.0, (upper[0] + upper[1]) / 2.0)
        )

    def _won(self, plan: _Plan, best: Floats) -> Floats:
        """[...] chips a hand of a plan before the flop, flop by flop: `best` [..., root, kind]."""
        won: Floats = plan.folded + self._chips * np.einsum("...rk,rk->...", best, plan.taken)
        return won

    def _between(self, lower: Floats, upper: Floats) -> Bounds:
        """[half, stratum, draw] gains of responses that do not know the flops they are valued on, and of one that does."""
        halves, naive = [_mean(half[None]) for half in lower], _mean(upper)
        least = (halves[0].value + halves[1].value) / 2.0
        doubt = (halves[0].error + halves[1].error) / 2.0  # however much both depend on each other
        low = least - _quantile(halves[0].freedom) * doubt - self.error
        high = naive.value + _quantile(naive.freedom) * naive.error + self.error
        return Bounds(least, naive.value, max(low, 0.0), high)  # nobody gains less than nothing


@dataclass(frozen=True)
class _Plan:
    """A strategy before the flop, as far as values ask for it."""

    taken: Floats  # [root, kind]
    folded: float

    @classmethod
    def best(cls, trunk: FlopTrunk, me: int, below: Floats) -> _Plan:
        strategy = trunk.respond(me, below)
        return cls(trunk.taken(me, strategy), trunk.folded(me, strategy))


@dataclass(frozen=True)
class _Mean:
    value: float
    error: float  # standard
    freedom: int  # degrees of freedom of the error


def _mean(samples: Floats) -> _Mean:
    """[half, stratum, draw] strata weigh the same; halves are more draws from the same strata."""
    strata = np.moveaxis(samples, 1, 0).reshape(samples.shape[1], -1)
    count, draws = strata.shape
    variance = float(strata.var(axis=1, ddof=1).sum()) / draws / count**2
    return _Mean(float(strata.mean()), float(np.sqrt(variance)), count * (draws - 1))


def _quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, TAIL))
