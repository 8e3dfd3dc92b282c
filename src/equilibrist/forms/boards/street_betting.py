"""StreetForest: the betting of one street over all lines that lead to it, without cards, as arrays.

A street that is over ends in DEAL leaves; each is a root of the next street's forest. Where both players are all-in nobody
acts any more: such a root is itself a DEAL, and on the river a SHOWDOWN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import TooLargeError, UnknownNameError, suggest
from equilibrist.games.spots.bet_sizes import STREETS
from equilibrist.games.spots.betting import DEAL as DEAL  # kinds of nodes, for whoever reads a forest
from equilibrist.games.spots.betting import FOLD as FOLD
from equilibrist.games.spots.betting import IP as IP
from equilibrist.games.spots.betting import OOP as OOP
from equilibrist.games.spots.betting import SHOWDOWN as SHOWDOWN
from equilibrist.games.spots.betting import StreetBetting, StreetRules, first_betting
from equilibrist.games.spots.spot import Rake, Spot

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

LARGEST_STREET = 1_000_000  # nodes; on the river of a full range 8 GB of regrets
NO_RAKE = Rake()


@dataclass(frozen=True)
class StreetForest:
    """Nodes [N] in breadth-first order: roots first, siblings side by side, parents before children."""

    street: int  # in spots 0 flop, 1 turn, 2 river; in full games counted by deals
    stack: float  # what each player can put in, from the start on
    kind: Ints  # [N] OOP or IP acts, or FOLD, SHOWDOWN, DEAL
    parent: Ints  # [N] -1 for roots
    first_child: Ints  # [N] -1 for leaves
    children: Ints  # [N]
    slot: Ints  # [N] first slot of the acting player, numbered for each player in node order; -1 for leaves
    slots: tuple[int, int]  # slots of each player
    paid: Floats  # [N, 2] chips put in since the start
    folder: Ints  # [N] who folded, or -1
    next_root: Ints  # [N] for DEAL the root in the next street's forest, else -1
    levels: Ints  # [depth + 1] first node of each level, and N
    stake: Floats  # [N] half the starting pot and what the other player has matched
    win: Floats  # [N] payoff of winner, of loser, of each in a tie, net of half the starting pot; 0 where play goes on
    lose: Floats  # [N]
    tie: Floats  # [N]
    action: tuple[str, ...] = field(repr=False)  # [N] label of the action that led here; "" for roots
    name: tuple[str, ...] = field(repr=False)  # [N] the same for people: "bet 120", "all-in 900"
    before: tuple[str, ...] = field(repr=False)  # [roots] the line up to this street

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def roots(self) -> int:
        return len(self.before)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Decision nodes, action slots and leaves (folds, showdowns, called all-ins); roots where nobody acts are no leaves."""
        decisions = int((self.kind <= IP).sum())
        called = (self.kind == DEAL) & (self.paid[:, OOP] >= self.stack)
        ends = np.isin(self.kind, (FOLD, SHOWDOWN)) | called
        return decisions, sum(self.slots), int(ends[self.roots :].sum())

    def labels(self, node: int) -> tuple[str, ...]:
        """Actions at a node in slot order: `x`, `c`, `f`, `b120` (bet), `r300` (raise to a street total of 300)."""
        first = int(self.first_child[node])
        return self.action[first : first + int(self.children[node])] if first >= 0 else ()

    def names(self, node: int) -> tuple[str, ...]:
        """The actions in words: `check`, `bet 120`, `all-in 900`."""
        first = int(self.first_child[node])
        return self.name[first : first + int(self.children[node])] if first >= 0 else ()

    def child(self, node: int, action: str) -> int:
        """Where an action leads; `a` or `all-in` will do for the all-in, a word such as `bet` where only one size is offered."""
        wanted = action.strip().lower()
        labels, names = self.labels(node), self.names(node)
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
        """Actions up to a node, `x:b120:c`; a stroke ends a street, as in `x:x/b120`, and stands for the card dealt."""
        labels = []
        while node >= self.roots:
            labels.append(self.action[node])
            node = int(self.parent[node])
        return self.before[node] + ":".join(reversed(labels))


def street_forests(spot: Spot, largest: int = LARGEST_STREET, *, below: Spot | None = None) -> tuple[StreetForest, ...]:
    """The forests of all streets from the spot's own to the river; after the first with the sizes of `below`, if given."""
    roots = [_Root(0.0, False, "")]
    begin: list[StreetBetting] | None = [first_betting(spot)]
    forests = []
    for street in range(spot.street, len(STREETS)):
        grower = _Grower(spot if below is None or street == spot.street else below, street, largest)
        forests.append(grower.grow(roots, begin))
        roots, begin = grower.following, None
    return tuple(forests)


