"""A player written out as a policy, where the game is small enough to ask it everywhere."""

from __future__ import annotations

import random

import numpy as np

from equilibrist.agents.simple import SimplePlayer
from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.core.player import Player
from equilibrist.core.policy import TabularPolicy
from equilibrist.evaluation.play.referee import view_of
from equilibrist.forms.compiled import compiled
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

MOST_HISTORIES = 2_000_000


def tabulate(player: Player, game: Game, name: str | None = None) -> TabularPolicy:
    """What a player that does not learn does at every infoset, whichever seat it takes; `name` is what refusals call it."""
    if (
        not isinstance(player, SimplePlayer)
        or player.learns
        or type(player).probabilities is SimplePlayer.probabilities
    ):
        told = name or type(player).__name__
        raise NotApplicableError(
            f"'{told}' cannot be written out as a policy, because its choices depend on more than what it sees in a hand, or it does not "
            "tell their chances; play hands instead ('equilibrist match' without --exact), or choose another player."
        )
    size = game.histories()
    if size is None or size > MOST_HISTORIES:
        raise TooLargeError(
            f"'{game.name}' is too large to ask a player everywhere; use local best response or matches."
        )
    infosets = compiled(game).infosets
    out, seen = np.zeros(infosets.slots), np.zeros(len(infosets), dtype=bool)
    stack: list[State] = [game.start()]
    while stack:
        state = stack.pop()
        if state.player == TERMINAL:
            continue
        if state.player == CHANCE:
            stack += [state.child(i) for i in range(len(state.chance()))]
            continue
        number = infosets.number(state.infoset(state.player))
        if not seen[number]:
            seen[number] = True
            player.reset(state.player, game, random.Random(0))
            chances = player.probabilities(view_of(state, state.player))
            first = infosets.first_slot[number]
            for place, label in enumerate(infosets.actions[number]):
                out[first + place] = chances.get(label, 0.0)
        stack += [state.child(i) for i in range(len(state.actions()))]
    return TabularPolicy(infosets, out)
