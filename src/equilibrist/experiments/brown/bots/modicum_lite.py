"""Modicum on BL26: a blueprint, one value per leaf and multi-valued states against other blueprints, in exact expectations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.bl26 import MILLI, bucketed_blueprint, tree
from equilibrist.experiments.findings import Check, Findings, Request, at_most
from equilibrist.experiments.registry import Experiment
from equilibrist.search.depth_limited.depth_limited import draws_below, search_to_edge, self_generated
from equilibrist.search.depth_limited.multi_valued_states import biased_set
from equilibrist.search.subgame import after_chance
from equilibrist.search.subgame_solving import search_everywhere
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import evaluate_public

PUBLISHED = {  # mbb a game, 95 % intervals
    "blueprint only": {"Baby Tartanian8": "-57 +- 13", "Slumbot": "-11 +- 8"},
    "one value per leaf": {"Baby Tartanian8": "-10 +- 8", "Slumbot": "-1 +- 15"},
    "multi-valued states": {"Baby Tartanian8": "+6 +- 5", "Slumbot": "+11 +- 9"},
    "LBR(1), LBR(2) lose to Modicum": "570 +- 42, 1,377 +- 115",
}
ROOT = 1  # right after the private cards
OWN, OTHERS = 5, (4, 6, 8)  # buckets on round 2 of the searcher's blueprint and of its opponents'
CONTINUATIONS = 8
AGENTS = ("blueprint", "round 2 alone", "one value", "multi-valued", "biased")


def seated(policy: TabularPolicy, searcher: int, other: TabularPolicy) -> TabularPolicy:
    """One player's part of a policy against the other player's part of another."""
    own = np.repeat(policy.infosets.player == searcher, np.diff(policy.infosets.first_slot))
    return TabularPolicy(policy.infosets, np.where(own, policy.probabilities, other.probabilities))


def searched(
    blueprint: TreeProfile, searcher: int, opponents: Sequence[TabularPolicy], iterations: int
) -> TabularPolicy:
    """Round 1 to its end with these continuations, then round 2 to the end of the hand, both without safety (as Modicum's first search)."""
    edge = draws_below(blueprint.tree, 0)
    first = search_to_edge(blueprint, ROOT, edge, searcher, opponents, iterations=iterations)
    return below(TreeProfile(blueprint.tree, first.policy), searcher, iterations)


def below(upper: TreeProfile, searcher: int, iterations: int) -> TabularPolicy:
    """A policy with everything after the board solved again for one player."""
    boards = after_chance(upper.tree)
    return search_everywhere(upper, boards, "unsafe", players=(searcher,), iterations=iterations // 2)[0]


def agents(blueprint: TreeProfile, searcher: int, iterations: int) -> dict[str, TabularPolicy]:
    """What each agent plays in one seat."""
    edge = draws_below(blueprint.tree, 0)
    many = self_generated(blueprint, ROOT, edge, searcher, CONTINUATIONS, iterations=iterations)
    return {
        "blueprint": blueprint.policy,
        "round 2 alone": below(blueprint, searcher, iterations),
        "one value": searched(blueprint, searcher, many[:1], iterations),
        "multi-valued": searched(blueprint, searcher, many, iterations),
        "biased": searched(blueprint, searcher, biased_set(blueprint.policy), iterations),
    }


def run(request: Request) -> Findings:
    iterations = 1000 if request.full else 300
    request.report("blueprints", 0.0)
    blueprint = bucketed_blueprint(OWN)
    others = {f"{buckets} buckets": bucketed_blueprint(buckets).policy for buckets in OTHERS} | {
        "itself": blueprint.policy
    }
    won = {name: dict.fromkeys(others, 0.0) for name in AGENTS}
    worst = dict.fromkeys(AGENTS, 0.0)
    for searcher in range(2):
        request.report(f"searches of player {searcher + 1}", 0.1 + 0.45 * searcher)
        for name, policy in agents(blueprint, searcher, iterations).items():
            for opponent, other in others.items():
                value = evaluate_public(tree(), seated(policy, searcher, other)).value
                won[name][opponent] += MILLI * value[searcher] / 2.0
            best = evaluate_public(tree(), policy).best_response_value
            assert best is not None
            worst[name] += MILLI * best[1 - searcher] / 2.0
    mean = {name: float(np.mean(list(row.values()))) for name, row in won.items()}
    return Findings(
        setting=f"BL26, blueprint with {OWN} buckets on round 2, opponents with {', '.join(map(str, OTHERS))} and itself; {iterations} "
        "iterations a search; expectations over all deals, seats averaged, milli-antes a hand",
        checks=[
            ordered("mean over opponents: blueprint < one value", mean["blueprint"], mean["one value"]),
            ordered("mean over opponents: one value < multi-valued", mean["one value"], mean["multi-valued"]),
            at_most("best response against multi-valued / against the blueprint", 1.0, worst["multi-valued"] / worst["blueprint"]),
            at_most("best response against multi-valued / against one value", 1.0, worst["multi-valued"] / worst["one value"]),
        ],
        published=PUBLISHED,
        measured={"wins": won, "mean": mean, "best response against": worst},
        remarks=(
            "Results are exact, so there are no intervals, no AIVAT and no stopping rule; the game is the 26-card stand-in, not hold'em.",
            "An exact best response takes the place of local best response ([Brown20, §5.2.3]).",
            "`round 2 alone` keeps the blueprint's round 1 and solves only what follows it: it says how much of a gain is due to round 1. "
            "Against single opponents the order of one value and many may change.",
        ),
    )  # fmt: skip


def ordered(name: str, low: float, high: float) -> Check:
    return Check(name, "rising", [low, high], "strict order", low < high, "pattern")


EXPERIMENT = Experiment(
    id="brown/modicum-lite",
    title="Depth-limited search against other blueprints",
    source="[Brown20, §5.2.3 and §6.5, Table 5.5]",
    seconds_quick=30,
    seconds_full=120,
    run=run,
    text="no-limit hold'em against Baby Tartanian8 and Slumbot",
    quick={"BL26, against blueprints of ours": ("pattern",)},
)
