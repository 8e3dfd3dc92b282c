"""Liar's Dice searched two moves deep with solved leaves: CFR-D, CFR-AVG, its modification, and random iterates."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.depth_limits.random_iterates import DepthByDepth, states_at_depth
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.catalogue import load_game
from equilibrist.search.depth_limited.cfr_d import ASKING, Asking, OracleLeaves, SolvedLeaves
from equilibrist.search.engines.public_tree import LayoutEngine
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.gadgets import GadgetInputs, Unsafe
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import cfr_settings
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.cfr.runs import LayoutRun
from equilibrist.solvers.responses.public_response import evaluate_public

MARKS = (64, 128, 256)
REFERENCE = {"cfr-d": (0.038, 0.022, 0.011), "cfr-avg": (0.053, 0.030, 0.012)}
ROOT = 1  # after the dice are rolled


def optimal_below(
    tree: PublicTree, policy: TabularPolicy, player: int, leaves: Sequence[int], iterations: int = 600
) -> float:
    """What the other player gets by a best response if `player` follows a policy down to the leaves and plays optimally below.

    Found by CFR+, so a little too low by what is left of its exploitability.
    """
    run = LayoutRun(cfr_settings("cfr+"), lay_out(tree))
    upper = lay_out(tree, leaves=leaves)
    rows = np.zeros(len(tree.infosets), dtype=np.bool_)
    rows[np.isin(tree.infosets.first_slot[:-1], upper.slot[upper.first_slot[:-1]])] = True
    run.lock(rows & (tree.infosets.player == player), policy)
    run.advance(iterations)
    found = evaluate_public(tree, run.average())
    return found.value[1 - player]


def curve(tree: PublicTree, asking: Asking, marks: tuple[int, ...], leaf_iterations: int) -> list[float]:
    """Exploitability of the depth-2 policy with optimal play below, after each mark."""
    leaves = states_at_depth(tree, ROOT, 2)
    blueprint = TreeProfile(tree, tree.infosets.uniform())
    subgame = Subgame.of(blueprint, [ROOT], leaves)
    door = GadgetInputs(subgame.mass(1), subgame.groups(1), subgame.ranges[1])
    oracle = SolvedLeaves(tree, leaves, iterations=leaf_iterations)
    settings = cfr_settings("lcfr(updates=simultaneous)")
    engine = LayoutEngine.of(settings, subgame, leaves=OracleLeaves(oracle, asking))
    run = GadgetRun(engine, 0, Unsafe(), door, subgame.ranges[0])
    found = []
    for mark in marks:
        run.advance(mark - run.iteration)
        policy = engine.splice(blueprint.policy, engine.average_strategy(), (0, 1))
        found.append(sum(optimal_below(tree, policy, p, leaves, 1000) for p in (0, 1)) / 2.0)
    return found


def falls(name: str, marks: tuple[int, ...], found: list[float]) -> Check:
    """At least like one over the square root of t, with a tenth of slack in the exponent."""
    slope = math.log(found[-1] / found[0]) / math.log(marks[-1] / marks[0])
    return at_most(f"{name}: slope", -0.4, slope)


def run(request: Request) -> Findings:
    marks, leaf_iterations, hands = (MARKS, 1000, 512) if request.full else (MARKS[:2], 500, 256)
    tree = public_tree(load_game("liars-dice(faces=4)"))
    curves: dict[str, list[float]] = {}
    for asking in ASKING:
        request.report(f"leaves asked by {asking}")
        curves[asking] = curve(tree, asking, marks, leaf_iterations)
    small = DepthByDepth(public_tree(load_game("liars-dice(faces=3)")), ROOT, iterations=32, leaf_iterations=100)
    request.report("random iterates")
    average = evaluate_public(small.tree, small.average()).exploitability
    random_play = evaluate_public(small.tree, small.mean_of_samples(hands)).exploitability
    checks = [
        at_most("cfr-d / cfr-avg at the first mark", 1.0, curves["cfr-d"][0] / curves["cfr-avg"][0]),
        falls("cfr-d", marks, curves["cfr-d"]),
        falls("cfr-avg", marks, curves["cfr-avg"]),
        at_least("modified cfr-avg stays above", 0.10, curves["modified-cfr-avg"][-1]),
        at_most("random iterates / always the average", 1.0, random_play / average),
    ]
    for name, row in REFERENCE.items():
        checks.append(between(f"{name}, t=64", 0.8 * row[0], 1.2 * row[0], curves[name][0], target=row[0]))
    return Findings(
        setting=f"1x4, leaves solved by {leaf_iterations} iterations of CFR+, t = {', '.join(map(str, marks))}; "
        f"1x3, 32 iterations a search, {hands} hands",
        checks=checks,
        recomputed=REFERENCE,
        measured={**curves, "always the average": average, "random iterates": random_play},
    )


EXPERIMENT = Experiment(
    id="brown/dice-leaves",
    title="Liar's Dice two moves deep: leaves that depend on beliefs",
    source="[Brown20, §5.3.4 and §5.3.9, Figure 5.12]",
    seconds_quick=70,
    seconds_full=300,
    run=run,
    text="turn endgame hold'em with an oracle; Liar's Dice",
    quick={"Liar's Dice 1x4 and 1x3": ("pattern", "reference")},
)
