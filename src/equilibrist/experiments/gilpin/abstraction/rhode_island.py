"""Rhode Island hold'em solved with a certificate: the game of 13 - 205 - 1,774 classes, what its solution is worth among all cards, and the
game with all cards itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.compute.machine import cores, peak_memory
from equilibrist.core.solution import Evaluation
from equilibrist.experiments.findings import Check, Findings, Request, at_most, between, close, on, ours, outside
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, kronecker_form
from equilibrist.games.poker.family import rhode_island
from equilibrist.solvers.hand_classes.gameshrink_loss import verify_strategy
from equilibrist.solvers.hand_classes.solve_classes import (
    DEFAULT_ROUND_SOLVER,
    RoundSolution,
    solve_rounds,
    start_rounds,
)
from equilibrist.solvers.iteration_loop import Progress, Stop
from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
from equilibrist.solvers.postflop.solve_game import solve_boards

PUBLISHED: dict[str, Any] = {
    "value": -64.1987,  # Table 6.9
    "solution (§5.2.1)": "interior point, 7 days 17 hours, 25 GB",
    "memory of EGT (Table 10.1)": "0.15 GB",
}
BRACKET = (-66.720, -66.620)  # proven, recomputed
WHOLE_BRACKET = (-65.679, -65.572)  # of the game with all cards, proven, recomputed
NEMESIS = -80.6  # of the lifted solution, both seats averaged; best responses earned 19.4 and 141.8, recomputed
PEER = "cfr+(average=quadratic)"
PEER_GAPS = {300: 7.6, 600: 2.8, 1_000: 1.28, 2_400: 0.37, 4_000: 0.17}  # recomputed
REMARK = (
    "The printed value is outside the proven bracket, which both players' strategies guarantee by best responses; "
    "differences between values, and values against fixed strategies, do agree with the text. "
    "The abstraction is not lossless either: played among all cards, its solution can be beaten."
)


@dataclass(frozen=True)
class Curve:
    """Gap of one solver against seconds and iterations."""

    solver: str
    seconds: list[float]
    iterations: list[int]
    gaps: list[float]


def solve_to_gap(form: KroneckerForm, gap: float, request: Request) -> tuple[RoundSolution, Curve]:
    """The default solver until the bracket is no longer than `gap` chips."""
    curve = Curve(DEFAULT_ROUND_SOLVER, [], [], [])

    def watch(progress: Progress) -> None:
        request.report(f"{DEFAULT_ROUND_SOLVER} to a gap of {gap:g}", progress.fraction)
        if progress.exploitability is not None and (not curve.gaps or 2 * progress.exploitability != curve.gaps[-1]):
            curve.seconds.append(progress.seconds)
            curve.iterations.append(progress.iteration)
            curve.gaps.append(2 * progress.exploitability)

    return solve_rounds(form, until=gap / 2, progress=watch), curve


def peer_curve(form: KroneckerForm, last: int, request: Request) -> Curve:
    """CFR+ with quadratic averaging at the iterations whose gaps are known."""
    from time import perf_counter

    curve = Curve(PEER, [], [], [])
    run, spent = start_rounds(form, PEER), 0.0
    for mark in (mark for mark in PEER_GAPS if mark <= last):
        request.report(f"{PEER} to {mark} iterations", None)
        begin = perf_counter()
        run.advance(mark - run.iteration)
        spent += perf_counter() - begin
        curve.seconds.append(spent)
        curve.iterations.append(mark)
        curve.gaps.append(run.evaluate().nash_conv)
    return curve


def solve_all_cards(gap: float, threads: int, request: Request) -> tuple[BoardSolution, Curve]:
    """The game itself, 13 - 325 - 9,997 up to suits, on its boards."""
    curve = Curve("all cards, dcfr", [], [], [])

    def watch(progress: Progress) -> None:
        request.report(f"all cards to a gap of {gap:g}", progress.fraction)
        if progress.exploitability is not None and (not curve.gaps or 2 * progress.exploitability != curve.gaps[-1]):
            curve.seconds.append(progress.seconds)
            curve.iterations.append(progress.iteration)
            curve.gaps.append(2 * progress.exploitability)

    stop = Stop(exploitability=gap / 2)
    return solve_boards(rhode_island(), "dcfr", stop, threads=threads, progress=watch), curve


def bracket_checks(
    found: tuple[float, float], proven: tuple[float, float], gap: float, game: str = "13 - 205 - 1,774"
) -> list[Check]:
    """The certificate, and that it meets the proven bracket."""
    low, high = found
    return [
        at_most(f"{game}: gap, chips", gap, high - low),
        Check(
            f"{game}: bracket meets the proven one",
            list(proven),
            [low, high],
            "overlap",
            low <= proven[1] and high >= proven[0],
        ),
    ]


def nemesis_check(evaluation: Evaluation, gap: float) -> Check:
    """What opponents who know all cards and the strategy make of it; other equilibria of the game lose a little more or less."""
    tolerance = 0.05 * abs(NEMESIS) + gap
    return close(
        "lifted solution against best responses, mean of seats", NEMESIS, -evaluation.exploitability, tolerance
    )


def memory_checks(what: str, gigabytes: float, peak: int | None) -> list[Check]:
    """One check, or none where the system does not count."""
    return [] if peak is None else ours([at_most(f"{what}: peak memory of the process, GB", gigabytes, peak / 1e9)])


def run(request: Request) -> Findings:
    gap, last = (0.1, 4_000) if request.full else (0.5, 1_000)
    rules, threads = rhode_island().rules, min(2, cores())
    request.report("shrinking and counting deals", 0.0)
    form = kronecker_form(rules, shrink(rules, "signature"), name="rhode-island, signatures", threads=threads)
    solution, curve = solve_to_gap(form, gap, request)
    memory = peak_memory()
    request.report("the same strategy among all cards", None)
    full = kronecker_form(rules, shrink(rules), name="rhode-island, all cards", threads=threads)
    verified = verify_strategy(solution, full)
    peer = peer_curve(form, last, request)
    whole = solve_all_cards(gap, threads, request) if request.full else None
    checks = [
        *ours(bracket_checks(solution.bracket, BRACKET, gap)),
        *memory_checks("13 - 205 - 1,774", 0.5, memory),
        nemesis_check(verified.evaluation, gap),
        *(
            between(
                f"{PEER}, gap after {mark}",
                0.97 * PEER_GAPS[mark],
                1.03 * PEER_GAPS[mark],
                found,
                target=PEER_GAPS[mark],
            )
            for mark, found in zip(peer.iterations, peer.gaps, strict=True)
        ),
    ]
    printed_value = [outside("13 - 205 - 1,774: the printed value", PUBLISHED["value"], *solution.bracket)]
    curves, measured_whole = [curve, peer], {}
    if whole is not None:
        checks += ours(bracket_checks(whole[0].bounds, WHOLE_BRACKET, gap, "all cards, 13 - 325 - 9,997"))
        printed_value.append(outside("all cards: the printed value", PUBLISHED["value"], *whole[0].bounds))
        curves.append(whole[1])
        checks += memory_checks("all cards", 1.5, peak_memory())
        measured_whole = {
            "all cards: bracket": whole[0].bounds,
            "all cards: seconds": whole[0].seconds,
            "all cards: iterations": whole[0].iterations,
            "all cards: tables, bytes": whole[0].memory_bytes,
        }
    scope = "gap 0.1, and all cards on boards" if request.full else "gap 0.5; 0.1 and all cards need --full"
    return Findings(
        setting=f"13 - 205 - 1,774 classes, {DEFAULT_ROUND_SOLVER} on {threads} threads to {scope}; chips, ante 500",
        checks=[*printed_value, *on("text: bracket, course and memory", checks)],
        published=PUBLISHED,
        recomputed={
            "bracket": BRACKET,
            "all cards: bracket": WHOLE_BRACKET,
            "lifted solution against best responses": NEMESIS,
            PEER: PEER_GAPS,
        },
        measured={
            "bracket": solution.bracket,
            "gap": solution.gap,
            "seconds": solution.seconds,
            "iterations": solution.iterations,
            "peak memory of the process, bytes": memory,
            "value of the lifted solution": verified.evaluation.value[0],
            "best responses to the lifted solution": verified.evaluation.best_response_value,
            "loss of the abstraction": verified.loss,
            "curves": {c.solver: {"seconds": c.seconds, "iterations": c.iterations, "gap": c.gaps} for c in curves},
        }
        | measured_whole,
        remarks=(REMARK,),
        draw=lambda figure: _draw(figure, curves),
    )


def _draw(figure: Any, curves: list[Curve]) -> None:
    from equilibrist.experiments.pictures import COLOURS

    panels = figure.subplots(1, 2, sharey=True)
    for colour, curve in zip(COLOURS, curves, strict=False):
        panels[0].plot(curve.seconds, curve.gaps, "o-", color=colour, markersize=3, label=curve.solver)
        panels[1].plot(curve.iterations, curve.gaps, "o-", color=colour, markersize=3, label=curve.solver)
    panels[1].plot(list(PEER_GAPS), list(PEER_GAPS.values()), "x", color=COLOURS[1], label=f"{PEER}, reference")
    for panel, across in zip(panels, ("seconds", "iterations"), strict=True):
        panel.set(xscale="log", yscale="log", xlabel=across, ylabel="gap, chips")
        panel.grid(alpha=0.25)
        panel.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    id="gilpin/rhode-island",
    title="Rhode Island hold'em solved with a certificate",
    source="[Gilpin09, §5.2.1 and Table 6.9]",
    seconds_quick=30,
    seconds_full=300,
    run=run,
    text="Rhode Island hold'em",
    quick={"text": ("refutation",), "text: bracket, course and memory": ("reference",)},
)
