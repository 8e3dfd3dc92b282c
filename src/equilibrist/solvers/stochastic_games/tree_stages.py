"""Stages as history trees: any `StochasticGame` whose stages are small enough to be written out, with perfect recall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.history_tree.game_tree import GameTree, compile_tree
from equilibrist.forms.history_tree.infoset_forest import InfosetForest, grow_forest
from equilibrist.games.rules import State
from equilibrist.games.stochastic import StageEnd, StochasticGame
from equilibrist.solvers.responses._kernels.response import respond, terminal_gradient, walk_down
from equilibrist.solvers.stochastic_games.stages import Ends, Watch, unwatched

AS_GOOD = 1e-12


class TreeStages:
    """All stages of a game compiled; profiles are realisation plans, one row a state, short rows filled up with zeros."""

    def __init__(self, game: StochasticGame) -> None:
        self.game = game
        self.watch: Watch = unwatched
        self.forests = [grow_forest(compile_tree(game.stage(s)), "A stochastic game") for s in range(len(game.states))]
        self.width = max((forest.tree.infosets.slots for forest in self.forests), default=0)
        self.ends = collect_ends(
            [stage_ends(game, state, forest.tree) for state, forest in enumerate(self.forests)], game.players
        )

    def start(self) -> Floats:
        return np.stack([self._row(forest, forest.tree.infosets.uniform().probabilities) for forest in self.forests])

    def _row(self, forest: InfosetForest, probabilities: Floats) -> Floats:
        row = np.zeros(self.width)
        walk_down(forest.tree.infosets.first_slot, forest.parent_slot, probabilities, row)
        return row

    def plan(self, policies: list[TabularPolicy]) -> Floats:
        """A profile from one policy for each state."""
        return np.stack([self._row(f, p.probabilities) for f, p in zip(self.forests, policies, strict=True)])

    def policy(self, plan: Floats, state: int) -> TabularPolicy:
        """What a profile does at the infosets of a state; uniform where it never comes."""
        infosets, parent = self.forests[state].tree.infosets, self.forests[state].parent_slot
        out = infosets.uniform().probabilities.copy()
        for i, before in enumerate(parent):
            slots = slice(infosets.first_slot[i], infosets.first_slot[i + 1])
            reach = plan[state, before] if before >= 0 else 1.0
            if reach > 0.0:
                out[slots] = plan[state, slots] / reach
        return TabularPolicy(infosets, out)

    def against(self, plan: Floats, rows: Longs | None = None, *, exact: bool = False) -> TreeOthers:
        """Everything is in double precision."""
        return TreeOthers(self, plan, np.arange(len(self.forests)) if rows is None else rows)

    def noise(self, rng: np.random.Generator) -> Floats:
        return rng.exponential(size=(len(self.forests), self.width))


@dataclass(frozen=True)
class TreeOthers:
    """The others fixed at some states; what a role can do follows from the ends' probabilities without it."""

    stages: TreeStages
    plan: Floats  # [state, width]
    rows: Longs

    def probabilities(self, own: Floats) -> Floats:
        """[end, role]."""
        return np.concatenate([self._probabilities(s, own[row]) for row, s in enumerate(self.rows)])

    def _probabilities(self, state: int, own: Floats) -> Floats:
        forest, plan = self.stages.forests[state], self.plan[state]
        slots = forest.terminal_slot  # [end, role], -1 where the role never acts
        others, mine = np.append(plan, 1.0)[slots], np.append(own, 1.0)[slots]
        roles = range(slots.shape[1])
        reach = [np.prod(np.delete(others, role, axis=1), axis=1) * mine[:, role] for role in roles]
        out: Floats = forest.terminal_chance[:, None] * np.stack(reach, axis=1)
        return out

    def values(self, own: Floats, payoffs: Floats, bonus: Floats | None = None) -> Floats:
        out = np.zeros((len(self.rows), self.stages.ends.roles))
        first = self.stages.ends.first
        for row, state in enumerate(self.rows):
            reach = self._probabilities(state, own[row])
            out[row] = (reach * payoffs[first[state] : first[state + 1]]).sum(axis=0)
            if bonus is not None:
                owner = self._owner(state)
                for role in range(out.shape[1]):
                    mine = owner == role
                    out[row, role] += own[row, : len(owner)][mine] @ bonus[state, : len(owner)][mine]
        return out

    def answer(self, payoffs: Floats, keep: Floats | None = None, bonus: Floats | None = None) -> tuple[Floats, Floats]:
        plans, values = (
            np.zeros((len(self.rows), self.stages.width)),
            np.zeros((len(self.rows), self.stages.ends.roles)),
        )
        kept = None if keep is None else self.values(keep, payoffs, bonus)
        for row, state in enumerate(self.rows):
            self.stages.watch(row, len(self.rows))
            forest, owner = self.stages.forests[state], self._owner(state)
            for role in range(values.shape[1]):
                choice, values[row, role] = self._best(state, role, payoffs, bonus)
                mine = np.append(owner == role, np.zeros(self.stages.width - len(owner), bool))
                plans[row, mine] = self.stages._row(forest, choice)[mine]
                if keep is not None and kept is not None and kept[row, role] >= values[row, role] - AS_GOOD:
                    plans[row, mine], values[row, role] = keep[row, mine], kept[row, role]
        return plans, values

    def _owner(self, state: int) -> Longs:
        """[slot] the role that decides there."""
        infosets = self.stages.forests[state].tree.infosets
        return np.repeat(infosets.player.astype(np.int64), np.diff(infosets.first_slot))

    def _best(self, state: int, role: int, payoffs: Floats, bonus: Floats | None) -> tuple[Floats, float]:
        """Probabilities of a best response and its value."""
        forest, first = self.stages.forests[state], self.stages.ends.first
        infosets = forest.tree.infosets
        slot_value = np.zeros(infosets.slots)
        returns = np.ascontiguousarray(payoffs[first[state] : first[state + 1]])
        root = terminal_gradient(
            forest.terminal_slot, forest.terminal_chance, returns, self.plan[state], role, slot_value
        )
        if bonus is not None:
            slot_value += bonus[state, : infosets.slots]
        choice = infosets.uniform().probabilities.copy()
        root += respond(
            infosets.first_slot,
            infosets.player,
            forest.parent_slot,
            role,
            True,
            choice,
            slot_value,
            np.zeros(len(infosets)),
        )
        return choice, float(root)


