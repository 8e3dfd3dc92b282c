"""Turn endgame hold'em with an oracle at the end of the turn: CFR-D, CFR-AVG, its modification and fictitious play.

The oracle solves what comes behind each line of the turn, on all 48 rivers, at the beliefs that it is asked about. What is measured is what
the strategy of the turn alone loses: it is kept, its owner plays the river as well as possible, and the opponent everything.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.kernel import cache_folder
from equilibrist.experiments.brown.turn_endgames.turn_endgame import (
    ONE_BET,
    PER_CENT,
    POT_AND_ALL_IN,
    EndgameMenu,
    turn_endgame,
)
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, on, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.solvers.cfr.schedules import LINEAR

if TYPE_CHECKING:
    from equilibrist.learning.rebel_boards.first_street import FirstStreet
    from equilibrist.learning.rebel_boards.street_search import Algorithm

ORDER: tuple[Algorithm, ...] = ("modified-cfr-avg", "cfr-d", "cfr-avg", "fp")  # the text's, from the best to the worst
CLOSE: tuple[Algorithm, ...] = (
    "modified-cfr-avg",
    "cfr-d",
)  # so close that answers of one oracle do not tell them apart
ROUGH = 8  # iterations of an oracle that is too rough
COMPARED = 16  # iterations from which on orders are compared
MOST_GAP = 0.01  # of the pot at a leaf


@dataclass(frozen=True)
class OraclePanel:
    """What is run."""

    menu: EndgameMenu
    marks: tuple[int, ...]
    measuring: int = 200  # iterations of the solves that measure
    oracles: tuple[int, ...] = (
        32,
        24,
        40,
    )  # iterations of CFR+ for a question; regrets are carried from one to the next

    @property
    def compared(self) -> list[int]:
        """Places of the marks that count."""
        return [place for place, mark in enumerate(self.marks) if mark >= COMPARED]


QUICK = OraclePanel(ONE_BET, (8, 16, 32))
FULL = OraclePanel(
    POT_AND_ALL_IN, (8, 16, 32, 64), 600, (128, 96, 160)
)  # stacks of a hundred pots: 32 leave 27 % of a leaf's pot, 200 do not tell solvers apart


@dataclass
class OracleCurve:
    """What one algorithm's strategy of the turn loses, in per cent of the pot: a bracket at each mark, and the oracle's own error."""

    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    gap: list[float] = field(
        default_factory=list
    )  # largest exploitability of a leaf solution, as a share of the pot there

    def middle(self, place: int = -1) -> float:
        return (self.low[place] + self.high[place]) / 2.0

    def table(self) -> np.ndarray:
        return np.array([self.low, self.high, self.gap]).reshape(3, -1)


def curve(
    street: FirstStreet,
    algorithm: Algorithm,
    panel: OraclePanel,
    request: Request,
    inside: int,
    span: tuple[float, float] = (0.0, 1.0),
) -> OracleCurve:
    """One algorithm from mark to mark; a `--full` run goes on where it was stopped."""
    from equilibrist.learning.rebel_boards.later_streets import SolvedStreets
    from equilibrist.learning.rebel_boards.optimal_below import loss_bracket
    from equilibrist.learning.rebel_boards.street_search import FirstStreetSearch

    oracle = SolvedStreets(street, inside)
    search, found = FirstStreetSearch(street, oracle, algorithm), OracleCurve()
    key = f"turn endgame oracle {panel.menu!r} {panel.marks} {panel.measuring} {algorithm} {inside}"
    kept = Checkpoints(cache_folder() / "experiments" / "learning" if request.full else None, key, seconds=120.0)
    name = hashlib.sha256(key.encode()).hexdigest()[:16]
    before = kept.load(name)
    if before is not None:
        search.restore(before)
        oracle.restore(before)
        found = OracleCurve(*(row.tolist() for row in before["points"]))

    def state() -> dict[str, Any]:
        return search.state() | oracle.state() | {"points": found.table()}

    with HeldInterrupts() as held:
        for mark in panel.marks[len(found.low) :]:
            while search.iteration < mark:
                search.advance(1)
                done = span[0] + (span[1] - span[0]) * search.iteration / panel.marks[-1]
                request.report(f"{algorithm}, {search.iteration} iterations", done)
                kept.save_now_and_then(name, state)
                if held.asked:
                    kept.save(name, state())
                held.checkpoint()
            gap = float(oracle.gaps().max())
            low, high = loss_bracket(street, search.average(), panel.measuring)
            found.low.append(low * PER_CENT)
            found.high.append(high * PER_CENT)
            found.gap.append(gap)
            kept.save(name, state())
    return found


def whole_game(street: FirstStreet, marks: Sequence[int]) -> list[float]:
    """Exploitability of linear CFR on the whole game, in per cent of the pot."""
    run, out = street.start(LINEAR, street.threads), []
    for mark in marks:
        run.advance(mark - run.iteration)
        out.append(run.exploitability() * PER_CENT)
    return out


def order_checks(panel: OraclePanel, curves: Mapping[tuple[Algorithm, int], OracleCurve]) -> list[Check]:
    """The text's order: by brackets that do not touch, and of the close pair in the mean over marks and oracles."""
    first = panel.oracles[0]
    best = {place: max(curves[name, first].high[place] for name in CLOSE) for place in panel.compared}
    checks = []
    for place in panel.compared:
        rows = {name: [curves[name, first].low[place], curves[name, first].high[place]] for name in ORDER}
        apart = best[place] < rows["cfr-avg"][0] and rows["cfr-avg"][1] < rows["fp"][0]
        named = f"after {panel.marks[place]} iterations"
        checks.append(Check(named, "both < cfr-avg < fp", rows, "brackets apart", apart, "pattern"))
    ratios = pairs(panel, curves)
    mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    return [*checks, at_most(f"modified-cfr-avg / cfr-d, mean of {len(ratios)} pairs", 1.0, mean)]


