"""ICM by sampled finish orders: a third route, which shares nothing with the other two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from equilibrist.core.numbers import whole_number
from equilibrist.games.tournaments.fields import Floats, check_before, check_payouts, check_stacks, prizes_for

AT_A_TIME = 1 << 20  # arrivals


@dataclass(frozen=True)
class SampledICM:
    """Mean prize money of each player over sampled finish orders, and its standard error."""

    equity: Floats  # [player]
    standard_error: Floats  # [player]
    samples: int
    seed: int


def sample_icm(
    stacks: ArrayLike, payouts: ArrayLike, *, before: ArrayLike | None = None, samples: int = 100_000, seed: int = 0
) -> SampledICM:
    """Equities by Monte Carlo: whoever arrives first of independent exponentials with rates = stacks has the first place."""
    chips = check_stacks(stacks)
    prizes = prizes_for(check_payouts(payouts), chips.size)
    earlier = check_before(before, chips)
    count = whole_number("samples", samples, least=2)
    rng = np.random.default_rng(whole_number("seed", seed))
    with np.errstate(divide="ignore"):
        means = np.where(chips > 0.0, chips.max() / chips, np.inf)
    mean, error = sampled_means(count, prizes, lambda rows: _one_portion(rng, means, earlier, prizes, rows))
    return SampledICM(mean, error, count, seed)


def sampled_means(count: int, shared: Floats, draw: Callable[[int], Floats]) -> tuple[Floats, Floats]:
    """Means and standard errors of what each player wins in `count` samples, `draw` giving some [sample, player]; all share `shared`."""
    total, squares = np.zeros((2, shared.size))
    centre = shared.mean()
    done = 0
    while done < count:
        rows = min(count - done, max(1, AT_A_TIME // shared.size))
        won = draw(rows) - centre
        total += won.sum(axis=0)
        squares += (won * won).sum(axis=0)
        done += rows
    mean = total / count
    variance = np.maximum(squares / count - mean * mean, 0.0) * count / (count - 1)
    return mean + centre, np.sqrt(variance / count)


def _one_portion(rng: np.random.Generator, means: Floats, earlier: Floats, prizes: Floats, rows: int) -> Floats:
    """[sample, player] prizes; players without chips come last, by what they had before, equal ones in a random order."""
    times = rng.standard_exponential((rows, means.size))
    alive = np.isfinite(means)
    times[:, alive] *= means[alive]
    order = np.lexsort(
        (times, np.broadcast_to(np.where(alive, 0.0, -earlier), times.shape), np.broadcast_to(~alive, times.shape))
    )
    out = np.empty(times.shape)
    np.put_along_axis(out, order, np.broadcast_to(prizes, times.shape), axis=1)
    return out