@dataclass(frozen=True)
class _Root:
    """How a street begins."""

    paid: float  # by each player
    donk: bool  # OOP called on the street before
    line: str


class _Grower:
    """Grows one street from its roots, level by level."""

    def __init__(self, spot: Spot, street: int, largest: int) -> None:
        self.spot, self.street, self.largest = spot, street, largest
        self.rules = StreetRules(spot, street)
        self.following: list[_Root] = []

    def grow(self, roots: list[_Root], begin: list[StreetBetting] | None = None) -> StreetForest:
        """The forest; leaves the next street's roots in `following`. `begin`: where the roots' betting stands, if it has begun."""
        nodes = begin or [self.rules.begin(root.paid, root.donk) for root in roots]
        parent, first_child, levels = [-1] * len(nodes), [], [0]
        done = 0
        while done < len(nodes):
            levels.append(len(nodes))
            for number in range(done, len(nodes)):
                children = list(self.rules.moves(nodes[number]))
                first_child.append(len(nodes) if children else -1)
                parent.extend([number] * len(children))
                nodes.extend(children)
                self._check_size(len(nodes))
            done = levels[-1]
        spot, lines = self.spot, [root.line for root in roots]
        links = Links(parent, first_child, levels)
        forest = as_forest(self.street, spot.stack, nodes, links, lines, pot=spot.pot, rake=spot.rake)
        deals = np.flatnonzero(forest.next_root >= 0)
        self.following = [_Root(max(nodes[n].paid), nodes[n].after_call, forest.line(int(n)) + "/") for n in deals]
        return forest

    def _check_size(self, nodes: int) -> None:
        if nodes > self.largest:
            raise TooLargeError(
                f"The betting on the {STREETS[self.street]} has more than {self.largest:,} nodes; offer fewer sizes, "
                "set betting.cap, or use the merge and force_allin thresholds."
            )


@dataclass(frozen=True)
class Links:
    """How the nodes of a street hang together, in breadth-first order."""

    parent: list[int]
    first_child: list[int]
    levels: list[int]


class BettingPoint(Protocol):
    """What a forest keeps of a betting situation."""

    @property
    def kind(self) -> int: ...
    @property
    def paid(self) -> tuple[float, ...]: ...
    @property
    def folder(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def name(self) -> str: ...


def as_forest(
    street: int,
    stack: float,
    nodes: Sequence[BettingPoint],
    links: Links,
    before: Sequence[str],
    *,
    pot: float = 0.0,
    rake: Rake = NO_RAKE,
) -> StreetForest:
    """Arrays of one street; `pot` is what lay on the table before anybody `paid`."""
    kind = np.array([node.kind for node in nodes], dtype=np.int32)
    parent = np.array(links.parent, dtype=np.int32)
    children = np.bincount(parent.astype(np.int64) + 1, minlength=len(nodes) + 1)[1:].astype(np.int32)
    slot = np.full(len(nodes), -1, dtype=np.int32)
    slots = []
    for player in (OOP, IP):
        own = kind == player
        ends = np.cumsum(children[own])
        slot[own] = ends - children[own]
        slots.append(int(ends[-1]) if len(ends) else 0)
    next_root = np.full(len(nodes), -1, dtype=np.int32)
    next_root[kind == DEAL] = np.arange((kind == DEAL).sum())
    paid = np.array([node.paid for node in nodes])
    forest = StreetForest(
        street,
        stack,
        kind,
        parent,
        np.array(links.first_child, dtype=np.int32),
        children,
        slot,
        (slots[0], slots[1]),
        paid,
        np.array([node.folder for node in nodes], dtype=np.int32),
        next_root,
        np.array(links.levels, dtype=np.int32),
        *_payoffs(pot, rake, kind, paid),
        tuple(node.label for node in nodes),
        tuple(node.name for node in nodes),
        tuple(before),
    )
    for value in vars(forest).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return forest


def _payoffs(pot: float, rake: Rake, kind: Ints, paid: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Stake, win, lose, tie; rake is taken from what both have matched, an uncalled bet goes back before."""
    stake = pot / 2.0 + paid.min(axis=1)
    over = np.isin(kind, (FOLD, SHOWDOWN))
    taken = rake.of(2.0 * stake)
    return stake, np.where(over, stake - taken, 0.0), np.where(over, -stake, 0.0), np.where(over, -taken / 2.0, 0.0)
