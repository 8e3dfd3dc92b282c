"""Leaf values without a network: even play to the end, and searches solved to the end."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.learning.rebel.belief_game import BeliefGame
from equilibrist.learning.rebel.solving import SubgameSolver
from equilibrist.learning.rebel.templates import Template, Templates


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


class SolvedToTheEnd:
    """Equilibrium values of leaves, by CFR on all that is below."""

    def __init__(self, game: BeliefGame, iterations: int) -> None:
        self.templates, self.solver = Templates(game, 1000), SubgameSolver(EvenPlay(game), iterations)

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        for number, leaf in enumerate(template.leaves.tolist()):
            turned = bool(template.leaf_swapped[number])
            held = reach[:, leaf, ::-1] if turned else reach[:, leaf]
            below = self.templates.of(int(template.leaf_future[number]))
            none = np.zeros((len(held), 0), dtype=np.int32)
            out[:, number] = self.solver.solve(below, held, none).root[:, 1 - player if turned else player]
