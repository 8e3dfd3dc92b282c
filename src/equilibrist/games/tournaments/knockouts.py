"""Knockout tournaments: a bounty lies on every head, paid at once or partly added to the taker's own (progressive, PKO).

Places are those of ICM. Who takes the bounty of a player is a model of its own: one of those who finish above it, with probability in
proportion to their stacks. The winner is paid what is on its own head, so that all bounties are paid out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from equilibrist.core.errors import ParameterError
from equilibrist.core.numbers import finite_number, whole_number
from equilibrist.games.tournaments._kernels.knockouts import pay_bounties, subset_knockouts
from equilibrist.games.tournaments.fields import Floats, check_bounties, check_stacks
from equilibrist.games.tournaments.icm import icm
from equilibrist.games.tournaments.sampled_icm import sampled_means

MOST_BY_SETS = 12  # players whose sets are summed; more are sampled


@dataclass(frozen=True)
class KnockoutEquity:
    """What every player is worth in a knockout tournament."""

    prizes: Floats  # [player] by ICM
    bounties: Floats  # [player] expected cash from bounties, one's own head included
    standard_error: Floats  # [player] of the bounties; zeros where they are exact
    samples: int  # 0: exact

    @property
    def equity(self) -> Floats:
        """[player] prizes and bounties together."""
        return self.prizes + self.bounties


def knockout_icm(
    stacks: ArrayLike, payouts: ArrayLike, bounties: ArrayLike, *, progressive: float = 0.0, before: ArrayLike | None = None,
    samples: int = 100_000, seed: int = 0,
) -> KnockoutEquity:  # fmt: skip
    """Equities with bounties; `progressive` is the share that is added to the taker's own bounty (0: all in cash; 0.5: the usual PKO).

    Up to 12 players with chips exactly, more by `samples` finish orders with a standard error.
    """
    chips = check_stacks(stacks)
    heads = check_bounties(bounties, chips)
    kept = finite_number("progressive", progressive)
    if kept > 1.0:
        raise ParameterError(f"'progressive' is a share from 0 to 1, but {kept:g} was given; half is written 0.5.")
    prizes = icm(chips, payouts, before=before)
    alive = np.flatnonzero(chips)
    cash, error = np.zeros((2, chips.size))
    count = 0
    if alive.size <= MOST_BY_SETS:
        cash[alive] = heads[alive] @ bounty_flow(chips[alive], kept)
    else:
        count = whole_number("samples", samples, least=2)
        rng = np.random.default_rng(whole_number("seed", seed))
        cash[alive], error[alive] = _sampled(chips[alive], heads[alive], kept, count, rng)
    return KnockoutEquity(prizes, cash, error, count)


def bounty_flow(chips: Floats, kept: float) -> Floats:
    """[player, taker] expected cash from each unit of a bounty on a player's head."""
    players = chips.size
    out = np.zeros((players, players))
    subset_knockouts(chips / chips.sum(), kept, np.empty((1 << players, players, players)), out)
    return out


def _sampled(chips: Floats, heads: Floats, kept: float, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    def draw(rows: int) -> Floats:
        orders = np.argsort(rng.standard_exponential((rows, chips.size)) * (chips.max() / chips), axis=1)
        won = np.empty(orders.shape)
        pay_bounties(chips, heads, kept, orders, rng.random(orders.shape), won)
        return won

    return sampled_means(count, heads, draw)
