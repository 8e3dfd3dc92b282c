"""The nemesis: an exact best response to another player, in games small enough to ask it everywhere ([Ganzfried15, §8.2.2])."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from equilibrist.agents.registry import AgentEntry, load_agent
from equilibrist.agents.simple import SimplePlayer
from equilibrist.agents.tabulate import tabulate
from equilibrist.core.player import Player, View
from equilibrist.core.policy import TabularPolicy
from equilibrist.solvers.responses.best_response import best_response


class Nemesis(SimplePlayer):
    """Plays what is best against a player that does not learn; everybody else is taken to be that player."""

    def __init__(self, of: Player) -> None:
        self.of = of
        self._answers: dict[tuple[str, int], TabularPolicy] = {}

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        super().reset(seat, rules, rng)
        if (rules.name, seat) not in self._answers:
            self._answers[rules.name, seat] = best_response(rules, tabulate(self.of, rules), seat).policy

    def probabilities(self, view: View) -> Mapping[str, float]:
        return self._answers[self.rules.name, view.seat][view.infoset]


def _nemesis(of: str = "always-call") -> Nemesis:
    return Nemesis(load_agent(of))


ENTRIES = [
    AgentEntry(
        "nemesis",
        "exact best response to another player, in small games",
        _nemesis,
        {"of": "always-call"},
        "[Ganzfried15, §8.2.2]",
    ),
]
