"""Larger trees from smaller ones: only what an added action leads to is walked, then everything is numbered anew.

The result is the tree that `compile_tree` would have made of the larger game, in a fraction of the time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Ints
from equilibrist.core.policy import InfosetIndex
from equilibrist.forms.history_tree._kernels.renumber import renumber
from equilibrist.forms.history_tree.game_tree import Extension, GameTree
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State


@dataclass
class _Branches:
    """Histories below the added actions, numbered after those of the old tree."""

    first: int  # number of the first new history
    player: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)  # among its siblings
    infoset: list[int] = field(default_factory=list)
    chance: list[float] = field(default_factory=list)
    terminal: list[int] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    payoff: list[tuple[float, ...]] = field(default_factory=list)
    keys: dict[tuple[int, str], int] = field(default_factory=dict)
    actions: list[tuple[str, ...]] = field(default_factory=list)
    public: list[str] = field(default_factory=list)

    def add(self, state: State, parent: int, rank: int, chance: float, label: str) -> int:
        self.player.append(state.player)
        self.parent.append(parent)
        self.rank.append(rank)
        self.chance.append(chance)
        self.label.append(label)
        self.infoset.append(-1)
        self.terminal.append(-1)
        return self.first + len(self.player) - 1

    def grow(self, root: State, parent: int, rank: int, label: str, infosets: int, ends: int) -> None:
        """All histories from one added action on; numbers of infosets and ends follow those of the old tree."""
        stack = [(self.add(root, parent, rank, 1.0, label), root)]
        while stack:
            n, state = stack.pop()
            here = n - self.first
            if state.player == TERMINAL:
                self.terminal[here] = ends + len(self.payoff)
                self.payoff.append(tuple(state.returns()))
                continue
            if state.player == CHANCE:
                steps = list(state.chance())
            else:
                steps = [(name, 1.0) for name in state.actions()]
                self.infoset[here] = infosets + self._number(state, tuple(name for name, _ in steps))
            for index, (name, probability) in enumerate(steps):
                child = state.child(index)
                stack.append((self.add(child, n, index, probability, name), child))

    def _number(self, state: State, actions: tuple[str, ...]) -> int:
        key = (state.player, state.infoset(state.player))
        found = self.keys.get(key)
        if found is None:
            found = self.keys[key] = len(self.actions)
            self.actions.append(actions)
            self.public.append(state.public())
        return found


def extend_tree(tree: GameTree, game: Game, public_state: str) -> Extension | None:
    """The tree of `game`, which has one more action at `public_state` than the game of `tree`; None where it must be walked whole."""
    infosets = tree.infosets
    touched = np.array([game.same_place(public, public_state) for public in infosets.public], dtype=bool)
    heads = np.flatnonzero(np.append(touched, False)[tree.infoset])
    if not len(heads) or tree.payoff.shape[2] != 1:
        return None
    branches, place = _Branches(tree.histories), -1
    states: dict[int, State] = {0: game.start()}
    for n in heads.tolist():
        state = _replay(tree, states, n)
        names, old = tuple(state.actions()), infosets.actions[tree.infoset[n]]
        new = [index for index, name in enumerate(names) if name not in old]
        if len(new) != 1 or len(names) != len(old) + 1 or place not in (-1, new[0]):
            return None
        place = new[0]
        branches.grow(state.child(place), n, place, names[place], len(infosets), len(tree.payoff))
    if {key for _, key in branches.keys} & set(infosets.keys):
        return None
    return _joined(tree, game, branches, touched, place)


def _replay(tree: GameTree, states: dict[int, State], n: int) -> State:
    """The state of a history of the old tree in the new game; no history before it has changed."""
    path = []
    while n not in states:
        path.append(n)
        n = int(tree.parent[n])
    state = states[n]
    for m in reversed(path):
        state = states[m] = state.child(int(m - tree.first_child[tree.parent[m]]))
    return state


def _joined(tree: GameTree, game: Game, new: _Branches, touched: npt.NDArray[np.bool_], place: int) -> Extension:
    old = tree.histories
    parent = np.concatenate([tree.parent, np.array(new.parent, dtype=np.int32)])
    rank = np.concatenate([_ranks(tree), np.array(new.rank, dtype=np.int32)])
    in_head = np.zeros(old, dtype=bool)
    in_head[1:] = np.append(touched, False)[tree.infoset[tree.parent[1:]]]
    rank[:old][in_head & (rank[:old] >= place)] += 1
    infoset = np.concatenate([tree.infoset, np.array(new.infoset, dtype=np.int32)])
    terminal = np.concatenate([tree.terminal, np.array(new.terminal, dtype=np.int32)])
    count = np.bincount(parent[1:], minlength=len(parent)).astype(np.int32)
    child = np.lexsort((rank[1:], parent[1:])).astype(np.int32) + 1
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    numbers = np.zeros(len(parent), dtype=np.int32)
    of_infoset = np.full(len(tree.infosets) + len(new.actions), -1, dtype=np.int32)
    of_end = np.zeros(len(tree.payoff) + len(new.payoff), dtype=np.int32)
    renumber(start, child, infoset, terminal, numbers, of_infoset, of_end, np.zeros(len(parent), dtype=np.int32))

    def placed(values: npt.NDArray[np.generic], at: Ints) -> npt.NDArray[np.generic]:
        out = np.empty_like(values)
        out[at] = values
        return out

    labels = list(tree.labels)
    known = {label: number for number, label in enumerate(labels)}
    fresh = [known.setdefault(label, len(known)) for label in new.label]
    payoff = np.concatenate([tree.payoff, np.array(new.payoff)[:, :, None]])
    leads = np.append(child, 0)[np.minimum(start[:-1], len(child))]
    larger = GameTree(
        game=game,
        players=tree.players,
        player=placed(np.concatenate([tree.player, np.array(new.player, dtype=np.int8)]), numbers),  # type: ignore[arg-type]
        parent=placed(np.where(parent >= 0, numbers[parent], -1).astype(np.int32), numbers),  # type: ignore[arg-type]
        first_child=placed(np.where(count > 0, numbers[leads], -1).astype(np.int32), numbers),  # type: ignore[arg-type]
        children=placed(count, numbers),  # type: ignore[arg-type]
        infoset=placed(np.where(infoset >= 0, of_infoset[infoset], -1).astype(np.int32), numbers),  # type: ignore[arg-type]
        chance_probability=placed(np.concatenate([tree.chance_probability, np.array(new.chance)]), numbers),  # type: ignore[arg-type]
        terminal=placed(np.where(terminal >= 0, of_end[terminal], -1).astype(np.int32), numbers),  # type: ignore[arg-type]
        label=placed(np.concatenate([tree.label, np.array(fresh, dtype=np.int32)]), numbers),  # type: ignore[arg-type]
        payoff=placed(payoff, of_end),  # type: ignore[arg-type]
        infosets=_index(tree.infosets, new, touched, place, of_infoset),
        labels=tuple(known),
    )
    return Extension(
        larger, numbers[:old], of_infoset[: len(tree.infosets)], _slots(tree, larger, touched, place, of_infoset)
    )


def _ranks(tree: GameTree) -> Ints:
    out = np.zeros(tree.histories, dtype=np.int32)
    out[1:] = np.arange(1, tree.histories) - tree.first_child[tree.parent[1:]]
    return out


def _index(old: InfosetIndex, new: _Branches, touched: npt.NDArray[np.bool_], place: int, number: Ints) -> InfosetIndex:
    """Infosets of both in the order in which a walk meets them; those touched have one action more."""
    name = new.label[0]
    actions = [
        (*row[:place], name, *row[place:]) if hit else row for row, hit in zip(old.actions, touched, strict=True)
    ]
    order = np.argsort(number)
    keys = [*old.keys, *(key for _, key in new.keys)]
    public = [*old.public, *new.public]
    actions += new.actions
    player = np.concatenate([old.player, np.array([p for p, _ in new.keys], dtype=np.int32)])
    return InfosetIndex(
        keys=tuple(keys[i] for i in order),
        player=player[order].astype(np.int32),
        actions=tuple(actions[i] for i in order),
        public=tuple(public[i] for i in order),
    )


def _slots(tree: GameTree, larger: GameTree, touched: npt.NDArray[np.bool_], place: int, number: Ints) -> Ints:
    widths = np.diff(tree.infosets.first_slot)
    owner = np.repeat(np.arange(len(widths)), widths)
    action = np.arange(len(owner)) - tree.infosets.first_slot[owner]
    action = action + (touched[owner] & (action >= place))
    out: Ints = (larger.infosets.first_slot[number[owner]] + action).astype(np.int32)
    return out
