"""Depth-limited search: stop at an edge where the opponent chooses among continuations ([Brown20, §5.2])."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.games.rules import CHANCE
from equilibrist.search.depth_limited.multi_valued_states import EdgePayoffs, Payoffs, exact_payoffs, joined
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS, DEFAULT_SOLVER, SubgameSolution, search
from equilibrist.search.techniques import Technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Stop


def draws_below(tree: PublicTree, root: int) -> tuple[int, ...]:
    """Public states where the betting round of a root is over: the next draws on each line below it."""
    inside, found = np.zeros(len(tree.states), dtype=np.bool_), []
    inside[root] = True
    for s, above in enumerate(tree.parent.tolist()):
        if s != root and above >= 0 and inside[above]:
            if tree.player[s] == CHANCE:
                found.append(s)
            else:
                inside[s] = True
    return tuple(found)


def search_to_edge(
    blueprint: TreeProfile,
    root: int | str,
    leaves: Sequence[int],
    searcher: int,
    opponents: Sequence[TabularPolicy],
    own: Sequence[TabularPolicy] | None = None,
    *,
    technique: str | Technique = "unsafe",
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
    stop: Stop | None = None,
) -> SubgameSolution:
    """Solve from a root to an edge; the opponent chooses among `opponents` there, and the searcher among `own`.

    Without `own` the searcher goes on with its blueprint (one-sided). Giving both players the same choices is the balanced
    version of Pluribus. A search that does not begin the game is made safe by another `technique`.
    """
    if not opponents or (own is not None and not own):
        raise ParameterError("A depth-limited search needs at least one continuation for each player.")
    sides: list[Sequence[TabularPolicy]] = [opponents, opponents]
    sides[searcher] = [blueprint.policy] if own is None else own
    payoffs = exact_payoffs(blueprint.tree, leaves, sides[0], sides[1])
    return search(
        Subgame.of(blueprint, [root], leaves),
        searcher,
        technique,
        blueprint=blueprint,
        continuations=payoffs,
        solver=solver,
        iterations=iterations,
        stop=stop,
    )


def self_generated(
    blueprint: TreeProfile,
    root: int | str,
    leaves: Sequence[int],
    searcher: int,
    count: int,
    *,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
) -> list[TabularPolicy]:
    """Continuations that find each other: best responses to what was searched with the ones before ([Brown20, §5.2.2])."""
    if count < 1:
        raise ParameterError(f"At least 1 continuation is needed, but {count} were asked for.")
    edge, subgame = EdgePayoffs(blueprint.tree, leaves), Subgame.of(blueprint, [root], leaves)
    policies, tables = [blueprint.policy], list[Payoffs]()
    while len(policies) < count:
        sides = [[blueprint.policy], [policies[-1]]]
        tables.append(edge.of(*(sides if searcher == 0 else sides[::-1])))
        payoffs = joined(tables, 1 - searcher)
        found = search(
            subgame,
            searcher,
            "unsafe",
            blueprint=blueprint,
            continuations=payoffs,
            solver=solver,
            iterations=iterations,
        )
        policies.append(best_reply(replace(blueprint, policy=found.policy), 1 - searcher))
    return policies


def best_reply(blueprint: TreeProfile, player: int) -> TabularPolicy:
    """The profile with one player's part replaced by a counterfactual best response."""
    out, layout = blueprint.policy.probabilities.copy(), blueprint.layout
    pick = blueprint.best[player].pick
    rows = np.repeat(pick >= 0, np.diff(layout.first_slot))
    out[layout.slot[rows]] = 0.0
    out[layout.slot[pick[pick >= 0]]] = 1.0
    return TabularPolicy(blueprint.policy.infosets, out)
