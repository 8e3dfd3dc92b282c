"""Card abstractions of limit flop hold'em solved by external sampling, beside Linear CFR on all hands: what is tabular in Figures 4.2, 4.3.

Every exploitability is exact, over all 1,755 flops and against responses that see all cards. With --full a run is kept on the way, and the
same command goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.machine import cores
from equilibrist.experiments.findings import (
    Check,
    Findings,
    Request,
    at_least,
    between,
    descending,
    on,
    printed,
)
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.poker.family import flop_holdem
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.streamed_responses import StreamedResponses
from equilibrist.solvers.postflop.solve_game import start_boards

GAME = "flop-holdem"
MBB = 1000.0  # chips, mean of both players -> thousandths of the big blind of 2 chips, both players added: so counted, Linear CFR comes out
LINEAR = {20: 118, 30: 65, 50: 31}  # iterations -> mbb/g
LINEAR_SLACK = 0.03
DEEP_CFR, NFSP = 37, 47  # mbb/g
PER_DECADE = 4  # looks at a curve
FIRST, EARLY, LAST = 10**6, 10**8, 10**10  # nodes
SCHEDULE = Training(period=128 * BLOCK, discounts=10**6)  # linear weights in steps of 21 million nodes
KEPT_SECONDS = 120.0  # between saves
KEPT_VERSION = 1  # raised whenever the same run would learn otherwise

Curve = dict[int, float]  # nodes touched -> mbb/g
EXACT_PART, CURVES_PART = "text: exact Linear CFR", "text: abstractions"


@dataclass(frozen=True)
class Abstraction:
    """One curve of the figure; the text counts (infoset, action) pairs as clusters."""

    clusters: str  # as printed
    low: int  # what is rounded so
    high: int
    cards: str  # classes of hands before the flop / on it

    @property
    def plan(self) -> BlueprintPlan:
        return BlueprintPlan(GAME, {}, self.cards)


COARSE = Abstraction("40,000", 39_500, 40_500, "ochs(sizes=all/200)")
MIDDLE = Abstraction("368,000", 367_500, 368_500, "ochs(sizes=all/2000)")
FINE = Abstraction("3.6M", 3_550_000, 3_650_000, "ochs(sizes=all/20000)")
LOSSLESS = Abstraction("lossless, 234M", 233_500_000, 234_500_000, "isomorphism(sizes=all/all)")
QUICK, FULL = (COARSE, MIDDLE), (COARSE, MIDDLE, FINE, LOSSLESS)
QUICK_LAST = 10**8

PUBLISHED: dict[str, Any] = {
    "Figure 4.2": "abstractions of 40,000, 368,000 and 3.6M clusters and all 234M: the coarser, the higher the plateau; without "
    "abstraction many more samples are needed; Deep CFR comes to about the plateau of 3.6M clusters",
    "Deep CFR, mbb/g": DEEP_CFR,
    "NFSP, mbb/g": NFSP,
    "Figure 4.3, Linear CFR without abstraction or sampling, mbb/g, read off": LINEAR,
}


class CurveRun:
    """A training that is measured on its way."""

    def __init__(self, abstraction: Abstraction, folder: Path | None, request: Request) -> None:
        self.abstraction, self.request = abstraction, request
        game = abstraction.plan.game(report=request.report)
        self.run = BlueprintRun(game, SCHEDULE, planned=LAST)
        self.responses = StreamedResponses(game)
        self.curve: Curve = {}
        self.whole = True  # no deal is half done
        key = f"{KEPT_VERSION} {GAME} {game.buckets.hash} {SCHEDULE}"
        self._kept, self._name = Checkpoints(folder, key, seconds=KEPT_SECONDS), f"curve-{game.slots}"
        found = self._kept.load(self._name)
        if found is not None:
            self.run.restore(found)
            self.curve = {int(nodes): float(mbb) for nodes, mbb in found["curve"]}

    def upto(self, mark: int) -> None:
        """Train until so many nodes have been touched, and look."""
        if any(nodes >= mark for nodes in self.curve):
            return
        name = f"{self.abstraction.clusters} clusters"
        with HeldInterrupts() as held:  # a state between two deals would count some of them twice
            while self.run.nodes_touched < mark and not held.asked:
                self.whole = False
                self.run.advance(self._blocks(mark))
                self.whole = True
                self.request.report(f"{name}: {self.run.nodes_touched:.3g} of {mark:.3g} nodes", None)
                self._kept.save_now_and_then(self._name, self.state)
            held.checkpoint()
        self.curve[self.run.nodes_touched] = MBB * self.responses.exploitability(self.run.average, self.run.regret)
        self.request.report(f"{name}: {self.curve[self.run.nodes_touched]:.1f} mbb/g after {mark:.3g} nodes", None)
        self._kept.save_now_and_then(self._name, self.state)

    def _blocks(self, mark: int) -> int:
        """How many are left, as far as can be told, and not too many at once."""
        if not self.run.blocks:
            return 1
        left = (mark - self.run.nodes_touched) * self.run.blocks / self.run.nodes_touched
        return max(1, min(256, int(left)))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        curve = np.array(list(self.curve.items()), dtype=np.float64).reshape(-1, 2)
        return {**self.run.state(), "curve": curve}

    def save(self) -> None:
        self._kept.save(self._name, self.state())


def marks(last: int) -> Iterator[int]:
    """Nodes at which curves are measured."""
    step = 0
    while (mark := round(FIRST * 10 ** (step / PER_DECADE))) <= last:
        yield mark
        step += 1


def follow(abstractions: Sequence[Abstraction], last: int, folder: Path | None, request: Request) -> dict[str, Curve]:
    """All curves side by side, so that what is known at any moment can be compared."""
    runs = [CurveRun(abstraction, folder, request) for abstraction in abstractions]
    try:
        for mark in marks(last):
            for run in runs:
                run.upto(mark)
    except KeyboardInterrupt:
        if folder is None:
            raise
        for run in runs:
            if run.whole:
                run.save()
        raise KeyboardInterrupt(
            f"Interrupted; trainings are kept in '{folder}', and the same command goes on from there."
        ) from None
    for run in runs:
        run.save()
    return {run.abstraction.clusters: run.curve for run in runs}


def linear_cfr(request: Request) -> dict[int, float]:
    """mbb/g of Linear CFR on all hands and flops after the iterations that are printed."""
    run, found = start_boards(flop_holdem(), "lcfr", threads=cores()), {}
    for mark in LINEAR:
        while run.iteration < mark:
            request.report(f"Linear CFR on all hands: iteration {run.iteration} of {max(LINEAR)}", None)
            run.advance(min(5, mark - run.iteration))
        found[mark] = MBB * run.exploitability()
    return found


def count_checks() -> list[Check]:
    """Clusters of the text are infoset-actions of our game."""
    return printed(
        between(
            f"Figure 4.2: clusters, {each.clusters}",
            each.low,
            each.high,
            infoset_actions(each.plan),
            target=each.clusters,
        )
        for each in FULL
    )


def infoset_actions(plan: BlueprintPlan) -> int:
    """Of a game with buckets, known before the buckets are."""
    return int(betting_tree(plan.rules).first_slot(plan.bucket_counts())[-1])


def linear_checks(found: Mapping[int, float]) -> list[Check]:
    slack = LINEAR_SLACK
    return printed(
        between(
            f"Figure 4.3: Linear CFR, {mark} iterations, mbb/g",
            (1 - slack) * mbb,
            (1 + slack) * mbb,
            found[mark],
            target=mbb,
        )
        for mark, mbb in LINEAR.items()
    )


def at(curve: Curve, mark: int) -> float:
    """The first look at or after so many nodes."""
    return curve[min(nodes for nodes in curve if nodes >= mark)]


def curve_checks(curves: Mapping[str, Curve], last: int) -> list[Check]:
    """What the text says of the curves."""
    ends = {name: at(curve, last) for name, curve in curves.items() if name != LOSSLESS.clusters}
    checks = [descending(f"Figure 4.2: the coarser, the higher, after {last:.3g} nodes", ends)]
    if FINE.clusters in ends:
        name = f"Figure 4.2: Deep CFR's {DEEP_CFR} mbb/g is about what {FINE.clusters} clusters come to"
        checks.append(between(name, DEEP_CFR / 2, 2 * DEEP_CFR, ends[FINE.clusters], target=DEEP_CFR, kind="pattern"))
        coarse, half = curves[COARSE.clusters], round(last / 10**0.5)
        name = f"Figure 4.2: {COARSE.clusters} clusters have come to their plateau, {last:.3g} / {half:.3g} nodes"
        checks.append(between(name, 0.9, 1.1, at(coarse, last) / at(coarse, half), kind="pattern"))
    if LOSSLESS.clusters in curves:
        early = {name: at(curve, EARLY) for name, curve in curves.items()}
        slow = early.pop(LOSSLESS.clusters) / max(early.values())
        checks.append(at_least(f"Figure 4.2: without abstraction / with the worst, after {EARLY:.3g} nodes", 1.0, slow))
    return checks


def run(request: Request) -> Findings:
    abstractions, last = (FULL, LAST) if request.full else (QUICK, QUICK_LAST)
    folder = Path(request.data) if request.data else cache_folder() / "fhp-abstractions" if request.full else None
    exact = linear_cfr(request)
    curves = follow(abstractions, last, folder, request)
    return Findings(
        setting=f"{GAME}, all 1,755 flops; external sampling with linear weights on one thread to {last:.0e} nodes, buckets by "
        f"{', '.join(each.cards for each in abstractions)}; exact exploitability in mbb/g, both players added"
        + ("" if request.full else "; 3.6M and 234M clusters need --full"),
        checks=[
            *on(EXACT_PART, [*linear_checks(exact), *count_checks()]),
            *on(CURVES_PART, curve_checks(curves, last)),
        ],
        published=PUBLISHED,
        measured={"Linear CFR, mbb/g": exact, "mbb/g by nodes touched": curves},
        remarks=(
            "The text does not say what its exploitability counts: in thousandths of the big blind, both players added, Linear CFR on all "
            "hands comes to its numbers.",
            "The text's clusters come from features of its own that it does not name; ours are k-means of equities against eight groups of "
            "opponents' hands (OCHS), so heights of plateaus are compared within a factor of two at most.",
        ),
        draw=lambda figure: _draw(figure, curves),
    )


def _draw(figure: Any, curves: Mapping[str, Curve]) -> None:
    from equilibrist.experiments.pictures import COLOURS

    axes = figure.subplots()
    for number, (name, curve) in enumerate(curves.items()):
        axes.plot(list(curve), list(curve.values()), "o-", color=COLOURS[number], label=f"clusters: {name}")
    axes.axhline(DEEP_CFR, color=COLOURS[7], linestyle="--", label=f"Deep CFR, printed: {DEEP_CFR}")
    axes.set(xscale="log", yscale="log", xlabel="nodes touched", ylabel="exploitability of both, mbb/g")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    id="brown/fhp-abstractions",
    title="Card abstractions of limit flop hold'em by external sampling",
    source="[Brown20, §4.1, Figures 4.2 and 4.3]",
    seconds_quick=110,
    seconds_full=5500,
    run=run,
    text="limit flop hold'em with 52 cards, abstractions of 40,000 to 234M clusters",
    quick={"text: exact Linear CFR": ("printed",), "text: abstractions": ("pattern",)},
)
