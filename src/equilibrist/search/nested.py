"""Nested search: answers to actions the blueprint does not know, one inside the other ([Brown20] 5.1.7; brown-search 2.5.7, 2.5.9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.games.public_tree import PublicTree, public_tree
from equilibrist.search.alternatives import gifts, upper_bounds
from equilibrist.search.blueprint import Blueprint
from equilibrist.search.entry import Doorstep
from equilibrist.search.resolving import DEFAULT_ITERATIONS, DEFAULT_SOLVER, SubgameSolution, search
from equilibrist.search.subgame import Subgame
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.cfr import CFR
from equilibrist.solvers.public_layout import lay_out

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Answer:
    """What to play after an off-tree action: a blueprint for the game that has it."""

    blueprint: Blueprint
    root: int  # public state from which on the strategy is new
    solution: SubgameSolution


def carry(policy: TabularPolicy, infosets: InfosetIndex) -> TabularPolicy:
    """A policy on a larger game: what was known stays, new actions get nothing, new infosets are even."""
    out = infosets.uniform().probabilities
    known = {key: i for i, key in enumerate(policy.infosets.keys)}
    for i, key in enumerate(infosets.keys):
        before = known.get(key)
        if before is not None:
            played = dict(zip(policy.infosets.actions[before], policy.row(before).tolist(), strict=True))
            span = slice(int(infosets.first_slot[i]), int(infosets.first_slot[i + 1]))
            out[span] = [played.get(action, 0.0) for action in infosets.actions[i]]
    return TabularPolicy(infosets, out)


def extend(blueprint: Blueprint, state: str, action: str) -> Blueprint:
    """The blueprint in the game that has one more action at a public state."""
    before = blueprint.tree
    number = before.number(state)
    tree = public_tree(before.game.with_action(state, action))
    if tree.infosets.slots == before.infosets.slots:
        raise ParameterError(
            f"The action '{action}' adds nothing at '{before.states[number]}': it is in the tree already, as one of "
            f"{', '.join(actions_at(before, number))}."
        )
    return Blueprint(tree, carry(blueprint.policy, tree.infosets))


def actions_at(tree: PublicTree, state: int) -> tuple[str, ...]:
    """Labels of the actions at a public state."""
    player = int(tree.player[state])
    if player < 0:
        raise NotApplicableError(f"Nobody acts at '{tree.states[state]}'.")
    span = tree.privates(state, player)
    return tree.infosets.actions[int(tree.private[player].row[span.start])]


def child_of(tree: PublicTree, state: int, action: str) -> int:
    """The public state after an action."""
    labels, player = actions_at(tree, state), int(tree.player[state])
    if action not in labels:
        raise UnknownNameError(
            f"There is no action '{action}' at '{tree.states[state]}'; there are {', '.join(labels)}."
        )
    own, span = tree.private[player], tree.privates(state, player)
    follows = (own.parent >= span.start) & (own.parent < span.stop) & (own.action == labels.index(action))
    infostate = int(np.flatnonzero(follows)[0])
    return int(np.searchsorted(own.first, infostate, side="right")) - 1


def answer_inexpensive(
    known: Blueprint,
    extended: Blueprint,
    root: int,
    technique: str | Technique = "maxmargin",
    *,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
) -> Answer:
    """Solve what follows an off-tree action; staying out is worth what the hand had before the action, without it.

    `root` is the public state of `extended` right after the action. The opponent's range is never asked for, so unsafe search is
    not possible: the blueprint cannot say how likely an action is that it does not know.
    """
    chosen = find_technique(technique)
    if not chosen.entry.needs_values or chosen.estimated:
        raise NotApplicableError(
            f"'{chosen.name}' cannot answer an off-tree action at once, because nothing says with which hands it is taken; use resolve, "
            "maxmargin or a reach technique, or answer_expensive."
        )
    tree, subgame = extended.tree, Subgame.of(extended, [root])
    opponent = int(tree.player[tree.parent[root]])
    before = Subgame.of(known, [known.tree.number(tree.states[tree.parent[root]])])
    worth = upper_bounds(known, before, opponent)
    if chosen.gift_scale:
        worth = worth + chosen.gift_scale * gifts(known, before, opponent, split=chosen.split)
    door = Doorstep(
        mass=subgame.mass(opponent),
        group=subgame.groups(opponent),
        reach=subgame.ranges[opponent],
        alternative=worth[_hand_before(extended, known, root, opponent)],
    )
    solution = search(
        subgame, 1 - opponent, chosen, blueprint=extended, doorstep=door, solver=solver, iterations=iterations
    )
    return Answer(Blueprint(tree, solution.policy), root, solution)


def answer_expensive(
    known: Blueprint,
    extended: Blueprint,
    root: int,
    technique: str | Technique = "unsafe",
    *,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
) -> Answer:
    """Solve the subgame in which the action was taken, with the action in it, and keep what follows the action.

    `root` is the public state right after it; the subgame begins one step earlier, so any technique will do.
    """
    chosen, tree = find_technique(technique), extended.tree
    state = int(tree.parent[root])
    opponent = int(tree.player[state])
    door = chosen.doorstep(Subgame.of(known, [known.tree.number(tree.states[state])]), opponent, known)
    solution = search(
        Subgame.of(extended, [state]),
        1 - opponent,
        chosen,
        blueprint=extended,
        doorstep=door,
        solver=solver,
        iterations=iterations,
    )
    below = lay_out(tree, [root])
    policy = extended.policy.probabilities.copy()
    policy[below.slot] = solution.policy.probabilities[below.slot]
    return Answer(Blueprint(tree, TabularPolicy(tree.infosets, policy)), root, solution)


def _hand_before(extended: Blueprint, known: Blueprint, root: int, opponent: int) -> npt.NDArray[np.int64]:
    """For each hand right after the action, its place among the hands right before it in the known tree."""
    tree, above = extended.tree, int(extended.tree.parent[root])
    own, span = tree.private[opponent], tree.privates(root, opponent)
    old_span = known.tree.privates(known.tree.number(tree.states[above]), opponent)
    places = {key: j for j, key in enumerate(known.tree.private[opponent].keys[old_span])}
    return np.array([places[own.keys[k]] for k in own.parent[span].tolist()])


class NestedSearch:
    """One hand, played out: follows the tree while it can, and solves again after each action it does not know.

    What was played on the way is never changed, so the searcher's range is always the one it played; each new subgame takes its
    alternative payoffs from the one before, so safety is handed on.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        searcher: int,
        technique: str | Technique = "reach-maxmargin",
        *,
        solver: str | CFR = DEFAULT_SOLVER,
        iterations: int = DEFAULT_ITERATIONS,
        report: Callable[[SubgameSolution], None] | None = None,
    ) -> None:
        self.blueprint, self.searcher, self.technique = blueprint, searcher, find_technique(technique)
        self.solver, self.iterations = solver, iterations
        self.report = report
        self.state = 0
        self.solutions: list[SubgameSolution] = []

    @property
    def public_state(self) -> str:
        return self.blueprint.tree.states[self.state]

    def strategy(self) -> Floats:
        """[hand, action] of the searcher here, hands in the order of the tree's infostates."""
        if self.blueprint.tree.player[self.state] != self.searcher:
            raise NotApplicableError(f"Player {self.searcher + 1} does not act at '{self.public_state}'.")
        return self.blueprint.policy.at(self.public_state, self.searcher)

    def act(self, action: str) -> None:
        """A player takes an action: a label of the tree, or, if it is the opponent's, a bet size the tree does not have."""
        tree = self.blueprint.tree
        if action in actions_at(tree, self.state):
            self.state = child_of(tree, self.state, action)
        elif tree.player[self.state] == self.searcher:
            raise UnknownNameError(
                f"The searcher acts from its own strategy, which has {', '.join(actions_at(tree, self.state))} at "
                f"'{self.public_state}', but not '{action}'."
            )
        else:
            self._answer(action)

    def deal(self, public_state: str) -> None:
        """Chance moves on to a public state."""
        number = self.blueprint.tree.number(public_state)
        if self.blueprint.tree.parent[number] != self.state:
            raise ParameterError(f"'{public_state}' does not follow '{self.public_state}' at once.")
        self.state = number

    def solve_here(self) -> None:
        """Solve from here on again, before anything unknown happens (as after a new card)."""
        subgame = Subgame.of(self.blueprint, [self.state])
        self._accept(
            search(
                subgame,
                self.searcher,
                self.technique,
                blueprint=self.blueprint,
                solver=self.solver,
                iterations=self.iterations,
            )
        )

    def _answer(self, action: str) -> None:
        known, here = self.blueprint, self.public_state
        extended = extend(known, here, action)
        state = extended.tree.number(here)
        (new,) = set(actions_at(extended.tree, state)) - set(actions_at(known.tree, self.state))
        self.state = child_of(extended.tree, state, new)
        self.blueprint = extended
        found = answer_inexpensive(
            known, extended, self.state, self.technique, solver=self.solver, iterations=self.iterations
        )
        self._accept(found.solution)

    def _accept(self, solution: SubgameSolution) -> None:
        self.blueprint = Blueprint(self.blueprint.tree, solution.policy)
        self.solutions.append(solution)
        if self.report is not None:
            self.report(solution)
