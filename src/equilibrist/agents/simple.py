"""Players with one idea each: always call, raise or fold, random ([Ganzfried15, §12.3.1]; [Lu16, §4.3.1])."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from equilibrist.agents.registry import AgentEntry, load_agent
from equilibrist.cards.evaluator import all_hands
from equilibrist.core.errors import ParameterError
from equilibrist.core.player import Event, Player, Strategy, View
from equilibrist.games.poker.game import Poker


class SimplePlayer:
    """A player whose choice depends on the view alone: `probabilities` is all that a kind must give."""

    learns: bool = False  # a kind that learns plays differently in the same place later
    seat: int = 0
    rules: Any = None
    rng: random.Random = random.Random(0)

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        self.seat, self.rules, self.rng = seat, rules, rng

    def observe(self, event: Event) -> None:
        """Nothing is learnt."""

    def probabilities(self, view: View) -> Mapping[str, float]:
        """How likely each action is; those not named are never taken."""
        raise NotImplementedError

    def act(self, view: View, deadline: float | None = None) -> str:
        chances = self.probabilities(view)
        threshold = self.rng.random()
        for label, chance in chances.items():
            threshold -= chance
            if threshold < 0.0:
                return label
        return label


class Blind(SimplePlayer):
    """A simple player that does not look at its cards, so that it can state its strategy at once."""

    def strategy(self, view: View) -> Strategy | None:
        if not isinstance(self.rules, Poker):
            return None
        chances = self.probabilities(view)
        hands = len(all_hands(self.rules.rules.deck, self.rules.rules.hole))
        row = np.array([list(chances.values())])
        return Strategy(tuple(chances), np.broadcast_to(row, (hands, row.shape[1])))


class AlwaysCall(Blind):
    """Checks and calls."""

    def probabilities(self, view: View) -> Mapping[str, float]:
        return {view.passive(): 1.0}


class AlwaysFold(Blind):
    """Folds to any bet, checks otherwise."""

    def probabilities(self, view: View) -> Mapping[str, float]:
        return {view.fold(): 1.0}


class AlwaysRaise(Blind):
    """Raises a share of the pot whenever legal (all-in if that is the only raise), calls otherwise."""

    def __init__(self, size: float = 0.5) -> None:
        if not 0 < size < math.inf:
            raise ParameterError(f"The parameter 'size' of 'always-raise' is a positive share of the pot, not {size}.")
        self.size = size

    def probabilities(self, view: View) -> Mapping[str, float]:
        return {view.raise_by(self.size): 1.0}


class RandomPlayer(Blind):
    """Fold, call or raise with equal chances where sizes are open (any legal size alike); any action alike elsewhere."""

    def probabilities(self, view: View) -> Mapping[str, float]:
        return dict.fromkeys(view.actions, 1.0 / len(view.actions))

    def act(self, view: View, deadline: float | None = None) -> str:
        if not _open(view):
            return view.actions[self.rng.randrange(len(view.actions))]
        answers = sum(label in view.actions for label in ("f", "c", "x"))
        choice = self.rng.randrange(answers + (len(view.actions) > answers))
        return view.actions[choice] if choice < answers else random_raise(view, self.rng)

    def strategy(self, view: View) -> Strategy | None:
        return None if _open(view) else super().strategy(view)


class RandomRiver(SimplePlayer):
    """Another player until the last round; there check or call half the time, else any legal size, never a fold ([Lu16, §4.3.1])."""

    def __init__(self, base: Player) -> None:
        self.base = base

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        super().reset(seat, rules, rng)
        self.base.reset(seat, rules, rng)

    def observe(self, event: Event) -> None:
        self.base.observe(event)

    def act(self, view: View, deadline: float | None = None) -> str:
        if (
            not isinstance(self.rules, Poker)
            or view.chips is None
            or view.chips.round + 1 < len(self.rules.rules.board)
        ):
            return self.base.act(view, deadline)
        if self.rng.random() < 0.5 or view.chips.raise_bounds is None:
            return view.passive()
        return random_raise(view, self.rng)


def random_raise(view: View, rng: random.Random) -> str:
    """Any legal bet or raise alike."""
    answers = sum(label in view.actions for label in ("f", "c", "x"))
    return view.actions[rng.randrange(answers, len(view.actions))]


def _open(view: View) -> bool:
    return not isinstance(view.actions, tuple | list)


def _random_river(base: str = "rule-based") -> RandomRiver:
    return RandomRiver(load_agent(base))


ENTRIES = [
    AgentEntry("always-call", "checks and calls", AlwaysCall, source="[Ganzfried15, §12.3.1]; [Lu16, §4.3.1]"),
    AgentEntry("always-fold", "folds to any bet, checks otherwise", AlwaysFold, source="[Ganzfried15, §12.3.1]"),
    AgentEntry(
        "always-raise", "raises whenever legal", AlwaysRaise, {"size": 0.5}, "[Ganzfried15, §12.3.1]; [Lu16, §4.3.1]"
    ),
    AgentEntry("random", "any action, any size", RandomPlayer, source="[Ganzfried15, §12.3.1]"),
    AgentEntry(
        "random-river",
        "another player, random bets in the last round",
        _random_river,
        {"base": "rule-based"},
        "[Lu16, §4.3.1]",
    ),
]
