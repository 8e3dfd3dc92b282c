"""A player that follows a saved solution of its game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.agents.simple import SimplePlayer
from equilibrist.cards.evaluator import all_hands
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.player import Strategy, View
from equilibrist.core.policy import Policy
from equilibrist.core.solution import Evaluation
from equilibrist.games.poker.game import Poker

if TYPE_CHECKING:
    import random

KEPT_PLACES = 10_000  # public states whose strategies are remembered


class PolicyPlayer(SimplePlayer):
    """Any policy with readable keys; it plays the game that it was made for and no other."""

    def __init__(self, policy: Policy, game: str, stated: Evaluation | None = None) -> None:
        self.policy, self.stated = policy, stated  # stated: as its solver measured it
        self.game: str | None = game  # the only one it plays
        self._stated: dict[str, Strategy] = {}

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        if self.game is not None and rules.name != self.game:
            raise NotApplicableError(f"This player was made for '{self.game}', but the table plays '{rules.name}'.")
        super().reset(seat, rules, rng)

    def probabilities(self, view: View) -> Mapping[str, float]:
        return self.policy[view.infoset]

    def strategy(self, view: View) -> Strategy | None:
        if not isinstance(self.rules, Poker):
            return None
        known = self._stated.get(view.public_state)
        if known is None:
            known = self._state(view, self.rules)
            if len(self._stated) < KEPT_PLACES:
                self._stated[view.public_state] = known
        return known

    def _state(self, view: View, game: Poker) -> Strategy:
        assert view.chips is not None
        actions, taken = tuple(view.actions), set(view.chips.board)
        hands = all_hands(game.rules.deck, game.rules.hole).tolist()
        table = np.full((len(hands), len(actions)), 1.0 / len(actions))
        for number, hand in enumerate(hands):
            if taken.isdisjoint(hand):
                cards = game.hole_label(tuple(hand))
                row = self.policy[f"{cards}:{view.public_state}" if view.public_state else cards]
                table[number] = [row.get(label, 0.0) for label in actions]
        return Strategy(actions, table)
