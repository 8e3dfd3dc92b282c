"""BettingForest: what the forests of a street have in common, whether two players bet or three."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Bools, Floats, Ints
from equilibrist.core.errors import UnknownNameError, suggest


@dataclass(frozen=True)
class BettingForest:
    """Nodes [N] in breadth-first order: roots first, siblings side by side, parents before children."""

    street: int  # in spots 0 flop, 1 turn, 2 river; in full games counted by deals
    kind: Ints  # [N] the player who acts, or why nobody does
    parent: Ints  # [N] -1 for roots
    first_child: Ints  # [N] -1 for leaves
    children: Ints  # [N]
    slot: Ints  # [N] first slot of the acting player, numbered for each player in node order; -1 for leaves
    slots: tuple[int, ...]  # of each player
    paid: Floats  # [N, player] chips put in since the start
    next_root: Ints  # [N] where a card is dealt the root in the next street's forest, else -1
    action: tuple[str, ...] = field(repr=False)  # [N] label of the action that led here; "" for roots
    name: tuple[str, ...] = field(repr=False)  # [N] the same for people: "bet 120", "all-in 900"
    before: tuple[str, ...] = field(repr=False)  # [roots] the line up to this street

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def roots(self) -> int:
        return len(self.before)

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
        """Actions up to a node, `x:b120:c`; a stroke ends a street, as in `x:x/b120`, and stands for the card dealt."""
        labels = []
        while node >= self.roots:
            labels.append(self.action[node])
            node = int(self.parent[node])
        return self.before[node] + ":".join(reversed(labels))


def number_slots(kind: Ints, children: Ints, players: int) -> tuple[Ints, list[int]]:
    """First slots [N] of the player who acts, in node order (-1 where nobody does), and how many each player has."""
    slot, slots = np.full(len(kind), -1, dtype=np.int32), []
    for player in range(players):
        own = kind == player
        ends = np.cumsum(children[own])
        slot[own] = ends - children[own]
        slots.append(int(ends[-1]) if len(ends) else 0)
    return slot, slots


def number_deals(dealt: Bools) -> Ints:
    """[N] roots of the next street, one for each node where a card is dealt, in node order; else -1."""
    next_root = np.full(len(dealt), -1, dtype=np.int32)
    next_root[dealt] = np.arange(dealt.sum())
    return next_root


def street_refusal(street: int, largest: int) -> str:
    """Why a street of a spot is not grown."""
    return (
        f"The betting on the {POSTFLOP_STREETS[street]} has more than {largest:,} nodes; offer fewer sizes, "
        "set betting.cap, or use the merge and force_allin thresholds."
    )
