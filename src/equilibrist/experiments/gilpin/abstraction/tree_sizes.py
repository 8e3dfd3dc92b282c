"""How many nodes a two-player poker game has, with all its cards and with classes in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from equilibrist.forms.hand_classes.betting_rounds import BettingRound, betting_rounds
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.games.poker.rules import PokerRules


@dataclass(frozen=True)
class TreeSize:
    """Nodes of a game tree: the deals of private cards one player after the other, then betting in every deal of its round.

    The end of a round is one node with the deal that follows it, so cards on the board add no nodes of their own.
    """

    nodes: int
    decisions: int  # nodes at which a player acts


def tree_size(rules: PokerRules) -> TreeSize:
    """With all cards told apart."""
    private = comb(rules.deck.size, rules.hole)
    deals = private * comb(rules.deck.size - rules.hole, rules.hole)
    left = rules.deck.size - 2 * rules.hole
    by_round = []
    for cards in rules.board:
        deals *= comb(left, cards)
        left -= cards
        by_round.append(deals)
    rounds = betting_rounds(rules)
    return _size(private, rounds, [by_round[betting.number] for betting in rounds])


def tree_size_of_classes(form: KroneckerForm) -> TreeSize:
    """Of a game played with classes: pairs of classes that can meet take the place of deals."""
    return _size(int(form.layouts[0].classes[1]), form.rounds, [pairs.meeting for pairs in form.pairs[0]])


def _size(first: int, rounds: Sequence[BettingRound], deals: Sequence[int]) -> TreeSize:
    """`first` private hands of the first player, then `deals` of each round."""
    acting = [sum(columns.infosets for columns in betting.columns) for betting in rounds]
    return TreeSize(
        1 + first + sum(count * betting.nodes for count, betting in zip(deals, rounds, strict=True)),
        sum(count * decisions for count, decisions in zip(deals, acting, strict=True)),
    )
