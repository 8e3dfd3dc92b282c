"""SeatForest: the betting of three seats on one street over all lines that lead to it, without cards, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Bools, Floats, Ints
from equilibrist.core.errors import TooLargeError, UnknownNameError, suggest
from equilibrist.forms.boards.street_betting import WORDS
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.rules import CHANCE
from equilibrist.games.spots.seat_rules import seat_start
from equilibrist.games.spots.spot_rules import spot_label
from equilibrist.games.spots.three_way_spot import SEATS, ThreeWaySpot

OVER, DEAL = 3, 4  # kinds of nodes after those of the seats
LARGEST_STREET = 100_000  # nodes
_TINY = 1e-9


@dataclass(frozen=True)
class SeatForest:
    """Nodes [N] in breadth-first order: roots first, siblings side by side, parents before children.

    A player's reach changes at its own actions only. Rows of reach are one for each root and one for each of its slots; `row` says
    which of them holds at a node.
    """

    street: int  # 1 turn, 2 river
    kind: Ints  # [N] the seat that acts, or OVER, or DEAL
    parent: Ints  # [N] -1 for roots
    first_child: Ints  # [N] -1 for leaves
    children: Ints  # [N]
    slot: Ints  # [N] first slot of the acting seat, numbered for each seat in node order; -1 for leaves
    slots: tuple[int, ...]  # of each seat
    row: Ints  # [seat, N] row of reach
    paid: Floats  # [N, seat] chips put in since the spot began
    folded: Bools  # [N, seat]
    next_root: Ints  # [N] for DEAL the root in the next street's forest, else -1
    action: tuple[str, ...] = field(repr=False)  # [N] label of the action that led here; "" for roots
    name: tuple[str, ...] = field(repr=False)  # [N] the same for people: "bet 120", "all-in 900"
    before: tuple[str, ...] = field(repr=False)  # [roots] the line up to this street

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def roots(self) -> int:
        return len(self.before)

    @property
    def decisions(self) -> int:
        return int((self.kind < SEATS).sum())

    def labels(self, node: int) -> tuple[str, ...]:
        """Actions at a node in slot order: `x`, `c`, `f`, `b120` (bet), `r300` (raise to a street total of 300)."""
        return self.action[self._children(node)]

    def names(self, node: int) -> tuple[str, ...]:
        """The actions in words: `check`, `bet 120`, `all-in 900`."""
        return self.name[self._children(node)]

    def _children(self, node: int) -> slice:
        first = int(self.first_child[node])
        return slice(first, first + int(self.children[node])) if first >= 0 else slice(0)

    def child(self, node: int, action: str) -> int:
        """Where an action leads; `a` or `all-in` will do for the all-in, a word such as `bet` where only one size is offered."""
        wanted, labels, names = action.strip().lower(), self.labels(node), self.names(node)
        for spelling in (labels, names):
            if wanted in spelling:
                return int(self.first_child[node]) + spelling.index(wanted)
        word = "all-in" if wanted == "a" else wanted
        same = [place for place, name in enumerate(names) if name.split()[0] == word]
        if len(same) == 1:
            return int(self.first_child[node]) + same[0]
        given = ", ".join(f"{label} ({name})" for label, name in zip(labels, names, strict=True)) or "none"
        raise UnknownNameError(
            f"There is no action '{action}' after '{self.line(node)}'; expected one of {given}.{suggest(wanted, names)}"
        )

    def line(self, node: int) -> str:
        """Actions up to a node, `x:b120:c`; a stroke ends a street and stands for the card dealt."""
        labels = []
        while node >= self.roots:
            labels.append(self.action[node])
            node = int(self.parent[node])
        return self.before[node] + ":".join(reversed(labels))


def seat_forests(spot: ThreeWaySpot, largest: int = LARGEST_STREET) -> tuple[SeatForest, ...]:
    """The forests of all streets from the spot's own to the river."""
    roots, before = [seat_start(spot)], [""]
    forests: list[SeatForest] = []
    while roots:
        forest, nodes = _grow(roots, before, spot.street + len(forests), largest)
        deals = np.flatnonzero(forest.kind == DEAL).tolist()
        roots = [nodes[number].after_deal for number in deals]
        before = [forest.line(number) + "/" for number in deals]
        forests.append(forest)
    return tuple(forests)


