"""Where and when to add a bet, and when to take one out again ([Brown20, §4.3.4 and §4.3.5])."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.solvers.bet_sizing.recovery_game import RecoveredTables
from equilibrist.solvers.responses._kernels.any_size_response import best_bets, weigh_candidates
from equilibrist.solvers.responses.any_size_response import LEAST, MOST, BetSizes, interval_response

WIDEST, NARROWING = 0.1, 0.5  # a new size x keeps min(0.1, 0.5 T^(-1/4)) from the others on the scale x / (1 + x)
DIGITS = 3  # of a new size


@dataclass(frozen=True)
class Candidate:
    """A bet outside the abstraction."""

    line: str
    token: str
    regret: float  # sum over the line's infosets of what never betting so has cost
    margin: float  # right side minus left side of Proposition 2


def best_candidate(
    sizes: BetSizes, tables: RecoveredTables, slot_size: Floats, threshold: float, *, response: bool = False
) -> Candidate | None:
    """The bet that most deserves to be added, if one does (Proposition 2, per public line)."""
    found: Candidate | None = None
    for player in range(2):
        values, folds, earned = sums_by_slot(sizes, tables, player, response)
        shares, regrets = _weigh(sizes, player, values, folds, earned, min(WIDEST, NARROWING * tables.weight**-0.25))
        inside = _largest_regrets(sizes, tables, player)
        whole = float(sizes.tree.histories)
        left = threshold * inside / whole
        for u in np.flatnonzero(regrets > 0.0):
            cost = _cost(sizes, slot_size, int(u))
            outside = regrets[u] * (2.0 - 1.0 / tables.weight)
            margin = (inside + outside) / (whole + cost) - left
            if margin > 0.0 and (found is None or margin > found.margin):
                token = f"{100.0 * shares[u]:.{DIGITS}g}%"
                found = Candidate(sizes.lines[u], token, float(regrets[u]), float(margin))
    return found


def sums_by_slot(
    sizes: BetSizes, tables: RecoveredTables, player: int, response: bool
) -> tuple[Floats, Floats, Floats]:
    """Sums over the past for a player: values of actions [slots], their parts from folds [slots], what was earned [I].

    Values of actions are best responses (an upper bound of regret), or what was earned by the play so far (regret transfer).
    """
    form, infosets = tables.form, sizes.tree.infosets
    own = form.slot >= 0
    plan = np.zeros(infosets.slots)
    plan[form.slot[own]] = tables.average[own] / tables.weight
    by_form, action_sums = tables.earned()
    earned, values = np.zeros(len(infosets)), np.zeros(infosets.slots)
    earned[form.infoset] = by_form
    if response:
        answer = interval_response(sizes, plan, player)
        return answer.slot_value * tables.weight, answer.fold * tables.weight, earned
    values[form.slot[own]] = action_sums[own]
    return values, sizes.folded(player, plan) * tables.weight, earned


def _weigh(
    sizes: BetSizes, player: int, values: Floats, folds: Floats, earned: Floats, apart: float
) -> tuple[Floats, Floats]:
    infosets = sizes.tree.infosets
    wanted, lines = np.zeros(len(infosets)), len(sizes.lines)
    shares, regrets = np.zeros(lines), np.zeros(lines)
    bets = (infosets.first_slot, sizes.first_bet, sizes.share, values, folds)
    best_bets(LEAST, MOST, infosets.player, player, *bets, wanted)
    weigh_candidates(sizes.members, sizes.start, infosets.player, player, *bets, earned, wanted, apart, shares, regrets)
    return shares, regrets


def _largest_regrets(sizes: BetSizes, tables: RecoveredTables, player: int) -> float:
    """Sum over a player's infosets of the largest positive regret."""
    form = tables.form
    own = slice(int(form.first_infoset[player]), int(form.first_infoset[player + 1]))
    if own.start == own.stop:
        return 0.0
    positive = np.maximum(tables.regret, 0.0)
    largest = np.maximum.reduceat(positive[: int(form.offset[player + 1])], form.first_sequence[own])
    return float(largest.sum())


def _cost(sizes: BetSizes, slot_size: Floats, line: int) -> float:
    """Histories that a new bet would bring: those after the cheapest bet on the menu."""
    infosets = sizes.tree.infosets
    total = 0.0
    for i in sizes.members[sizes.start[line] : sizes.start[line + 1]]:
        total += slot_size[sizes.first_bet[i] : infosets.first_slot[i + 1]].min(initial=math.inf)
    return total


def rarely_played(
    sizes: BetSizes, tables: RecoveredTables, added: Sequence[tuple[str, str]], constant: float
) -> tuple[str, str] | None:
    """An added bet whose average reach is below C / sqrt(T) and which even a best response afterwards would not bring back."""
    limit = constant / math.sqrt(tables.weight)
    infosets, form = sizes.tree.infosets, tables.form
    own, plan = form.slot >= 0, np.zeros(infosets.slots)
    plan[form.slot[own]] = tables.average[own] / tables.weight
    sums = [sums_by_slot(sizes, tables, player, response=True) for player in range(2)]
    place = {line: u for u, line in enumerate(sizes.lines)}
    for line, token in added:
        u, share = place.get(line), float(token.rstrip("%")) / 100.0
        if u is None:
            continue
        members = sizes.members[sizes.start[u] : sizes.start[u + 1]]
        slots = [_slot(sizes, int(i), share) for i in members]
        values, _, earned = sums[int(infosets.player[members[0]])]
        unplayed = all(plan[s] < limit for s in slots)
        if unplayed and all(values[s] < earned[i] for s, i in zip(slots, members, strict=True)):
            return line, token
    return None


def _slot(sizes: BetSizes, infoset: int, share: float) -> int:
    first, last = sizes.first_bet[infoset], sizes.tree.infosets.first_slot[infoset + 1]
    return int(first + np.argmin(np.abs(sizes.share[first:last] - share)))
