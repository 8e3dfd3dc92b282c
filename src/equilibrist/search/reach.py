"""Reach search: gifts, what the opponent gave away on the way to a subgame, added to its alternative payoffs ([Brown20, §5.1.3]).

In expected chips per hand, as all alternative payoffs.
"""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Bools, Floats, Ints
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.search.tree_profile import TreeProfile


def gifts(blueprint: TreeProfile, hands: Ints, opponent: int, *, split: bool = True) -> Floats:
    """What the opponent gave away on the way to each hand, by not taking actions that ended the game at once.

    A lower bound that holds whatever is done in other subgames ([Brown20, §5.1.3]). Split, every hand below gets the
    full gift, as expected values are averages; not split, it is multiplied by the number of draws crossed since, which
    is not safe.
    """
    given, layout, tree = _gifts_by_choice(blueprint, opponent), blueprint.layout, blueprint.tree
    draws = np.bincount(tree.parent[tree.parent >= 0], minlength=len(tree.states))
    out = np.zeros(len(hands))
    for j, k in enumerate(hands.tolist()):
        factor, above = 1.0, int(layout.parent[k])
        while above >= 0:
            if layout.action[k] >= 0:
                out[j] += factor * given[layout.first_choice[above] + layout.action[k]]
            elif not split and tree.player[layout.state[above]] == CHANCE:
                factor *= _draws_compatible(blueprint, above, int(draws[layout.state[above]]))
            k, above = above, int(layout.parent[above])
    return out


def _draws_compatible(blueprint: TreeProfile, infostate: int, draws: int) -> float:
    """Infostates that follow by chance: the branching factor as this hand sees it."""
    return float(min(int((blueprint.layout.parent == infostate).sum()), draws))


def _gifts_by_choice(blueprint: TreeProfile, opponent: int) -> Floats:
    """[choices of the layout] best action among those that end the game and the one taken, less the one taken."""
    layout, choice = blueprint.layout, blueprint.best[opponent].choice
    ends, mass = _ending_choices(blueprint, opponent), blueprint.mass[opponent]
    out, own = np.zeros(len(choice)), layout.own(opponent)
    for k in (np.flatnonzero(layout.row[own] >= 0) + own.start).tolist():
        span = slice(int(layout.first_choice[k]), int(layout.first_choice[k + 1]))
        worth = choice[span]
        if mass[k] > 0 and ends[span].any():
            out[span] = np.maximum(worth[ends[span]].max() - worth, 0.0) / mass[k]
    return out


def _ending_choices(blueprint: TreeProfile, opponent: int) -> Bools:
    """[choices of the layout] True where every infostate that follows is at the end of the game."""
    layout, own = blueprint.layout, blueprint.layout.own(opponent)
    follows = np.flatnonzero((layout.parent[own] >= 0) & (layout.action[own] >= 0)) + own.start
    place = layout.first_choice[layout.parent[follows]] + layout.action[follows]
    goes_on = blueprint.tree.player[layout.state[follows]] != TERMINAL
    counted = np.bincount(place, goes_on, minlength=int(layout.first_choice[-1]))
    ends: Bools = counted == 0
    return ends
