"""The betting after a bet that a solved game's forests do not have."""

from __future__ import annotations

from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.poker_streets import betting_streets
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.subforest import forests_below
from equilibrist.games.poker.game import Poker


def forests_after(
    game: Poker, forest: StreetForest, node: int, line: str, bet: str
) -> tuple[tuple[StreetForest, ...], Poker, str]:
    """What follows a bet (`75%`, `3c`, `a`) at a node of a street, as forests of their own; the game that has it, and the bet's label.

    The forest may itself be what follows an earlier bet that `game` has.
    """
    larger = game.with_action(line, bet)
    extended, depth = betting_streets(larger.rules), forest.street
    there = _same_node(forest, node, extended[depth])
    known = forest.labels(node)
    new = [label for label in extended[depth].labels(there) if label not in known]
    if len(new) != 1:
        raise ParameterError(
            f"The bet '{bet}' adds nothing after '{line}': it is in the tree already, as one of {', '.join(known)}."
        )
    child = int(extended[depth].first_child[there]) + extended[depth].labels(there).index(new[0])
    return forests_below(extended, depth, child), larger, new[0]


def _same_node(forest: StreetForest, node: int, other: StreetForest) -> int:
    """The node of another forest with the same line."""
    before, stroke, here = forest.line(node).rpartition("/")
    found = other.before.index(before + stroke)
    for label in filter(None, here.split(":")):
        found = other.child(found, label)
    return found
