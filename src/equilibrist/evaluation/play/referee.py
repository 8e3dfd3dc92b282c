"""The table: one hand of any game between players, with a referee who takes every fault for what it is."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from equilibrist.core.player import Event, Player, View
from equilibrist.core.units import number_text
from equilibrist.games.poker.game import PokerState
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State


@dataclass(frozen=True)
class Fault:
    """What a player did that no player may do, and what was played instead."""

    seat: int
    kind: str  # "error", "illegal", "late"
    text: str
    played: str


@dataclass(frozen=True)
class HandRecord:
    """A hand as it was played; `moves` holds seat (None: chance) and label in order."""

    moves: tuple[tuple[int | None, str], ...]
    returns: tuple[float, ...]
    faults: tuple[Fault, ...] = field(default=())
    line: str = ""
    state: State | None = field(default=None, compare=False, repr=False)  # the last history


def view_of(state: State, seat: int, public: bool = False) -> View:
    """What a seat may know; with `public` what everybody knows of its place."""
    infoset = "" if public else state.infoset(seat)
    return View(seat, infoset, state.public(), state.actions(), state.chips(seat, public))


def play_hand(
    game: Game,
    players: Sequence[Player],
    cards: random.Random,
    draws: Sequence[random.Random],
    seconds: float | None = None,
) -> HandRecord:
    """One hand; `cards` deals, `draws` are the players' own chance, `seconds` is the time for one decision."""
    for seat, player in enumerate(players):
        player.reset(seat, game, draws[seat])
    state: State = game.start()
    moves: list[tuple[int | None, str]] = []
    faults: list[Fault] = []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            actor = None
            following = state.child(state.sample_chance(cards))
            label = chance_label(state, following)
        else:
            actor = state.player
            label, fault = _decide(players[actor], view_of(state, actor), seconds)
            if fault is not None:
                faults.append(fault)
            following = state.child(state.actions().index(label))
        state = following
        moves.append((actor, label))
        _tell(players, state, actor, label)
    returns = state.returns()
    for seat, held in state.shown().items():
        for player in players:
            player.observe(Event("shown", seat, held, state.public()))
    for player in players:
        player.observe(Event("result", None, " ".join(map(number_text, returns)), state.public()))
    return HandRecord(tuple(moves), tuple(returns), tuple(faults), state.public(), state)


def chance_label(before: State, after: State) -> str:
    """What chance did: cards as they are written; in other games what everybody saw of it."""
    if isinstance(before, PokerState) and isinstance(after, PokerState):
        deck = after.game.rules.deck
        if not before.hole:
            return after.game.dealer.deal_label(after.hole)
        return "".join(map(deck.label, after.board[len(before.board) :]))
    return after.public()


def _decide(player: Player, view: View, seconds: float | None) -> tuple[str, Fault | None]:
    """The player's action, or check or fold where it gives none that is legal and in time."""
    began = time.monotonic()
    try:
        label: Any = player.act(view, None if seconds is None else began + seconds)
    except Exception as error:  # whatever a player's code does, the hand goes on
        kind = "late" if isinstance(error, TimeoutError) else "error"
        return _instead(view, kind, f"{type(error).__name__}: {error}")
    took = time.monotonic() - began
    if seconds is not None and took > seconds:
        return _instead(view, "late", f"answered after {took:.2f} s, {seconds:g} s are allowed")
    if not isinstance(label, str) or label not in view.actions:
        return _instead(view, "illegal", f"played {label!r}, which is not among the legal actions")
    return label, None


def _instead(view: View, kind: str, text: str) -> tuple[str, Fault]:
    label = next((each for each in ("x", "f") if each in view.actions), view.actions[0])
    return label, Fault(view.seat, kind, text, label)


def _tell(players: Sequence[Player], state: State, actor: int | None, label: str) -> None:
    public = state.public()
    for seat, player in enumerate(players):
        if actor is not None:
            player.observe(Event("action", actor, label, public))
            continue
        seen = state.dealt(seat)
        if seen is not None:
            player.observe(Event(seen[0], None, seen[1], public))
