"""Alternative payoffs: what each of the opponent's hands would get by not entering the subgame, gifts included.

All in expected chips per hand (counterfactual values divided by external reach).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.search.blueprint import Blueprint
from equilibrist.search.subgame import Subgame

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def expected(values: Floats, mass: Floats) -> Floats:
    """Counterfactual values divided by external reach; 0 where nothing is reached."""
    return np.where(mass > 0, values / np.where(mass > 0, mass, 1.0), 0.0)


def smallest_margin(alternative: Floats | None, values: Floats, mass: Floats) -> float:
    """Smallest amount by which a hand that can be held gets less than its alternative; NaN without alternatives."""
    if alternative is None:
        return float("nan")
    return float((alternative - values)[mass > 0].min(initial=np.inf))


def upper_bounds(blueprint: Blueprint, subgame: Subgame, opponent: int) -> Floats:
    """What a counterfactual best response to the blueprint gets with each hand at the roots."""
    hands = blueprint.at(subgame.roots, opponent)
    return expected(blueprint.best[opponent].value[hands], blueprint.mass[opponent][hands])


def estimates(blueprint: Blueprint, subgame: Subgame, opponent: int) -> Floats:
    """What the blueprint's own abstraction says each hand gets ([Brown20] 5.1.5)."""
    hands = blueprint.at(subgame.roots, opponent)
    return expected(blueprint.estimated[opponent].value[hands], blueprint.mass[opponent][hands])


def gifts(blueprint: Blueprint, subgame: Subgame, opponent: int, *, split: bool = True) -> Floats:
    """What the opponent gave away on the way to each hand at the roots, by actions that ended the game at once.

    A lower bound that holds whatever is done in other subgames ([Brown20] 5.1.4). Split, every hand below gets the full
    gift, as expected values are averages; not split, it is multiplied by the number of draws crossed since, which is not safe.
    """
    given = _gifts_by_choice(blueprint, opponent)
    own, tree = blueprint.tree.private[opponent], blueprint.tree
    start = blueprint.layout.own(opponent).start
    state = blueprint.layout.state[blueprint.layout.own(opponent)]
    draws = np.bincount(tree.parent[tree.parent >= 0], minlength=len(tree.states))
    out = np.zeros(len(subgame.entrances(opponent)))
    for j, hand in enumerate(blueprint.at(subgame.roots, opponent).tolist()):
        k, factor = hand - start, 1.0
        while own.parent[k] >= 0:
            above = int(own.parent[k])
            if own.action[k] >= 0:
                out[j] += factor * given[own.first_choice[above] + own.action[k]]
            elif not split and tree.player[state[above]] == CHANCE:
                factor *= _draws_compatible(blueprint, opponent, above, int(draws[state[above]]))
            k = above
    return out


def _draws_compatible(blueprint: Blueprint, opponent: int, infostate: int, draws: int) -> float:
    """Infostates that follow by chance: the branching factor as this hand sees it."""
    following = int((blueprint.tree.private[opponent].parent == infostate).sum())
    return float(min(following, draws))


def _gifts_by_choice(blueprint: Blueprint, opponent: int) -> Floats:
    """[choices] best action among those that end the game and the one taken, less the one taken."""
    own, layout = blueprint.tree.private[opponent], blueprint.layout
    choice = blueprint.best[opponent].choice[layout.first_choice[layout.own(opponent).start] :]
    ends = _ending_choices(blueprint, opponent)
    mass = blueprint.mass[opponent][layout.own(opponent)]
    out = np.zeros(int(own.first_choice[-1]))
    for k in np.flatnonzero(own.row >= 0).tolist():
        span = slice(int(own.first_choice[k]), int(own.first_choice[k + 1]))
        worth = choice[span]
        if mass[k] > 0 and ends[span].any():
            out[span] = np.maximum(worth[ends[span]].max() - worth, 0.0) / mass[k]
    return out


def _ending_choices(blueprint: Blueprint, opponent: int) -> Bools:
    """[choices] True where every infostate that follows is at the end of the game."""
    own, tree = blueprint.tree.private[opponent], blueprint.tree
    state = blueprint.layout.state[blueprint.layout.own(opponent)]
    follows = np.flatnonzero((own.parent >= 0) & (own.action >= 0))
    place = own.first_choice[own.parent[follows]] + own.action[follows]
    goes_on = np.bincount(place, tree.player[state[follows]] != TERMINAL, minlength=int(own.first_choice[-1]))
    ends: Bools = goes_on == 0
    return ends
