"""How many nodes a two-player poker game has, with all its cards and with classes in their place."""

from __future__ import annotations

from math import comb

from equilibrist.games.poker.betting_rounds import betting_rounds
from equilibrist.games.poker.kronecker import KroneckerForm
from equilibrist.games.poker.rules import PokerRules


def tree_nodes(rules: PokerRules) -> int:
    """Nodes of the game tree: the deals of private cards one player after the other, then betting in every deal of its round.

    The end of a round is one node with the deal that follows it, so cards on the board add no nodes of their own.
    """
    private = comb(rules.deck.size, rules.hole)
    deals = private * comb(rules.deck.size - rules.hole, rules.hole)
    left = rules.deck.size - 2 * rules.hole
    by_round = []
    for cards in rules.board:
        deals *= comb(left, cards)
        left -= cards
        by_round.append(deals)
    return 1 + private + sum(by_round[betting.number] * betting.nodes for betting in betting_rounds(rules))


def tree_nodes_of_classes(form: KroneckerForm) -> int:
    """The same for a game played with classes: pairs of classes that can meet take the place of deals."""
    first = int(form.layouts[0].classes[1])
    met = [pairs.meeting for pairs in form.pairs[0]]
    return 1 + first + sum(count * betting.nodes for count, betting in zip(met, form.rounds, strict=True))
