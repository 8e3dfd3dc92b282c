"""Alternative payoffs at a node of a solved spot: upper bounds, estimates and gifts across streets ([Brown20, §5.1]).

All in shares of the pot as it stands at the node, one for each of the opponent's hands; NaN where a hand cannot be held.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.search.techniques import Technique
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode

HANDS = 1326
DECK = 52


def alternatives_at(place: SpotNode, opponent: int, technique: Technique) -> tuple[Floats, Floats | None]:
    """[1326] what the opponent's hands get without entering, and how uncertain that is where the technique asks for it.

    The estimate of a solved spot is what each hand gets when both players follow the solution.
    """
    held = place.hands_of(opponent)
    worth, deviation = technique.alternatives(
        place.best_response_ev(opponent),
        place.ev(opponent) if technique.estimated else None,
        gifts_at(place, opponent, split=technique.split)[held] if technique.gift_scale else None,
    )
    return _by_hand(held, worth), None if deviation is None else _by_hand(held, deviation)


def _by_hand(held: npt.NDArray[np.int64], numbers: Floats) -> Floats:
    out = np.full(HANDS, np.nan)
    out[held] = numbers
    return out


def gifts_at(place: SpotNode, opponent: int, *, split: bool = True) -> Floats:
    """[1326] chips that the opponent gave away on its way here, by not taking actions that ended the hand at once.

    Split, every card that may come gets the whole gift, since expected values are averages; not split, the gift is multiplied by
    the number of cards that could have come since, which is not safe ([Brown20, §5.1.4]).
    """
    out, draws, here = np.zeros(HANDS), 1.0, place
    while here.before is not None:
        before = here.before
        if before.is_deal:
            draws *= 1.0 if split else DECK - len(before.cards) - 2
        elif before.kind == opponent and before.ends_at_once.any():
            worth, taken = before.best_response_ev_by_action, here.node - int(before.forest.first_child[before.node])
            lost = worth[:, before.ends_at_once].max(axis=1) - worth[:, taken]
            out[before.hands_of(opponent)] += draws * np.nan_to_num(np.maximum(lost, 0.0))
        here = before
    return out
