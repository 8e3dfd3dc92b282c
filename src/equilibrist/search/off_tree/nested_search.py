"""Nested search: answers to actions the blueprint does not know, one inside the other ([Brown20, §5.1.7])."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.rules import CHANCE
from equilibrist.search.depth_limited.multi_valued_states import Payoffs
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS, DEFAULT_SOLVER, SubgameSolution, search
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Stop


@dataclass(frozen=True)
class Answer:
    """What to play after off-tree actions: a blueprint for the game that has them."""

    blueprint: TreeProfile
    roots: tuple[int, ...]  # public states from which on the strategy is new
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


def extend(blueprint: TreeProfile, state: str, action: str) -> TreeProfile:
    """The blueprint in the game that has one more action at a public state."""
    before = blueprint.tree
    number = before.number(state)
    tree = public_tree(before.game.with_action(state, action))
    if tree.infosets.slots == before.infosets.slots:
        raise ParameterError(
            f"The action '{action}' adds nothing at '{before.states[number]}': it is in the tree already, as one of "
            f"{', '.join(actions_at(before, number))}."
        )
    return TreeProfile(tree, carry(blueprint.policy, tree.infosets))


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


def answers_at_once(technique: Technique) -> bool:
    """Whether a technique can begin right after an off-tree action, without knowing with which hands it is taken."""
    return technique.gadget.needs_values and not technique.estimated


def answer_inexpensive(
    known: TreeProfile,
    extended: TreeProfile,
    roots: int | Sequence[int],
    technique: str | Technique = "maxmargin",
    *,
    continuations: Payoffs | None = None,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
    stop: Stop | None = None,
) -> Answer:
    """Solve what follows off-tree actions; staying out is worth what the hand had before the action, without it.

    `roots` are public states of `extended` right after such actions of one player. The opponent's range is never asked for, so
    unsafe search is not possible: the blueprint cannot say how likely an action is that it does not know. With `continuations`
    the search stops at their public states.
    """
    chosen = find_technique(technique)
    if not answers_at_once(chosen):
        raise NotApplicableError(
            f"'{chosen.name}' cannot answer an off-tree action at once, because nothing says with which hands it is taken; use resolve, "
            "maxmargin or a reach technique, or answer_expensive."
        )
    states = [roots] if isinstance(roots, int) else list(roots)
    opponent, subgame = _who_acted(extended.tree, states), Subgame.of(extended, states, sorted(continuations or ()))
    worth, _ = chosen.alternative(known, hands_before(extended, known, subgame.roots, opponent), opponent)
    door = GadgetInputs(
        mass=subgame.mass(opponent),
        group=subgame.groups(opponent),
        reach=subgame.ranges[opponent],
        alternative=worth,
    )
    solution = search(
        subgame,
        1 - opponent,
        chosen,
        blueprint=extended,
        inputs=door,
        continuations=continuations,
        solver=solver,
        iterations=iterations,
        stop=stop,
    )
    return Answer(replace(extended, policy=solution.policy), subgame.roots, solution)


def answer_expensive(
    known: TreeProfile,
    extended: TreeProfile,
    roots: int | Sequence[int],
    technique: str | Technique = "unsafe",
    *,
    ranges: tuple[Floats, Floats] | None = None,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
) -> Answer:
    """Solve the subgames in which the actions were taken, with the actions in them, and keep what follows the actions.

    `roots` are the public states right after them; the subgames begin one step earlier, so any technique will do. `ranges` are
    those of both players there, by default the blueprint's.
    """
    chosen, tree = find_technique(technique), extended.tree
    states = [roots] if isinstance(roots, int) else list(roots)
    opponent = _who_acted(tree, states)
    subgame = Subgame.of(extended, sorted({int(tree.parent[root]) for root in states}))
    if ranges is not None:
        subgame = replace(subgame, ranges=ranges)
    worth: Floats | None = None
    deviation: Floats | None = None
    if chosen.gadget.needs_values:
        there = [known.tree.number(tree.states[s]) for s in subgame.roots]
        worth, deviation = chosen.alternative(known, known.at(there, opponent), opponent)
    door = GadgetInputs(subgame.mass(opponent), subgame.groups(opponent), subgame.ranges[opponent], worth, deviation)
    solution = search(
        subgame, 1 - opponent, chosen, blueprint=extended, inputs=door, solver=solver, iterations=iterations
    )
    below = lay_out(tree, states, hidden=extended.hidden)
    policy = extended.policy.probabilities.copy()
    policy[below.slot] = solution.policy.probabilities[below.slot]
    return Answer(replace(extended, policy=TabularPolicy(tree.infosets, policy)), tuple(states), solution)


def _who_acted(tree: PublicTree, roots: Sequence[int]) -> int:
    """The player whose actions led to these public states."""
    players = {int(tree.player[tree.parent[root]]) for root in roots}
    if len(players) != 1 or min(players) < 0:
        raise ParameterError("Answers are found to actions of one player at a time; give the public states after them.")
    return players.pop()


def hands_before(extended: TreeProfile, known: TreeProfile, roots: Sequence[int], opponent: int) -> Ints:
    """For each hand of the opponent right after an action, what it was right before it, in the layout of `known`."""
    tree, own = extended.tree, extended.tree.private[opponent]
    spans = [tree.privates(root, opponent) for root in roots]
    above = np.concatenate([own.parent[span] for span in spans])
    place = known.layout.place(opponent)
    if known.tree is tree:
        same: Ints = place[above]
        return same
    there = {tree.parent[root]: known.tree.number(tree.states[tree.parent[root]]) for root in roots}
    state = np.searchsorted(own.first, above, side="right") - 1
    keys = known.tree.private[opponent].keys
    number = {
        (s, keys[k]): k for s in there.values() for k in range(*known.tree.privates(s, opponent).indices(len(keys)))
    }
    found = [number[there[s], own.keys[k]] for s, k in zip(state.tolist(), above.tolist(), strict=True)]
    hands: Ints = place[np.array(found)]
    return hands


class NestedSearch:
    """One hand, played out: follows the tree while it can, and solves again after each action it does not know.

    What was played on the way is never changed, so the searcher's range is always the one it played; each new subgame takes its
    alternative payoffs from the one before, so safety is handed on.
    """

    def __init__(
        self,
        blueprint: TreeProfile,
        searcher: int,
        technique: str | Technique = "reach-maxmargin",
        *,
        solver: str | CFR = DEFAULT_SOLVER,
        iterations: int = DEFAULT_ITERATIONS,
        stop: Stop | None = None,
        report: Callable[[SubgameSolution], None] | None = None,
    ) -> None:
        self.blueprint, self.searcher, self.technique = blueprint, searcher, find_technique(technique)
        self.solver, self.stop = solver, Stop(iterations=iterations) if stop is None else stop  # of each answer
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

    def follow(self, line: str) -> None:
        """Play a line out from the start: actions, bets that the tree does not have (`60%`), and public cards."""
        self._deal_private()
        for word in (part for part in line.split(":") if part):
            tree = self.blueprint.tree
            if tree.player[self.state] != CHANCE:
                self.act(word)
                continue
            follows = [s for s in range(len(tree.states)) if tree.parent[s] == self.state]
            found = [s for s in follows if tree.states[s].rpartition(":")[2] == word]
            if not found:
                cards = ", ".join(tree.states[s].rpartition(":")[2] for s in follows)
                raise UnknownNameError(f"Cards come after '{self.public_state}', but '{word}' is none of {cards}.")
            self.state = found[0]

    def _deal_private(self) -> None:
        """Draws that nobody sees."""
        tree = self.blueprint.tree
        while tree.player[self.state] == CHANCE:
            follows = np.flatnonzero(tree.parent == self.state)
            if len(follows) != 1:
                return
            self.state = int(follows[0])

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
                stop=self.stop,
            )
        )

    def _answer(self, action: str) -> None:
        known, here = self.blueprint, self.public_state
        extended = extend(known, here, action)
        state = extended.tree.number(here)
        (new,) = set(actions_at(extended.tree, state)) - set(actions_at(known.tree, self.state))
        self.state = child_of(extended.tree, state, new)
        self.blueprint = extended
        found = answer_inexpensive(known, extended, self.state, self.technique, solver=self.solver, stop=self.stop)
        self._accept(found.solution)

    def _accept(self, solution: SubgameSolution) -> None:
        self.blueprint = replace(self.blueprint, policy=solution.policy)
        self.solutions.append(solution)
        if self.report is not None:
            self.report(solution)
