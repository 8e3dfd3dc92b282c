"""PublicLayout: a public tree, or the part of it below some public states, as the flat arrays that kernels read.

The infostates of all players lie end to end: player p owns base[p] .. base[p + 1] - 1. Rows and slots are numbered within the
part; `slot` says where they stand in the whole tree. Play may stop early, at `leaves`: what follows there is a value per
infostate, or a choice between continuations (`with_choices`). Actions may be left out: those that lead to `hidden` public
states, so that one tree serves for a game and for all its restrictions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equilibrist.core.arrays import Bools, Floats, Ints
from equilibrist.core.errors import ParameterError
from equilibrist.forms.public_tree._kernels.infostates import Infostates
from equilibrist.forms.public_tree.public_tree import PublicTree


@dataclass(frozen=True)
class PublicLayout:
    """K infostates, R rows, Z terminal entries of the part below `roots`."""

    tree: PublicTree
    roots: tuple[int, ...]  # public states, none below another
    leaves: tuple[int, ...]  # public states where play stops
    base: Ints  # [players + 1]
    number: Ints  # [K] infostate in tree.private[p], -1 for those added at leaves
    state: Ints  # [K] public state
    parent: Ints  # [K] -1 at the roots
    action: Ints  # [K]
    row: Ints  # [K]
    first_choice: Ints  # [K + 1]
    origin: Ints  # [K] the infostate at the root that each one follows
    first_slot: Ints  # [R + 1]
    row_player: Ints  # [R]
    slot: Ints  # [slots] slot in tree.infosets, -1 for choices added at leaves
    joint: Ints  # [Z, players]
    payoff: Floats  # [Z, players] times chance

    @property
    def infostates(self) -> Infostates:
        """What kernels read."""
        return Infostates(
            self.base,
            self.parent,
            self.action,
            self.row,
            self.first_choice,
            self.first_slot,
            self.row_player,
            self.joint,
        )

    @property
    def players(self) -> int:
        return len(self.base) - 1

    @property
    def slots(self) -> int:
        return int(self.first_slot[-1])

    def own(self, player: int) -> slice:
        """The infostates of a player."""
        return slice(int(self.base[player]), int(self.base[player + 1]))

    def at(self, states: Sequence[int], player: int) -> Ints:
        """The tree's infostates of a player at public states, in the layout's numbering."""
        own = self.own(player)
        wanted = np.isin(self.state[own], np.asarray(states, dtype=np.int32)) & (self.number[own] >= 0)
        found: Ints = (np.flatnonzero(wanted) + own.start).astype(np.int32)
        return found

    def entries(self, states: Sequence[int]) -> tuple[Ints, Floats, Ints]:
        """Joint entries of public states: infostates in this layout, chance weight, number in the tree."""
        spans = [np.arange(self.tree.first_joint[s], self.tree.first_joint[s + 1]) for s in states]
        numbers = np.concatenate(spans).astype(np.int32) if spans else np.zeros(0, dtype=np.int32)
        places = [self.place(p)[self.tree.joint[numbers, p]] for p in range(self.players)]
        return np.stack(places, axis=1), self.tree.weight[numbers], numbers

    def place(self, player: int) -> Ints:
        """[infostates of the tree] where each one of a player stands here, -1 outside."""
        out = np.full(len(self.tree.private[player].parent), -1, dtype=np.int32)
        own = self.own(player)
        local = np.arange(own.start, own.stop, dtype=np.int32)
        known = self.number[own] >= 0
        out[self.number[own][known]] = local[known]
        return out

    def strategy(self, probabilities: Floats) -> Floats:
        """[slots] of this layout from those of the tree; choices added at leaves are even."""
        widths = np.diff(self.first_slot)
        even = np.repeat(1.0 / np.maximum(widths, 1), widths)
        return np.where(self.slot >= 0, probabilities[np.maximum(self.slot, 0)], even)


def lay_out(
    tree: PublicTree, roots: Sequence[int] = (0,), leaves: Sequence[int] = (), hidden: Sequence[int] = ()
) -> PublicLayout:
    """The part of a public tree below `roots`, stopping at `leaves`, without `hidden` states; by default all of it."""
    inside, ends = _inside(tree, roots, leaves, hidden)
    parts = [_private_part(tree, p, inside, ends) for p in range(tree.players)]
    sizes = np.array([len(part["number"]) for part in parts])
    base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    parent = np.concatenate(
        [np.where(q["parent"] >= 0, q["parent"] + b, -1) for q, b in zip(parts, base, strict=False)]
    )
    row, rows = _renumber(np.concatenate([part["row"] for part in parts]))
    first_slot, slot, rank = _kept_slots(tree, rows, hidden)
    action = np.concatenate([part["action"] for part in parts])
    if len(hidden):
        moved = action >= 0
        before = row[parent[moved]]  # where these actions were taken
        action[moved] = rank[tree.infosets.first_slot[rows[before]] + action[moved]]
    widths = np.diff(first_slot)
    choices = np.where(row >= 0, widths[np.maximum(row, 0)] if len(rows) else 0, 0)
    layout = PublicLayout(
        tree=tree,
        roots=tuple(int(s) for s in roots),
        leaves=tuple(int(s) for s in np.flatnonzero(ends)),
        base=base,
        number=np.concatenate([part["number"] for part in parts]).astype(np.int32),
        state=np.concatenate([part["state"] for part in parts]).astype(np.int32),
        parent=parent.astype(np.int32),
        action=action.astype(np.int32),
        row=row,
        first_choice=np.concatenate([[0], np.cumsum(choices)]).astype(np.int32),
        origin=_origins(parent.astype(np.int32)),
        first_slot=first_slot,
        row_player=tree.infosets.player[rows].astype(np.int32),
        slot=slot.astype(np.int32),
        joint=np.zeros((0, tree.players), dtype=np.int32),
        payoff=np.zeros((0, tree.players)),
    )
    return _with_terminals(layout, inside & ~ends)


def hidden_slots(tree: PublicTree, hidden: Sequence[int]) -> Bools:
    """[slots of the tree] True for actions that lead to one of these public states."""
    out = np.zeros(tree.infosets.slots, dtype=np.bool_)
    for own in tree.private:
        spans = [np.arange(own.first[s], own.first[s + 1]) for s in hidden]
        below = np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)
        below = below[own.action[below] >= 0]
        out[tree.infosets.first_slot[own.row[own.parent[below]]] + own.action[below]] = True
    return out


def _kept_slots(tree: PublicTree, rows: Ints, hidden: Sequence[int]) -> tuple[Ints, Ints, Ints]:
    """First slots of the part's rows, where its slots stand in the tree, and [slots of the tree] number within the row."""
    first, widths = tree.infosets.first_slot[:-1], np.diff(tree.infosets.first_slot)
    kept = ~hidden_slots(tree, hidden)
    count = np.concatenate([[0], np.cumsum(kept)]).astype(np.int32)
    rank = (count[:-1] - np.repeat(count[first], widths)).astype(np.int32)
    left = (count[1:][tree.infosets.first_slot[1:] - 1] - count[first])[rows] if len(rows) else np.zeros(0, np.int32)
    if (left == 0).any():
        name = tree.infosets.keys[int(rows[int(np.argmin(left))])]
        raise ParameterError(f"All actions at '{name}' are hidden; leave at least one.")
    whole = np.repeat(first[rows], widths[rows]) + _counted(widths[rows])
    first_slot = np.concatenate([[0], np.cumsum(left)]).astype(np.int32)
    return first_slot, whole[kept[whole]].astype(np.int32), rank


