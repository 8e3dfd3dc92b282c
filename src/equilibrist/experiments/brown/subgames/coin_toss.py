"""Coin Toss: what each search technique does to a blueprint, by linear program and by CFR, and a public draw between."""

from __future__ import annotations

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.gadget_game import GadgetGame, Kind
from equilibrist.experiments.findings import Check, Findings, Request, at_most, close, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.catalogue import load_game
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import search
from equilibrist.search.techniques import find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import evaluate_public
from equilibrist.solvers.solve import solve

PUBLISHED = {"blueprint": 0.5, "unsafe": 0.75, "maxmargin": 0.375, "reach-maxmargin": 0.25, "equilibrium values": 0.0}
STRATEGIES = {"unsafe": (1.0, 0.0, 0.0), "maxmargin": (0.625, 0.375, 0.0), "reach-maxmargin": (0.5, 0.5, 0.0)}
KINDS: dict[str, Kind] = {"unsafe": "unsafe", "maxmargin": "maxmargin", "reach-maxmargin": "maxmargin"}
EXACT, BY_CFR = 1e-9, 1e-3
ITERATIONS = 4000


def example() -> TreeProfile:
    """Play with 3/4 (heads) and 1/2 (tails); guess heads 1/2, tails 1/4, forfeit 1/4."""
    tree = public_tree(load_game("coin-toss"))
    policy = tree.infosets.uniform().with_row("H", [0.25, 0.75]).with_row("T", [0.5, 0.5])
    return TreeProfile(tree, policy.with_row("play", [0.5, 0.25, 0.25]))


def best_of_player_1(tree: PublicTree, policy: TabularPolicy) -> float:
    best = evaluate_public(tree, policy).best_response_value
    assert best is not None
    return best[0]


def by_program(blueprint: TreeProfile, subgame: Subgame, kind: Kind, door: GadgetInputs) -> TabularPolicy:
    """The gadget game written out and solved exactly."""
    row = list(solve(GadgetGame(subgame, 1, kind, door), "lp").policy["play"].values())
    return blueprint.policy.with_row("play", [max(x, 0.0) for x in row])


def technique_checks(blueprint: TreeProfile, name: str) -> tuple[list[Check], dict[str, float]]:
    subgame, tree = Subgame.of(blueprint, ["play"]), blueprint.tree
    door = find_technique(name).inputs(subgame, 0, blueprint)
    exact = by_program(blueprint, subgame, KINDS[name], door)
    found = search(subgame, 1, name, blueprint=blueprint, iterations=ITERATIONS).policy
    values = {"lp": best_of_player_1(tree, exact), "cfr": best_of_player_1(tree, found)}
    checks = [
        close(f"{name}: player 1's best, linear program", PUBLISHED[name], values["lp"], EXACT),
        close(f"{name}: player 1's best, CFR+", PUBLISHED[name], values["cfr"], BY_CFR),
        close(f"{name}: P(heads), linear program", STRATEGIES[name][0], exact["play"]["heads"], EXACT),
        close(f"{name}: P(heads), CFR+", STRATEGIES[name][0], found["play"]["heads"], BY_CFR),
    ]
    return checks, values


def run(request: Request) -> Findings:
    blueprint = example()
    subgame, tree = Subgame.of(blueprint, ["play"]), blueprint.tree
    checks = [
        close("blueprint: player 1's best", PUBLISHED["blueprint"], best_of_player_1(tree, blueprint.policy), EXACT)
    ]
    measured: dict[str, dict[str, float]] = {}
    for name in STRATEGIES:
        request.report(name)
        more, measured[name] = technique_checks(blueprint, name)
        checks += more
    kept = search(subgame, 1, "resolve", blueprint=blueprint, iterations=ITERATIONS)
    checks.append(at_most("resolve: player 1's best", 0.5 + BY_CFR, best_of_player_1(tree, kept.policy)))
    right = find_technique("resolve").inputs(subgame, 0, blueprint)
    equilibrium = GadgetInputs(right.mass, right.group, right.reach, right.mass * [1.0, -1.0])  # masses are 1/2
    for name in ("resolve", "maxmargin"):
        optimal = search(subgame, 1, name, inputs=equilibrium, blueprint=blueprint, iterations=ITERATIONS).policy
        best = best_of_player_1(tree, optimal)
        measured[f"{name}, equilibrium values"] = {"cfr": best}
        checks.append(close(f"{name} with equilibrium values: player 1's best", 0.0, best, 2 * BY_CFR))
    return Findings(
        setting=f"one subgame; {ITERATIONS} iterations of CFR+ and the linear program",
        checks=printed(checks),
        published=PUBLISHED,
        measured=measured,
    )


EXPERIMENT = Experiment(
    id="brown/coin-toss",
    title="Coin Toss: unsafe and safe search",
    source="[Brown20, §5.1.1 to §5.1.3, Figures 5.1 to 5.4]",
    seconds_quick=2,
    seconds_full=2,
    run=run,
    text="Coin Toss",
    quick={"text": ("printed", "pattern")},
)
