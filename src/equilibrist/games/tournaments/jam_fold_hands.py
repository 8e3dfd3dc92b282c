"""A jam/fold tournament by its rules: every hand an ordinary game of deals, decisions and a showdown; for few classes of hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from equilibrist.core.arrays import Array, Floats
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.games.stochastic import StageEnd, StochasticGame
from equilibrist.games.tournaments.jam_fold import HandEnd, JamFold


@dataclass(frozen=True, eq=False)
class JamFoldHand(Game):
    """One hand; `showdowns` [outcome, hand, …] are probabilities of hands and of their order, all at once."""

    name: str
    rules: JamFold
    forced: tuple[bool, ...]
    ranks: tuple[tuple[int, ...], ...]  # [outcome] of all seats
    showdowns: Array
    zero_sum = False

    @property
    def players(self) -> int:  # type: ignore[override]
        return self.rules.players

    def start(self) -> State:
        return HandState(self, None, "", None)


class HandState(State):
    """Hands by seat, what was done so far, and at the end how those all-in rank."""

    __slots__ = ("_ends", "event", "game", "hands", "line")

    def __init__(self, game: JamFoldHand, hands: tuple[int, ...] | None, line: str, event: HandEnd | None) -> None:
        self.game, self.hands, self.event = game, hands, event
        self._ends: list[tuple[HandEnd, float]] = []
        while hands is not None and len(line) < game.players and (game.forced[len(line)] or self._walk(line)):
            line += "F" if self._walk(line) else "J"
        self.line = line

    def _walk(self, line: str) -> bool:
        """The big blind has nothing to do when nobody has jammed."""
        return len(line) == self.game.players - 1 and "J" not in line

    @property
    def player(self) -> int:  # type: ignore[override]
        if self.event is not None:
            return TERMINAL
        return CHANCE if self.hands is None or len(self.line) == self.game.players else len(self.line)

    def actions(self) -> Sequence[str]:
        return ("fold", "jam")

    def chance(self) -> Sequence[tuple[str, float]]:
        if self.hands is None:
            total = self.game.showdowns.sum(axis=0, dtype=np.float64)
            return [(" ".join(map(str, hands)), float(total[hands])) for hands in self._deals()]
        return [(" ".join(map(str, event.ranks)), p) for event, p in self._events()]

    def _deals(self) -> list[tuple[int, ...]]:
        return list(product(range(self.game.showdowns.shape[1]), repeat=self.game.players))

    def _events(self) -> list[tuple[HandEnd, float]]:
        """Ends that the line can have, given the hands; listed once."""
        assert self.hands is not None
        if self._ends:
            return self._ends
        shares: Floats = np.moveaxis(self.game.showdowns, 0, -1)[self.hands].astype(np.float64)
        shares = shares / shares.sum()
        for event in self.game.rules.events:
            if event.line == self.line:
                fits = [_agrees(ranks, event) for ranks in self.game.ranks]
                self._ends.append((event, float(shares[fits].sum()) if len(event.jammed) > 1 else 1.0))
        return self._ends

    def child(self, index: int) -> State:
        if self.hands is None:
            return HandState(self.game, self._deals()[index], "", None)
        if len(self.line) == self.game.players:
            return HandState(self.game, self.hands, self.line, self._events()[index][0])
        return HandState(self.game, self.hands, self.line + "FJ"[index], None)

    def infoset(self, player: int) -> str:
        held = "?" if self.hands is None else self.hands[player]
        return f"{player}:{held}:{self.line}"

    def public(self) -> str:
        return self.line

    def returns(self) -> tuple[float, ...]:
        return (0.0,) * self.game.players


def _agrees(ranks: tuple[int, ...], event: HandEnd) -> bool:
    """Whether an order of all seats is that of the event, among those all-in."""
    among = sorted({ranks[seat] for seat in event.jammed})
    return all(among.index(ranks[seat]) == event.ranks[seat] for seat in event.jammed)


class JamFoldTournament(StochasticGame):
    """The tournament as a stochastic game whose stages are games of their own."""

    def __init__(self, rules: JamFold, ranks: Sequence[Sequence[int]], showdowns: Array) -> None:
        self.rules, self.showdowns = rules, showdowns
        self.ranks = tuple(tuple(map(int, row)) for row in ranks)
        self.name, self.players = f"jam/fold, {rules.chips} chips", rules.players

    @property
    def states(self) -> Sequence[str]:
        return [", ".join(str(stack * self.rules.unit) for stack in stacks) for stacks in self.rules.states]

    def stage(self, state: int) -> Game:
        stacks = self.rules.states[state]
        return JamFoldHand(self.states[state], self.rules, self.rules.forced(stacks), self.ranks, self.showdowns)

    def end(self, state: int, history: State) -> StageEnd:
        assert isinstance(history, HandState)
        assert history.event is not None
        return self.rules.end(state, history.event)

    def guess(self) -> Floats:
        return self.rules.guess()
