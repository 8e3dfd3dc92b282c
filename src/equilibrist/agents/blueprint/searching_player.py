"""SearchingPlayer: a blueprint that solves the street it is on, with real chips and bets ([Ganzfried15, §10.3]; [Brown20, §6.4 and §6.5]).

From the street named on, ranges of both players are taken from what was played up to the street (the blueprint's strategies, or the last
search), and the rest of the hand is solved exactly on its boards; bets that no tree knew are part of what is solved. Up to a depth limit a
street is searched alone, with continuations below it. With a safe technique the hand is then solved once, and again after each bet that
this solution does not know. Heads-up hold'em, limit or no-limit.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, Parts, merged
from equilibrist.agents.blueprint.hand_to_spot import follow, held_range, same_size, street_betting, street_words
from equilibrist.cards.ranges import Range
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError
from equilibrist.core.player import View
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.spots import search_from, search_spot
from equilibrist.search.techniques import find_technique
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.solve_spot import solve_spot

SLACK = (
    0.05  # seconds of a deadline that are kept for everything but iterations, at first, with three bets and two raises
)
MOST_OVERRUN = 2.0  # a solve that the machine held up for long says nothing of the next one
NET = "net"  # values that come with the package
LEAST = (5.0, 0.5, 0.03)  # flop, turn, river: seconds below which setting up leaves nothing to iterate with


@dataclass(frozen=True)
class SearchSettings:
    """When and how long to search."""

    street: str = "river"  # the first street that is searched
    iterations: int = 150
    seconds: float = 5.0  # at most, for one decision
    bet: str = "50%, 100%, a"
    raises: str = "100%, a"
    threads: int = 1
    technique: str = "unsafe"  # or any other of `search/techniques.py`: off-tree bets are answered by it

    depth_limit: str = (
        ""  # the last street that is searched alone, with multi-valued states at its end; later ones to the end
    )

    values: str = ""  # what is asked at the end of streets that are searched alone: "net" (those of the package), or a folder or file

    def __post_init__(self) -> None:
        find_technique(self.technique)
        if self.values and not self.depth_limit:
            raise ParameterError(
                "'values' are asked where a search stops early; give depth_limit=flop or depth_limit=turn with them."
            )
        if self.depth_limit not in ("", *POSTFLOP_STREETS[:-1]):
            raise ParameterError(
                f"A depth limit is the {' or the '.join(POSTFLOP_STREETS[:-1])}, where cards are still to come, but "
                f"'{self.depth_limit}' was given."
            )
        if self.street not in POSTFLOP_STREETS:
            raise ParameterError(f"Search begins on the {', '.join(POSTFLOP_STREETS)}, but '{self.street}' was given.")
        if self.iterations < 1 or not self.seconds > 0.0 or self.threads < 1:
            raise ParameterError("A search takes at least one iteration and one thread, and some time.")

    @property
    def pairs(self) -> int:
        """Bets times raises on offer: what the time to set a street up grows with."""
        return len(self.bet.split(",")) * len(self.raises.split(","))

    @property
    def first_round(self) -> int:
        return POSTFLOP_STREETS.index(self.street) + 1

    @property
    def last_limited(self) -> int:
        """The last round that is searched alone; 0: none."""
        return POSTFLOP_STREETS.index(self.depth_limit) + 1 if self.depth_limit else 0

    @property
    def first_whole(self) -> int:
        """The first round that is searched to the end."""
        return max(self.first_round, self.last_limited + 1)


class SearchingPlayer(BlueprintPlayer):
    """Plays the blueprint up to a street and searches from there on."""

    def __init__(
        self, blueprint: PokerBlueprint, parts: Parts | None = None, search: SearchSettings | None = None
    ) -> None:
        super().__init__(blueprint, parts)
        self.search = search or SearchSettings()
        rules = blueprint.abstract.rules
        if rules.players != 2 or rules.deck.size != 52 or rules.hole != 2:
            raise NotApplicableError(
                "Players search in heads-up hold'em with 52 cards; take the blueprint without search elsewhere."
            )
        self._below = self._continuations()
        self._solved: dict[tuple[str, ...], SpotNode | None] = {}
        self._deadline: float | None = None
        self._overrun = SLACK * max(1.0, self.search.pairs / 6.0)

    def _continuations(self) -> Continuations | None:
        """What is known of play below a depth limit; values that do not fit are refused before anybody plays."""
        if not self.search.values:
            return None
        from equilibrist.learning.hand_values.network_values import NetworkValues

        values = NetworkValues(None if self.search.values == NET else self.search.values)
        for number in range(self.search.first_round, self.search.last_limited + 1):
            values.saved(3 + number - 1)
        return Continuations(values=values)

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        super().reset(seat, rules, rng)
        self._solved.clear()

    def act(self, view: View, deadline: float | None = None) -> str:
        self._deadline = deadline
        return super().act(view, deadline)

    def stated(self, view: View, cards: npt.NDArray[np.int8]) -> tuple[tuple[str, ...], Floats]:
        assert view.chips is not None
        if view.chips.round < self.search.first_round or (view.chips.raise_bounds is None and not view.chips.to_call):
            return super().stated(view, cards)
        node = self._place(view)
        if node is None or node.player is None:
            return super().stated(view, cards)
        high, low = cards[:, :2].max(axis=1).astype(np.int64), cards[:, :2].min(axis=1).astype(np.int64)
        known = np.full(len(self._hands), -1)
        known[node.hands] = np.arange(len(node.hands))
        at = known[high * (high - 1) // 2 + low]
        strategy = node.strategy
        rows = np.where(
            (at >= 0)[:, None], strategy[at], strategy.mean(axis=0)
        )  # hands out of range play like the others
        names = tuple(self._label(view, label, name) for label, name in zip(node.labels, node.actions, strict=True))
        return merged(list(names), rows)

    def _label(self, view: View, label: str, name: str) -> str:
        if label[0] == "f":
            return view.fold()
        if label[0] in "xc":
            return view.passive()
        assert view.chips is not None
        if name.startswith("all-in") and view.chips.raise_bounds is not None:
            return view.nearest_raise(view.chips.raise_bounds[1])
        return view.nearest_raise(float(label[1:]))

    def _place(self, view: View) -> SpotNode | None:
        """The decision in the solution of its street; None where nothing could be solved."""
        assert view.chips is not None
        try:
            safely = find_technique(self.search.technique).gadget.needs_values
            return self._nested(view) if safely and view.chips.round >= self.search.first_whole else self._again(view)
        except EquilibristError:
            return None  # the solution of an earlier bet does not know this line

    def _again(self, view: View) -> SpotNode | None:
        """The street solved with all bets that were made on it."""
        assert view.chips is not None
        words = tuple(street_words(view, view.chips.round))
        start = self._start(view, view.chips.round, words)
        return follow(start, words) if start is not None else None

    def _nested(self, view: View) -> SpotNode | None:
        """The first street without a depth limit is solved once; a bet that its solution lacks is answered by a safe search."""
        node = self._start(view, self.search.first_whole, ())
        done: tuple[str, ...] = ()
        for word in _moves_from(view, self.search.first_whole):
            done = (*done, word)
            if node is None or node.is_over:
                return None
            if node.is_deal or _known(node, word):
                node = follow(node, (word,))
            else:
                node = self._answer(done, node, word)
        return node

    def _answer(self, done: tuple[str, ...], node: SpotNode, bet: str) -> SpotNode | None:
        """The node after a bet that was not in the solution, searched safely."""
        key = ("answer", *done)
        if key not in self._solved:
            left = self._time_left(len(node.cards) - 3)
            how: dict[str, Any] = {
                "iterations": self.search.iterations,
                "seconds": left,
                "threads": self.search.threads,
            }
            seat, technique = PLAYERS[self.seat], self.search.technique
            try:
                self._solved[key] = (
                    None
                    if left <= 0.0
                    else self._timed(left, lambda: search_from(node, seat, technique, bet=bet, **how).solution.root)
                )
            except EquilibristError:
                self._solved[key] = None  # a node that nobody gets to: the blueprint goes on
        return self._solved[key]

    def _time_left(self, street: int) -> float:
        """Seconds for a solve that begins on a street; 0 where a deadline leaves too few for it to be worth its setting up."""
        if self._deadline is None:
            return self.search.seconds
        left = self._deadline - time.monotonic() - self._overrun
        return 0.0 if left < LEAST[street] else min(self.search.seconds, left)

    def _timed(self, left: float, solve: Callable[[], SpotNode | None]) -> SpotNode | None:
        """Solve, and remember by how much it took longer than it was given: the next one is given less."""
        began = time.monotonic()
        found = solve()
        self._overrun = max(self._overrun, min(time.monotonic() - began - left, MOST_OVERRUN))
        return found

    def _start(self, view: View, number: int, words: tuple[str, ...]) -> SpotNode | None:
        """The root of the solved street, whose menus hold the bets that were made; one that knows them all is taken again."""
        key = (str(number), *words)
        if key not in self._solved:
            for known, root in self._solved.items():
                if known[0] == key[0] and root is not None and _leads(root, words):
                    return root
            try:
                self._solved[key] = self._solve(view, number, words)
            except EquilibristError:
                self._solved[key] = None  # ranges that cannot meet: the blueprint goes on
        return self._solved[key]

    def _solve(self, view: View, number: int, words: tuple[str, ...]) -> SpotNode | None:
        paid = self.paid_before(view, number)
        ranges = self._ranges(view, number)
        if ranges is None:
            return None
        assert view.chips is not None
        board = view.chips.board[: 3 + number - 1]
        label = self.rules.rules.deck.label
        spot = Spot(
            board="".join(map(label, board)),
            pot=2.0 * paid,
            range=dict(zip(PLAYERS, ranges, strict=True)),
            **street_betting(self.rules.rules, number, words, paid, (self.search.bet, self.search.raises)),
        )
        left = self._time_left(number - 1)
        if left <= 0.0:
            return None
        how: dict[str, Any] = {"iterations": self.search.iterations, "seconds": left, "threads": self.search.threads}
        if number <= self.search.last_limited:
            seat = PLAYERS[self.seat]
            if self._below is not None:
                how["continuations"] = self._below
            return self._timed(left, lambda: search_spot(spot, seat, "unsafe", depth="street", **how).solution.root)
        return self._timed(left, lambda: solve_spot(spot, **how).root)

    def _ranges(self, view: View, number: int) -> tuple[Range, Range] | None:
        """Of both players when a street begins: after the searched street before it, or by the blueprint's strategies."""
        assert view.chips is not None
        if number > self.search.first_round:
            words = tuple(street_words(view, number - 1))
            before = self._start(view, number - 1, words)
            if before is None:
                return None
            node = follow(before, words)
            weights = [np.zeros(1326) for _ in range(2)]
            for seat in range(2):
                weights[seat][node.hands_of(seat)] = node.reach(seat)
        else:
            weights = self.ranges(view, number)
        board = view.chips.board[: 3 + number - 1]
        out = [held_range(weight, board) for weight in weights]
        return None if out[0] is None or out[1] is None else (out[0], out[1])


def _moves_from(view: View, number: int) -> list[str]:
    """Betting words and cards of a public line after the cards of a street."""
    words = [word for word in view.public_state.split(":") if word]
    dealt = [number for number, word in enumerate(words) if word[0] not in "fcxbr"]
    return words[dealt[number - 1] + 1 :] if len(dealt) >= number else []


def _known(node: SpotNode, word: str) -> bool:
    """Whether a solution has an action, up to half a chip."""
    if word[0] not in "br":
        return True
    return any(same_size(node, label, word) for label in node.labels)


def _leads(node: SpotNode, words: Sequence[str]) -> bool:
    """Whether a solution knows a line of its street."""
    for word in words:
        if node.is_deal or node.is_over or not _known(node, word):
            return False
        node = follow(node, (word,))
    return True
