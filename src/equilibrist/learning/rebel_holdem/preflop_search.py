"""The round before the flop searched by CFR-D: where a flop comes a network says what classes of hands are worth ([Brown20, §5.3.3])."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch

from equilibrist.core.arrays import Floats
from equilibrist.learning.hand_values.value_net import HandValueNet
from equilibrist.learning.rebel_holdem.class_questions import ClassQuestions
from equilibrist.learning.rebel_holdem.preflop_game import PreflopGame
from equilibrist.solvers.cfr.matching import discounted
from equilibrist.solvers.cfr.schedules import LINEAR, discount_factors

Both = tuple[Floats, Floats]


class LeafShares(Protocol):
    """Who knows what classes are worth where a flop comes and somebody can still bet."""

    def shares(self, leaves: Floats, weights: Floats) -> Floats:
        """[B, 2, class] shares of the pot net of half of it, given the hand, at depths [B] and weights [B, 2, class]."""


class NetShares:
    """Answers of a network, on the CPU."""

    def __init__(self, net: HandValueNet, questions: ClassQuestions) -> None:
        self.net, self.questions = net, questions

    def shares(self, leaves: Floats, weights: Floats) -> Floats:
        with torch.inference_mode():
            return np.asarray(self.net(self.questions.ask(weights, leaves)).numpy(), dtype=np.float64)


class PreflopSearch:
    """Linear CFR with alternating updates from the start of the game; values of leaves are asked anew in every pass."""

    def __init__(self, game: PreflopGame, values: LeafShares) -> None:
        self.game, self.values, self.street, self.iteration = game, values, game.street, 0
        self.questions = ClassQuestions(game)
        hands = self.street.hands
        self.regret = [np.zeros((slots, hands)) for slots in self.street.forest.slots]
        self.average = [np.zeros((slots, hands)) for slots in self.street.forest.slots]

    def advance(self, iterations: int) -> None:
        street = self.street
        for _ in range(iterations):
            row = discount_factors(LINEAR, self.iteration)[0]
            keep, positive, negative = (float(each) for each in row)
            for me in range(2):
                them = 1 - me
                mine, theirs = self.strategy(me), self.strategy(them)
                values, down = self._values(me, self._reach(me, mine), self._reach(them, theirs), mine)
                self.average[them] = keep * self.average[them] + street.by_slot(them, down)
                gains = street.by_slot(me, values) - street.by_node(me, values)
                self.regret[me] = discounted(self.regret[me] + gains, positive, negative)
            self.iteration += 1

    def strategy(self, player: int) -> Floats:
        """[slot, class] of the present iterate."""
        return self.street.matched(player, np.maximum(self.regret[player], 0.0))

    def averaged(self, player: int) -> Floats:
        """[slot, class]"""
        return self.street.matched(player, self.average[player])

    def reach_of_leaves(self, strategies: Both) -> Floats:
        """[leaf, 2, class] both players' reach where a flop comes."""
        own = [self._reach(p, strategies[p])[self.street.deals] for p in range(2)]
        return np.stack(own, axis=1)

    def chances(self, reach: Floats) -> Floats:
        """[leaf] how likely play comes to each line, both players' hands being dealt at random."""
        street = self.street
        found: Floats = (reach[:, 0] * street.size * (reach[:, 1] @ self.game.meets.T)).sum(axis=1) / street.pairs
        return found

    def value(self, respond: bool = False) -> Floats:
        """[2] chips that both get from their averages, or by their best responses to the other's, leaves at the beliefs of the averages."""
        out, own = np.zeros(2), (self.averaged(0), self.averaged(1))
        for me in range(2):
            reach = [self._reach(p, own[p]) for p in range(2)]
            values, _ = self._values(me, reach[me], reach[1 - me], None if respond else own[me])
            out[me] = self.street.average(values)
        return out

    def exploitability(self) -> float:
        """Chips a hand: half of what best responses before the flop gain together."""
        return max(0.0, float(self.value(respond=True).sum()) / 2.0)

    def _reach(self, player: int, strategy: Floats) -> Floats:
        return np.asarray(self.street.down(player, strategy))

    def _values(self, me: int, mine: Floats, theirs: Floats, strategy: Floats | None) -> tuple[Floats, Floats]:
        """[node, class] my counterfactual values; and the other's reach."""
        below = self.leaf_values(me, mine[self.street.deals], theirs[self.street.deals])
        return np.asarray(self.street.up(me, theirs, below, strategy)), theirs

    def leaf_values(self, me: int, mine: Floats, theirs: Floats) -> Floats:
        """[leaf, class] in chips, against the other's reach."""
        game = self.game
        weights = np.stack([mine, theirs] if me == 0 else [theirs, mine], axis=1)
        edge, met = self.questions.edge(weights)
        share = 0.5 * edge
        share[game.open] = self.values.shares(game.depths[game.open], weights[game.open])
        found: Floats = game.pots[:, None] * share[:, me] * met[:, me]
        return found
