"""Turn endgame hold'em with a network at the end of the turn: self-play, random beliefs, an oracle, and linear CFR on the whole game.

What is measured is the algorithm: the turn is searched by CFR-D, a secret iterate is played, the river is solved from the beliefs that
follow, and an opponent who knows all this but the draw responds as well as possible on both streets. Nothing about it is sampled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, on, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.solvers.cfr.schedules import LINEAR

if TYPE_CHECKING:
    from equilibrist.learning.rebel_boards.endgame_rebel import EndgameLearner, EndgameReBeL
    from equilibrist.learning.rebel_boards.first_street import FirstStreet
    from equilibrist.learning.rebel_boards.street_search import Algorithm

SELF_PLAY, RANDOM, ORACLE, WHOLE = "self-play", "random beliefs", "oracle", "linear CFR on the whole game"
YARDSTICK = (15, 30, 60, 125)
GATE = 60  # iterations of linear CFR that self-play must match; the text comes to about 125
WORSE = 5.0  # times, that random beliefs must be worse
ORACLE_INSIDE = 24
ASKED: tuple[Algorithm, ...] = ("modified-cfr-avg", "cfr-d", "fp")  # what Figure 5.12 has on the right
MEASURING = 150  # iterations of the solves that measure the turn alone


@dataclass(frozen=True)
class EndgameCourse:
    """What is run."""

    menu: EndgameMenu
    iterations: int  # of training
    marks: tuple[int, ...]  # iterations of the search in play
    rivers: int  # iterations of CFR+ for the river in play


QUICK = EndgameCourse(ONE_BET, 14, (4, 8, 16, 32), 64)
FULL = EndgameCourse(POT_AND_ALL_IN, 60, (8, 16, 32, 64, 128), 256)  # stacks of a hundred pots: small errors count


def settings(course: EndgameCourse) -> EndgameReBeL:
    from equilibrist.learning.rebel_boards.endgame_rebel import EndgameReBeL  # late: PyTorch

    return EndgameReBeL(inside=min(64, course.marks[-1]), drawn=8, rivers=32 if course is QUICK else 64)


def trained(
    street: FirstStreet,
    own: EndgameReBeL,
    course: EndgameCourse,
    request: Request,
    span: tuple[float, float],
    seed: int = 0,
) -> EndgameLearner:
    """A network after its training; a `--full` run goes on where it was stopped."""
    from equilibrist.learning.rebel_boards.endgame_rebel import EndgameLearner

    learner = EndgameLearner(street, own, seed=seed, device=request.device)
    key = f"turn endgame nets {course.menu!r} {own!r} {seed}"
    folder = cache_folder() / "experiments" / "learning" if request.full else None
    kept, name = Checkpoints(folder, key, seconds=300.0), hashlib.sha256(key.encode()).hexdigest()[:16]
    before = kept.load(name)
    if before is not None:
        learner.restore(before)
    what = RANDOM if own.random_beliefs else SELF_PLAY
    with HeldInterrupts() as held:
        while learner.iteration < course.iterations:
            learner.advance()
            share = span[0] + (span[1] - span[0]) * learner.iteration / course.iterations
            request.report(f"{what}, loss {learner.loss:.3g}", share)
            kept.save_now_and_then(name, learner.state)
            if held.asked:
                kept.save(name, learner.state())
            held.checkpoint()
    kept.save(name, learner.state())
    return learner


def whole_game(street: FirstStreet, marks: Sequence[int]) -> dict[int, float]:
    """Exploitability of linear CFR on both streets, in per cent of the pot."""
    run, out = street.start(LINEAR, street.threads), {}
    for mark in marks:
        run.advance(mark - run.iteration)
        out[mark] = run.exploitability() * PER_CENT
    return out


def turn_alone(
    street: FirstStreet, learner: EndgameLearner, algorithm: Algorithm, course: EndgameCourse
) -> list[float]:
    """What the strategy of the turn loses that an algorithm finds with a network, in per cent of the pot: a bracket."""
    from equilibrist.learning.rebel_boards.optimal_below import loss_bracket

    search = learner.search(algorithm)
    search.advance(course.marks[-1])
    return [chips * PER_CENT for chips in loss_bracket(street, search.average(), MEASURING)]


def fp_check(turn: Mapping[Algorithm, Sequence[float]]) -> Check:
    """Figure 5.12, right: fictitious play is worst; the text's order of the others is only told."""
    apart = turn["fp"][0] > max(turn[name][1] for name in ASKED if name != "fp")
    return Check("the turn alone", "fp worst", dict(turn), "brackets apart", apart, "pattern")


