"""Bubble factors where bounties are at stake, too: whoever covers another wins its bounty with its chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from equilibrist.core.errors import TooLargeError
from equilibrist.games.tournaments.bubble_factors import BubbleFactors, bubble_factors
from equilibrist.games.tournaments.fields import Floats, check_bounties, check_payouts, check_stacks
from equilibrist.games.tournaments.knockouts import MOST_BY_SETS, bounty_flow
from equilibrist.games.tournaments.standings import Standings, make_standings


def knockout_bubble_factors(
    stacks: ArrayLike,
    payouts: ArrayLike,
    bounties: ArrayLike,
    *,
    progressive: float = 0.0,
    seats: Sequence[int] | None = None,
    at_risk: ArrayLike | None = None,
) -> BubbleFactors:
    """Bubble factors of prizes and bounties together, for up to 12 players with chips; below one where a bounty is worth the risk."""
    chips = check_stacks(stacks)
    if np.count_nonzero(chips) > MOST_BY_SETS:
        raise TooLargeError(
            f"Bubble factors with bounties are for up to {MOST_BY_SETS} players with chips, but there are "
            f"{np.count_nonzero(chips):,}; leave the bounties out."
        )
    heads = check_bounties(bounties, chips)
    start = make_standings(
        chips.tolist(), check_payouts(payouts).tolist(), bounties=heads.tolist(), progressive=progressive
    )
    prizes = bubble_factors(chips, start.payouts, seats=seats, at_risk=at_risk)

    @cache
    def bounties_after(giver: int, taker: int, amount: float) -> Floats:
        after, cash = start.moved(giver, taker, amount)
        both: Floats = expected_bounties(after) + np.array(cash)
        return both

    won, lost = prizes.equity_won.copy(), prizes.equity_lost.copy()
    for a, b in permutations(range(prizes.seats.size), 2):
        one, other, amount = int(prizes.seats[a]), int(prizes.seats[b]), float(prizes.at_risk[a, b])
        won[a, b] += bounties_after(other, one, amount)[one]
        lost[a, b] += bounties_after(one, other, amount)[one]
    equity = prizes.equity + expected_bounties(start)[prizes.seats]
    return replace(prizes, equity=equity, equity_won=won, equity_lost=lost)


def expected_bounties(standings: Standings) -> Floats:
    """[player] cash that is still to come from bounties."""
    chips, out = np.array(standings.stacks), np.zeros(len(standings.stacks))
    alive = np.flatnonzero(chips)
    out[alive] = np.array(standings.bounties)[alive] @ bounty_flow(chips[alive], standings.progressive)
    return out
