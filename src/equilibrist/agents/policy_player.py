"""A player that follows a saved solution of its game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.agents.simple import SimplePlayer
from equilibrist.core.errors import NotApplicableError, UnknownNameError
from equilibrist.core.player import Strategy, View
from equilibrist.core.policy import Policy
from equilibrist.games.cards.evaluator import all_hands
from equilibrist.games.poker.game import Poker

if TYPE_CHECKING:
    import random


class PolicyPlayer(SimplePlayer):
    """Any policy with readable keys; it plays the game that it was made for and no other."""

    def __init__(self, policy: Policy, game: str) -> None:
        self.policy, self.game = policy, game

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        if rules.name != self.game:
            raise NotApplicableError(f"This player was made for '{self.game}', but the table plays '{rules.name}'.")
        super().reset(seat, rules, rng)

    def probabilities(self, view: View) -> Mapping[str, float]:
        return self.policy[view.infoset]

    def strategy(self, view: View) -> Strategy | None:
        if not isinstance(self.rules, Poker):
            return None
        rules = self.rules.rules
        rows, actions = [], tuple(view.actions)
        for hand in all_hands(rules.deck, rules.hole).tolist():
            cards = self.rules.hole_label(tuple(hand))
            try:
                row = self.policy[f"{cards}:{view.public_state}" if view.public_state else cards]
            except UnknownNameError:  # a hand that meets the board
                row = dict.fromkeys(actions, 1.0 / len(actions))
            rows.append([row.get(label, 0.0) for label in actions])
        return Strategy(actions, np.array(rows))
