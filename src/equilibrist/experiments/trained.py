"""Blueprints trained on the fly for experiments, and rivers that they reach against themselves."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.agents.matches.match import MatchResult, MatchSettings, play_match
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.core.player import Player
from equilibrist.core.solution import SolveRecord
from equilibrist.evaluation.play.referee import view_of
from equilibrist.experiments.findings import Request
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.strategy import SOLVER, PokerBlueprint
from equilibrist.solvers.blueprint.training import Training

RIVER = 3


def trained(
    plan: BlueprintPlan,
    iterations: int,
    request: Request,
    training: Training | None = None,
    threads: int = 1,
    checkpoints: Path | None = None,
) -> PokerBlueprint:
    """A blueprint in memory; the same with one thread for the same plan, iterations and seed. With checkpoints, it goes on where it was."""
    game = plan.game(threads=threads, report=lambda text, share: request.report(text, share))
    run = BlueprintRun(game, training or Training(), planned=iterations, threads=threads)
    key = f"{plan.to_json()} {training} {iterations} {game.buckets.hash}"
    kept = Checkpoints(checkpoints, key)
    name = f"training-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    found = kept.load(name)
    if found is not None:
        run.restore(found)
    wanted = max(1, iterations // BLOCK)
    with HeldInterrupts() as held:  # a state between two deals would count some of them twice
        while run.blocks < wanted and not held.asked:
            run.advance(min(16 * threads, wanted - run.blocks))
            request.report(f"training on {plan.game_name}", run.blocks / wanted)
            kept.save_now_and_then(name, run.state)
        kept.save(name, run.state())
        held.checkpoint()
    return PokerBlueprint(plan, run.game, run.packed(), SolveRecord(SOLVER, run.iteration))


def duel(
    game: str, makers: dict[str, Callable[[], Player]], hands: int, request: Request, **settings: Any
) -> MatchResult:
    """A duplicate match between players that are made by functions."""
    asked = MatchSettings(tuple(makers), game=game, hands=hands, duplicate=True, **settings)
    title = " against ".join(makers)
    return play_match(
        asked,
        makers=lambda name: makers[name](),
        progress=lambda done, wanted: request.report(title, done / wanted),
    )


@dataclass(frozen=True)
class River:
    """A river that two blueprints reach, where both have chips left; ranges [1326] by seat, from their own actions."""

    state: PokerState
    ranges: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
    hand: int  # number of the hand it came up in
    held: tuple[int, int]  # [seat] which of the two blueprints sits there


def rivers(blueprint: PokerBlueprint, game: Poker, seed: int, other: PokerBlueprint | None = None) -> Iterator[River]:
    """Rivers of hands that a blueprint plays against itself, or with seats in turn against another, one after another without end."""
    pair, hand = (blueprint, other or blueprint), 0
    while True:
        hand += 1
        held = (0, 1) if other is None or hand % 2 else (1, 0)
        found = played_to([BlueprintPlayer(pair[which]) for which in held], game, RIVER, f"{seed}/{hand}")
        if found is not None:
            yield River(found[0], (found[1][0], found[1][1]), hand, held)


def played_to(
    players: Sequence[BlueprintPlayer], game: Poker, round: int, seed: str
) -> tuple[PokerState, list[npt.NDArray[np.float64]]] | None:
    """One hand up to its first decision in a round, and all ranges there; None where it does not come to one."""
    rng = random.Random(seed)
    for seat, player in enumerate(players):
        player.reset(seat, game, random.Random(f"{seed}/{seat}"))
    reach = [np.ones(len(player._hands)) for player in players]
    state: Any = game.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.child(state.sample_chance(rng))
            continue
        if state.node.round == round:
            return state, reach
        seat = state.player
        stated = players[seat].strategy(view_of(state, seat, public=True))
        assert stated is not None
        label = players[seat].act(view_of(state, seat))
        reach[seat] = reach[seat] * stated.probabilities[:, stated.actions.index(label)]
        state = state.child(state.actions().index(label))
    return None
