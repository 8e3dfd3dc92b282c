"""The jam/fold tournament of two players, exactly: what the text says of it."""

from __future__ import annotations

from functools import partial

import numpy as np

from equilibrist.cards.allins.classes import class_number
from equilibrist.core.arrays import Floats
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.solvers.stochastic_games.heads_up_programs import improve, small_blind
from equilibrist.solvers.stochastic_games.jam_fold_stages import HeadsUpStages
from equilibrist.solvers.stochastic_games.outer_loops import Search, StochasticSettings
from equilibrist.solvers.stochastic_games.policy_iteration import ex_post_check
from equilibrist.solvers.stochastic_games.tournaments import heads_up_showdowns

RULES = JamFold(8000, 50, (300, 600), (1.0, 0.0))
HANDS = ("43s", "J2o")
FIRST, SECOND = (1800, 6200), (3600, 4400)  # small blind, big blind
PURE = 1e-6


def solved(stages: HeadsUpStages, request: Request) -> tuple[Floats, Floats, float, float]:
    """A profile by linear programs, its values, the gain of the best deviation; and how far PI-FP's values were from these."""
    settings = StochasticSettings(gamma=2e-5, first_gamma=1e-3)
    search = Search(stages, "pi-fp", settings, values=stages.rules.guess())
    request.report("PI-FP", None)
    for _ in range(6):
        search.advance()
    played = search.check().values
    plan, values, gain = search.plan, played, np.inf
    for round in range(4):
        told = partial(request.report, f"linear programs, round {round + 1}")
        plan, values = improve(stages, values, report=told)
        gain = ex_post_check(stages, plan).gain
        if gain < 1e-9:
            break
    return plan, values, gain, float(np.abs(played - values).max())


def with_one_mixed_hand(jams: Floats) -> Floats:
    """In each decision all mixed hands but the one nearest to one half are made pure."""
    out = jams.copy()
    distance = np.abs(jams - 0.5)
    keep = np.argmin(distance, axis=2)
    for state, seat in np.ndindex(jams.shape[:2]):
        rounded = np.round(jams[state, seat])
        rounded[keep[state, seat]] = jams[state, seat, keep[state, seat]]
        out[state, seat] = rounded
    return out


def single_hands(stages: HeadsUpStages, request: Request) -> Floats:
    """[state, hand] jams of the small blind when a hand is played once, for chips."""
    rules, out = stages.rules, np.ones((stages.rules.state_count, stages.hands))
    for state, stacks in enumerate(rules.states):
        after = [sum(p * later[0] for later, p in rules.after(stacks, event)) for event in rules.events]
        if not stages.forced[state, 0]:
            payoffs = np.array(after) / rules.units
            out[state] = small_blind(stages, payoffs, bool(stages.forced[state, 1]))
        request.report("single hands for chips", (state + 1) / rules.state_count)
    return out


def ranking_checks(jams: Floats) -> list[Check]:
    """No ranking of hands holds everywhere: two hands change places."""
    checks = []
    for stacks, (folds, jammed) in ((FIRST, HANDS), (SECOND, HANDS[::-1])):
        row = jams[RULES.state_of(stacks), 0]
        checks.append(at_most(f"small blind at {stacks}: jams with {folds}", 0.05, float(row[class_number(folds)])))
        checks.append(at_least(f"small blind at {stacks}: jams with {jammed}", 0.95, float(row[class_number(jammed)])))
    return checks


def run(request: Request) -> Findings:
    stages = HeadsUpStages(RULES, heads_up_showdowns())
    plan, values, gain, between_routes = solved(stages, request)
    jams = stages.jams(plan)
    off = np.abs(values[:, 0] - np.array([stacks[0] for stacks in RULES.states]) / RULES.units)
    mixed = ((jams > PURE) & (jams < 1.0 - PURE)).sum(axis=2)
    rounded = ex_post_check(stages, with_one_mixed_hand(jams).reshape(len(jams), -1)).gain
    other = float((np.abs(single_hands(stages, request) - jams[:, 0]) > 0.5).mean())
    return Findings(
        setting="8,000 chips in units of 50, blinds 300 and 600, 159 states, 169 classes of hands, showdowns exact",
        checks=[
            at_most("chance to win less share of chips: largest", 0.01, float(off.max())),
            at_most("one mixed hand in a decision at most: largest gain of a deviation", 1e-4, rounded),
            *ranking_checks(jams),
            at_most("a single hand for chips: share of other jams of the small blind", 0.05, other),
            *ours(
                [
                    at_most("largest gain of a deviation", 1e-9, gain),
                    between("PI-FP's values less those of linear programs: largest", 0.0, 2e-4, between_routes),
                ]
            ),
        ],
        published={
            "chance to win": "very close to the share of chips",
            "mixed hands": "at most one in each decision",
            "(1800, 6200)": "fold 43s, jam J2o",
            "(3600, 4400)": "jam 43s, fold J2o",
            "a single hand": "almost identical",
        },
        measured={
            "largest gain of a deviation": gain,
            "chance to win less share of chips": {"largest": float(off.max()), "average": float(off.mean())},
            "decisions by number of mixed hands": np.bincount(mixed.reshape(-1)).tolist(),
            "other jams in a single hand, share": other,
        },
        remarks=(
            "The exact equilibrium mixes two or three hands in some decisions; with all but one made pure, next to nothing is lost.",
            "That jam/fold players lose at most 0.014 to others who bet as they like is not computed: the text does not give that game.",
        ),
    )


EXPERIMENT = Experiment(
    id="ganzfried/tournament-heads-up",
    title="Jam/fold tournament of two players, by linear programs",
    source="[Ganzfried15, §9.8.1, §9.8.5]",
    seconds_quick=45,
    seconds_full=45,
    run=run,
    text="8,000 chips in units of 50, 159 states",
    quick={"text": ("pattern", "reference")},
)
