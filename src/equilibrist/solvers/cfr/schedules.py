"""Schedules: how much past regrets and past strategies count, as functions of the iteration t = 1, 2, …

After iteration t a positive regret is multiplied by `positive(t)`, any other by `negative(t)`; before iteration t is added, the
average so far is multiplied by `keep(t)`. Weights w_t and discounts say the same: keep(t) = w_{t-1} / w_t. `Pruning` says what iterations
may leave out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np

from equilibrist.core.errors import ParameterError, suggest

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats


class Schedule(Protocol):
    """Three factors per iteration; t is an array of iteration numbers, and one number stands for all of them."""

    def positive(self, t: Floats) -> Floats: ...

    def negative(self, t: Floats) -> Floats: ...

    def keep(self, t: Floats) -> Floats: ...


class Factors(NamedTuple):
    """What a schedule says of some iterations."""

    positive: Floats  # [T], as the others
    negative: Floats
    keep: Floats


def check_schedule(schedule: object) -> None:
    """Refuses what has not the three functions of a schedule."""
    missing = [name for name in Factors._fields if not callable(getattr(schedule, name, None))]
    if missing:
        raise ParameterError(
            f"A schedule has positive(t), negative(t) and keep(t), but {schedule!r} has no {missing[0]}(t); use DCFR(...), PLUS, "
            "LINEAR, VANILLA or a class of your own with all three."
        )


def factors_of(schedule: Schedule, t: Floats) -> Factors:
    """The three factors at iterations t, as arrays of finite numbers that are not negative; whoever needs a schedule asks here."""
    check_schedule(schedule)
    return Factors(*(_factor(schedule, name, t) for name in Factors._fields))


def _factor(schedule: Schedule, name: str, t: Floats) -> Floats:
    try:
        given = getattr(schedule, name)(t)
    except Exception as error:  # anything may go wrong in a user's function
        raise ParameterError(
            f"{name}(t) of the schedule {schedule!r} raised {type(error).__name__} ({error}); t is an array of iteration numbers, and the "
            "answer is one number for all of them or an array of the same length."
        ) from error
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(t.shape, np.nan)
    if numbers.shape not in ((), t.shape):
        raise ParameterError(
            f"{name}(t) of the schedule {schedule!r} gave an array of shape {numbers.shape} for {len(t)} iterations; give one number or an "
            "array as long as t."
        )
    out = np.empty_like(t)
    out[:] = numbers
    wrong = np.flatnonzero(~(np.isfinite(out) & (out >= 0.0)))
    if len(wrong):
        shown = out[wrong[0]] if np.issubdtype(np.asarray(given).dtype, np.number) else given
        raise ParameterError(
            f"{name}(t) of the schedule {schedule!r} gave {shown!s:.60} at iteration {t[wrong[0]]:g}; a factor is a finite number of at "
            "least 0."
        )
    return out


def discount_factors(schedule: Schedule, iteration: int, count: int = 1) -> Floats:
    """[count, 3] in the iterations after this one: on positive regrets, on negative ones, on the average so far."""
    t = np.arange(iteration + 1, iteration + count + 1, dtype=np.float64)
    return np.stack(factors_of(schedule, t), axis=1)


@dataclass(frozen=True)
class Discounted:
    """DCFR weights ([Brown20, §3.1.2], "Regret Discounting for CFR and Its Variants").

    Infinite exponents are limits: alpha = inf never discounts, beta = -inf floors regrets at zero (RM+).
    """

    alpha: float = 1.5  # positive regrets
    beta: float = 0.0  # negative regrets
    gamma: float = 2.0  # average strategy

    def __post_init__(self) -> None:
        if math.isnan(self.alpha) or math.isnan(self.beta) or not self.gamma >= 0 or math.isinf(self.gamma):
            raise ParameterError(
                f"DCFR takes numbers alpha and beta (inf and -inf allowed) and a finite gamma >= 0, but "
                f"({self.alpha}, {self.beta}, {self.gamma}) were given."
            )

    def __repr__(self) -> str:
        return _CONSTANTS.get(self, f"DCFR(alpha={self.alpha:g}, beta={self.beta:g}, gamma={self.gamma:g})")

    def positive(self, t: Floats) -> Floats:
        return constant_discount(t, self.alpha)

    def negative(self, t: Floats) -> Floats:
        return constant_discount(t, self.beta)

    def keep(self, t: Floats) -> Floats:
        return ((t - 1.0) / t) ** self.gamma if self.gamma else np.ones_like(t)


DCFR = Discounted  # its public name
VANILLA = Discounted(math.inf, math.inf, 0.0)  # CFR
LINEAR = Discounted(1.0, 1.0, 1.0)  # LCFR
PLUS = Discounted(math.inf, -math.inf, 1.0)  # CFR+
_CONSTANTS = {VANILLA: "VANILLA", LINEAR: "LINEAR", PLUS: "PLUS"}


@dataclass(frozen=True)
class HyperparameterSchedule:
    """HS-DCFR: exponents that move linearly with t ([Zhang24]); they rest when t passes the horizon's multiple.

    alpha(t) = 1 + 3 t/n, beta(t) = -1 - 2 t/n, gamma(t) = start - 5 t/n, kept inside the bounds of the proof (5, -5, 5).
    """

    start: float = 30.0
    horizon: float = 1000.0  # n

    def positive(self, t: Floats) -> Floats:
        return power_discount(t, np.minimum(1.0 + 3.0 * t / self.horizon, 5.0))

    def negative(self, t: Floats) -> Floats:
        return power_discount(t, np.maximum(-1.0 - 2.0 * t / self.horizon, -5.0))

    def keep(self, t: Floats) -> Floats:
        return ((t - 1.0) / t) ** np.maximum(self.start - 5.0 * t / self.horizon, min(self.start, 5.0))


@dataclass(frozen=True)
class FlooredWith:
    """Regrets floored at zero, positive ones discounted with exponent alpha, averages with another schedule."""

    average: Schedule
    alpha: float = math.inf

    def positive(self, t: Floats) -> Floats:
        return constant_discount(t, self.alpha)

    def negative(self, t: Floats) -> Floats:
        return np.zeros_like(t)

    def keep(self, t: Floats) -> Floats:
        return self.average.keep(t)


@dataclass(frozen=True)
class Custom:
    """Arbitrary functions of t, for instance the schedule of a depth-limited agent ([Brown20, §6.5])."""

    positive_factor: Callable[[float], float]
    negative_factor: Callable[[float], float]
    keep_factor: Callable[[float], float]

    def positive(self, t: Floats) -> Floats:
        return np.array([self.positive_factor(x) for x in t])

    def negative(self, t: Floats) -> Floats:
        return np.array([self.negative_factor(x) for x in t])

    def keep(self, t: Floats) -> Floats:
        return np.array([self.keep_factor(x) for x in t])


def power_discount(t: Floats, exponent: Floats | float) -> Floats:
    """t^e / (t^e + 1)."""
    return 1.0 / (1.0 + np.power(t, -exponent))


def constant_discount(t: Floats, exponent: float) -> Floats:
    """t^e / (t^e + 1), with the limits for infinite exponents taken at every t, also t = 1."""
    if math.isinf(exponent):
        return np.ones_like(t) if exponent > 0.0 else np.zeros_like(t)
    return power_discount(t, exponent)


Method = Literal["none", "partial", "rbp", "brp"]
METHODS = ("none", "partial", "rbp", "brp")
ZERO_REACH = ("play", "safe", "scaled", "always")
BOUNDS = ("infoset", "history")


@dataclass(frozen=True)
class Pruning:
    """What may be left out, and from when on it is worth it."""

    method: Method = "none"
    skip: float = 25  # fewest iterations that an own action should stay pruned
    bound: str = "infoset"  # "history": bounds summed over histories, tighter and a little dearer
    forget: float = 0.0  # brp: C, the average of a pruned action is dropped below C / sqrt(T)
    zero_reach: str = "play"  # below actions never played: assume a best response where regret is low enough

    def __post_init__(self) -> None:
        _word("pruning", self.method, METHODS)
        _word("bound", self.bound, BOUNDS)
        _word("zero_reach", self.zero_reach, ZERO_REACH)
        for name, amount in (("skip", self.skip), ("forget", self.forget)):
            if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < math.inf:
                raise ParameterError(f"'{name}' is a number of at least 0, but {amount!r} was given.")
        if self.forget and self.method != "brp":
            raise ParameterError("'forget' drops averages of best-response pruning; add pruning=brp or leave it out.")
        if self.bound != "infoset" and self.method not in ("rbp", "brp"):
            raise ParameterError("'bound' is about own actions; add pruning=rbp or pruning=brp, or leave it out.")
        if self.zero_reach != "play" and self.method in ("rbp", "brp"):
            raise ParameterError(
                f"pruning={self.method} answers below unplayed actions already; leave 'zero_reach' out."
            )

    @property
    def walks(self) -> bool:
        """Whether histories have to be walked for it."""
        return self.method != "none" or self.zero_reach != "play"

    @property
    def own_actions(self) -> bool:
        return self.method in ("rbp", "brp")


def _word(what: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ParameterError(
            f"'{what}' is one of {', '.join(known)}, but {given!r} was given.{suggest(str(given), known)}"
        )
