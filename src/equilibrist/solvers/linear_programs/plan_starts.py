"""Where the simplex method begins on a plan program: at a pair of pure strategies, one of them a best reply to the other.

If the opponent's strategy is a best reply, the basis is primal feasible: the own plan guarantees what the objective says, at this and
at every later step of the primal simplex method. If the own strategy is, it is dual feasible, and the multipliers are a plan of the
opponent at every step of the dual method ([Gilpin09, §5.6.2]: anytime algorithms for the two players).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Longs
from equilibrist.solvers.linear_programs.highs import Start
from equilibrist.solvers.linear_programs.plan_program import PlanForm, PlanProgram

ANYTIME = ("primal", "dual")  # methods that hold a good plan of one player whenever they are stopped


def start_basis(program: PlanProgram, keep: str) -> Start:
    """A basis that keeps `primal` or `dual` feasibility; the other strategy answers uniform play."""
    form, own = program.form, program.player
    leader = own if keep == "primal" else 1 - own
    choice = {leader: best_choices(form, leader, uniform_plan(form, 1 - leader), program.dominated)}
    plan = pure_plan(form, leader, choice[leader])
    choice[1 - leader] = best_choices(form, 1 - leader, plan, program.dominated)
    sequences, replies = form.sequences[own], form.sequences[1 - own]
    infosets, others = len(choice[own]), len(choice[1 - own])
    columns = np.zeros(sequences + others + 1, np.bool_)
    columns[0] = columns[sequences:] = True
    columns[choice[own]] = True
    rows = np.concatenate([np.zeros(infosets + 1, np.bool_), np.ones(replies, np.bool_)])
    rows[infosets + 1] = False
    rows[infosets + 1 + choice[1 - own]] = False
    return Start(columns, rows)


def uniform_plan(form: PlanForm, player: int) -> Floats:
    """[sequences] of one player that chooses evenly everywhere."""
    plan = np.ones(form.sequences[player])
    base = int(form.offset[player])
    for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
        first, n = form.first_sequence[i] - base, form.actions[i]
        plan[first : first + n] = plan[form.parent[i] - base] / n
    return plan


def pure_plan(form: PlanForm, player: int, choice: Longs) -> Floats:
    """[sequences] of a player that takes `choice` [infosets] everywhere."""
    plan = np.zeros(form.sequences[player])
    plan[0] = 1.0
    base = int(form.offset[player])
    for chosen, i in zip(choice, range(form.first_infoset[player], form.first_infoset[player + 1]), strict=True):
        plan[chosen] = plan[form.parent[i] - base]
    return plan


def best_choices(
    form: PlanForm, player: int, opponent: Floats, dominated: npt.NDArray[np.bool_] | None = None
) -> Longs:
    """[infosets] the sequence (counted from the player's first) that answers a plan best; never a dominated one."""
    value = form.payoff.gradient(player, opponent)
    base, first_infoset = int(form.offset[player]), int(form.first_infoset[player])
    out = np.zeros(int(form.first_infoset[player + 1]) - first_infoset, np.int64)
    allowed = np.ones(len(value), np.bool_) if dominated is None else ~dominated[base : base + len(value)]
    for i in range(first_infoset + len(out) - 1, first_infoset - 1, -1):
        first = int(form.first_sequence[i]) - base
        some = slice(first, first + int(form.actions[i]))
        best = first + int(np.argmax(np.where(allowed[some], value[some], -np.inf)))
        out[i - first_infoset] = best
        value[form.parent[i] - base] += value[best]
    return out
