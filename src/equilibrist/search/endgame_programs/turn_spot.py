"""A limit turn by the programs that GS1 and GS2 solved at the table: turn and river on buckets of hands ([Gilpin09, §6.3 and §6.4])."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from equilibrist.abstraction.information.board_hands import BoardHands, board_hands
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.games.poker.betting import first_node
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_values import LIMIT
from equilibrist.search.endgame_programs.turn_program import (
    TurnBuckets,
    TurnSolution,
    expectation_buckets,
    threshold_buckets,
    turn_program,
)
from equilibrist.search.requests.game_answer import GameAnswer
from equilibrist.solvers.plan_space.field import Field

PROGRAMS: Mapping[str, Callable[[BoardHands], TurnBuckets]] = {
    "gs1": lambda hands: threshold_buckets(hands).buckets,  # lossy GameShrink: about 25 and 125 classes
    "gs2": lambda hands: expectation_buckets(hands),  # clusters of expected strength: 10 and 100 buckets
}


def solve_turn(spot: Spot, program: str) -> TurnSolution:
    """Both players' strategies by bucket."""
    if (
        spot.street != POSTFLOP_STREETS.index("turn")
        or spot.betting.kind != LIMIT
        or spot.line
        or spot.rake.rate
        or spot.locks
    ):
        raise NotApplicableError(
            f"The program '{program}' solves fixed-limit turns from the beginning of the street, without rake and locks; solve other "
            "spots with 'equilibrist solve'."
        )
    betting = spot.betting
    if any(one != other for both in (betting.size, betting.cap) for one, other in pairwise(both)):
        raise NotApplicableError(
            f"The program '{program}' takes one bet size and one cap for turn and river, but sizes {list(betting.size)} and caps "
            f"{list(betting.cap)} were given."
        )
    most = betting.size[0] * betting.cap[0] * 2
    if min(spot.stacks) < most:
        raise NotApplicableError(
            f"The program '{program}' plays without stacks, so both need {most:g} chips behind; solve the spot instead."
        )
    buckets = PROGRAMS[program](board_hands(spot.board))
    ranges = spot.weights(0), spot.weights(1)
    return turn_program(spot.board, ranges, spot.pot, buckets=buckets, bet=betting.size[0], cap=betting.cap[0]).solve()


def answer_by_turn_program(spot: Spot, program: str) -> GameAnswer:
    """The first decision of a limit turn, for out of position."""
    found = solve_turn(spot, program)
    buckets, weights = found.program.buckets, spot.weights(0)[found.program.buckets.hands.hands]
    strategy = _opening(found)[buckets.turn]
    pairs, live = hands_of(STANDARD), buckets.hands.hands
    held = np.flatnonzero(weights > 0)
    names = [STANDARD.label(int(pairs.high[live[h]])) + STANDARD.label(int(pairs.low[live[h]])) for h in held]
    return GameAnswer(
        game=f"the turn {spot.board_text} with {buckets.counts[0]} and {buckets.counts[1]} buckets",
        line="",
        searcher=0,
        technique=f"program {program}",
        iterations=0,
        seconds=found.seconds,
        exploitability=found.evaluation.exploitability,
        margin=float("nan"),
        tolerance=float("nan"),
        player=0,
        actions=tuple(first_node(found.program.form.rules).labels),
        frequencies=tuple(np.average(strategy, axis=0, weights=weights).tolist()),
        hands={name: tuple(strategy[h].tolist()) for name, h in zip(names, held.tolist(), strict=True)},
    )


def _opening(found: TurnSolution) -> Floats:
    """[turn bucket, action] of the first player's first decision."""
    form = found.program.form
    behaviour = Field(form).behaviour(found.plan)
    first = np.flatnonzero(form.parent[: form.first_infoset[1]] == form.offset[0])
    out: Floats = np.stack(
        [behaviour[s : s + n] for s, n in zip(form.first_sequence[first], form.actions[first], strict=True)]
    )
    return out