def _counted(widths: Ints) -> Ints:
    """0, 1 .. within each row."""
    starts = np.cumsum(widths) - widths
    return (np.arange(int(widths.sum())) - np.repeat(starts, widths)).astype(np.int32)


def _inside(
    tree: PublicTree, roots: Sequence[int], leaves: Sequence[int], hidden: Sequence[int]
) -> tuple[Bools, Bools]:
    """Public states of the part, and those of them where it stops."""
    away = np.zeros(len(tree.states), dtype=np.bool_)
    away[list(hidden)] = True
    root, leaf = np.zeros(len(tree.states), dtype=np.bool_), np.zeros(len(tree.states), dtype=np.bool_)
    root[list(roots)] = True
    leaf[list(leaves)] = True
    inside = np.zeros_like(root)
    for s, above in enumerate(tree.parent.tolist()):
        follows = above >= 0 and inside[above]
        if root[s] and follows:
            raise ParameterError(
                f"The public state '{tree.states[s]}' lies below another root of the same search; give one of the two."
            )
        inside[s] = not away[s] and (root[s] or (follows and not leaf[above]))
    return inside, inside & leaf


def _private_part(tree: PublicTree, player: int, inside: Bools, ends: Bools) -> dict[str, Ints]:
    """One player's infostates in the part, numbered from 0."""
    own = tree.private[player]
    state = np.repeat(np.arange(len(tree.states), dtype=np.int32), np.diff(own.first))
    number = np.flatnonzero(inside[state]).astype(np.int32)
    place = np.full(len(own.parent), -1, dtype=np.int32)
    place[number] = np.arange(len(number), dtype=np.int32)
    above = own.parent[number]
    parent = np.where(above >= 0, place[np.maximum(above, 0)], -1).astype(np.int32)
    action = np.where(parent >= 0, own.action[number], -1)
    row = np.where(ends[state[number]], -1, own.row[number])
    return {"number": number, "state": state[number], "parent": parent, "action": action, "row": row}


def _renumber(row: Ints) -> tuple[Ints, Ints]:
    """Rows counted from 0 within the part, and which rows of the tree they are."""
    rows = np.unique(row[row >= 0])
    local = np.where(row >= 0, np.searchsorted(rows, row), -1)
    return local.astype(np.int32), rows.astype(np.int32)


def _origins(parent: Ints) -> Ints:
    """Parents stand first, so one pass from the roots down finds where each infostate comes from."""
    out = np.arange(len(parent), dtype=np.int32)
    above = np.where(parent >= 0, parent, out)
    while True:
        further = above[out]
        if np.array_equal(further, out):
            return out
        out = further