def stage_ends(game: StochasticGame, state: int, tree: GameTree) -> list[StageEnd]:
    """What the terminals of a stage lead to, in their order."""
    histories: list[State] = [tree.game.start()]
    found: dict[int, StageEnd] = {}
    for n in range(tree.histories):
        if n:
            above = int(tree.parent[n])
            histories.append(histories[above].child(n - int(tree.first_child[above])))
        if tree.terminal[n] >= 0:
            found[int(tree.terminal[n])] = game.end(state, histories[n])
    return [found[number] for number in range(len(found))]


def collect_ends(by_state: list[list[StageEnd]], roles: int) -> Ends:
    """Ends of all states as arrays; refuses what leads nowhere."""
    states = len(by_state)
    first = np.cumsum([0, *map(len, by_state)])
    rewards = np.array([end.rewards for ends in by_state for end in ends], float).reshape(-1, roles)
    data, row, column = [], [], []
    for number, end in enumerate(end for ends in by_state for end in ends):
        if not all(0 <= state < states for state, _ in end.following) or sum(p for _, p in end.following) > 1.0 + 1e-9:
            raise ParameterError(
                f"An end leads to {end.following}, but states are numbered from 0 to {states - 1} and probabilities sum to at most 1."
            )
        for state, probability in end.following:
            for role, becomes in enumerate(end.roles or range(roles)):
                data.append(probability)
                row.append(number * roles + role)
                column.append(state * roles + becomes)
    following = sparse.csr_matrix((data, (row, column)), (len(rewards) * roles, states * roles))
    return Ends(first, rewards, following)