def pairs(panel: OraclePanel, curves: Mapping[tuple[Algorithm, int], OracleCurve]) -> list[float]:
    """What modified CFR-AVG loses for each unit that CFR-D loses, by oracle and mark."""
    modified, plain = CLOSE
    return [
        curves[modified, inside].middle(place) / curves[plain, inside].middle(place)
        for inside in panel.oracles
        for place in panel.compared
    ]


def fall_check(panel: OraclePanel, name: str, found: OracleCurve) -> Check:
    """At least like one over the square root of t (Theorem 28), with the whole bracket counted against it."""
    fallen = max(found.low[0], 0.0) / found.high[-1]
    least = math.sqrt(panel.marks[-1] / panel.marks[0])
    return at_least(f"{name}: loss after {panel.marks[0]} / {panel.marks[-1]} iterations", least, fallen)


def run(request: Request) -> Findings:
    panel = FULL if request.full else QUICK
    street = turn_endgame(panel.menu)
    wanted = [(name, inside) for name in ORDER for inside in (panel.oracles if name in CLOSE else panel.oracles[:1])]
    steps = [inside * panel.marks[-1] for _, inside in wanted]
    ends = np.cumsum([0, *steps]) / sum(steps)
    curves = {
        key: curve(street, key[0], panel, request, key[1], span=(float(low), float(high)))
        for key, low, high in zip(wanted, ends, ends[1:], strict=False)
    }
    rough = curve(street, "cfr-d", replace(panel, marks=(COMPARED,)), request, ROUGH, span=(1.0, 1.0))
    shown = {name: curves[name, panel.oracles[0]] for name in ORDER}
    gap = max(one.gap[-1] for one in curves.values())
    precise = between(
        "largest exploitability of a leaf's solution, share of its pot", 0.0, MOST_GAP, gap, target=MOST_GAP
    )
    checks = [
        *order_checks(panel, curves),
        *(fall_check(panel, name, one) for name, one in shown.items()),
        *ours([precise]),
    ]
    lines = whole_game(street, panel.marks)
    return Findings(
        setting=f"{panel.menu.name} ({len(street.leaves)} lines reach the river, 48 rivers each), t = {', '.join(map(str, panel.marks))}; "
        f"oracles of {', '.join(map(str, panel.oracles))} iterations of CFR+; measured by solves of {panel.measuring} iterations",
        checks=on(panel.menu.name, checks),
        measured={
            "loss of the turn's strategy, per cent of the pot": {
                f"{name}, oracle of {inside}": [[low, high] for low, high in zip(one.low, one.high, strict=True)]
                for (name, inside), one in curves.items()
            },
            "largest exploitability of a leaf's solution": {
                f"{name}, oracle of {inside}": one.gap for (name, inside), one in curves.items()
            },
            f"CFR-D after {COMPARED} with an oracle of {ROUGH} iterations": [rough.low[0], rough.high[0], rough.gap[0]],
            "modified-cfr-avg / cfr-d": pairs(panel, curves),
            "linear CFR on the whole game, exploitability in per cent of the pot": lines,
        },
        remarks=(
            "The text prints curves without numbers, its bet sizes are not stated, and it randomises them in training.",
            "Brackets hold whatever the solves that measure have left; the whole game's exploitability counts the river's strategy too.",
            "Rivers have many equilibria: oracles of other precision move each loss by a tenth or more, so one pair proves nothing.",
        ),
        draw=lambda figure: draw(figure, panel.marks, shown, lines),
    )


def draw(figure: Any, marks: Sequence[int], curves: Mapping[Algorithm, OracleCurve], lines: Sequence[float]) -> None:
    """The left panel of Figure 5.12, and linear CFR on the whole game beside it."""
    panel = figure.subplots()
    for name, one in curves.items():
        middle = [one.middle(k) for k in range(len(marks))]
        panel.plot(marks, middle, label=name, linewidth=1.2, marker="o", markersize=3)
        panel.fill_between(marks, np.maximum(one.low, 1e-4), one.high, alpha=0.15, linewidth=0)
    panel.plot(marks, lines, label="linear CFR, whole game", linewidth=1.0, color="#888888", linestyle="--")
    panel.set(xscale="log", yscale="log", xlabel="iterations", ylabel="exploitability (per cent of the pot)")
    panel.grid(alpha=0.25)
    panel.legend(fontsize=7, frameon=False)


EXPERIMENT = Experiment(
    id="brown/rebel-teh-oracle",
    title="Turn endgame hold'em, leaves by an oracle",
    source="[Brown20, Figure 5.12]",
    seconds_quick=100,
    seconds_full=5400,
    full_on="one core",
    run=run,
    text="turn endgame hold'em with up to nine actions, sizes not stated",
    quick={"one pot-size bet a street": ("pattern", "reference")},
    full={"pot-size bets and all-ins": ("pattern", "reference")},
)