def _with_terminals(layout: PublicLayout, open_states: Bools) -> PublicLayout:
    """Payoffs of the entries where the game ends inside the part."""
    tree = layout.tree
    state = np.repeat(np.arange(len(tree.states)), np.diff(tree.first_joint))
    ends = np.flatnonzero(open_states[state] & (tree.returns != 0).any(axis=1))
    joint = np.stack([layout.place(p)[tree.joint[ends, p]] for p in range(tree.players)], axis=1)
    return replace(layout, joint=joint.astype(np.int32), payoff=tree.returns[ends] * tree.weight[ends, None])


def with_choices(layout: PublicLayout, payoffs: Mapping[int, Floats]) -> PublicLayout:
    """Let players choose a continuation at leaves: payoffs[state] is [choices of 1, choices of 2, entries, players].

    A choice belongs to an infostate, not to a history, and is seen by nobody else ([Brown20, §5.2.2]).
    """
    for state in layout.leaves:
        if state not in payoffs:
            raise ParameterError(f"No continuation payoffs were given for '{layout.tree.states[state]}'.")
    grown = _Grown(layout)
    for player in range(2):
        grown.add_player(player, payoffs)
    return grown.finish(payoffs)


class _Grown:
    """A layout with further rows and infostates at its leaves, while it is put together."""

    def __init__(self, layout: PublicLayout) -> None:
        self.layout = layout
        self.parts: list[dict[str, Ints]] = []
        self.rows = len(layout.row_player)
        self.widths: list[int] = []
        self.owners: list[int] = []
        self.child: list[dict[int, int]] = [{}, {}]  # infostate at a leaf -> its first chosen continuation

    def add_player(self, player: int, payoffs: Mapping[int, Floats]) -> None:
        """New rows at the player's leaf infostates and one infostate for every choice."""
        layout, own = self.layout, self.layout.own(player)
        shift = sum(len(part["parent"]) for part in self.parts) - own.start
        names = ("number", "state", "parent", "action", "row")
        part = {name: list(getattr(layout, name)[own]) for name in names}
        part["parent"] = [p + shift if p >= 0 else -1 for p in part["parent"]]
        for state in layout.leaves:
            choices = payoffs[state].shape[player]
            for k in layout.at([state], player).tolist():
                self.child[player][k] = k + shift
                if choices > 1:
                    self.child[player][k] = own.start + shift + len(part["parent"])
                    part["row"][k - own.start] = self.rows + len(self.widths)
                    self.widths.append(choices)
                    self.owners.append(player)
                    for name, entries in (
                        ("number", [-1] * choices),
                        ("state", [state] * choices),
                        ("parent", [k + shift] * choices),
                        ("action", range(choices)),
                        ("row", [-1] * choices),
                    ):
                        part[name].extend(entries)
        self.parts.append({name: np.array(entries, dtype=np.int32) for name, entries in part.items()})

    def finish(self, payoffs: Mapping[int, Floats]) -> PublicLayout:
        layout = self.layout
        whole = {name: np.concatenate([part[name] for part in self.parts]) for name in self.parts[0]}
        base = np.concatenate([[0], np.cumsum([len(part["parent"]) for part in self.parts])]).astype(np.int32)
        first_slot = np.concatenate([layout.first_slot, layout.slots + np.cumsum(self.widths)]).astype(np.int32)
        widths = np.diff(first_slot)
        row = whole["row"]
        choices = np.where(row >= 0, widths[np.maximum(row, 0)] if len(widths) else 0, 0)
        shift = (base - layout.base)[:-1]
        moved = [layout.joint + shift]
        amounts = [layout.payoff]
        for state in layout.leaves:
            joint, payoff = self._leaf(state, payoffs[state])
            moved.append(joint)
            amounts.append(payoff)
        return replace(
            layout,
            base=base,
            number=whole["number"],
            state=whole["state"],
            parent=whole["parent"],
            action=whole["action"],
            row=whole["row"],
            first_choice=np.concatenate([[0], np.cumsum(choices)]).astype(np.int32),
            origin=_origins(whole["parent"]),
            first_slot=first_slot,
            row_player=np.concatenate([layout.row_player, self.owners]).astype(np.int32),
            slot=np.concatenate([layout.slot, np.full(sum(self.widths), -1)]).astype(np.int32),
            joint=np.concatenate(moved).astype(np.int32),
            payoff=np.concatenate(amounts),
        )

    def _leaf(self, state: int, payoff: Floats) -> tuple[Ints, Floats]:
        """Entries of one leaf for every pair of choices."""
        joint, weight, _ = self.layout.entries([state])
        first, second = (np.array([self.child[p][k] for k in joint[:, p].tolist()]) for p in range(2))
        choice = np.indices(payoff.shape[:2])
        places = np.stack([first + choice[0, ..., None], second + choice[1, ..., None]], axis=-1)  # [a, b, entries, 2]
        return places.reshape(-1, 2).astype(np.int32), (payoff * weight[:, None]).reshape(-1, payoff.shape[-1])
