"""RebelPlayer: hold'em as ReBeL plays it with what a training has learned ([Brown20, §5.3]; `learning/rebel_holdem`).

Before the flop it plays the search that the training has published; a raise that this search does not know is added to the game, which is
searched again. The flop is searched with values of turns at its end, turn and river are solved exactly, from the beliefs that follow.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equilibrist.agents.blueprint.blueprint_player import Parts
from equilibrist.agents.blueprint.hand_to_spot import street_words
from equilibrist.agents.blueprint.searching_player import SearchingPlayer, SearchSettings
from equilibrist.agents.registry import AgentEntry
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.player import Player, View
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.solvers.blueprint.strategy import PokerBlueprint, load_blueprint

if TYPE_CHECKING:
    from equilibrist.learning.hand_values.value_net import HandValueNet

PREFLOP, VALUES, FLOP_VALUES = "preflop.eqb", "values.eqb", "flop-values.eqb"  # in a training's folder
USUAL: Mapping[str, Any] = {"iterations": 40, "cards": 8, "preflop": 200, "seconds": 30.0, "threads": 1}
BETS, RAISES = "75%, a", "a"
MOST_GAMES = 64  # with other raises that are kept
MOST_RAISES = 9  # that menus tell apart
AT_ONCE = 10  # iterations before the flop between looks at the clock
LEAST_SECONDS = 0.5  # worth beginning with
BIG_BLIND = 100.0


class RebelPlayer(SearchingPlayer):
    """A training at the table."""

    def __init__(self, folder: Path, search: SearchSettings, cards: int, preflop: int) -> None:
        from equilibrist.learning.rebel_holdem.publishing import load_flop_values

        self.folder, self.cards, self.preflop = folder, cards, preflop
        self._flops = load_flop_values(folder / FLOP_VALUES)
        super().__init__(load_blueprint(folder / PREFLOP), Parts(), search)
        self._usual = self.blueprint
        self._games: dict[tuple[tuple[float, ...], ...], PokerBlueprint] = {}
        self._fitted = ""  # the betting before the flop that the present blueprint knows

    def _continuations(self) -> Continuations:
        from equilibrist.learning.rebel_holdem.sampled_ends import SampledValues

        values = SampledValues(self.folder / VALUES, self.cards)
        values.saved(3)  # what does not fit is refused before anybody plays
        return Continuations(values=values)

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        self._play(self._usual)
        super().reset(seat, rules, rng)

    def stated(self, view: View, cards: npt.NDArray[np.int8]) -> tuple[tuple[str, ...], Floats]:
        self._fit(street_words(view, 0))
        return super().stated(view, cards)

    def _fit(self, words: Sequence[str]) -> None:
        """Play the search of a game that has all raises of this line before the flop."""
        line = ":".join(words)
        if line == self._fitted:
            return
        added = unknown_raises(self._usual, words)[:MOST_RAISES]
        self._play(self._searched(added) if any(added) else self._usual)
        self._fitted = line

    def _play(self, blueprint: PokerBlueprint) -> None:
        """From now on this is what is played before the flop, and what beliefs follow from."""
        self._fitted = ""
        if blueprint is self.blueprint:
            return
        self.blueprint = blueprint
        self._reader = None if self._reader is None else self._reader_at(self._reader.table)

    def _searched(self, added: tuple[tuple[float, ...], ...]) -> PokerBlueprint:
        """Kept once it was searched to its end; where there is no time for any of it, the game without these raises."""
        if added in self._games:
            return self._games[added]
        now = time.monotonic()
        end = min(now + self.search.seconds, self._deadline - self._overrun if self._deadline is not None else math.inf)
        if end - now < LEAST_SECONDS:
            return self._usual
        found, whole = searched_again(self._flops, added, self.preflop, end)
        if whole:
            if len(self._games) >= MOST_GAMES:
                del self._games[next(iter(self._games))]
            self._games[added] = found
        return found


def unknown_raises(blueprint: PokerBlueprint, words: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """Raises of a line before the flop that a tree lacks, by how many came before, as chips on top of the bet faced."""
    tree, node, facing, level = blueprint.abstract.tree, 0, BIG_BLIND, 0
    out: list[tuple[float, ...]] = []
    known = True
    for word in words:
        labels = tree.actions(node) if known else ()
        if word[0] in "br":
            total = float(word[1:])
            there = word in labels
            out.append(() if there or total >= blueprint.abstract.rules.stack else (total - facing,))
            facing, level = total, level + 1
        known = known and word in labels
        if known:
            node = int(tree.first_child[node]) + labels.index(word)
    return tuple(out)


def searched_again(
    flops: HandValueNet, added: Sequence[Sequence[float]], iterations: int, end: float = math.inf
) -> tuple[PokerBlueprint, bool]:
    """The round before the flop with more raises, searched with values of flops, and whether that was done before `end`."""
    from equilibrist.learning.rebel_holdem.class_questions import ClassQuestions
    from equilibrist.learning.rebel_holdem.preflop_game import PreflopGame
    from equilibrist.learning.rebel_holdem.preflop_search import NetShares, PreflopSearch
    from equilibrist.learning.rebel_holdem.publishing import preflop_blueprint

    game = PreflopGame(added=tuple(tuple(sizes) for sizes in added))
    search = PreflopSearch(game, NetShares(flops, ClassQuestions(game)))
    while search.iteration < iterations and (search.iteration == 0 or time.monotonic() < end):
        search.advance(min(AT_ONCE, iterations - search.iteration))
    return preflop_blueprint(search), search.iteration == iterations


def rebel(folder: str = "", **settings: Any) -> Player:
    """A player from the folder of a training `rebel-holdem-20bb`."""
    from equilibrist.learning.networks.torch_extra import need_torch

    need_torch()
    path = Path(str(folder))
    missing = [name for name in (PREFLOP, VALUES, FLOP_VALUES) if not (path / name).is_file()]
    if not str(folder) or missing:
        found = f"but '{folder}' has no {missing[0]}" if str(folder) else "and none was given"
        raise ParameterError(
            f"ReBeL plays from the folder of a training, {found}; train one with 'equilibrist learn start FOLDER --preset "
            "rebel-holdem-20bb' and play rebel(folder=FOLDER)."
        )
    if unknown := next((key for key in settings if key not in USUAL), None):
        raise ParameterError(f"The player 'rebel' has no parameter '{unknown}' (it has: folder, {', '.join(USUAL)}).")
    own = {**USUAL, **settings}
    cards, preflop = int(own.pop("cards")), int(own.pop("preflop"))
    if not 0 <= cards <= 49 or preflop < 1:
        raise ParameterError(
            f"Cards are 0 (all) to 49 and the preflop is searched at least once, but {cards} and {preflop} were given."
        )
    search = SearchSettings(
        street="flop", depth_limit="flop", values=os.fspath(path / VALUES), bet=BETS, raises=RAISES, **own
    )
    return RebelPlayer(path, search, cards, preflop)


ENTRIES = [
    AgentEntry(
        "rebel",
        "hold'em with 20 big blinds: searched before the flop and on it, then solved to the end",
        rebel,
        {"folder": "FOLDER", **USUAL},
        "[Brown20, §5.3.5]",
    )
]
