"""ReBeL at work: an iteration plays itself, says how far both networks are off on what they have not seen, and learns from all so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.core.arrays import Array
from equilibrist.learning.hand_values.belief_states import Street
from equilibrist.learning.hand_values.value_file import SavedValues
from equilibrist.learning.hand_values.value_order import DEPTHS
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.learning.rebel_holdem.class_questions import ClassQuestions
from equilibrist.learning.rebel_holdem.flop_play import FlopSearch
from equilibrist.learning.rebel_holdem.nets import FlopNet, NetSettings, TurnNet
from equilibrist.learning.rebel_holdem.preflop_game import FLOP_BETS, PreflopGame
from equilibrist.learning.rebel_holdem.preflop_search import NetShares, PreflopSearch
from equilibrist.learning.rebel_holdem.rebel_order import RebelOrder
from equilibrist.learning.rebel_holdem.self_play import HoldemPlay, PlayedStates, Tell, play

TURN: Street = "turn"
LONGER = 4  # times the iterations of self-play
Point = dict[str, Any]


class RebelTraining:
    """Two networks and their course; random numbers follow from the seed and the iteration."""

    def __init__(self, order: RebelOrder, device: str = "cpu") -> None:
        self.order, self.device, self.game = order, torch_device(device), PreflopGame()
        settings = NetSettings(order.width, order.wide, order.rate, order.batch, order.memory, order.begin)
        self.flops = FlopNet(settings, ClassQuestions(self.game), order.seed)
        self.turns = TurnNet(settings, order.seed, self.device)
        self.iteration, self.seconds = 0, 0.0
        self.curve = list[Point]()

    @property
    def settings(self) -> HoldemPlay:
        own = self.order
        flop = FlopSearch(own.inside, own.cards, own.states, own.exploration)
        return HoldemPlay(own.flops, own.lines, own.preflop, flop, own.random, own.until)

    def play(self, threads: int = 1, tell: Tell = lambda doing, share: None) -> PlayedStates:
        """The self-play of the coming iteration."""
        random = np.random.default_rng([self.order.seed, self.iteration + 1, 0])
        values = self.turn_values()
        return play(
            self.game, self.settings, NetShares(self.flops.net, self.flops.questions), values, random,
            threads=threads, device=self.device.type, tell=tell,
        )  # fmt: skip

    def remember(self, played: PlayedStates) -> None:
        """Learn from it from now on."""
        self.flops.add(played.flops)
        self.turns.memory.add(played.turns)

    def learn(self, played: PlayedStates) -> None:
        """One iteration: a point of the curve, then the steps of both networks; `played` was not seen before."""
        point = self.measure(played)
        self.remember(played)
        self.iteration += 1
        self.curve.append(
            {"iterations": self.iteration, "flops": self.flops.number, "turns": len(self.turns.memory)} | point
        )
        random, own = np.random.default_rng([self.order.seed, self.iteration, 1]), self.order
        falls = self._falls()
        self.flops.train(self._steps(self.flops.number, own.passes), own.rate * falls, random)
        self.turns.train(self._steps(len(self.turns.memory), own.turn_passes), own.turn_rate * falls, random)

    def measure(self, played: PlayedStates) -> Point:
        """How far both networks are off, in % of the pot."""
        own = len(played.flops) * self.order.states  # turns that play came to come first
        errors = self.flops.errors(played.flops) | self.turns.errors(played.turns, own)
        return {key: round(value, 4) for key, value in errors.items()}

    def preflop(self) -> PreflopSearch:
        """The round before the flop searched with the present network, longer than in self-play."""
        search = PreflopSearch(self.game, NetShares(self.flops.net, self.flops.questions))
        search.advance(LONGER * self.order.preflop)
        return search

    def turn_values(self) -> SavedValues:
        """The network as searches take it."""
        error = self.curve[-1]["turn"] if self.curve else 0.0
        return SavedValues(self.turns.on_host(), TURN, FLOP_BETS, (min(DEPTHS), max(DEPTHS)), {"in_range": error})

    def state(self) -> dict[str, Array]:
        return {**self.flops.state("flops"), **self.turns.state("turns")}

    def restore(self, state: dict[str, Array], iteration: int) -> None:
        self.flops.restore(state, "flops")
        self.turns.restore(state, "turns")
        self.iteration = iteration

    def _falls(self) -> float:
        """Rates fall by a cosine over the iterations planned."""
        share = min(1.0, (self.iteration - 1) / self.order.iterations)
        return float(0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * share)))

    def _steps(self, number: int, passes: float) -> int:
        return min(self.order.steps, int(np.ceil(passes * min(number, self.order.memory) / self.order.batch)))
