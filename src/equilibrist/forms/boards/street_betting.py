"""StreetForest: the betting of one street over all lines that lead to it, without cards, as arrays.

A street that is over ends in DEAL leaves; each is a root of the next street's forest. Where both players are all-in nobody
acts any more: such a root is itself a DEAL, and on the river a SHOWDOWN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import TooLargeError
from equilibrist.forms.boards.betting_forest import BettingForest, number_deals, number_slots, street_refusal
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.rules import CHANCE
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_rules import spot_label, spot_start
from equilibrist.games.spots.spot_values import Rake

OOP, IP, FOLD, SHOWDOWN, DEAL = 0, 1, 2, 3, 4
LARGEST_STREET = 1_000_000  # nodes; on the river of a full range 8 GB of regrets
NO_RAKE = Rake()
_TINY = 1e-9
WORDS = {"x": "check", "c": "call", "f": "fold", "b": "bet", "r": "raise"}


@dataclass(frozen=True)
class StreetForest(BettingForest):
    """The betting of two players, with payoffs where the hand is over."""

    kind: Ints  # [N] OOP or IP acts, or FOLD, SHOWDOWN, DEAL
    slots: tuple[int, int]
    stack: float  # what each player can put in, from the start on
    folder: Ints  # [N] who folded, or -1
    levels: Ints  # [depth + 1] first node of each level, and N
    stake: Floats  # [N] half the starting pot and what the other player has matched
    win: Floats  # [N] payoff of winner, of loser, of each in a tie, net of half the starting pot; 0 where play goes on
    lose: Floats  # [N]
    tie: Floats  # [N]

    @property
    def counts(self) -> tuple[int, int, int]:
        """Decision nodes, action slots and leaves (folds, showdowns, called all-ins); roots where nobody acts are no leaves."""
        decisions = int((self.kind <= IP).sum())
        called = (self.kind == DEAL) & (self.paid[:, OOP] >= self.stack)
        ends = np.isin(self.kind, (FOLD, SHOWDOWN)) | called
        return decisions, sum(self.slots), int(ends[self.roots :].sum())


def street_forests(spot: Spot, largest: int = LARGEST_STREET, *, below: Spot | None = None) -> tuple[StreetForest, ...]:
    """The forests of all streets from the spot's own to the river; after the first with the sizes of `below`, if given."""
    start = spot_start(spot, below)
    layout = _SpotForestLayout(start.rules.ante, spot.stack, spot.pot, spot.rake, spot.street, largest)
    return grow_streets(start, layout)


@dataclass(frozen=True)
class ForestLayout:
    """How betting by the rules is written into forests; as it stands, for games."""

    base: float  # of what everybody has paid: not counted
    stack: float
    pot: float  # what lies on the table before anybody has paid
    rake: Rake
    first: int  # number of the first street
    largest: int  # nodes of a street
    counted: dict[float, float] = field(default_factory=dict, repr=False, compare=False)  # paid, since the start

    def label(self, node: BettingNode, index: int, after: BettingNode) -> str:
        """The name of an action."""
        return str(node.labels[index])

    def refusal(self, street: int) -> str:
        return (
            f"The betting of street {street + 1} has more than {self.largest:,} situations; offer fewer bet sizes or a "
            "shorter stack."
        )

    def point(self, node: BettingNode, label: str = "") -> BettingPoint:
        """What a forest keeps of a situation."""
        folder = node.folded.index(True) if True in node.folded else -1
        over = FOLD if folder >= 0 else SHOWDOWN
        kind = node.player if node.player >= 0 else DEAL if node.player == CHANCE else over
        paid = node.paid if self.base == 0.0 else tuple([self._since(x) for x in node.paid])
        return BettingPoint(node, kind, folder, paid, label, self._name(node, label))

    def _since(self, paid: float) -> float:
        """What was paid since the start; the same few amounts come again and again, and rounding takes its time."""
        found = self.counted.get(paid)
        if found is None:
            found = self.counted[paid] = round(paid - self.base, 9)
        return found

    def _name(self, node: BettingNode, label: str) -> str:
        """`bet 120`, or `all-in 900` when nothing is left behind."""
        if not label:
            return ""
        word, chips = WORDS[label[0]], label[1:]
        if chips and max(node.paid) >= node.rules.stack - _TINY:
            word = "all-in"
        return f"{word} {chips}".rstrip()


