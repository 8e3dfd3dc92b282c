"""Lessons: CFR on small games, iteration by iteration. An answer depends on the question alone, so every step has a link."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query

from equilibrist.interfaces.pictures.palette import colour_map, describe_action
from equilibrist.interfaces.web.data.lessons import (
    GAMES,
    MOST_ITERATIONS,
    SOLVERS,
    lesson_game,
    public_lines,
)
from equilibrist.interfaces.web.data.public_lines import infoset_reach
from equilibrist.interfaces.web.models.lessons import (
    CurvePoint,
    GameItem,
    InfosetRow,
    LearnState,
    LessonDecision,
    Step,
    StepAction,
)
from equilibrist.interfaces.web.services import Here
from equilibrist.solvers.cfr.steps import InfosetStep, SteppedRun

router = APIRouter(prefix="/lessons", tags=["lessons"])

MOST_POINTS = 200
EQUAL = 1e-12


@router.get("/games")
def lesson_games() -> list[GameItem]:
    """Games small enough to look at every number."""
    return [
        GameItem(name=name, title=title, summary=summary, infosets=len(lesson_game(name).infosets))
        for name, (title, summary) in GAMES.items()
    ]


@router.get("/solvers")
def lesson_solvers() -> dict[str, str]:
    """Members of the CFR family whose steps are shown."""
    return dict(SOLVERS)


@router.get("/state")
def lesson_state(
    here: Here,
    game: Annotated[str, Query(max_length=60)] = "kuhn",
    solver: Annotated[str, Query(max_length=20)] = "cfr",
    iteration: Annotated[int, Query(ge=0, le=MOST_ITERATIONS)] = 0,
    line: Annotated[str, Query(max_length=200, description="Public state, such as x:b.")] = "",
    infoset: Annotated[str | None, Query(max_length=200, description="Whose last step is shown.")] = None,
) -> LearnState:
    """Regrets, current and average strategies after some iterations, at one public state."""
    run = here.lessons.take(game, solver, iteration)
    try:
        return _state(run, game, solver, line, infoset)
    finally:
        here.lessons.give_back(game, solver, run)


def _state(run: SteppedRun, game: str, solver: str, line: str, infoset: str | None) -> LearnState:
    infosets = run.infosets
    measured = run.run.evaluate()
    lines = list(dict.fromkeys(infosets.public))
    line = line if line in lines else lines[0]
    regret, current, average = run.slots(run.run.regret), run.slots(run.run.strategy), run.run.average()
    rows = []
    for number, public in enumerate(infosets.public):
        if public == line:
            own = slice(int(infosets.first_slot[number]), int(infosets.first_slot[number + 1]))
            rows.append(
                InfosetRow(
                    key=infosets.keys[number],
                    public=public,
                    player=int(infosets.player[number]),
                    actions=list(infosets.actions[number]),
                    regret=regret[own].tolist(),
                    current=current[own].tolist(),
                    average=average.row(number).tolist(),
                )
            )
    keys = {row.key for row in rows}
    chosen = infoset if infoset in keys else rows[0].key
    step = _step(run.step(infosets.number(chosen))) if run.iteration else None
    curve = [CurvePoint(iteration=i, exploitability=e) for i, e in run.curve if i <= run.iteration]
    return LearnState(
        game=game,
        solver=solver,
        iteration=run.iteration,
        line=line,
        lines=lines,
        path=_path(run, game, line),
        value=list(measured.value),
        exploitability=measured.exploitability,
        curve=curve[:: max(1, len(curve) // MOST_POINTS)],
        colours=colour_map(infosets.actions),
        infosets=rows,
        step=step,
    )


def _path(run: SteppedRun, game: str, line: str) -> list[LessonDecision]:
    infosets, policy, known = run.infosets, run.run.average(), public_lines(game)
    reach = infoset_reach(run.game.tree, policy)
    out = []
    for place, chosen in known.path(line):
        here = [number for number, public in enumerate(infosets.public) if public == place]
        labels = infosets.actions[here[0]]
        rows = np.array([policy.row(number) for number in here if infosets.actions[number] == labels])
        weights = np.array([reach[number] for number in here if infosets.actions[number] == labels])
        if not weights.sum() > 0.0:
            weights = np.ones(len(rows))
        out.append(
            LessonDecision(
                line=place,
                player=int(infosets.player[here[0]]),
                labels=list(labels),
                actions=[describe_action(label) for label in labels],
                frequencies=(weights @ rows / weights.sum()).tolist(),
                chosen=chosen,
                following={label: known.after.get((place, label), []) for label in labels},
            )
        )
    return out


def _step(found: InfosetStep) -> Step:
    return Step(
        key=found.key,
        player=found.player,
        value=found.value,
        positive_factor=found.positive_factor,
        negative_factor=found.negative_factor,
        actions=[
            StepAction(
                label=each.label,
                name=describe_action(each.label),
                before=each.before,
                value=each.value,
                gain=each.gain,
                regret_before=each.regret_before,
                regret=each.regret,
                after=each.after,
                average=each.average,
            )
            for each in found.actions
        ],
        formulas=_formulas(found),
    )


def _formulas(found: InfosetStep) -> list[str]:
    """The iteration in numbers, one sentence each."""
    mean = " + ".join(f"{a.before:.3f} · {a.value:+.4f}" for a in found.actions)
    lines = [f"v = Σ σ(a) · v(a) = {mean} = {found.value:+.4f}"]
    for a in found.actions:
        total = a.regret_before + a.gain
        factor = found.positive_factor if total > 0 else found.negative_factor
        kept = f", then · {factor:.3f}" if abs(factor - 1.0) > EQUAL else ""
        lines.append(
            f"R({a.label}) = {a.regret_before:+.4f} + ({a.value:+.4f} − ({found.value:+.4f})) = {total:+.4f}{kept} → {a.regret:+.4f}"
        )
    positive = [max(a.regret, 0.0) for a in found.actions]
    if sum(positive) > 0.0:
        parts = ", ".join(
            f"σ({a.label}) = {p:.4f} / {sum(positive):.4f} = {a.after:.3f}"
            for a, p in zip(found.actions, positive, strict=True)
        )
        lines.append(f"next: {parts}")
    else:
        lines.append("next: no regret is positive, so all actions are equally likely")
    return lines
