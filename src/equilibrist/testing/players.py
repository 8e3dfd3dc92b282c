"""`check_player`: seats a player at a table and says which rule of a player it breaks, and where."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from equilibrist.core.player import Player, StrategicPlayer
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import CHANCE, TERMINAL, Game


def check_player(make: Callable[[], Player], game: str | Game = "leduc", *, hands: int = 50, seed: int = 0) -> None:
    """Raises an `AssertionError` that names the broken rule; `make` gives a player that has not played yet.

    Players choose among the actions offered, are the same in the same hand (their chance is the `rng` they are given), and, where they
    state a strategy, state probabilities that add up to one.
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
    from equilibrist.evaluation.play.referee import view_of

    chance, state, taken = random.Random(seed), rules.start(), list[str]()
    player.reset(seat, rules, random.Random(seed + 1))
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.child(state.sample_chance(chance))
            continue
        if state.player != seat:
            state = state.child(chance.randrange(len(state.actions())))
            continue
        view = view_of(state, seat)
        action: Any = player.act(view)
        assert action in view.actions, (
            f"At '{view.public_state}' the actions are {', '.join(view.actions[:20])}, but the player took {action!r}."
        )
        if isinstance(player, StrategicPlayer):
            _check_strategy(player, view_of(state, seat, public=True))
        taken.append(action)
        state = state.child(list(view.actions).index(action))
    return taken


def _check_strategy(player: StrategicPlayer, view: Any) -> None:
    stated = player.strategy(view)
    if stated is None:
        return
    unknown = [action for action in stated.actions if action not in view.actions]
    assert not unknown, f"At '{view.public_state}' the player states {unknown[0]!r}, which is not offered."
    total = stated.probabilities.sum(axis=1)
    held = total > 0
    assert np.allclose(total[held], 1.0, atol=1e-6), (
        f"At '{view.public_state}' stated probabilities do not add up to one."
    )
