"""Strategy-based warm starting: CFR goes on from any profile as if it had played it for T iterations ([Brown20, §3.2]).

Regrets come from substitute values: best responses to the profile, weakened at every infoset just so much that both players'
values add up to nothing more than zero, which is what T iterations of regret matching could have left behind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError, UnknownNameError
from equilibrist.core.policy import Policy, TabularPolicy
from equilibrist.core.solution import EXACT, Solution, SolveRecord, TabularSolution
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.forms.history_tree.infoset_forest import payoff_ranges
from equilibrist.games.rules import Game
from equilibrist.solvers.cfr._kernels.history_cfr import reach_down
from equilibrist.solvers.cfr._kernels.substitute import infoset_mass, substitute
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.responses._kernels.response import terminal_gradient
from equilibrist.solvers.responses.best_response import evaluate_policy, own_reach, translate
from equilibrist.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence


HALVINGS = 100  # of the interval for lambda
MOST_ITERATIONS = 10**6
STARTABLE = ("auto", "sequence", "tree", "public", "pruned")  # representations that can be started from elsewhere


@dataclass(frozen=True)
class Substitute:
    """What T iterations of a profile would have left behind, per iteration; S slots, I infosets."""

    iterations: int
    weakening: float  # lambda
    policy: TabularPolicy
    gain: Floats  # [S] value of each action minus that of its infoset
    terminal_value: Floats  # [S] of terminals directly behind a slot
    infoset_value: Floats  # [I]
    mass: Floats  # [I] reach of the others
    plan: Floats  # [S] own reach, up to and including the slot
    values: tuple[float, float]  # of the whole game, to each player

    def strategy(self) -> Floats:
        """[S] regret matching on the gains; the profile itself where none is positive."""
        first = self.policy.infosets.first_slot
        group = np.repeat(np.arange(len(first) - 1), np.diff(first))
        positive = np.maximum(self.gain, 0.0)
        total = np.bincount(group, weights=positive, minlength=len(first) - 1)[group]
        return np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), self.policy.probabilities)


def warm_start(
    game: str | Game | GameTree | Compiled,
    profile: Policy | Solution,
    *,
    iterations: int | Literal["estimate"] = "estimate",
    weakening: float | Literal["bisect"] = "bisect",
    solver: str | CFR = "cfr",
) -> TabularSolution:
    """A solution to `resume` from: the solver as if it had played the profile for so many iterations."""
    target, chosen = compiled(game), _suitable(solver)
    policy = fitting_policy(target, profile)
    start = _estimated(target, policy, chosen, weakening) if iterations == "estimate" else None
    if start is None:
        start = substitute_values(target, policy, cast(int, iterations), weakening)
    run = chosen.start(target)
    run.start_from(start)
    return TabularSolution(
        game=target.game.name,
        record=SolveRecord(
            chosen.name,
            start.iterations,
            settings={"warm_start": {"iterations": start.iterations, "weakening": start.weakening}},
            provenance={"version": __version__, "exploitability": EXACT},
        ),
        policy=policy,
        evaluation=evaluate_policy(target, policy),
        last=run.last(),
        state=run.state(),
        unit=target.game.unit,
    )


def _estimated(game: Compiled, policy: TabularPolicy, solver: CFR, weakening: float | Literal["bisect"]) -> Substitute:
    """As many iterations as a short run suggests, or half as many, and so on, where theory does not allow them."""
    count = estimate_iterations(game, policy, solver=solver)
    while True:
        try:
            return substitute_values(game, policy, count, weakening)
        except NotApplicableError:
            if count == 1:
                raise
            count //= 2


def substitute_values(
    game: str | Game | GameTree | Compiled,
    profile: TabularPolicy,
    iterations: int,
    weakening: float | Literal["bisect"] = "bisect",
) -> Substitute:
    """Gains and values at a given lambda, or at the smallest one for which both values add up to at most zero."""
    if isinstance(iterations, bool) or not isinstance(iterations, int) or not 1 <= iterations <= MOST_ITERATIONS:
        raise ParameterError(
            f"A warm start stands for 1 to {MOST_ITERATIONS:,} iterations, but {iterations!r} was given."
        )
    work = _Workspace(compiled(game), profile, iterations)
    if weakening != "bisect":
        if isinstance(weakening, str) or not 0.0 <= weakening < math.inf:
            raise ParameterError(f"'weakening' is 'bisect' or a number of at least 0, but {weakening!r} was given.")
        return work.at(weakening)
    strongest = work.at(0.0)
    if sum(strongest.values) <= 0.0:
        return strongest
    low, high = 0.0, 1.0
    if sum(work.at(high).values) > 0.0:
        raise NotApplicableError(
            f"This profile is too exploitable to stand for {iterations:,} iterations of regret matching; try fewer, or "
            "let them be estimated."
        )
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if sum(work.at(middle).values) > 0.0:
            low = middle
        else:
            high = middle
    return work.at(high)


class _Workspace:
    """What does not depend on lambda."""

    def __init__(self, game: Compiled, policy: TabularPolicy, iterations: int) -> None:
        if game.game.players != 2 or not game.sequence_form.zero_sum:
            raise NotApplicableError(
                f"Warm starts are proven for two-player zero-sum games, and '{game.game.name}' is not one; solve it from scratch."
            )
        tree, infosets = game.tree, game.infosets
        self.forest, self.policy, self.iterations = game.forest, policy, iterations
        self.plan = own_reach(self.forest, policy.probabilities)
        self.spread = payoff_ranges(tree)
        reach = np.empty((tree.histories, 3))
        reach_down(tree.nodes, policy.probabilities, reach)
        self.mass = np.zeros(len(infosets))
        infoset_mass(tree.player, tree.infoset, reach, self.mass)
        returns = np.ascontiguousarray(tree.returns)
        self.ends = np.zeros(infosets.slots)
        chance = (self.forest.terminal_slot, self.forest.terminal_chance, returns, self.plan)
        self.roots = [terminal_gradient(*chance, p, self.ends) for p in range(2)]

    def at(self, weakening: float) -> Substitute:
        infosets = self.policy.infosets
        value, gain = self.ends.copy(), np.zeros_like(self.ends)
        infoset_value = np.zeros(len(infosets))
        order = np.zeros(int(np.diff(infosets.first_slot).max(initial=1)), dtype=np.int64)
        shared = (infosets.first_slot, infosets.player, self.forest.parent_slot)
        allowed = (self.mass, self.spread, weakening / self.iterations, order)
        values = [self.roots[p] + substitute(*shared, p, *allowed, value, infoset_value, gain) for p in range(2)]
        return Substitute(
            self.iterations, weakening, self.policy, gain, self.ends, infoset_value, self.mass, self.plan,
            (float(values[0]), float(values[1])),
        )  # fmt: skip


def estimate_iterations(
    game: str | Game | GameTree | Compiled,
    profile: TabularPolicy,
    *,
    probe: int = 10,
    slope: float | None = -1.0,
    solver: str | CFR = "cfr",
) -> int:
    """How many iterations from scratch would be as good: a short run projected to the profile's exploitability.

    The projection is c * T^slope, fitted to the logarithms; `slope=None` fits the slope too.
    """
    target, chosen = compiled(game), _suitable(solver)
    exploitability = evaluate_policy(target, profile).exploitability
    constant, slope = project(probe_run(target, chosen, probe), slope)
    if exploitability <= 0.0:
        return MOST_ITERATIONS
    return int(min(MOST_ITERATIONS, max(1, round((exploitability / constant) ** (1.0 / slope)))))


def probe_run(game: Compiled, solver: CFR, iterations: int) -> list[float]:
    """Exploitability of the average after 1, 2, ... iterations from scratch."""
    run, found = solver.start(game), []
    for _ in range(iterations):
        run.advance(1)
        found.append(run.evaluate().exploitability)
    return found


def project(exploitability: Sequence[float], slope: float | None = -1.0) -> tuple[float, float]:
    """c and slope of the line c * T^slope through the logarithms of a curve that begins at T = 1."""
    if len(exploitability) < 2 or min(exploitability) <= 0.0:
        raise ParameterError("A projection needs at least two iterations that are not yet in equilibrium.")
    t, e = np.log(np.arange(1, len(exploitability) + 1)), np.log(exploitability)
    if slope is None:
        slope = float(np.polyfit(t, e, 1)[0])
    if not slope < 0.0:
        raise ParameterError(f"Exploitability must fall to be projected, but the slope is {slope:.3g}.")
    return float(np.exp(np.mean(e - slope * t))), slope


def fitting_policy(game: Compiled, profile: Policy | Solution) -> TabularPolicy:
    """The profile on the game's own infosets."""
    policy = profile if isinstance(profile, Policy) else profile.policy
    if not isinstance(policy, TabularPolicy):
        raise NotApplicableError(
            "The profile was solved on boards, so it starts a run on boards only; add on=boards to the solver."
        )
    if policy.infosets.keys == game.infosets.keys:
        return TabularPolicy(game.infosets, policy.probabilities)
    try:
        found = translate(policy, game.infosets)
    except (UnknownNameError, ParameterError):
        raise FormatError(
            f"The profile does not cover the infosets of '{game.game.name}', so it cannot start a run there; use one of "
            "the same game."
        ) from None
    return found


def _suitable(solver: str | CFR) -> CFR:
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    if not isinstance(chosen, CFR) or chosen.minimiser not in ("rm", "signed-rm+") or chosen.bindings:
        name = solver if isinstance(solver, str) else solver.name
        raise NotApplicableError(
            f"Warm starts give regrets to members of the CFR family with regret matching, not to '{name}'; use cfr, cfr+, lcfr or dcfr."
        )
    if chosen.representation not in STARTABLE:
        raise NotApplicableError(f"Warm starts do not reach on={chosen.representation}; leave 'on' out.")
    return chosen
