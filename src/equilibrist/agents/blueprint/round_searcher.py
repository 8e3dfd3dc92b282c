"""RoundSearcher: a blueprint that trains the betting round it is in again before it acts; 2 to 6 players, any deck (Pluribus).

Beliefs about all hands come from the blueprint's strategies up to the round. Bets off the tree are translated, so a round is searched
once; hands that act are told apart one by one. Played is the last iterate, or the average.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, Parts, merged
from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.player import View
from equilibrist.search.engines.pluribus_search import RoundSearch
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

SLACK = 0.25  # seconds of a deadline that are kept for setting up and for the block under way


@dataclass(frozen=True)
class RoundSearchSettings:
    """When and how long to search."""

    street: str = "flop"  # the first round that is searched
    blocks: int = 20  # of 4,096 deals
    seconds: float = 5.0  # at most, for one decision
    final: bool = True  # play the last iterate; false: the average

    def __post_init__(self) -> None:
        if self.street not in ("preflop", *POSTFLOP_STREETS):
            raise ParameterError(
                f"Search begins on the preflop, {', '.join(POSTFLOP_STREETS)}, but '{self.street}' was given."
            )
        if self.blocks < 1 or not self.seconds > 0.0:
            raise ParameterError("A search takes at least one block of deals and some time.")

    @property
    def first_round(self) -> int:
        return ("preflop", *POSTFLOP_STREETS).index(self.street)


class RoundSearcher(BlueprintPlayer):
    """Plays the blueprint up to a round and searches every round from there on."""

    def __init__(
        self, blueprint: PokerBlueprint, parts: Parts | None = None, search: RoundSearchSettings | None = None
    ) -> None:
        super().__init__(blueprint, parts)
        self.search = search or RoundSearchSettings()
        if blueprint.abstract.rules.hole != 2:
            raise NotApplicableError("Rounds are searched in games with two private cards; take the blueprint itself.")
        self._found: dict[int, RoundSearch | None] = {}
        self._deadline: float | None = None

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        super().reset(seat, rules, rng)
        self._found.clear()

    def act(self, view: View, deadline: float | None = None) -> str:
        self._deadline = deadline
        return super().act(view, deadline)

    def stated(self, view: View, cards: npt.NDArray[np.int8]) -> tuple[tuple[str, ...], Floats]:
        assert view.chips is not None
        node = self.reading(view).node
        found = None if node < 0 or view.chips.round < self.search.first_round else self._searched(view, node)
        if found is None:
            return super().stated(view, cards)
        rows = found.strategy(node, final=self.search.final)[hand_index(cards[:, :2])]
        return merged(self.labels(view, node), rows)

    def _searched(self, view: View, node: int) -> RoundSearch | None:
        """The search of this round; None where a deadline leaves no time or beliefs cannot be."""
        tree, root = self.blueprint.abstract.tree, node
        while root > 0 and tree.round[tree.parent[root]] == tree.round[node]:
            root = int(tree.parent[root])
        if root not in self._found:
            until = time.monotonic() + self.search.seconds
            if self._deadline is not None:
                until = min(until, self._deadline - SLACK)
            self._found[root] = None if until <= time.monotonic() else self._search(view, root, until)
        return self._found[root]

    def _search(self, view: View, root: int, until: float) -> RoundSearch | None:
        assert view.chips is not None
        made = RoundSearch(
            self.blueprint.abstract, root, view.chips.board, self.ranges(view, view.chips.round), seed=_seed(self._salt)
        )
        try:
            made.advance(self.search.blocks, until)
        except NotApplicableError:
            return None
        return made


def _seed(salt: str) -> int:
    return random.Random(salt).randrange(1 << 30)
