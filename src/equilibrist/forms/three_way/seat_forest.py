"""SeatForest: the betting of three seats on one street over all lines that lead to it, without cards, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Bools, Ints
from equilibrist.core.errors import TooLargeError
from equilibrist.forms.boards.betting_forest import BettingForest, number_deals, number_slots, street_refusal
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
class SeatForest(BettingForest):
    """The betting of three seats.

    A player's reach changes at its own actions only. Rows of reach are one for each root and one for each of its slots; `row` says
    which of them holds at a node.
    """

    kind: Ints  # [N] the seat that acts, or OVER, or DEAL
    row: Ints  # [seat, N] row of reach
    folded: Bools  # [N, seat]

    @property
    def decisions(self) -> int:
        return int((self.kind < SEATS).sum())


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
            raise TooLargeError(street_refusal(street, largest))
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
    slot, slots = number_slots(kind, children, SEATS)
    return SeatForest(
        street=street,
        kind=kind,
        parent=np.array(parent, np.int32),
        first_child=np.array(first_child, np.int32),
        children=children,
        slot=slot,
        slots=tuple(slots),
        row=_rows(kind, parent, first_child, slot, len(before)),
        paid=np.array([[round(paid - ante, 9) for paid in node.paid] for node in nodes]),
        folded=np.array([node.folded for node in nodes]),
        next_root=number_deals(kind == DEAL),
        action=tuple(labels),
        name=tuple(_name(node, label) for node, label in zip(nodes, labels, strict=True)),
        before=tuple(before),
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
