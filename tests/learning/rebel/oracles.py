"""Leaf values without a network: even play to the end."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.learning.rebel.belief_game import BeliefGame
from equilibrist.learning.rebel.solving import normalised
from equilibrist.learning.rebel.templates import Template


class EvenPlay:
    """Both play evenly below leaves."""

    def __init__(self, game: BeliefGame) -> None:
        self.game = game

    def payoff(self, state: int) -> Floats:
        game = self.game
        if game.player[state] == TERMINAL:
            return game.payoff[state]
        below = [self.payoff(child) for child in game.children[state]]
        return sum(below) if game.player[state] == CHANCE else sum(below) / len(below)

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        for number, leaf in enumerate(template.leaves.tolist()):
            state = int(template.nodes[leaf])
            payoff, weight = self.payoff(state), self.game.weight[state]
            if player == 1:
                payoff, weight = -payoff.T, weight.T
            other = reach[:, leaf, 1 - player]
            mass = other @ weight.T
            out[:, number] = (other @ payoff.T) / np.where(mass > 0.0, mass, 1.0)

    def ask_at(self, template: Template, player: int, beliefs: Floats, reach: Floats, out: Floats) -> None:
        """Beliefs do not change how they play."""
        EvenPlay.ask(self, template, player, reach, out)


class Leaning(EvenPlay):
    """Even play for stakes that grow with the beliefs in the first hand of either player."""

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        self.ask_at(template, player, reach, reach, out)

    def ask_at(self, template: Template, player: int, beliefs: Floats, reach: Floats, out: Floats) -> None:
        EvenPlay.ask(self, template, player, reach, out)
        for number, leaf in enumerate(template.leaves.tolist()):
            held = normalised(template.leaf_prior[number], beliefs[:, leaf]) * template.leaf_prior[number]
            out[:, number] *= (1.0 + held[:, 0, 0] + 2.0 * held[:, 1, 0])[:, None]
