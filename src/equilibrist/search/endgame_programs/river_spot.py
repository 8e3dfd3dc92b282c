"""A river spot by the linear programs of two theses: buckets of hands, unsafe ([Lu16, chapter 4], [Ganzfried15, chapter 10])."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import NotApplicableError, UnknownNameError, suggest
from equilibrist.games.poker.bet_menus import RoundMenu
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_values import NO_LIMIT
from equilibrist.search.endgame_programs import turn_spot
from equilibrist.search.endgame_programs.endgame_betting import EndgameBetting, grow_betting, last_round
from equilibrist.search.endgame_programs.endgame_solving import (
    EXACT,
    GANZFRIED,
    LU,
    EndgameMethod,
    EndgameSolution,
    solve_endgame,
)
from equilibrist.search.endgame_programs.joint_hands import river_hands
from equilibrist.search.requests.game_answer import GameAnswer

PROGRAMS: Mapping[str, EndgameMethod] = {method.name: method for method in (LU, GANZFRIED, EXACT)}


def find_program(name: str) -> EndgameMethod:
    """A program by name."""
    if name not in PROGRAMS:
        known = [*PROGRAMS, *turn_spot.PROGRAMS]
        raise UnknownNameError(
            f"There is no endgame program '{name}'.{suggest(name, known)} Known are: {', '.join(known)}."
        )
    return PROGRAMS[name]


def solve_river(spot: Spot, method: EndgameMethod) -> tuple[EndgameSolution, npt.NDArray[np.int64]]:
    """Both players' strategies by bucket, and the numbers of the hands they are for."""
    hands, live = river_hands(spot.board_text, *spot.ranges)
    return solve_endgame(_betting(spot), hands, method), live


def _betting(spot: Spot) -> EndgameBetting:
    """The spot's betting as that of a last round; sizes must mean the same in both."""
    if (
        spot.street + 1 != len(POSTFLOP_STREETS)
        or spot.line
        or spot.rake.rate
        or spot.locks
        or spot.betting.kind != NO_LIMIT
    ):
        raise NotApplicableError(
            "Endgame programs solve no-limit rivers from the beginning of the street, without rake and locks; use another search."
        )
    ((oop, ip),) = spot.menus
    sizes = [str(size) for menu in (oop.bet, oop.raises) for size in menu.sizes]
    if oop != ip or any(size != "a" and not size.endswith("%") for size in sizes):
        raise NotApplicableError(
            "Endgame programs take one menu for both players, in shares of the pot and 'a' (all-in); change the sizes."
        )
    opening, raises = (Menu(tuple(str(size) for size in menu.sizes)) for menu in (oop.bet, oop.raises))
    menu = RoundMenu(((opening, raises),))
    least = float(spot.chip) if spot.chip else 0.0
    return grow_betting(last_round(spot.pot, spot.stacks, menu, minimum_bet=least))


def answer_by_program(spot: Spot, program: str) -> GameAnswer:
    """The first decision of a river spot, or of a limit turn by a program of its own, for out of position."""
    if program in turn_spot.PROGRAMS:
        return turn_spot.answer_by_turn_program(spot, program)
    found, live = solve_river(spot, find_program(program))
    strategy, weights = found.at("", 0), spot.weights(0)[live]
    pairs = hands_of(STANDARD)
    held = np.flatnonzero(weights > 0)
    names = [STANDARD.label(int(pairs.high[live[h]])) + STANDARD.label(int(pairs.low[live[h]])) for h in held]
    tree = found.betting.players[0]
    return GameAnswer(
        game=f"the river {spot.board_text}",
        unit="chips",
        line="",
        searcher=0,
        technique=f"program {program}",
        iterations=0,
        seconds=sum(found.seconds.values()),
        exploitability=found.exploitability,
        margin=float("nan"),
        tolerance=float("nan"),
        player=0,
        actions=tuple(tree.actions[tree.infoset("")]),
        frequencies=tuple(np.average(strategy, axis=0, weights=weights).tolist()),
        hands={name: tuple(strategy[h].tolist()) for name, h in zip(names, held.tolist(), strict=True)},
    )