def run(request: Request) -> Findings:
    from equilibrist.learning.rebel_boards.later_streets import SolvedStreets
    from equilibrist.learning.rebel_boards.play_throughs import played
    from equilibrist.learning.rebel_boards.street_search import FirstStreetSearch

    course = FULL if request.full else QUICK
    street, own = turn_endgame(course.menu), settings(course)
    learners = {
        SELF_PLAY: trained(street, own, course, request, (0.0, 0.4)),
        RANDOM: trained(street, replace(own, random_beliefs=True), course, request, (0.4, 0.75)),
    }
    searches = {name: learner.search() for name, learner in learners.items()}
    searches[ORACLE] = FirstStreetSearch(street, SolvedStreets(street, ORACLE_INSIDE), "cfr-d")
    lines = {}
    for k, (name, search) in enumerate(searches.items()):
        begin = 0.75 + 0.08 * k

        def told(done: int, name: str = name, begin: float = begin) -> None:
            request.report(f"play with {name}, {done} iterations", begin + 0.08 * done / course.marks[-1])

        lines[name] = [chips * PER_CENT for chips in played(search, course.marks, course.rivers, told)]
    turn = {name: turn_alone(street, learners[SELF_PLAY], name, course) for name in ASKED}
    yardstick = whole_game(street, sorted({*YARDSTICK, *course.marks}))
    ends = {name: line[-1] for name, line in lines.items()}
    checks = [
        at_most(f"self-play / {GATE} iterations of linear CFR", 1.0, ends[SELF_PLAY] / yardstick[GATE]),
        at_least("random beliefs / self-play", WORSE, ends[RANDOM] / ends[SELF_PLAY]),
        fp_check(turn),
        *ours([at_most("oracle / self-play", 1.0, ends[ORACLE] / ends[SELF_PLAY])]),
    ]
    return Findings(
        setting=f"{course.menu.name} ({len(street.leaves)} lines reach the river), {own!r}, {course.iterations} iterations; "
        f"in play {course.marks[-1]} iterations on the turn, {course.rivers} of CFR+ on the river; one seed",
        checks=on(course.menu.name, checks),
        published={"iterations of linear CFR that self-play is worth": "about 125"},
        measured={
            "exploitability, per cent of the pot, by iterations of the search in play": {
                name: dict(zip(map(str, course.marks), line, strict=True)) for name, line in lines.items()
            },
            f"{WHOLE}, by iterations": {str(mark): value for mark, value in yardstick.items()},
            "iterations of linear CFR that self-play is worth": worth(yardstick, ends[SELF_PLAY]),
            f"loss of the turn's strategy, per cent of the pot, after {course.marks[-1]} iterations": turn,
            "examples": {name: len(learner.memory) for name, learner in learners.items()},
        },
        remarks=(
            "The text trains for any board, stacks and perturbed sizes on up to 1,024 GPUs; here both are fixed, which is far easier.",
            "The network adds to what checking down is worth, and is asked before the river card comes, not after.",
        ),
        draw=lambda figure: draw(figure, course.marks, lines, yardstick),
    )


def worth(yardstick: Mapping[int, float], found: float) -> float:
    """Iterations of linear CFR with this exploitability, between those that were measured; the last one where it is better still."""
    marks, values = list(yardstick), list(yardstick.values())
    at = np.interp(-np.log(found), [-np.log(value) for value in values], np.log(marks))
    return float(np.exp(at))


def draw(
    figure: Any, marks: Sequence[int], lines: Mapping[str, Sequence[float]], yardstick: Mapping[int, float]
) -> None:
    """After Figure 5.9."""
    panel = figure.subplots()
    for name, line in lines.items():
        panel.plot(marks, line, label=f"CFR-D, {name}", linewidth=1.2, marker="o", markersize=3)
    panel.plot(list(yardstick), list(yardstick.values()), label=WHOLE, color="#888888", linestyle="--", linewidth=1.0)
    panel.set(xscale="log", yscale="log", xlabel="iterations", ylabel="exploitability (per cent of the pot)")
    panel.grid(alpha=0.25)
    panel.legend(fontsize=7, frameon=False)


EXPERIMENT = Experiment(
    id="brown/rebel-teh",
    title="ReBeL on turn endgame hold'em",
    source="[Brown20, Figures 5.9 and 5.12]",
    seconds_quick=90,
    seconds_full=9000,
    full_on="one core",
    run=run,
    text="turn endgame hold'em with up to nine actions, trained for all boards, stacks and perturbed sizes",
    quick={"one pot-size bet a street": ("pattern", "reference")},
    full={"pot-size bets and all-ins": ("pattern", "reference")},
    gpu=True,
)
