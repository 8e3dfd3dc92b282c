"""Warm starts on limit flop hold'em: the game itself with --full, the same game with ten cards otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from equilibrist.compute.machine import cores
from equilibrist.experiments.findings import Check, Findings, Request, at_most, between
from equilibrist.experiments.registry import Experiment
from equilibrist.games.poker.family import flop_holdem
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.postflop.solve_game import start_boards
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.postflop.warm_start import project, start_from_averages

SOLVER = "cfr"
PUBLISHED: dict[str, Any] = {
    "Figure 3.9": "warm starts at 100, 500 and 2,500 iterations hardly differ from the run without a break; "
    "they stood for 97, 490 and 2,310",
    "Figure 3.12": "lambda 0, 0.05 and 0.1 alike, 0.5 much worse",
}
LAMBDAS = (0.0, 0.05, 0.1, 0.5)


class Trial:
    """A run without a break, and warm starts from what it had found on the way."""

    def __init__(self, game: Poker, threads: int, request: Request) -> None:
        self.game, self.threads, self.request = game, threads, request
        self.curve: dict[int, float] = {}

    def start(self) -> BoardCFR:
        return start_boards(self.game, SOLVER, threads=self.threads)

    def warm(
        self, profile: BoardCFR, iterations: int, weakening: float | None, marks: Iterable[int]
    ) -> tuple[float, dict[int, float]]:
        """Lambda and exploitability at later iterations of a run started with a profile's averages."""
        run = self.start()
        for mine, theirs in zip(run.streets, profile.streets, strict=True):
            for tables, others in zip(mine.tables, theirs.tables, strict=True):
                tables.average[:] = others.average
        self.request.report(f"planting at {iterations} iterations", None)
        started = start_from_averages(run, iterations, weakening)
        return started.weakening, self.follow(run, marks, f"after the warm start at {iterations}")

    def follow(self, run: BoardCFR, marks: Iterable[int], doing: str) -> dict[int, float]:
        found = {}
        for mark in marks:
            self.request.report(f"{doing}: {mark} iterations", None)
            run.advance(mark - run.iteration)
            found[mark] = run.exploitability()
        return found


def run(request: Request) -> Findings:
    threads = cores() if request.full else min(2, cores())
    game = flop_holdem() if request.full else flop_holdem(ranks=5, suits=2)
    trial = Trial(game, threads, request)
    starts, last = (100, 500), 1000
    short = trial.start()
    constant = project(short)
    whole = trial.start()
    curve: dict[int, float] = {}
    warm: dict[int, tuple[float, float]] = {}  # start -> lambda, exploitability at twice as many iterations
    weakened: dict[str, float] = {}
    estimates: dict[int, float] = {}
    for begin in starts:
        curve |= trial.follow(whole, [begin], "without a break")
        estimates[begin] = constant / curve[begin]
        chosen, after = trial.warm(whole, begin, None, [2 * begin])
        warm[begin] = (chosen, after[2 * begin])
        if begin == starts[0]:
            for weakening in LAMBDAS:
                weakened[f"{weakening:g}"] = trial.warm(whole, begin, weakening, [2 * begin])[1][2 * begin]
            weakened["bisected"] = after[2 * begin]
        curve |= trial.follow(whole, [2 * begin], "without a break")
    curve |= trial.follow(whole, [last], "without a break") if last not in curve else {}
    return Findings(
        setting=f"{game.name}, vanilla CFR with alternating updates, {threads} threads; exploitability in chips",
        checks=_checks(request.full, curve, warm, weakened, estimates),
        published=PUBLISHED,
        measured={
            "exploitability": curve,
            "c of c / T": constant,
            "estimated iterations": estimates,
            "lambda, exploitability at twice the iterations": warm,
            "by lambda": weakened,
        },
        draw=lambda figure: _draw(figure, curve, constant, warm),
    )


def _checks(
    full: bool,
    curve: dict[int, float],
    warm: dict[int, tuple[float, float]],
    weakened: dict[str, float],
    estimates: dict[int, float],
) -> list[Check]:
    checks = [
        at_most(
            f"Figure 3.9: warm start at {begin}, against the run without a break at {2 * begin}",
            1.35,
            found / curve[2 * begin],
        )
        for begin, (_, found) in warm.items()
    ]
    best = min(weakened.values())
    checks.append(at_most("Figure 3.12: bisected lambda against the best one", 1.10, weakened["bisected"] / best))
    if full:
        checks += [
            between(f"Figure 3.9: iterations that a profile of {begin} stands for", 0.9 * begin, 1.1 * begin, found)
            for begin, found in estimates.items()
        ]
    return checks


def _draw(figure: Any, curve: dict[int, float], constant: float, warm: dict[int, tuple[float, float]]) -> None:
    from equilibrist.experiments.pictures import COLOURS

    axes = figure.subplots()
    marks = sorted(curve)
    axes.plot(marks, [curve[mark] for mark in marks], "o-", color=COLOURS[0], label="without a break")
    axes.plot(
        marks,
        [constant / mark for mark in marks],
        "--",
        color=COLOURS[1],
        label=f"{constant:.3g} / T, fitted to 10 iterations",
    )
    axes.plot(
        [2 * begin for begin in warm],
        [found for _, found in warm.values()],
        "x",
        color=COLOURS[2],
        label="after a warm start halfway",
    )
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="exploitability, chips")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    id="brown/flop-warm-starts",
    title="Warm starts on limit flop hold'em",
    source="[Brown20, §3.2.5, Figures 3.9 and 3.12]",
    seconds_quick=20,
    seconds_full=2400,
    run=run,
    text="limit flop hold'em with 52 cards",
    quick={"ten cards": ("pattern",)},
    full={"text": ("pattern", "reference")},
)
