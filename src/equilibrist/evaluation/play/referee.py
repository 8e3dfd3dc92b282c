"""The table: one hand of any game between players, with a referee who takes every fault for what it is."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from equilibrist.core.player import Chips, Event, Player, View
from equilibrist.games.poker.game import Poker, PokerState
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
    chips = chips_of(state, seat, public) if isinstance(state, PokerState) else None
    return View(seat, infoset, state.public(), state.actions(), chips)


def chips_of(state: PokerState, seat: int, public: bool = False) -> Chips:
    """Cards and chips as the player to act sees them."""
    node = state.node
    return Chips(
        hole=() if public else state.hole[seat],
        board=state.board,
        round=node.round,
        pot=node.pot,
        to_call=node.facing,
        paid=node.paid,
        behind=tuple(map(node.behind, range(len(node.paid)))),
        folded=node.folded,
        round_base=max(node.paid) - max(node.at_start),
        raise_bounds=node.raise_bounds,
        big_blind=float(state.game.big_blind or 1.0),
    )


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
        _tell(players, game, state, actor, label)
    returns = state.returns()
    for seat in _shown(state):
        assert isinstance(state, PokerState)
        for player in players:
            player.observe(Event("shown", seat, state.game.hole_label(state.hole[seat]), state.public()))
    for player in players:
        player.observe(Event("result", None, " ".join(f"{x:g}" for x in returns), state.public()))
    return HandRecord(tuple(moves), tuple(returns), tuple(faults), state.public(), state)


def _shown(state: State) -> list[int]:
    """Seats whose cards everybody sees at the end."""
    if not isinstance(state, PokerState):
        return []
    live = [seat for seat, folded in enumerate(state.node.folded) if not folded]
    return live if len(live) > 1 else []


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


def _tell(players: Sequence[Player], game: Game, state: State, actor: int | None, label: str) -> None:
    public = state.public()
    for seat, player in enumerate(players):
        if actor is not None:
            event = Event("action", actor, label, public)
        elif isinstance(game, Poker) and isinstance(state, PokerState) and not state.board:
            event = Event("deal", None, game.hole_label(state.hole[seat]), public)
        else:
            event = Event("reveal", None, label if isinstance(game, Poker) else state.infoset(seat), public)
        player.observe(event)
