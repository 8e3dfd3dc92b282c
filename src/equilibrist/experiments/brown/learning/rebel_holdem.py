"""ReBeL for hold'em with 20 big blinds and two bet sizes: it trains itself and plays others; a stand-in for the agent of Table 5.6.

The text's agent plays with 200 big blinds against Slumbot, BabyTartanian8 and local best response; these opponents are closed.
Here it plays simple players and, with `--full`, a blueprint of ours.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.machine import cores
from equilibrist.core.player import Player
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, on, ours
from equilibrist.experiments.registry import Experiment

if TYPE_CHECKING:
    from equilibrist.agents.matches.match import MatchResult
    from equilibrist.learning.rebel_holdem.rebel_order import RebelOrder

GAME = "nolimit-holdem(stack=2000)"
PART = "hold'em, 20 big blinds, two bet sizes"
CHIPS_OF_BLIND = 100.0
LOOSE = 0.05  # big blinds a hand: the search before the flop has come to an equilibrium of its values
PUBLISHED = {  # mbb a game, plus or minus one standard deviation
    "Slumbot": "45 +- 5",
    "BabyTartanian8": "9 +- 4",
    "LBR": "881 +- 94",
    "Dong Kim": "165 +- 69",
}


@dataclass(frozen=True)
class HoldemCourse:
    """What is run."""

    order: str  # settings of the training
    play: str  # settings of the player
    opponents: Mapping[str, int]  # hands of each match
    deals: int = 0  # of a blueprint `hu-20bb` that is played, too


QUICK = HoldemCourse(
    "iterations=7,flops=3,lines=2,states=1,inside=10,cards=2,preflop=60,until=1",
    "iterations=12,cards=2,preflop=60",
    {"random": 60},
)
FULL = HoldemCourse(
    "", "", {"random": 400, "always-call": 1000, "rule-based": 1000, "tight-aggressive": 1000}, 20_000_000
)


def settings(course: HoldemCourse) -> RebelOrder:
    from equilibrist.learning.rebel_holdem.rebel_order import PRESET, PRESETS  # late: PyTorch

    return PRESETS.make(f"{PRESET}({course.order})")


def trained(folder: Path, course: HoldemCourse, request: Request) -> Sequence[Mapping[str, Any]]:
    """The curve of a training in a folder, which goes on where it was stopped."""
    from equilibrist.learning.rebel_holdem.rebel_folder import RebelProgress, rebel_facts, resume_rebel, start_rebel
    from equilibrist.learning.rebel_holdem.rebel_order import is_rebel_order

    def told(progress: RebelProgress) -> None:
        request.report(f"self-play, {progress.doing}", 0.6 * progress.share)

    how: dict[str, Any] = {"device": request.device, "threads": cores(), "report": told}
    resume_rebel(folder, **how) if is_rebel_order(folder) else start_rebel(folder, settings(course), **how)
    facts = rebel_facts(folder)
    if not facts["finished"]:
        raise KeyboardInterrupt
    curve: Sequence[Mapping[str, Any]] = facts["curve"]
    return curve


def matches(folder: Path, course: HoldemCourse, request: Request) -> dict[str, MatchResult]:
    """Duplicate matches, luck corrected by deals and decisions."""
    from equilibrist.agents.registry import load_agent
    from equilibrist.experiments.trained import duel

    own = f"rebel(folder={folder}{',' if course.play else ''}{course.play})"
    makers: dict[str, Callable[[], Player]] = {name: partial(load_agent, name) for name in course.opponents}
    hands = dict(course.opponents)
    if course.deals:
        makers["hu-20bb"] = blueprint_maker(course.deals, request)
        hands["hu-20bb"] = 1000
    return {
        name: duel(GAME, {"rebel": partial(load_agent, own), name: make}, hands[name], request, aivat="full")
        for name, make in makers.items()
    }


def blueprint_maker(deals: int, request: Request) -> Callable[[], Player]:
    """The blueprint of the package's plan `hu-20bb`."""
    from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
    from equilibrist.experiments.trained import trained as trained_blueprint
    from equilibrist.solvers.blueprint.presets import find_plan

    checkpoints = cache_folder() / "experiments" / "learning"
    made = trained_blueprint(find_plan("hu-20bb").plan, deals, request, threads=cores(), checkpoints=checkpoints)
    return lambda: BlueprintPlayer(made)


