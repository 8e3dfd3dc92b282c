"""Self-play: the round before the flop is searched, lines to flops are drawn from its iterates, flops are searched, turns are solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.learning.hand_values.belief_states import BeliefStates, joined_states, random_states
from equilibrist.learning.hand_values.labels import LabelledStates, Labelling, made_shard
from equilibrist.learning.hand_values.value_file import SavedValues
from equilibrist.learning.hand_values.value_order import DEPTHS
from equilibrist.learning.rebel_holdem.flop_play import ClassExamples, FlopSearch, FlopTable, random_flop
from equilibrist.learning.rebel_holdem.preflop_game import FLOP_BETS, PreflopGame
from equilibrist.learning.rebel_holdem.preflop_search import LeafShares, PreflopSearch

Tell = Callable[[str, float], None]  # what is being done, and how far it is; may end the work
FlopFound = list[tuple[ClassExamples, BeliefStates]]  # by line
Job = tuple[int, np.random.Generator]


@dataclass(frozen=True)
class HoldemPlay:
    """How much is played in an iteration."""

    flops: int = 4
    lines: int = 2  # to each flop
    preflop: int = 100  # iterations of the search before the flop
    flop: FlopSearch = field(default_factory=FlopSearch)
    random: float = 0.25  # share of the turns that are solved whose beliefs are drawn as for `values-turn`
    until: float = 0.4  # % of the pot, of turns


@dataclass(frozen=True, eq=False)
class PlayedStates:
    """What an iteration of self-play has found."""

    flops: ClassExamples
    turns: LabelledStates


def play(
    game: PreflopGame,
    settings: HoldemPlay,
    before: LeafShares,
    after: SavedValues,
    random: np.random.Generator,
    *,
    threads: int = 1,
    device: str = "cpu",
    tell: Tell = lambda doing, share: None,
) -> PlayedStates:
    """`before` says what classes are worth at the start of the flop, `after` what hands are worth at the start of the turn."""
    tell("searching before the flop", 0.0)
    drawn = drawn_lines(game, settings, before, random)
    alone = threads == 1 or device != "cpu"  # one flop at a time, by all threads
    where: dict[str, Any] = {"device": device, "threads": threads if alone else 1}

    def one(job: Job) -> FlopFound:
        number, own = job
        table = FlopTable(game, random_flop(own).tolist(), after, settings.flop, **where)
        mine = drawn[number * settings.lines : (number + 1) * settings.lines]
        return [table.play(leaf, weights, own) for leaf, weights in mine]

    jobs = list(enumerate(random.spawn(settings.flops)))
    parts = [each for found in _in_order(one, jobs, 1 if alone else threads, tell) for each in found]
    turns = _with_random(joined_states([states for _, states in parts]), settings.random, random)
    return PlayedStates(
        joined_examples([example for example, _ in parts]), _solved(turns, settings, threads, device, tell)
    )


def _in_order(one: Callable[[Job], FlopFound], jobs: Sequence[Job], threads: int, tell: Tell) -> list[FlopFound]:
    """What flops gave, in the order of the jobs; where `tell` ends the work, those that have not begun are left out."""
    out, pool = list[FlopFound](), ThreadPoolExecutor(threads)
    try:
        for found in map(one, jobs) if threads == 1 else pool.map(one, jobs):
            out.append(found)
            tell(f"{len(out)} of {len(jobs)} flops", 0.8 * len(out) / len(jobs))
    finally:
        pool.shutdown(cancel_futures=True)
    return out


def drawn_lines(
    game: PreflopGame, settings: HoldemPlay, before: LeafShares, random: np.random.Generator
) -> list[tuple[int, Floats]]:
    """A leaf and both players' reach [2, class] for each line to play: iterates by their numbers, lines by their chances or evenly."""
    chances = np.arange(1.0, settings.preflop + 1.0)
    count = settings.flops * settings.lines
    wanted = np.sort(1 + random.choice(settings.preflop, size=count, p=chances / chances.sum()))
    search, out = PreflopSearch(game, before), []
    for t in wanted.tolist():
        search.advance(t - search.iteration)
        reach = search.reach_of_leaves((search.strategy(0), search.strategy(1)))
        lines = search.chances(reach)[game.open]
        even = random.random() < settings.flop.exploration or not lines.sum() > 0.0
        leaf = int(random.choice(game.open, p=None if even else lines / lines.sum()))
        out.append((leaf, reach[leaf]))
    return [out[place] for place in random.permutation(count)]


def _with_random(turns: BeliefStates, share: float, random: np.random.Generator) -> BeliefStates:
    """Turns that play came to, then some that are drawn at random: so many that they are a share of all."""
    count = round(len(turns) * share / (1.0 - share))
    return joined_states([turns, random_states("turn", count, random, DEPTHS)]) if count else turns


def _solved(turns: BeliefStates, settings: HoldemPlay, threads: int, device: str, tell: Tell) -> LabelledStates:
    labelling = Labelling("turn", FLOP_BETS, tuple(np.unique(turns.depth).tolist()), settings.until)

    def told(share: float) -> None:
        tell(f"solving {len(turns)} turns", 0.8 + 0.2 * share)

    return made_shard(labelling, turns, threads=threads, device=device, tell=told)


def joined_examples(parts: list[ClassExamples]) -> ClassExamples:
    """One after the other."""
    weights, depth, added, share = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("weights", "depth", "added", "share")
    )
    return ClassExamples(weights, depth, added, share)
