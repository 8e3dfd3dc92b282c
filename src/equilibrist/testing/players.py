"""`check_player`: seats a player at a table and says which rule of a player it breaks, and where."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from equilibrist.core.player import Event, Player, StrategicPlayer, Strategy, View
from equilibrist.evaluation.play.referee import view_of
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

DEADLINES = (None, 3600.0)  # seconds from now; the referee gives both kinds


def check_player(make: Callable[[], Player], game: str | Game = "leduc", *, hands: int = 50, seed: int = 0) -> None:
    """Raises an `AssertionError` that names the broken rule; `make` gives a player that has not played yet.

    Players choose among the actions offered (with a deadline and without), take in whatever they are told, are the same in the same hand
    (their chance is the `rng` they are given), and, where they state a strategy, state probabilities that add up to one.
    """
    rules = load_game(game) if isinstance(game, str) else game
    first, again = make(), make()
    assert isinstance(first, Player), "A player has `reset`, `observe` and `act` (`equilibrist.core.player.Player`)."
    for number in range(hands):
        seat = number % rules.players
        one, other = (_play(player, rules, seat, seed * hands + number) for player in (first, again))
        assert one == other, (
            f"In hand {number} two players made alike acted differently, {one} and {other}: draw from the `rng` that `reset` gives, "
            "and keep nothing from hand to hand that chance decides."
        )


def _play(player: Player, rules: Game, seat: int, seed: int) -> list[str]:
    """One hand of the player against random ones; its own actions."""
    chance, state, taken = random.Random(seed), rules.start(), list[str]()
    _asked("reset(seat, rules, rng)", state, lambda: player.reset(seat, rules, random.Random(seed + 1)))
    while state.player != TERMINAL:
        if state.player == CHANCE:
            following = state.child(state.sample_chance(chance))
            seen = following.dealt(seat)
            event = None if seen is None else Event(seen[0], None, seen[1], following.public())
        else:
            actor, actions = state.player, state.actions()
            if actor == seat:
                action = _act(player, state, seat, DEADLINES[len(taken) % 2])
                taken.append(action)
            else:
                action = actions[chance.randrange(len(actions))]
            following = state.child(list(actions).index(action))
            event = Event("action", actor, action, following.public())
        state = following
        if event is not None:
            _tell(player, event, state)
    for shown_by, held in state.shown().items():
        _tell(player, Event("shown", shown_by, held, state.public()), state)
    _tell(player, Event("result", None, " ".join(f"{x:g}" for x in state.returns()), state.public()), state)
    return taken


def _act(player: Player, state: State, seat: int, seconds: float | None) -> str:
    view = view_of(state, seat)
    deadline = None if seconds is None else time.monotonic() + seconds
    action: Any = _asked("act(view, deadline)", state, lambda: player.act(view, deadline))
    offered = isinstance(action, str) and action in view.actions
    assert offered, (
        f"At '{view.public_state}' the actions are {', '.join(view.actions[:20])}, but the player took {action!r}."
    )
    if isinstance(player, StrategicPlayer):
        _check_strategy(player, state, view_of(state, seat, public=True))
    return str(action)


def _tell(player: Player, event: Event, state: State) -> None:
    _asked(f"observe({event.kind!r})", state, lambda: player.observe(event))


def _asked(what: str, state: State, ask: Callable[[], Any]) -> Any:
    """An answer, or the sentence that names what raised instead of answering."""
    try:
        return ask()
    except Exception as error:
        raise AssertionError(f"At '{state.public()}' `{what}` raised {type(error).__name__}: {error}") from error


def _check_strategy(player: StrategicPlayer, state: State, view: View) -> None:
    stated: Any = _asked("strategy(view)", state, lambda: player.strategy(view))
    if stated is None:
        return
    assert isinstance(stated, Strategy), (
        f"At '{view.public_state}' `strategy(view)` gives {type(stated).__name__}; it gives a `Strategy` with `actions` and "
        "`probabilities` [hand, action], or None."
    )
    table = np.asarray(stated.probabilities)
    right = table.ndim == 2 and table.shape[1] == len(stated.actions)
    right = right and bool(np.all(np.isfinite(table) & (table >= 0)))
    assert right, (
        f"At '{view.public_state}' stated probabilities have the shape {table.shape} for {len(stated.actions)} actions, or are not "
        "finite and at least 0; they are [hand, action]."
    )
    unknown = [action for action in stated.actions if action not in view.actions]
    assert not unknown, f"At '{view.public_state}' the player states {unknown[0]!r}, which is not offered."
    total = stated.probabilities.sum(axis=1)
    held = total > 0
    assert np.allclose(total[held], 1.0, atol=1e-6), (
        f"At '{view.public_state}' stated probabilities do not add up to one."
    )
