"""Lessons: CFR on small games at any iteration, kept in a pool so that nobody's steps disturb anybody else's."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import recorded_game
from equilibrist.interfaces.web.time_limits import OvertimeError, check_time
from equilibrist.solvers.cfr._kernels.history_cfr import reach_down
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


@dataclass
class PublicLines:
    """How the public states at which somebody decides follow each other."""

    before: dict[str, tuple[str, str]] = field(
        default_factory=dict
    )  # line -> the decision before and what was done there
    after: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # line and action -> the next decisions

    def path(self, line: str) -> list[tuple[str, str | None]]:
        """The decisions up to a line with what was done at each; at the line itself nothing yet."""
        out: list[tuple[str, str | None]] = [(line, None)]
        while line in self.before:
            line, action = self.before[line]
            out.append((line, action))
        return out[::-1]


@cache
def public_lines(name: str) -> PublicLines:
    """The lines of a game, from its tree."""
    game = lesson_game(name)
    tree, infosets, found = game.tree, game.infosets, PublicLines()
    for number in range(tree.histories):
        if tree.infoset[number] < 0:
            continue
        line, step, above = infosets.public[tree.infoset[number]], number, int(tree.parent[number])
        while above >= 0 and tree.infoset[above] < 0:
            step, above = above, int(tree.parent[above])
        if above < 0 or line in found.before:
            continue
        infoset = int(tree.infoset[above])
        place = infosets.public[infoset], infosets.actions[infoset][step - int(tree.first_child[above])]
        if place[0] != line:
            found.before[line] = place
            found.after.setdefault(place, []).append(line)
    return found


def infoset_reach(run: SteppedRun) -> npt.NDArray[np.float64]:
    """[I] how likely each infoset is under the average strategies."""
    tree, policy = run.game.tree, run.run.average()
    reach = np.empty((tree.histories, tree.players + 1))
    reach_down(tree.nodes, policy.probabilities, reach)
    acting = tree.infoset >= 0
    return np.bincount(tree.infoset[acting], reach.prod(axis=1)[acting], len(tree.infosets)).astype(np.float64)


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