class _SpotForestLayout(ForestLayout):
    def label(self, node: BettingNode, index: int, after: BettingNode) -> str:
        return spot_label(node, index, after)

    def refusal(self, street: int) -> str:
        return street_refusal(street, self.largest)


class BettingPoint(NamedTuple):
    """A betting situation as a forest sees it."""

    node: BettingNode
    kind: int
    folder: int
    paid: tuple[float, ...]
    label: str  # of the action that led here
    name: str


class Followers:
    """What may follow a situation; worked out once for all lines that lead to it, unless lines have menus and names of their own."""

    def __init__(self, layout: ForestLayout) -> None:
        self.layout = layout
        self._known: dict[Any, tuple[BettingPoint, ...]] = {}

    def of(self, node: BettingNode, street: int, room: int) -> tuple[BettingPoint, ...]:
        """At most `room` of them, or the street is refused."""
        if node.player < 0:
            return ()
        key = id(node) if node.rules.names_lines else node.state
        found = self._known.get(key)
        if (node.width if found is None else len(found)) > room:
            raise TooLargeError(self.layout.refusal(street))
        if found is None:
            name, point = self.layout.label, self.layout.point
            after = [node.after(index) for index in range(node.width)]
            found = tuple([point(one, name(node, index, one)) for index, one in enumerate(after)])
            if not node.rules.names_lines:
                self._known[key] = found
        return found


def grow_streets(start: BettingNode, layout: ForestLayout) -> tuple[StreetForest, ...]:
    """The forests of all streets below a situation, by the rules; rounds without a deal between them are one street."""
    roots, before, followers = [layout.point(start)], [""], Followers(layout)
    forests: list[StreetForest] = []
    while roots:
        forest, points = _grow(roots, before, layout.first + len(forests), followers)
        deals = np.flatnonzero(forest.kind == DEAL).tolist()
        roots = [layout.point(points[number].node.after_deal) for number in deals]
        before = [forest.line(number) + "/" for number in deals]
        forests.append(forest)
    return tuple(forests)


def _grow(
    roots: list[BettingPoint], before: list[str], street: int, followers: Followers
) -> tuple[StreetForest, list[BettingPoint]]:
    """One street from its roots, level by level."""
    points, layout = list(roots), followers.layout
    parent, first_child, levels = [-1] * len(points), [], [0]
    done = 0
    while done < len(points):
        levels.append(len(points))
        for number in range(done, len(points)):
            following = followers.of(points[number].node, street, layout.largest - len(points))
            first_child.append(len(points) if following else -1)
            parent.extend([number] * len(following))
            points.extend(following)
        done = levels[-1]
    return as_forest(street, points, Links(parent, first_child, levels), before, layout), points


@dataclass(frozen=True)
class Links:
    """How the nodes of a street hang together, in breadth-first order."""

    parent: list[int]
    first_child: list[int]
    levels: list[int]


def as_forest(
    street: int, nodes: Sequence[BettingPoint], links: Links, before: Sequence[str], layout: ForestLayout
) -> StreetForest:
    """Arrays of one street."""
    kind = np.array([node.kind for node in nodes], dtype=np.int32)
    parent = np.array(links.parent, dtype=np.int32)
    children = np.bincount(parent.astype(np.int64) + 1, minlength=len(nodes) + 1)[1:].astype(np.int32)
    slot, slots = number_slots(kind, children, 2)
    paid = np.array([node.paid for node in nodes])
    stake, win, lose, tie = _payoffs(layout.pot, layout.rake, kind, paid)
    forest = StreetForest(
        street=street,
        stack=layout.stack,
        kind=kind,
        parent=parent,
        first_child=np.array(links.first_child, dtype=np.int32),
        children=children,
        slot=slot,
        slots=(slots[0], slots[1]),
        paid=paid,
        folder=np.array([node.folder for node in nodes], dtype=np.int32),
        next_root=number_deals(kind == DEAL),
        levels=np.array(links.levels, dtype=np.int32),
        stake=stake,
        win=win,
        lose=lose,
        tie=tie,
        action=tuple(node.label for node in nodes),
        name=tuple(node.name for node in nodes),
        before=tuple(before),
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
