"""ReBeL where everything is seen: tic-tac-toe, played perfectly by searches of one iteration.

A public belief state is then a history, a search is two moves of minimax below which the network is asked once, and self-play is nearly
AlphaZero's; the text has no such run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.experiments.brown.learning.courses import LearningCourse, course
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, close, on, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.games.rules import TERMINAL, State

if TYPE_CHECKING:
    from equilibrist.core.policy import TabularPolicy
    from equilibrist.learning.rebel.rebel import ReBeL

GAME = "tic-tac-toe"
STAND_IN = "tic-tac-toe"
PLAYED = "exploitability"


def method() -> ReBeL:
    """A minute on one core."""
    from equilibrist.learning.rebel.rebel import ReBeL  # late: PyTorch

    return ReBeL(inside=1, hands=256, halve=12, iterations=50)


def minimax(state: State, known: dict[Any, float]) -> float:
    """What a position is worth to x; `known` by stones."""
    place = state.stones, state.player  # type: ignore[attr-defined]
    if place not in known:
        if state.player == TERMINAL:
            known[place] = state.returns()[0]
        else:
            values = [minimax(state.child(a), known) for a in range(len(state.actions()))]
            known[place] = max(values) if state.player == 0 else min(values)
    return known[place]


def met(game: Compiled, policy: TabularPolicy, player: int) -> tuple[int, int, float]:
    """Positions that a player meets against anybody, ends that it loses, and the least that a position is worth to it: every history."""
    known: dict[Any, float] = {}
    waiting, seen, lost, least = [game.game.start()], set[Any](), 0, 1.0
    while waiting:
        state = waiting.pop()
        place = state.stones, state.player  # type: ignore[attr-defined]
        seen.add(place)
        worth = minimax(state, known) * (1.0 if player == 0 else -1.0) + 0.0  # no negative zero
        least = min(least, worth)
        lost += state.player == TERMINAL and worth < 0.0
        if state.player == TERMINAL:
            continue
        own = state.player == player
        chances = policy.row(policy.infosets.number(state.infoset(player))) if own else np.ones(len(state.actions()))
        waiting += [state.child(a) for a in np.flatnonzero(chances > 0.0).tolist()]
    return len(seen), lost, least


def run(request: Request) -> Findings:
    own, game = method(), compiled(GAME)
    last: list[TabularPolicy] = []

    def read(learner: Any) -> float:
        last[:] = [learner.policy()]
        return float(learner.measure()[0])

    made: LearningCourse = course("tic-tac-toe", own, game, request, iterations=own.iterations, readings={PLAYED: read})
    walks = {("x", "o")[player]: met(game, last[0], player) for player in range(2)}
    checks: list[Check] = [
        at_least("exploitability after the first iteration", 0.5, made.exploitability[PLAYED][0]),
        *ours([close("exploitability at the end, exactly", 0.0, made.last(PLAYED), 0.0)]),
    ]
    for name, (_, lost, least) in walks.items():
        checks.append(at_most(f"as {name}, against anybody: ends that are lost", 0.0, float(lost)))
        checks.append(at_least(f"as {name}: least value of a position that is met", 0.0, least))
    curve = dict(zip(made.iterations, made.exploitability[PLAYED], strict=True))
    return Findings(
        setting=f"tic-tac-toe, {own!r}, {own.iterations} iterations, one seed",
        checks=on(STAND_IN, checks),
        measured={"positions met": {name: found[0] for name, found in walks.items()}, PLAYED: curve},
        remarks=(
            "The text says that one iteration of a search suffices where everything is seen, and has no numbers for it.",
        ),
        draw=lambda figure: _draw(figure, curve),
    )


def _draw(figure: Any, curve: Mapping[int, float]) -> None:
    """Plain axes, for it falls to 0."""
    panel = figure.subplots()
    panel.plot(list(curve), list(curve.values()), "o-", linewidth=1.2, markersize=4)
    panel.set(xlabel="iterations", ylabel="exploitability (a win is 1)")
    panel.grid(alpha=0.25)


EXPERIMENT = Experiment(
    id="brown/rebel-tic-tac-toe",
    title="ReBeL where everything is seen: tic-tac-toe",
    source="[Brown20, §5.3.3]",
    seconds_quick=90,
    seconds_full=90,
    run=run,
    text="no game of perfect information",
    quick={"tic-tac-toe": ("pattern", "reference")},
)
