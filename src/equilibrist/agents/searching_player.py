"""SearchingPlayer: a blueprint that solves the street it is on, with real pot, stacks and bets ([Ganzfried15] 2.12, [Brown20] 6.2, 6.3).

From the street named on, ranges of both players are taken from what was played up to the street (the blueprint's strategies, or the last
search), and the rest of the hand is solved exactly on its boards; bets that no tree knew are part of what is solved. Heads-up hold'em.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.agents.blueprint_player import BlueprintPlayer, Parts, merged
from equilibrist.agents.reading import Step
from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError
from equilibrist.core.player import View
from equilibrist.games.cards.ranges import Range
from equilibrist.games.holdem.sizing import PLAYERS, STREETS
from equilibrist.games.holdem.spot import Spot
from equilibrist.solvers.blueprint.poker_blueprint import PokerBlueprint
from equilibrist.solvers.cursor import Cursor
from equilibrist.solvers.solve_spot import solve_spot

Floats = npt.NDArray[np.float64]
FAINT = 1e-6  # share of the likeliest hand below which a hand is left out of a range


@dataclass(frozen=True)
class SearchSettings:
    """When and how long to search."""

    street: str = "river"  # the first street that is searched
    iterations: int = 150
    seconds: float = 5.0  # at most, for one decision
    bet: str = "50%, 100%, a"
    raises: str = "100%, a"
    threads: int = 1

    def __post_init__(self) -> None:
        if self.street not in STREETS:
            raise ParameterError(f"Search begins on the {', '.join(STREETS)}, but '{self.street}' was given.")
        if self.iterations < 1 or not self.seconds > 0.0 or self.threads < 1:
            raise ParameterError("A search takes at least one iteration and one thread, and some time.")

    @property
    def first_round(self) -> int:
        return STREETS.index(self.street) + 1


class SearchingPlayer(BlueprintPlayer):
    """Plays the blueprint up to a street and searches from there on."""

    def __init__(
        self, blueprint: PokerBlueprint, parts: Parts | None = None, search: SearchSettings | None = None
    ) -> None:
        super().__init__(blueprint, parts)
        self.search = search or SearchSettings()
        rules = blueprint.game.rules
        if rules.players != 2 or rules.deck.size != 52 or rules.hole != 2:
            raise NotApplicableError(
                "Players search in heads-up hold'em with 52 cards; take the blueprint without search elsewhere."
            )
        self._solved: dict[tuple[str, ...], Cursor | None] = {}
        self._deadline: float | None = None

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
        place = self._place(view)
        if place is None or place.player is None:
            return super().stated(view, cards)
        high, low = cards[:, :2].max(axis=1).astype(np.int64), cards[:, :2].min(axis=1).astype(np.int64)
        wanted = high * (high - 1) // 2 + low
        known = {int(hand): row for row, hand in enumerate(place.hands)}
        even = place.frequencies
        rows = np.stack([place.strategy[known[hand]] if hand in known else even for hand in wanted.tolist()])
        names = tuple(self._label(view, label, name) for label, name in zip(place.labels, place.actions, strict=True))
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

    def _place(self, view: View) -> Cursor | None:
        """The decision in the solution of its street; None where nothing could be solved."""
        assert view.chips is not None
        words = tuple(_street_words(view, view.chips.round))
        start = self._start(view, view.chips.round, words)
        return start.at(":".join(words)) if start is not None else None

    def _start(self, view: View, number: int, words: tuple[str, ...]) -> Cursor | None:
        """The root of the solved street, whose menus hold the bets that were made."""
        key = (str(number), *words)
        if key not in self._solved:
            try:
                self._solved[key] = self._solve(view, number, words)
            except EquilibristError:
                self._solved[key] = None  # ranges that cannot meet: the blueprint goes on
        return self._solved[key]

    def _solve(self, view: View, number: int, words: tuple[str, ...]) -> Cursor | None:
        paid = self._paid_before(view, number)
        ranges = self._ranges(view, number)
        if ranges is None:
            return None
        assert view.chips is not None
        board = view.chips.board[: 3 + number - 1]
        label = self.rules.rules.deck.label
        stack = self.rules.rules.stack - paid
        spot = Spot(
            board="".join(map(label, board)),
            pot=2.0 * paid,
            stack=stack,
            range=dict(zip(PLAYERS, ranges, strict=True)),
            bets=self._menus(number, words, stack),
            thresholds={"force_allin": 0.1},
        )
        left = (
            self.search.seconds
            if self._deadline is None
            else min(self.search.seconds, self._deadline - time.monotonic() - 0.05)
        )
        if left <= 0.0:
            return None
        found = solve_spot(spot, iterations=self.search.iterations, seconds=left, threads=self.search.threads)
        return found.root

    def _paid_before(self, view: View, number: int) -> float:
        """What each player had in the pot when a street began."""
        assert self._reader is not None
        words = [word for street in range(number) for word in _street_words(view, street)]
        return float(max(self._reader.read(":".join(words), self._salt).real.paid))

    def _menus(self, number: int, words: tuple[str, ...], stack: float) -> dict[str, Any]:
        """The search's own sizes, and on this street those that were bet, as chips on top of the bet faced."""
        bets, raises, facing = [self.search.bet], [self.search.raises], 0.0
        for word in words:
            if word[0] in "br":
                total = float(word[1:])
                if total < stack:
                    (raises if facing else bets).append(f"{total - facing:g}c")
                facing = total
        street = STREETS[number - 1]
        return {
            "bet": self.search.bet,
            "raise": self.search.raises,
            street: {"bet": ", ".join(bets), "raise": ", ".join(raises)},
        }

    def _ranges(self, view: View, number: int) -> tuple[Range, Range] | None:
        """Of both players when a street begins: after the searched street before it, or by the blueprint's strategies."""
        assert view.chips is not None
        if number > self.search.first_round:
            words = tuple(_street_words(view, number - 1))
            before = self._start(view, number - 1, words)
            if before is None:
                return None
            place = before.at(":".join(words)) if words else before
            weights = [np.zeros(1326) for _ in range(2)]
            for seat in range(2):
                weights[seat][place.hands_of(seat)] = place.reach(seat)
        else:
            weights = self._blueprint_ranges(view, number)
        board = view.chips.board[: 3 + number - 1]
        out = [_range(weight, board) for weight in weights]
        return None if out[0] is None or out[1] is None else (out[0], out[1])

    def _blueprint_ranges(self, view: View, number: int) -> list[Floats]:
        """[1326] probability of each hand's own actions before the street."""
        assert view.chips is not None
        out = [np.ones(len(self._hands)) for _ in range(2)]
        for step in self.reading(view).steps:
            if step.round < number and step.node >= 0:
                out[step.player] *= self._step_chances(step, view.chips.board)
        return out

    def _step_chances(self, step: Step, whole_board: tuple[int, ...]) -> Floats:
        """[1326] how likely the blueprint does what was done."""
        board = np.array(whole_board[: int(np.cumsum(self.blueprint.game.rules.board)[step.round])], dtype=np.int8)
        free = ~np.isin(self._hands, board).any(axis=1)
        cards = np.concatenate([self._hands[free], np.broadcast_to(board, (int(free.sum()), len(board)))], axis=1)
        rows = self.blueprint.strategies(step.node, self.blueprint.game.buckets.bucket(step.round, cards))
        out = np.zeros(len(self._hands))
        out[free] = rows[:, step.action]
        return out


def _range(weights: Floats, board: tuple[int, ...]) -> Range | None:
    top = weights.max(initial=0.0)
    if not top > 0.0:
        return None
    kept = np.where(weights > FAINT * top, weights / top, 0.0)
    return Range(kept).without(board)


def _street_words(view: View, number: int) -> list[str]:
    """Betting words of one street of a public line."""
    parts: list[list[str]] = [[]]
    for word in view.public_state.split(":"):
        if not word:
            continue
        if word[0] in "fcxbr":
            parts[-1].append(word)
        else:
            parts.append([])
    return parts[number] if number < len(parts) else []
