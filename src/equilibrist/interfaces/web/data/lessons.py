"""Lessons: CFR on small games at any iteration, kept in a pool so that nobody's steps disturb anybody else's."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache

from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import recorded_game
from equilibrist.interfaces.web.data.public_lines import PublicLines
from equilibrist.interfaces.web.time_limits import OvertimeError, check_time
from equilibrist.solvers.cfr.steps import SteppedRun

GAMES = {
    "kuhn": (
        "Kuhn poker",
        "Three cards, one bet. Small enough to follow every number; the first player loses 1/18 a hand.",
    ),
    "leduc": ("Leduc poker", "Six cards, two rounds, a public card: the smallest game with real poker in it."),
    "liars-dice(faces=3)": ("Liar's Dice, three faces", "One die each with three faces; bid or call the lie."),
    "liars-dice(faces=4)": ("Liar's Dice, four faces", "The same with four faces."),
    "rps-plus": ("Rock, paper, scissors+", "Wins with scissors count double: why mixing changes."),
}
SOLVERS = {
    "cfr": "CFR: regrets are summed up, the average strategy converges",
    "cfr+": "CFR+: regrets never fall below zero",
    "lcfr": "Linear CFR: later iterations count more",
    "dcfr": "Discounted CFR: old regrets fade",
}
MOST_ITERATIONS = 5000
KEPT_RUNS = 16
STEPS_BETWEEN = 200  # iterations between looks at the clock


@dataclass
class _Kept:
    game: str
    solver: str
    run: SteppedRun


@cache
def lesson_game(name: str) -> Compiled:
    """One of the games offered."""
    if name not in GAMES:
        raise UnknownNameError(
            f"There is no lesson on '{name}'.{suggest(name, GAMES)} Expected one of {', '.join(GAMES)}."
        )
    return Compiled(recorded_game(name))


@cache
def public_lines(name: str) -> PublicLines:
    """The lines of a game, from its tree."""
    return PublicLines.of_tree(lesson_game(name).tree)


class Lessons:
    """Runs that have stopped at some iteration; a request takes one that is not too far, and puts it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[_Kept] = []

    def take(self, game: str, solver: str, iteration: int) -> SteppedRun:
        """A run at an iteration, the caller's own until `give_back`."""
        if solver not in SOLVERS:
            raise UnknownNameError(f"Lessons use {', '.join(SOLVERS)}, but '{solver}' was given.")
        if not 0 <= iteration <= MOST_ITERATIONS:
            raise ParameterError(f"Lessons go from iteration 0 to {MOST_ITERATIONS:,}, but {iteration} was given.")
        compiled = lesson_game(game)
        with self._lock:
            usable = [k for k in self._kept if (k.game, k.solver) == (game, solver) and k.run.iteration <= iteration]
            best = max(usable, key=lambda kept: kept.run.iteration, default=None)
            if best is not None:
                self._kept.remove(best)
        run = best.run if best is not None else SteppedRun(compiled, solver)
        try:
            while run.iteration < iteration:
                check_time()
                run.advance(min(iteration, run.iteration + STEPS_BETWEEN))
        except OvertimeError:
            self.give_back(game, solver, run)  # another request goes on from here
            raise
        return run

    def give_back(self, game: str, solver: str, run: SteppedRun) -> None:
        with self._lock:
            self._kept.append(_Kept(game, solver, run))
            del self._kept[:-KEPT_RUNS]
