"""Best responses and values on public trees, for every infostate at once: what search asks of a blueprint.

Exact where rows are not shared; with shared rows (buckets that forget) the response is greedy from the bottom up and stays
inside the abstraction ([Brown20, §5.1.4]).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.public_tree.public_layout import PublicLayout, lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.solvers.cfr._kernels.public_cfr import private_reach, terminal_values
from equilibrist.solvers.responses._kernels.public_response import respond_by_level


@dataclass(frozen=True)
class InfostateValues:
    """Counterfactual values of one player, weighted by the others' reach and by chance, not normalised."""

    value: Floats  # [K] all infostates of the layout; 0 for other players
    choice: Floats  # [choices]
    pick: Ints  # [R] slot chosen by a best response, -1 elsewhere


def reach_of(layout: PublicLayout, strategy: Floats, start: Floats | None = None) -> Floats:
    """[K] own reach of every infostate of every player below the roots; `start` is the reach at the roots, 1 by default."""
    reach = np.empty(int(layout.base[-1]))
    begin = np.ones_like(reach) if start is None else start
    for p in range(layout.players):
        private_reach(p, layout.infostates, strategy, begin, reach)
    return reach


def external_reach(layout: PublicLayout, reach: Floats, player: int, states: list[int] | None = None) -> Floats:
    """[K] chance times the others' reach of the player's infostates, at some public states or at all inside."""
    inside = sorted(set(layout.state.tolist())) if states is None else states
    joint, weight, _ = layout.entries(inside)
    mass = weight.copy()
    for p in range(layout.players):
        if p != player:
            mass *= reach[joint[:, p]]
    return np.bincount(joint[:, player], mass, minlength=int(layout.base[-1])).astype(np.float64)


def infostate_values(
    layout: PublicLayout,
    reach: Floats,
    player: int,
    *,
    strategy: Floats | None = None,
    leaf: Floats | None = None,
) -> InfostateValues:
    """Values of `player` against the others' reach: of a best response, or of its own `strategy` where one is given."""
    value = np.zeros(int(layout.base[-1])) if leaf is None else leaf.copy()
    terminal_values(player, layout.joint, layout.payoff, reach, value)
    choice, q = np.zeros(int(layout.first_choice[-1])), np.zeros(layout.slots)
    pick = np.full(len(layout.row_player), -1, dtype=np.int32)
    order, level = _levels(layout, player)
    followed = q if strategy is None else strategy
    respond_by_level(order, level, strategy is None, layout.infostates, followed, value, choice, q, pick)
    own = layout.own(player)
    value[: own.start] = 0.0
    value[own.stop :] = 0.0
    return InfostateValues(value, choice, pick)


def _levels(layout: PublicLayout, player: int) -> tuple[Ints, Ints]:
    """Infostates of a player sorted by depth, and where each depth begins."""
    own = layout.own(player)
    depth = np.zeros(own.stop - own.start, dtype=np.int32)
    above = layout.parent[own] - own.start
    todo = layout.parent[own] >= 0
    while todo.any():  # as many rounds as the tree is deep
        deeper = np.where(todo, depth[np.maximum(above, 0)] + 1, 0)
        if np.array_equal(deeper, depth):
            break
        depth = deeper.astype(np.int32)
    order = np.argsort(depth, kind="stable").astype(np.int32)
    level = np.searchsorted(depth[order], np.arange(int(depth.max(initial=0)) + 2)).astype(np.int32)
    return (order + own.start).astype(np.int32), level


def evaluate_public(tree: PublicTree, policy: TabularPolicy) -> Evaluation:
    """Value of a profile and of best responses to it, on the public tree alone (no rows shared)."""
    layout = lay_out(tree)
    strategy = layout.strategy(policy.probabilities)
    reach = reach_of(layout, strategy)
    roots = [layout.at(layout.roots, p) for p in range(tree.players)]
    followed = [infostate_values(layout, reach, p, strategy=strategy).value for p in range(tree.players)]
    best = [infostate_values(layout, reach, p).value for p in range(tree.players)]
    return Evaluation(
        value=tuple(float(v[k].sum()) for v, k in zip(followed, roots, strict=True)),
        best_response_value=tuple(float(v[k].sum()) for v, k in zip(best, roots, strict=True)),
    )
