"""Repeated games with lack of information on one side: three examples solved, and played for 100,000 stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, close, on, ours, printed
from equilibrist.experiments.gilpin.equilibria.repeated_play import (
    Greedy,
    Mixing,
    both_play,
    oppose_uninformed,
    respond_to_informed,
)
from equilibrist.experiments.pictures import COLOURS
from equilibrist.experiments.registry import Experiment
from equilibrist.games.library.repeated import (
    NON_REVEALING,
    PARTIALLY_REVEALING,
    REVEALING,
    FiniteRepetition,
    RepeatedGame,
)
from equilibrist.solvers.repeated_games.repeated_games import RepeatedSolution, non_revealing_value, solve_repeated
from equilibrist.solvers.solve import solve

EXAMPLES = {"non-revealing": NON_REVEALING, "revealing": REVEALING, "partially revealing": PARTIALLY_REVEALING}
RANDOM = RepeatedGame(np.random.default_rng(1).uniform(-1.0, 1.0, (3, 3, 3)), [0.3, 0.3, 0.4])
VALUES = {"non-revealing": 0.25, "revealing": 0.0, "partially revealing": 1.0}
LOTTERIES = {  # belief in state A -> its probability, in states A and B
    "non-revealing": {0.5: (1.0, 1.0)},
    "revealing": {0.0: (0.0, 1.0), 1.0: (1.0, 0.0)},
    "partially revealing": {0.25: (0.25, 0.75), 0.75: (0.75, 0.25)},
}
EXACT = 1e-9
EPSILON, TEXT_EPSILON = 1e-6, 0.01  # of the payoff range: bisection, and the text's grid
SLACK = 0.02  # in payoffs, for the uninformed player ([Gilpin09, §11.5.2])
STAGES = 100_000
SEEDS = 10
FINITE = 5  # stages of the longest finite game that is solved


@dataclass(frozen=True)
class Played:
    """What happened between a solution and its opponents."""

    both: float  # mean payoff of both optimal strategies against each other
    response: float  # of the informed player against a best response
    adversaries: Mapping[str, float]  # of adversaries against the uninformed player
    stages: npt.NDArray[np.int64]
    distances: Mapping[str, Floats] = field(repr=False)  # by opponent, root mean square over seeds


def closed_form(name: str, q: Floats) -> Floats:
    """v(q) of the examples, by hand."""
    if name == "partially revealing":
        return np.interp(q, [0, 0.25, 0.5, 0.75, 1], [0, 1, 0, 1, 0])
    return q * (1 - q) * (1 if name == "non-revealing" else -1)


def value_checks(name: str, game: RepeatedGame, solution: RepeatedSolution) -> list[Check]:
    q = np.linspace(0.0, 1.0, 201)
    difference = np.abs(non_revealing_value(game, np.stack([q, 1 - q], axis=1)) - closed_form(name, q)).max()
    target = VALUES[name]
    low, high = game.range
    on_grid = solve_repeated(game, TEXT_EPSILON, "grid")
    return [
        *printed([close(f"{name}: value", target, solution.value, EXACT), lottery_check(name, solution)]),
        close(f"{name}: upper bound of the value", target, solution.upper, EPSILON * (high - low)),
        close(f"{name}: value on the text's grid", target, on_grid.value, EXACT),
        at_most(f"{name}: bound on the grid's error", TEXT_EPSILON * (high - low), on_grid.error),
        close(f"{name}: v(q), largest difference", 0.0, difference, EXACT),
    ]


def lottery_check(name: str, solution: RepeatedSolution) -> Check:
    """Beliefs in state A and the probability of each in both states."""
    order = np.argsort(solution.informed.beliefs[:, 0])
    beliefs, lottery = solution.informed.beliefs[order, 0], solution.informed.lottery[:, order].T
    found = {float(belief): tuple(row.tolist()) for belief, row in zip(beliefs, lottery, strict=True)}
    flat = [np.array([[q, *row] for q, row in table.items()]) for table in (LOTTERIES[name], found)]
    passed = flat[0].shape == flat[1].shape and bool(np.abs(flat[0] - flat[1]).max() <= EXACT)
    shown = [{f"belief {q:g}": list(row) for q, row in table.items()} for table in (LOTTERIES[name], found)]
    return Check(f"{name}: lottery in states A, B", shown[0], shown[1], EXACT, passed)


def finite_checks(solution: RepeatedSolution) -> tuple[list[Check], list[float]]:
    """Values of the first stages alone: they fall, and stay above the value of the infinite game."""
    values = [solve(FiniteRepetition(solution.game, n), "lp").value[0] for n in range(1, FINITE + 1)]
    drops = [a - b for a, b in pairwise(values)]
    return [
        at_least("non-revealing: drop of the value from n to n + 1 stages", 0.0, min(drops)),
        at_least(f"non-revealing: value of {FINITE} stages", solution.value, values[-1]),
    ], values


def play(solution: RepeatedSolution, stages: int) -> Played:
    """Both strategies against each other and against adversaries."""
    game, uninformed = solution.game, solution.uninformed
    states = np.eye(game.shape[0])
    opponents: dict[str, Mixing | Greedy] = {f"greedy in state {k + 1}": Greedy(e) for k, e in enumerate(states)}
    opponents["pushing away"] = Greedy(game.prior, pushing=True)
    opponents |= {f"row {i + 1} for ever": Mixing(e) for i, e in enumerate(np.eye(game.shape[1]))}
    opponents |= {f"optimal {i + 1}": Mixing(mix) for i, mix in enumerate(solution.informed.rows)}
    ends, distances = {}, {}
    for name, opponent in opponents.items():
        courses = [oppose_uninformed(uninformed, opponent, stages, seed) for seed in range(SEEDS)]
        distances[name] = np.sqrt(np.mean([uninformed.distance(c.averages) ** 2 for c in courses], axis=0))
        ends[name] = np.mean([course.averages[-1] for course in courses], axis=0)
    greedy = [ends[f"greedy in state {k + 1}"][k] for k in range(game.shape[0])]
    fixed = np.max([ends[f"row {i + 1} for ever"] for i in range(game.shape[1])], axis=0)
    adversaries = {
        "the best row of every stage": float(game.prior @ greedy),
        "one row for ever": float(game.prior @ fixed),
    }
    adversaries["the row that leads away most"] = float(game.prior @ ends["pushing away"])
    response = respond_to_informed(solution, stages)[-1]
    return Played(float(both_play(solution, stages)[-1]), float(response), adversaries, courses[0].stages, distances)


def play_checks(name: str, solution: RepeatedSolution, played: Played) -> list[Check]:
    worst = max(float((d / _bound(solution, played.stages)).max()) for d in played.distances.values())
    return [
        close(f"{name}: both optimal", solution.value, played.both, SLACK),
        at_least(f"{name}: informed player against a best response", solution.value - SLACK, played.response),
        *(
            at_most(f"{name}: uninformed player against {who}", solution.upper + SLACK, mean)
            for who, mean in played.adversaries.items()
        ),
        at_most(f"{name}: largest distance, in range × sqrt(states / n)", 1.0, worst),
    ]


def run(request: Request) -> Findings:
    games = EXAMPLES | {"three random states": RANDOM}
    stages = 10 * STAGES if request.full else STAGES
    checks: list[Check] = []
    solutions: dict[str, RepeatedSolution] = {}
    courses: dict[str, Played] = {}
    for number, (name, game) in enumerate(games.items()):
        request.report(name, number / len(games))
        solutions[name] = solve_repeated(game, EPSILON)
        courses[name] = play(solutions[name], stages)
        found = play_checks(name, solutions[name], courses[name])
        if name in EXAMPLES:
            checks += on("text", [*value_checks(name, game, solutions[name]), *found])
        else:
            checks += on(name, ours(found))
    more, finite = finite_checks(solutions["non-revealing"])
    return Findings(
        setting=f"values and lotteries exactly; {stages:,} stages of each pair of players, distances over {SEEDS} seeds",
        checks=[*checks, *on("text", more)],
        published={"value": VALUES, "lotteries in states A, B": LOTTERIES},
        measured={
            "value": {name: [solution.lower, solution.upper] for name, solution in solutions.items()},
            "average games solved": {name: solution.games for name, solution in solutions.items()},
            "value of n stages": {"non-revealing": finite},
            "mean payoff": {
                name: {"both optimal": c.both, "best response to informed": c.response, **c.adversaries}
                for name, c in courses.items()
            },
            "last distance": {name: {o: d[-1] for o, d in c.distances.items()} for name, c in courses.items()},
        },
        remarks=(
            "The grid has C = ceil(K/ε) steps as in the text's Lemma 12; its algorithm prints ceil(1/ε).",
            "Adversaries know the state; the strongest are told the uninformed player's mix before every stage.",
        ),
        draw=lambda figure: draw(figure, solutions, courses),
    )


def draw(figure: Any, solutions: Mapping[str, RepeatedSolution], courses: Mapping[str, Played]) -> None:
    """v and cav v of the examples; how fast mean payoffs approach the targets."""
    *examples, last = figure.subplots(2, 2).flat
    q = np.linspace(0.0, 1.0, 101)
    beliefs = np.stack([q, 1 - q], axis=1)
    for panel, (name, game) in zip(examples, EXAMPLES.items(), strict=True):
        cav = [solve_repeated(RepeatedGame(game.payoffs, belief), 1e-4).value for belief in beliefs]
        panel.plot(q, cav, color=COLOURS[1], linewidth=4, alpha=0.4, label="cav v")
        panel.plot(q, non_revealing_value(game, beliefs), color=COLOURS[0], label="v")
        informed = solutions[name].informed
        panel.plot(
            informed.beliefs[:, 0], non_revealing_value(game, informed.beliefs), "o", color="#444444", label="lottery"
        )
        panel.set(title=name, xlabel="belief in state A", ylabel="value")
        panel.legend(fontsize=7, frameon=False)
    for colour, (name, who) in zip(COLOURS, _SHOWN, strict=False):
        played, target = courses[name], solutions[name]
        reached = np.where(played.distances[who] > 0, played.distances[who] / _bound(target, np.array(1)), np.nan)
        last.plot(played.stages, reached, ".-", color=colour, markersize=3, linewidth=1, label=f"{name}, {who}")
    last.plot(played.stages, played.stages**-0.5, "--", color="#444444", label="bound")
    last.set(
        xscale="log",
        yscale="log",
        title="distance to the targets",
        xlabel="stages",
        ylabel="share of range × sqrt(states)",
    )
    last.legend(fontsize=6, frameon=False)


_SHOWN = (
    ("non-revealing", "optimal 1"),
    ("three random states", "optimal 1"),
    ("three random states", "greedy in state 1"),
)


def _bound(solution: RepeatedSolution, stages: npt.NDArray[np.int64]) -> Floats:
    return np.array([solution.uninformed.distance_bound(int(n)) for n in stages.flat]).reshape(stages.shape)


EXPERIMENT = Experiment(
    id="gilpin/repeated-games",
    title="Repeated games with lack of information on one side",
    source="[Gilpin09, §11.3 to §11.5]",
    seconds_quick=5,
    seconds_full=60,
    run=run,
    text="three repeated games of two states",
    quick={"text": ("printed", "pattern", "reference"), "three random states": ("reference",)},
)