def run(request: Request) -> Findings:
    course = FULL if request.full else QUICK
    if request.full:
        folder = cache_folder() / "experiments" / "learning" / "rebel-holdem"
        return found(course, folder, request)
    with tempfile.TemporaryDirectory() as folder_name:
        return found(course, Path(folder_name) / "rebel", request)


def found(course: HoldemCourse, folder: Path, request: Request) -> Findings:
    """Train, measure, play."""
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    curve = trained(folder, course, request)
    told = load_blueprint(folder / "preflop.eqb").record.extra
    played = matches(folder, course, request)
    errors, last = pooled(curve), curve[-1]
    wins = {name: result.scaled((result.adjusted or result.estimates)[0]) for name, result in played.items()}
    return Findings(
        setting=f"{settings(course)!r}; in play {course.play or 'as usual'}; one seed",
        checks=on(PART, [*won(wins), *ours(learned(errors, float(told["preflop_exploitability_bb"])))]),
        published={"Table 5.6, mbb a game, with 200 big blinds": PUBLISHED},
        measured={
            "mbb a game, luck corrected, 95 % interval": {
                name: [round(number, 1) for number in (each.mean, *each.interval)] for name, each in wins.items()
            },
            "hands": {name: result.hands for name, result in played.items()},
            "% of the pot on what was not seen before, second half of the training": errors,
            "examples": {"flops": last["flops"], "turns": last["turns"]},
            "before the flop, big blinds a hand": {
                "exploitability with its values": told["preflop_exploitability_bb"],
                "value of the button": told["button_value_bb"],
            },
        },
        remarks=(
            "A stand-in: 20 big blinds instead of 200, two bet sizes, opponents that anybody can run. Wins say something "
            "about these opponents alone.",
            "Errors of flops have the luck of single flops in them, which no network can know.",
        ),
    )


def pooled(curve: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Over the second half of a training: roots of mean squares for flops, means for turns."""
    part = curve[len(curve) // 2 :]
    squares = {key: float(np.sqrt(np.mean([point[key] ** 2 for point in part]))) for key in ("flop", "flop_check_down")}
    means = {key: float(np.mean([point[key] for point in part])) for key in ("turn", "turn_package", "turn_check_down")}
    return squares | means


def learned(errors: Mapping[str, float], exploitability: float) -> list[Check]:
    """The network before the flop knows more than equities; the turn's far more; the search before the flop has converged."""
    return [
        at_most("values of flops: network / check-down", 1.0, errors["flop"] / errors["flop_check_down"]),
        at_most("values of turns: network / check-down", 0.5, errors["turn"] / errors["turn_check_down"]),
        at_most("before the flop: exploitability with its values, big blinds a hand", LOOSE, exploitability),
    ]


def won(wins: Mapping[str, Any]) -> list[Check]:
    """The text's agent beats whom it plays; with intervals above zero."""
    return [
        at_least(f"against {name}: end of the interval, mbb a game", 0.0, each.interval[0])
        for name, each in wins.items()
    ]


EXPERIMENT = Experiment(
    id="brown/rebel-holdem",
    title="ReBeL for hold'em at 20 bb with two sizes: a stand-in for the poker agent of Table 5.6",
    source="[Brown20, §5.3.5, Table 5.6]",
    seconds_quick=120,
    seconds_full=7200,
    run=run,
    text="no-limit hold'em with 200 big blinds against Slumbot, BabyTartanian8, local best response and Dong Kim",
    quick={"hold'em, 20 big blinds, two bet sizes": ("pattern", "reference")},
    full={"hold'em, 20 big blinds, two bet sizes": ("pattern", "reference")},
    gpu=True,
)
