"""Searches of a tournament, iteration by iteration with the gain of the best deviation; and one hand for chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from equilibrist.cards.allins.classes import combinations
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.core.arrays import Floats, Longs
from equilibrist.experiments.findings import Request
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.solvers.stochastic_games.jam_fold_stages import JamFoldStages
from equilibrist.solvers.stochastic_games.outer_loops import Method, Search, StochasticSettings
from equilibrist.solvers.stochastic_games.stage_play import fictitious_stages

TARGET = 0.05  # $ of 100: where the text stops


@dataclass(frozen=True)
class MethodCurve:
    """A method's progress, and what it came to."""

    points: Floats  # [iteration, 4] iteration, sweeps, seconds without checks, largest gain
    jams: Floats  # [state, slot, hand]
    values: Floats  # [state, seat]
    checked: int  # iterations of the last check

    @property
    def gain(self) -> float:
        return float(self.points[-1, 3])

    @property
    def iterations(self) -> int:
        """Up to the first gain below the target; one more than there are where it was missed."""
        below = np.flatnonzero(self.points[:, 3] < TARGET)
        return int(self.points[below[0], 0]) if len(below) else int(self.points[-1, 0]) + 1


def run_method(
    stages: JamFoldStages,
    method: Method,
    request: Request,
    kept: Checkpoints,
    *,
    values: Floats,
    plan: Floats | None = None,
    name: str,
    most: int,
    least: int = 1,
    every: int = 1,
    settings: StochasticSettings | None = None,
) -> MethodCurve:
    """Iterations until the gain is below the target, at least and at most so many; checked every few, kept after each."""
    search = Search(stages, method, settings, values=values.copy(), plan=plan)
    points = np.zeros((0, 4))
    found = kept.load(name)
    if found is not None:
        search.restore(found)
        points = found["points"]
    checked = None if found is None else _kept_check(found)
    while search.iteration < most and (search.iteration < least or not len(points) or points[-1, 3] >= TARGET):
        gain = "" if not len(points) else f", largest gain {points[-1, 3]:.3f}"
        doing = f"{name}: iteration {search.iteration + 1}{gain}"
        search.advance(partial(_tell, request, doing))
        if search.iteration % every == 0:
            deviation = search.check()
            points = np.vstack([points, [search.iteration, search.sweeps, search.seconds, deviation.gain]])
            checked = deviation.values, deviation.iterations
        last = {} if checked is None else {"checked_values": checked[0], "checked": np.array([checked[1]])}
        kept.save(name, {**search.state(), "points": points, **last})
    if checked is None:  # kept by an earlier version
        deviation = search.check()
        checked = deviation.values, deviation.iterations
    return MethodCurve(points, stages.jams(search.plan), *checked)


def _kept_check(found: Mapping[str, Any]) -> tuple[Floats, int] | None:
    """Values and iterations of the last check, so that a run which goes on need not look again at what is done."""
    return (found["checked_values"], int(found["checked"][0])) if "checked_values" in found else None


def _tell(request: Request, doing: str, left: float) -> None:
    """How far the stages of an iteration are, where it plays them."""
    request.report(f"{doing}, stages {left:.3f}" if np.isfinite(left) else doing, None)


def played_closer(
    stages: JamFoldStages, values: Floats, stacks: Sequence[tuple[int, ...]], request: Request, *, sweeps: int
) -> Floats:
    """[stacks, slot, class] jams of single hands when `values` go on after them; averages forget how they began."""
    rows = np.array([stages.rules.state_of(each) for each in stacks])
    return _played(stages, stages.ends.payoffs(values), rows, request, sweeps, "hands at the printed stacks")[0]


def single_hand(
    stages: JamFoldStages, stacks: tuple[int, ...], request: Request, *, sweeps: int
) -> tuple[Floats, float]:
    """[slot, class] jams of one hand for chips at these stacks, and the largest gain left, in chips."""
    rules = stages.rules
    state, events = rules.state_of(stacks), len(rules.events)
    payoffs = np.zeros_like(stages.ends.rewards)
    for number, event in enumerate(rules.events):
        for later, probability in rules.after(rules.states[state], event):
            payoffs[state * events + number] += probability * rules.unit * np.array(later)
    jams, gain = _played(stages, payoffs, np.array([state]), request, sweeps, "a single hand for chips")
    return jams[0], gain


def _played(
    stages: JamFoldStages, payoffs: Floats, rows: Longs, request: Request, sweeps: int, doing: str
) -> tuple[Floats, float]:
    done = count(1)
    found = fictitious_stages(
        stages,
        payoffs,
        stages.start(),
        rows=rows,
        gamma=0.0,
        most=sweeps,
        linear=True,
        check=lambda gain: request.report(doing, min(1.0, next(done) / sweeps)),
    )
    return stages.jams(found.plan)[rows], found.gain


def jam_shares(jams: Floats) -> Floats:
    """[slot] of all 1,326 combinations, as in [Ganzfried15, Table 9.14]."""
    shares: Floats = jams @ (combinations() / combinations().sum())
    return shares


def equity_groups(number: int) -> Longs:
    """[class] groups of about equal weight by equity against a random hand; 0 is the best."""
    from equilibrist.cards.allins.pairs import pair_outcomes

    table = pair_outcomes()
    equity = (table.equity * table.deals).sum(axis=1) / table.deals.sum(axis=1)
    order = np.argsort(-equity, kind="stable")
    mass = combinations()[order] / combinations().sum()
    groups = np.empty(len(order), np.int64)
    groups[order] = np.minimum(((np.cumsum(mass) - 0.5 * mass) * number).astype(np.int64), number - 1)
    return groups


def icm_deviations(rules: JamFold, values: Floats) -> Floats:
    """[state, seat] by how much ICM is off."""
    deviations: Floats = np.abs(values - rules.guess())
    return deviations
