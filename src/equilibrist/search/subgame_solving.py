"""`search`: solve subgames again with a technique, and say how far the result can be trusted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.leaf_values import LeafValues
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.public_tree.public_layout import with_choices
from equilibrist.search.alternatives import expected, smallest_margin
from equilibrist.search.depth_limited.cfr_d import AskedLeaves
from equilibrist.search.depth_limited.multi_valued_states import Payoffs
from equilibrist.search.engines.public_tree import LayoutEngine, Leaves
from equilibrist.search.gadget_run import GadgetGap, GadgetRun
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.subgame import Subgame
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Loop, Stop
from equilibrist.solvers.registry import make_solver

DEFAULT_SOLVER = "cfr+"
DEFAULT_ITERATIONS = 400
HEARD_SECONDS = 0.1  # between the moments when Ctrl-C is heard; when they are changes no result


@dataclass(frozen=True)
class SubgameSolution:
    """The searcher's new strategy and what the opponent can get against it."""

    subgame: Subgame
    searcher: int
    technique: Technique
    policy: TabularPolicy = field(repr=False)  # the policy given, with the searcher's part of the subgame replaced
    profile: TabularPolicy = field(repr=False)  # the same with the opponent's part as well, as the search imagined it
    values: Floats  # expected value of each of the opponent's hands at the roots, responding best
    alternative: Floats | None  # what the technique compared them with
    mass: Floats  # external reach of these hands
    iterations: int
    seconds: float
    exploitability: float = float("nan")  # of the gadget game, in the game's chips or points

    @property
    def margin(self) -> float:
        """Smallest amount by which a hand that can be held gets less than its alternative; negative: some hand gets more."""
        return smallest_margin(self.alternative, self.values, self.mass)

    @property
    def tolerance(self) -> float:
        """By how much, at most, the opponent's best response to the whole strategy can have risen; NaN if that is unknown."""
        if not self.technique.safe or self.alternative is None:
            return float("nan")
        return float((np.maximum(self.values - self.alternative, 0.0) * self.mass).sum())


def search(
    subgame: Subgame,
    searcher: int,
    technique: str | Technique = "reach-maxmargin",
    *,
    blueprint: TreeProfile | None = None,
    inputs: GadgetInputs | None = None,
    continuations: Payoffs | None = None,
    leaves: Leaves | LeafValues | None = None,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
    stop: Stop | None = None,
) -> SubgameSolution:
    """Solve a subgame for one player; `inputs` gives alternative payoffs directly instead of from a blueprint.

    A subgame with leaves needs `continuations` (multi-valued states) or `leaves` (values that depend on ranges: any
    `LeafValues`, such as a network). It takes
    `iterations`, or as many as it needs to a `stop`.
    """
    chosen = find_technique(technique)
    if searcher not in (0, 1):
        raise ParameterError(f"The searcher is player 0 or 1, but {searcher} was given.")
    if iterations < 1:
        raise ParameterError(f"A search takes at least 1 iteration, but {iterations} were asked for.")
    begin = time.perf_counter()
    door = chosen.inputs(subgame, 1 - searcher, blueprint) if inputs is None else inputs
    _check_ranges(subgame, searcher, door, chosen)
    if subgame.leaves and continuations is None and leaves is None:
        raise ParameterError(
            f"The search stops at {len(subgame.leaves)} public states, but nothing says what they are worth; give continuations or "
            "leaf values."
        )
    layout = subgame.layout if continuations is None else with_choices(subgame.layout, continuations)
    if isinstance(leaves, LeafValues):
        leaves = AskedLeaves(leaves, subgame.leaves)
    engine = LayoutEngine.of(cfr_settings(solver), subgame, layout=layout, leaves=leaves)
    run = GadgetRun(engine, searcher, chosen.gadget, door, subgame.ranges[searcher])
    gap = _advance(run, iterations, stop)
    before = subgame.tree.infosets.uniform() if blueprint is None else blueprint.policy
    strategy = engine.average_strategy(layout.strategy(before.probabilities))
    return SubgameSolution(
        subgame=subgame,
        searcher=searcher,
        technique=chosen,
        policy=engine.splice(before, strategy, (searcher,)),
        profile=engine.splice(before, strategy, (0, 1)),
        values=expected(run.answer(), door.mass),
        alternative=door.alternative,
        mass=door.mass,
        iterations=run.iteration,
        seconds=time.perf_counter() - begin,
        exploitability=gap,
    )


