"""Games of one street, by themselves or many in one kernel call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from equilibrist.compute.bundles import bundle, bundle_rows
from equilibrist.core.arrays import Floats32, Longs
from equilibrist.solvers.postflop._kernels import boards as passes
from equilibrist.solvers.postflop._kernels import layout as kernels


def one_game(before: int, last: int, check: float, goal: float, normaliser: float) -> kernels.Games:
    """A game by itself, at an iteration."""
    return kernels.Games(
        open=np.ones(1, dtype=np.bool_),
        iteration=np.array([before], dtype=np.int64),
        last=np.array([last], dtype=np.int64),
        check=np.array([check], dtype=np.float64),
        goal=np.array([goal], dtype=np.float64),
        normaliser=np.array([normaliser], dtype=np.float64),
        found=np.full(1, -1.0),
        found_at=np.zeros(1, dtype=np.int64),
        first_group=np.zeros(1, dtype=np.int64),
    )


def run_games(
    games: kernels.Games,
    before: int,
    rule: tuple[float, float, float],
    mode: int,
    players: Sequence[int],
    factors: Floats32,
    street: Any,
    sides: tuple[Any, Any],
    ends: tuple[Floats32, ...],
    nothing: Floats32,
) -> None:
    """`run_single` with arguments of the types that it was compiled for; `street` is a bundle, `sides` are bundles of each game."""
    passes.run_single(
        bundle(games), before, rule, (mode, kernels.RESPOND), (players[0], players[-1]), factors, street, sides, ends, nothing
    )  # fmt: skip


def game_sides(side: kernels.Side, shapes: Longs, payoffs: Longs) -> Any:
    """One player in each of G games, whose arrays follow one another, as bundles.

    shapes [G, 2]: blocks of the hands, and places of a block; payoffs [G]: where the lanes of its betting begin.
    """
    return bundle_rows(
        [
            kernels.Side(
                game_hands(side.hands, g, blocks, size),
                game_tables(side.tables, g * side.hands.places * side.tables.slots),
                game_payoff(side.payoff, first),
                side.scratch,
            )
            for g, ((blocks, size), first) in enumerate(zip(shapes.tolist(), payoffs.tolist(), strict=True))
        ]
    )


def game_hands(hands: kernels.Hands, g: int, blocks: int, size: int) -> kernels.Hands:
    """The hands of game g, by itself."""
    at = g * hands.places
    return hands._replace(
        order=hands.order[at:], card1=hands.card1[at:], card2=hands.card2[at:], twin=hands.twin[at:], share=hands.share[g:],
        count=hands.count[g:], places=blocks * size, blocks=blocks, size=size,
    )  # fmt: skip


def game_tables(tables: kernels.Tables, at: int) -> kernels.Tables:
    """The tables of a game that begin at an entry; those of 16 bits have one game."""
    return tables._replace(regret=tables.regret[at:], average=tables.average[at:], basis=tables.basis[at:])


def game_payoff(payoff: kernels.Payoff, at: int) -> kernels.Payoff:
    """What the ends of a game pay, whose lanes begin there."""
    return payoff._replace(difference=payoff.difference[at:], both=payoff.both[at:], folded=payoff.folded[at:])
