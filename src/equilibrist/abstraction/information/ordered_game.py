"""OrderedGame: a game with ordered signals ([Gilpin09, Definition 5]), written as poker rules and an order of hands.

Players see each other's actions, never how chance chose; what a player may do does not depend on signals; and all players rank
complete hands alike. Without the second and the last of these, merging hands that look alike changes equilibria.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import perm

import numpy as np

from equilibrist.cards.evaluator import all_hands
from equilibrist.cards.hand_order import HandOrder, hand_order
from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.hand_classes.classes import view_of
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import Game


@dataclass(frozen=True)
class OrderedGame:
    """Signals are cards, equally likely; γ = (hole, 0, …) are private, κ = board are public, stage games are betting rounds."""

    rules: PokerRules
    orders: tuple[HandOrder, ...] = ()  # how each player ranks complete hands; none: the usual order, for both
    actions_seen: bool = True  # players see each other's actions

    def __post_init__(self) -> None:
        if self.rules.players != 2:
            raise NotApplicableError(f"GameShrink is for two players, but this game has {self.rules.players}.")
        if not self.actions_seen:
            raise NotApplicableError(
                "GameShrink needs players who see each other's actions; where they do not, nodes that look alike may be "
                "reached by different actions, and merging them changes the equilibria."
            )
        if self.orders:
            self._check_orders()

    def _check_orders(self) -> None:
        deck = view_of(self.rules)[0].deck
        hands = all_hands(deck, self.cards)
        ranks = [np.unique(order(hands), return_inverse=True)[1] for order in self.orders]
        relabelled = self.orders[0](HandIndexer((self.cards,), deck).canonical(hands))
        if not np.array_equal(ranks[0], np.unique(relabelled, return_inverse=True)[1]):
            raise NotApplicableError("The order of hands tells suits apart; hands are compared up to suits here.")
        for player, other in enumerate(ranks[1:], start=2):
            if not np.array_equal(ranks[0], other):
                raise NotApplicableError(
                    f"GameShrink needs one order of hands for all players, but players 1 and {player} rank them differently; "
                    "then no merging is safe."
                )

    @property
    def cards(self) -> int:
        """Cards of a complete hand."""
        return self.rules.hole + sum(self.rules.board)

    @cached_property
    def order(self) -> HandOrder:
        """The common order: larger wins."""
        return self.orders[0] if self.orders else hand_order(view_of(self.rules)[0].deck, self.cards)

    @property
    def signals(self) -> int:
        """Signals revealed in one play: private ones of both players and public ones."""
        return 2 * self.rules.hole + sum(self.rules.board)

    @property
    def signal_tree_size(self) -> int:
        """Nodes of the signal tree, one level per signal: 6,632,705 in Rhode Island hold'em."""
        return sum(perm(self.rules.deck.size, level) for level in range(self.signals + 1))


def ordered_game(game: Game | PokerRules | OrderedGame) -> OrderedGame:
    """Poker as an ordered game; other games are refused."""
    if isinstance(game, OrderedGame):
        return game
    if isinstance(game, PokerRules):
        return OrderedGame(game)
    if isinstance(game, Poker):
        return OrderedGame(game.rules)
    raise NotApplicableError(
        f"GameShrink works on games with ordered signals and observed actions, which '{game.name}' is not known to be; "
        "give a poker game, or write its signals as an OrderedGame."
    )