def _advance(run: GadgetRun, iterations: int, stop: Stop | None) -> float:
    """Run to the end; gives the gap of the gadget game."""
    if stop is None:
        many, end = 1, run.iteration + iterations
        while run.iteration < end:
            begin = time.perf_counter()
            run.advance(min(many, end - run.iteration))
            many *= 2 if time.perf_counter() - begin < HEARD_SECONDS else 1
        return run.evaluate().exploitability
    loop: Loop[GadgetGap] = Loop(run, stop, None, 0.0)
    return loop.finish(lambda _: loop.final_evaluation().exploitability)


def search_everywhere(
    blueprint: TreeProfile,
    roots: Sequence[int | str],
    technique: str | Technique = "reach-maxmargin",
    *,
    players: Sequence[int] = (0, 1),
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
) -> tuple[TabularPolicy, list[SubgameSolution]]:
    """The blueprint with all these subgames solved again, each player against the other's blueprint.

    Searching whenever a subgame is reached comes to the same. Subgames that cannot be searched (the searcher never comes
    there; for unsafe search, the opponent neither) stay as they are.
    """
    policy, found = blueprint.policy, []
    for searcher in players:
        reached = reached_part(Subgame.of(blueprint, roots), searcher, find_technique(technique))
        if reached is None:
            continue
        result = search(reached, searcher, technique, blueprint=blueprint, solver=solver, iterations=iterations)
        found.append(result)
        own = np.repeat(blueprint.tree.infosets.player == searcher, np.diff(blueprint.tree.infosets.first_slot))
        policy = TabularPolicy(policy.infosets, np.where(own, result.policy.probabilities, policy.probabilities))
    return policy, found


def cfr_settings(solver: str | CFR) -> CFR:
    """A member of the CFR family by name."""
    made = make_solver(solver) if isinstance(solver, str) else solver
    if not isinstance(made, CFR) or made.pruning.walks or made.threshold or made.bindings:
        raise NotApplicableError(
            f"Subgames are solved by the CFR family without pruning (cfr+, dcfr, lcfr, pcfr+ …), but '{made.name}' was given."
        )
    return made


def reached_part(subgame: Subgame, searcher: int, technique: Technique) -> Subgame | None:
    """Only the roots that the searcher's range reaches (and the opponent's, if the technique believes in it)."""
    believed = (searcher,) if technique.gadget.needs_values else (0, 1)
    kept = np.ones(len(subgame.roots), dtype=np.bool_)
    for player in believed:
        kept &= np.bincount(subgame.groups(player), subgame.ranges[player], minlength=len(kept)) > 0
    if not kept.any():
        return None
    first, second = (subgame.ranges[p][kept[subgame.groups(p)]] for p in range(2))
    return replace(subgame, roots=tuple(np.array(subgame.roots)[kept].tolist()), ranges=(first, second))


def _check_ranges(subgame: Subgame, searcher: int, door: GadgetInputs, technique: Technique) -> None:
    """Beliefs that sum to zero say nothing to solve for."""
    for player, mass in ((searcher, door.mass), (1 - searcher, door.reach)):
        sums = np.bincount(door.group, mass, minlength=len(subgame.roots))
        if (sums <= 0).any() and (player == searcher or not technique.gadget.needs_values):
            name = subgame.tree.states[subgame.roots[int(np.argmin(sums))]]
            raise NotApplicableError(
                f"The beliefs about player {player + 1} at '{name}' sum to zero, so the subgame is never reached; search elsewhere "
                "or give a range."
            )
