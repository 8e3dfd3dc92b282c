"""A game given by its tree, node by node, as an `.efg` file lists it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from equilibrist.games.formats.efg.tokens import one_line
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

_GENERATED = re.compile(r"p[0-9]+:[0-9]+\Z")
_ROUNDING = 1e-9  # payoffs written as decimals need not cancel to the last digit


@dataclass
class Infoset:
    """Nodes that offer the same actions to a player who cannot tell them apart; chance has infosets too."""

    player: int
    number: int  # as the file counts, per player
    name: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...] = ()  # chance only


@dataclass
class NodeTable:
    """All nodes in the order of the file: a node, then the subtrees of its children."""

    infosets: list[Infoset] = field(default_factory=list)
    player: list[int] = field(default_factory=list)  # [node]
    parent: list[int] = field(default_factory=list)  # [node], -1 at the root
    step: list[int] = field(default_factory=list)  # [node] index of the action that leads here
    infoset: list[int] = field(default_factory=list)  # [node] into `infosets`, -1 at terminals
    children: list[list[int]] = field(default_factory=list)  # [node]
    payoffs: dict[int, tuple[float, ...]] = field(default_factory=dict)  # terminal -> per player

    def add(self, player: int, parent: int, infoset: int) -> int:
        """Append a node below `parent`, after its earlier children."""
        node = len(self.player)
        self.player.append(player)
        self.parent.append(parent)
        self.infoset.append(infoset)
        self.children.append([])
        if parent >= 0:
            self.step.append(len(self.children[parent]))
            self.children[parent].append(node)
        else:
            self.step.append(0)
        return node


class EfgState(State):
    """One node of the file."""

    __slots__ = ("_game", "_node", "player")

    def __init__(self, game: EfgGame, node: int) -> None:
        self._game = game
        self._node = node
        self.player = game.table.player[node]

    def actions(self) -> Sequence[str]:
        return self._infoset().actions

    def chance(self) -> Sequence[tuple[str, float]]:
        infoset = self._infoset()
        return list(zip(infoset.actions, infoset.probabilities, strict=True))

    def child(self, index: int) -> EfgState:
        return EfgState(self._game, self._game.table.children[self._node][index])

    def infoset(self, player: int) -> str:
        """The infoset of the player who acts; for the others, their own moves so far: a file says no more."""
        table, keys = self._game.table, self._game.keys
        if self.player == player:
            return keys[table.infoset[self._node]]
        moves: list[str] = []
        node = self._node
        while (above := table.parent[node]) >= 0:
            if table.player[above] == player:
                infoset = table.infoset[above]
                moves.append(f"{keys[infoset]} → {table.infosets[infoset].actions[table.step[node]]}")
            node = above
        return "; ".join(["waiting", *reversed(moves)])

    def public(self) -> str:
        return ""  # a file declares no public information

    def returns(self) -> tuple[float, ...]:
        return self._game.table.payoffs[self._node]

    def _infoset(self) -> Infoset:
        return self._game.table.infosets[self._game.table.infoset[self._node]]


class EfgGame(Game):
    """The game of a file; zero sum and perfect recall are found by walking the tree."""

    observations = False  # `public()` says nothing, so no public tree can be derived

    def __init__(self, name: str, title: str, player_names: Sequence[str], table: NodeTable) -> None:
        self.name = name
        self.title = title
        self.player_names = tuple(player_names)
        self.players = len(self.player_names)
        self.table = table
        self.keys = infoset_keys(table.infosets)
        self.zero_sum = is_zero_sum(table)
        self.perfect_recall = has_perfect_recall(table, self.players)

    def start(self) -> EfgState:
        return EfgState(self, 0)

    def histories(self) -> float:
        return float(len(self.table.player))


def infoset_keys(infosets: Sequence[Infoset]) -> list[str]:
    """The name of each infoset where it is given and unique for its player, else `p1:3`."""
    names = [one_line(infoset.name) for infoset in infosets]
    uses = Counter((infoset.player, name) for infoset, name in zip(infosets, names, strict=True))
    return [
        name
        if name.strip() and uses[infoset.player, name] == 1 and not _GENERATED.match(name)
        else f"p{infoset.player + 1}:{infoset.number}"
        for infoset, name in zip(infosets, names, strict=True)
    ]


def is_zero_sum(table: NodeTable) -> bool:
    """Payoffs cancel at every terminal, up to rounding."""
    return all(
        abs(math.fsum(payoffs)) <= _ROUNDING * max(1.0, *(abs(payoff) for payoff in payoffs))
        for payoffs in table.payoffs.values()
    )


def has_perfect_recall(table: NodeTable, players: int) -> bool:
    """Whether all nodes of each infoset follow the same own moves of its player."""
    number: dict[tuple[int, int, int], int] = {}  # (sequence before, infoset, action) -> sequence
    sequences: list[tuple[int, ...]] = []  # [node] sequence of each player
    expected: dict[int, int] = {}  # infoset -> sequence
    for node, acting in enumerate(table.player):
        above = table.parent[node]
        mine = sequences[above] if above >= 0 else (0,) * players
        mover = table.player[above] if above >= 0 else CHANCE
        if mover >= 0:
            move = (mine[mover], table.infoset[above], table.step[node])
            mine = (*mine[:mover], number.setdefault(move, len(number) + 1), *mine[mover + 1 :])
        sequences.append(mine)
        if acting not in (CHANCE, TERMINAL) and expected.setdefault(table.infoset[node], mine[acting]) != mine[acting]:
            return False
    return True