def _grow(
    roots: list[BettingNode], before: list[str], street: int, largest: int
) -> tuple[SeatForest, list[BettingNode]]:
    """One street from its roots, level by level."""
    nodes, parent, labels, first_child = list(roots), [-1] * len(roots), [""] * len(roots), list[int]()
    number = 0
    while number < len(nodes):
        node = nodes[number]
        width = node.width if node.player >= 0 else 0
        if len(nodes) + width > largest:
            raise TooLargeError(
                f"The betting on the {POSTFLOP_STREETS[street]} has more than {largest:,} nodes; offer fewer sizes, "
                "set betting.cap, or use the merge and force_allin thresholds."
            )
        first_child.append(len(nodes) if width else -1)
        following = [node.after(index) for index in range(width)]
        labels += [spot_label(node, index, after) for index, after in enumerate(following)]
        parent += [number] * width
        nodes += following
        number += 1
    return _as_forest(nodes, parent, first_child, labels, before, street), nodes


def _as_forest(
    nodes: list[BettingNode],
    parent: list[int],
    first_child: list[int],
    labels: list[str],
    before: list[str],
    street: int,
) -> SeatForest:
    ante = nodes[0].rules.ante
    kind = np.array([n.player if n.player >= 0 else DEAL if n.player == CHANCE else OVER for n in nodes], np.int32)
    children = np.bincount(np.array(parent) + 1, minlength=len(nodes) + 1)[1:].astype(np.int32)
    slot, slots = np.full(len(nodes), -1, dtype=np.int32), []
    for seat in range(SEATS):
        own = kind == seat
        ends = np.cumsum(children[own])
        slot[own] = ends - children[own]
        slots.append(int(ends[-1]) if len(ends) else 0)
    next_root = np.full(len(nodes), -1, dtype=np.int32)
    next_root[kind == DEAL] = np.arange((kind == DEAL).sum())
    return SeatForest(
        street,
        kind,
        np.array(parent, np.int32),
        np.array(first_child, np.int32),
        children,
        slot,
        tuple(slots),
        _rows(kind, parent, first_child, slot, len(before)),
        np.array([[round(paid - ante, 9) for paid in node.paid] for node in nodes]),
        np.array([node.folded for node in nodes]),
        next_root,
        tuple(labels),
        tuple(_name(node, label) for node, label in zip(nodes, labels, strict=True)),
        tuple(before),
    )


def _rows(kind: Ints, parent: list[int], first_child: list[int], slot: Ints, roots: int) -> Ints:
    """[seat, N]: that of the parent, or after an own action the row of its slot."""
    rows = np.zeros((SEATS, len(kind)), dtype=np.int32)
    rows[:, :roots] = np.arange(roots)
    for node in range(roots, len(kind)):
        above = parent[node]
        rows[:, node] = rows[:, above]
        rows[kind[above], node] = roots + slot[above] + node - first_child[above]
    return rows


def _name(node: BettingNode, label: str) -> str:
    """`bet 120`, or `all-in 900` where nothing is left behind, or nothing that anybody could match."""
    if not label:
        return ""
    word, chips = WORDS[label[0]], label[1:]
    if chips:
        bettor = max(range(SEATS), key=lambda seat: node.paid[seat])
        others = [node.rules.stack_of(p) for p in range(SEATS) if p != bettor and not node.folded[p]]
        if node.paid[bettor] >= min(node.rules.stack_of(bettor), max(others)) - _TINY:
            word = "all-in"
    return f"{word} {chips}".rstrip()
