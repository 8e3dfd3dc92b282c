"""Experiments by id: `brown/liars-dice` is `experiments/brown/depth_limits/liars_dice.py`; listing imports, running works."""

from __future__ import annotations

import functools
import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from equilibrist.compute.interrupts import InterruptsEndAll
from equilibrist.core.errors import UnknownNameError, suggest
from equilibrist.experiments.findings import ExperimentResult, Findings, Report, Request

MODULES = (
    "brown.discounting.bandit",
    "brown.discounting.slow_cfr_plus",
    "brown.discounting.dcfr_leduc",
    "brown.discounting.dcfr_goofspiel",
    "brown.discounting.dcfr_hunl",
    "brown.discounting.mccfr_hunl",
    "brown.pruning.pruning",
    "brown.pruning.thresholding",
    "brown.discounting.warm_start",
    "brown.depth_limits.liars_dice",
    "brown.bots.aivat",
    "brown.discounting.flop_holdem",
    "brown.bet_sizes.bet_sizing",
    "brown.bet_sizes.saef",
    "brown.subgames.coin_toss",
    "brown.subgames.bl26_subgames",
    "brown.subgames.nlfh_subgames",
    "brown.subgames.nested",
    "brown.subgames.nested_everywhere",
    "brown.depth_limits.rps_plus",
    "brown.depth_limits.multi_valued_states",
    "brown.depth_limits.dice_leaves",
    "brown.bots.modicum_lite",
    "brown.bots.pluribus_lite",
    "davis.leduc_constants",
    "davis.uct",
    "davis.fbr",
    "davis.rnr",
    "davis.strength_curve",
    "davis.five_bucket",
    "davis.cfr_fbr_holdem",
    "ganzfried.small_games",
    "ganzfried.clairvoyance",
    "ganzfried.translation",
    "ganzfried.purification",
    "ganzfried.safe_exploitation",
    "ganzfried.card_abstraction",
    "ganzfried.dbbr",
    "ganzfried.tartanian",
    "ganzfried.endgame",
    "ganzfried.river_solving",
    "ganzfried.flop_duel",
    "gilpin.abstraction.gameshrink",
    "gilpin.abstraction.rhode_island",
    "gilpin.abstraction.information_abstraction",
    "gilpin.abstraction.action_abstraction",
    "gilpin.equilibria.egt",
    "gilpin.equilibria.smoothing",
    "gilpin.equilibria.sampling",
    "gilpin.equilibria.repeated_games",
    "gilpin.gs.gs_bots",
    "gilpin.gs.gs_phases",
    "gilpin.abstraction.databases",
    "lu.kuhn",
    "lu.asymmetric_leduc",
    "lu.asymmetric_holdem",
    "lu.exploitation",
    "lu.endgame_agent",
    "lu.endgame_leduc",
)


@dataclass(frozen=True)
class Experiment:
    """One published result and how to come by it."""

    id: str
    title: str
    source: str  # thesis, and a label of docs/labels.md
    seconds_quick: float  # on two cores, kernels compiled
    seconds_full: float
    run: Callable[[Request], Findings]


@functools.cache
def experiments() -> dict[str, Experiment]:
    """All experiments by id."""
    found = [importlib.import_module(f"equilibrist.experiments.{module}").EXPERIMENT for module in MODULES]
    return {experiment.id: experiment for experiment in found}


def list_experiments() -> list[Experiment]:
    """All experiments in a fixed order."""
    return list(experiments().values())


def find_experiment(id: str) -> Experiment:
    """The experiment with this id."""
    known = experiments()
    if id not in known:
        raise UnknownNameError(
            f"There is no experiment '{id}'.{suggest(id, known)} 'equilibrist reproduce --list' shows all of them."
        )
    return known[id]


def run_experiment(
    id: str,
    *,
    full: bool = False,
    progress: Report | None = None,
    data: str | None = None,
    figure: str | None = None,
) -> ExperimentResult:
    """Run the quick or the full setting, compare with what was published and, where asked, write a picture."""
    experiment = find_experiment(id)
    if figure is not None:
        from equilibrist.experiments.pictures import check_picture  # before the work, not after it

        check_picture(figure)
    begin = time.perf_counter()
    with InterruptsEndAll():
        findings = experiment.run(Request(full, data, progress))
    seconds = time.perf_counter() - begin
    if figure is not None:
        from equilibrist.experiments.pictures import write_picture

        write_picture(experiment.title, findings, figure)
    return ExperimentResult(experiment.id, experiment.title, experiment.source, findings, full, seconds, figure)
