"""How CFR converges on limit flop hold'em, projected from ten iterations: all flops with --full, a deck of eighteen cards otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equilibrist.compute.machine import cores
from equilibrist.experiments.findings import Check, Findings, Request, between, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.games.poker.family import flop_holdem
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.postflop.solve_game import start_boards
from equilibrist.solvers.postflop.warm_start import project

SOLVER = "cfr"
C = 10.82
STANDS_FOR = {100: 97, 500: 490, 2500: 2310}  # iterations -> those that the projection takes their average for
PUBLISHED: dict[str, Any] = {
    "Figure 3.11": "10.82 / T, fitted to ten iterations, is very accurate even up to 10,000 iterations",
    "c of c / T": C,
    "Figure 3.9, exploitability: 10.82 over 97, 490 and 2,310": {mark: C / found for mark, found in STANDS_FOR.items()},
}
MARKS = (10, 20, 50, 100, 200, 500, 1000, 2000, 2500, 5000, 10_000)
QUICK_MARKS = MARKS[:7]
FACTOR = 2.0  # how far c / T may be from what is measured
SLACK = 0.03  # of exploitabilities that follow from printed numbers: 97 and 490 are rounded
FIT_SLACK = 0.1  # of c: the text does not say how it is fitted


def follow(game: Poker, marks: Sequence[int], request: Request) -> tuple[float, dict[int, float]]:
    """The c of c / T after ten iterations of vanilla CFR with alternating updates, and the exploitability at later ones.

    In chips, summed over both players: so counted, the numbers of the text come out.
    """
    run = start_boards(game, SOLVER, threads=cores(), device=request.device)
    request.report("projecting from 10 iterations", 0.0)
    constant = 2.0 * project(run)
    curve = {}
    for mark in marks:
        while run.iteration < mark:
            run.advance(min(100, mark - run.iteration))
            request.report(f"{run.iteration} of {marks[-1]} iterations", run.iteration / marks[-1])
        curve[mark] = 2.0 * run.exploitability()
    return constant, curve


def run(request: Request) -> Findings:
    game = flop_holdem() if request.full else flop_holdem(ranks=6, suits=3)
    constant, curve = follow(game, MARKS if request.full else QUICK_MARKS, request)
    return Findings(
        setting=f"{game.name}, vanilla CFR with alternating updates, to {max(curve):,} iterations; exploitability in chips, of which the "
        "big blind is 2, summed over both players" + ("" if request.full else "; all flops need --full"),
        checks=_checks(constant, curve, request.full),
        published=PUBLISHED,
        measured={
            "c of c / T": constant,
            "exploitability": curve,
            "c / T against measured": {mark: constant / mark / found for mark, found in curve.items()},
            "T times exploitability": {mark: mark * found for mark, found in curve.items()},
        },
        remarks=(
            "The text does not say what its exploitability counts; in chips, summed over both players, its numbers for 100, 500 and "
            "2,500 iterations come out.",
        ),
        draw=lambda figure: _draw(figure, constant, curve),
    )


def _checks(constant: float, curve: Mapping[int, float], full: bool) -> list[Check]:
    checks = [
        between(
            f"Figure 3.11: c / T at {mark:,} against measured",
            1 / FACTOR,
            FACTOR,
            constant / mark / curve[mark],
            kind="pattern",
        )
        for mark in curve
        if mark >= 100
    ]
    if full:
        numbers = [between("c of c / T", (1 - FIT_SLACK) * C, (1 + FIT_SLACK) * C, constant, target=C)]
        for mark, found in STANDS_FOR.items():
            low, high = ((1 + side * SLACK) * C / found for side in (-1, 1))
            name = f"Figure 3.9: exploitability after {mark:,} iterations, {C} / {found:,}"
            numbers.append(between(name, low, high, curve[mark], target=C / found))
        checks += printed(numbers)
    return checks


def _draw(figure: Any, constant: float, curve: Mapping[int, float]) -> None:
    from equilibrist.experiments.pictures import COLOURS

    axes, marks = figure.subplots(), sorted(curve)
    axes.plot(marks, [curve[mark] for mark in marks], "o-", color=COLOURS[0], label="CFR")
    projected = f"{constant:.3g} / T, fitted to 10 iterations"
    axes.plot(marks, [constant / mark for mark in marks], "--", color=COLOURS[1], label=projected)
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="exploitability of both, chips")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    id="brown/flop-holdem",
    title="CFR on limit flop hold'em, projected from ten iterations",
    source="[Brown20, §3.2.5, Figure 3.11]",
    seconds_quick=20,
    seconds_full=12_000,
    run=run,
    text="limit flop hold'em with 52 cards, 10,000 iterations",
    quick={"18 cards, 1,000 iterations": ("pattern",)},
    full={"text": ("pattern", "printed")},
    gpu=True,
)
