"""EndgameBetting: the betting of an endgame without cards, as sequences of both players ([Lu16, §4.2.4]).

It starts from any `BettingNode` of the last round, so pot and stacks are those that are really on the table, whatever sizes a blueprint
took earlier bets for. Sequences are numbered from 1 (0 is the empty one); those of one infoset stand together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.deck import Deck
from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.poker.bet_sizes import BetMenu
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.game import settle
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL


@dataclass(frozen=True)
class SequenceTree:
    """One player's sequences, the same for every hand."""

    lines: tuple[str, ...] = field(repr=False)  # [infosets] betting before each, from the start of the endgame
    actions: tuple[tuple[str, ...], ...] = field(repr=False)  # [infosets]
    parent: Ints  # [infosets] own sequence before

    @cached_property
    def width(self) -> Ints:
        return np.array([len(names) for names in self.actions], np.int32)

    @cached_property
    def first(self) -> Ints:
        """[infosets] sequence of the first action."""
        return (1 + np.cumsum(self.width) - self.width).astype(np.int32)

    @property
    def sequences(self) -> int:
        """Without the empty one."""
        return int(self.width.sum())

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {line: number for number, line in enumerate(self.lines)}

    def infoset(self, line: str) -> int:
        """The infoset after a line of betting."""
        if line not in self._numbers:
            raise ParameterError(f"The player does not act after '{line}' in this endgame.")
        return self._numbers[line]

    def plan(self, behaviour: Floats) -> Floats:
        """[hands, sequences + 1] reach of own sequences from behaviour of the same shape."""
        out = np.ones_like(behaviour)
        for parent, first, width in zip(self.parent, self.first, self.width, strict=True):
            part = slice(first, first + width)
            out[:, part] = out[:, [parent]] * behaviour[:, part]
        return out


@dataclass(frozen=True)
class EndgameBetting:
    """Both players' sequences, and how the hand ends."""

    players: tuple[SequenceTree, SequenceTree]
    ends: Ints  # [terminals, 2] last sequence of each player
    showdown: NDArray[np.bool_]  # [terminals]
    payoff: Floats  # [terminals] of player 1 after a fold; at a showdown, what the better hand wins
    pot: float  # at the start
    start: BettingNode = field(repr=False)

    @property
    def terminals(self) -> int:
        return len(self.payoff)


class _Walk:
    """Infosets in the order in which they are met, parents first."""

    def __init__(self) -> None:
        self.lines: tuple[list[str], list[str]] = ([], [])
        self.actions: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
        self.parent: tuple[list[int], list[int]] = ([], [])
        self.count = [0, 0]
        self.ends: list[tuple[int, int]] = []
        self.showdown: list[bool] = []
        self.payoff: list[float] = []

    def visit(self, node: BettingNode, line: str, last: tuple[int, int]) -> None:
        if node.player == CHANCE:
            raise NotApplicableError(
                "This endgame goes on after more cards; solve the last betting round, or use search."
            )
        if node.player == TERMINAL:
            shown = not any(node.folded)
            self.ends.append(last)
            self.showdown.append(shown)
            self.payoff.append(settle(node, (1, 0) if shown else (0, 0))[0])
            return
        player, first = node.player, self.count[node.player] + 1
        self.lines[player].append(line)
        self.actions[player].append(tuple(node.labels))
        self.parent[player].append(last[player])
        self.count[player] += len(node.labels)
        for index, label in enumerate(node.labels):
            mine = first + index
            after = (mine, last[1]) if player == 0 else (last[0], mine)
            self.visit(node.after(index), f"{line}:{label}" if line else label, after)


def grow_betting(start: BettingNode) -> EndgameBetting:
    """All betting below a situation of the last round, for two players."""
    if start.rules.players != 2:
        raise NotApplicableError(f"Endgames are solved for two players, but there are {start.rules.players}.")
    if start.player == TERMINAL:
        raise NotApplicableError("Nobody can act any more, so there is no endgame to solve.")
    walk = _Walk()
    walk.visit(start, "", (0, 0))
    first, second = (
        SequenceTree(tuple(walk.lines[p]), tuple(walk.actions[p]), np.array(walk.parent[p], np.int32)) for p in (0, 1)
    )
    return EndgameBetting(
        players=(first, second),
        ends=np.array(walk.ends, np.int32),
        showdown=np.array(walk.showdown),
        payoff=np.array(walk.payoff),
        pot=start.pot,
        start=start,
    )


def last_round(
    pot: float, stacks: Sequence[float], menu: BetMenu, *, minimum_bet: float = 0.0, first: int = 0
) -> BettingNode:
    """The start of a last betting round with this pot and these chips behind, half of the pot from each player."""
    if not pot > 0 or len(stacks) != 2 or min(stacks) <= 0:
        raise ParameterError(f"Give a pot above 0 and two stacks above 0, but {pot:g} and {tuple(stacks)} were given.")
    whole = tuple(pot / 2 + behind for behind in stacks)
    return first_node(
        PokerRules(
            deck=Deck(),
            board=(0,),
            menus=(menu,),
            caps=(float("inf"),),
            hole=2,
            ante=pot / 2,
            first=(first,),
            stack=max(whole),
            stacks=whole if whole[0] != whole[1] else (),
            minimum_bet=minimum_bet,
            raise_at_least_last=True,
        )
    )
