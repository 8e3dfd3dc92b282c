"""Sizes of a menu that can never be bet: no decision of the tree comes to their entry, or the size is never legal there.

The usual case: in hold'em a blind counts as a bet, so the first raise before the flop is a `raise`, and sizes under `bet` are in vain.
Entries for more raises than stacks allow are no mistake: betting is over before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.streets import STREETS
from equilibrist.core.arrays import Bools, Floats, Ints
from equilibrist.forms.betting_tree.betting_tree import RAISED, BettingTree
from equilibrist.games.poker.bet_menus import bets_before, menu_of, menu_sources, written_menus
from equilibrist.games.poker.bet_sizes import BetSize

_TINY = 1e-6


@dataclass(frozen=True)
class UnusedSize:
    """An entry of a menu of which nothing, or one size, is ever bet."""

    entry: str  # `menu.preflop.bet`
    sizes: str
    reached: bool  # whether any decision comes to the entry

    def sentence(self) -> str:
        if self.reached:
            return f"'{self.sizes}' of {self.entry} can never be bet: it is below the least bet or beyond the stack wherever it stands."
        blinds = (
            " (a blind counts as a bet: the first raise before the flop is 'raise')" if "preflop" in self.entry else ""
        )
        return f'{self.entry} = "{self.sizes}" is never used: no decision comes to it{blinds}.'


@dataclass(frozen=True)
class _Raises:
    """All raises of a tree, by what a menu looks at."""

    entry: npt.NDArray[np.object_]  # [n] the entry that its menu comes from
    player: Ints
    round: Ints
    bets: Ints  # of the round before it
    chips: Floats  # [n] on top of the call
    pot: Floats  # [n] after the call
    facing: Floats
    all_in: npt.NDArray[np.bool_]

    def some(self, where: Bools) -> _Raises:
        return _Raises(*(getattr(self, each.name)[where] for each in fields(self)))

    def deepest(self, entry: str) -> int:
        """Most bets before a raise by those, and on those streets, that an entry is for."""
        words = entry.split(".")
        here = np.ones(len(self.bets), dtype=np.bool_)
        for number, street in enumerate(STREETS):
            here &= (self.round == number) | (street not in words)
        for player in range(int(self.player.max(initial=0)) + 1):
            here &= (self.player == player) | (f"p{player + 1}" not in words)
        return int(self.bets[here].max(initial=-1))


def unused_sizes(tree: BettingTree, table: Mapping[str, Any]) -> list[UnusedSize]:
    """What a plan's tables (as in a menu file) offer in vain in the tree that was grown from them."""
    raises, out = _raises(tree, table), []
    for entry, text in written_menus(table).items():
        here = raises.entry == entry
        sizes = menu_of(text).sizes
        if sizes and not here.any():
            if raises.deepest(entry) > bets_before(entry):
                out.append(UnusedSize(entry, text, reached=False))
            continue
        mine = raises.some(here)
        goes_in = any(size.unit == "a" for size in sizes)
        out += [
            UnusedSize(entry, str(size), reached=True)
            for size in sizes
            if not _used(size, mine, goes_in, tree.rules.unit)
        ]
    return out


def _used(size: BetSize, raises: _Raises, goes_in: bool, unit: float) -> bool:
    """Whether some raise has this size; one that is always all-in counts where the menu has no all-in of its own."""
    if size.unit == "a":
        return bool(raises.all_in.any())
    if size.unit not in "%cx":  # lists and geometric sizes fit wherever anything does
        return True
    wanted = {
        "%": size.amount / 100.0 * raises.pot,
        "c": np.full_like(raises.pot, size.amount),
        "x": (size.amount - 1.0) * raises.facing,
    }
    same = np.abs(raises.chips - wanted[size.unit]) <= 0.5 * unit + _TINY
    beyond = raises.all_in & (wanted[size.unit] >= raises.chips - _TINY) & (not goes_in)
    return bool((same | beyond).any())


def _raises(tree: BettingTree, table: Mapping[str, Any]) -> _Raises:
    children = np.flatnonzero(tree.step == RAISED)
    above = tree.parent[children]
    actor, bets = tree.player[above].astype(np.int32), _bets(tree)[above]
    sources = menu_sources(table, tree.players, tree.rounds)
    names = np.full((tree.players, tree.rounds, int(bets.max(initial=0)) + 1), "", dtype=object)
    deepest = max(level for _, _, level in sources)
    for p, r, level in np.ndindex(*names.shape):
        names[p, r, level] = sources[p, r, min(level, deepest)]
    paid = tree.paid[above]
    facing = paid.max(axis=1) - paid[np.arange(len(above)), actor]
    after = tree.paid[children]
    stacks = np.array([tree.rules.stack_of(p) for p in range(tree.players)])
    return _Raises(
        names[actor, tree.round[above], bets],
        actor,
        tree.round[above].astype(np.int32),
        bets,
        after.max(axis=1) - paid.max(axis=1),
        paid.sum(axis=1) + facing,
        facing,
        stacks[actor] - after[np.arange(len(above)), actor] <= _TINY,
    )


def _bets(tree: BettingTree) -> Ints:
    """[N] bets of the round so far at every node; a blind is one."""
    out = np.zeros(len(tree), dtype=np.int32)
    out[0] = any(tree.rules.blinds)
    begun = np.zeros(1, dtype=np.int64)
    while len(begun):  # one depth of the tree after the other
        width = tree.children[begun].astype(np.int64)
        above = np.repeat(begun, width)
        starts = np.repeat(tree.first_child[begun].astype(np.int64), width)
        within = np.arange(len(above)) - np.repeat(np.cumsum(width) - width, width)
        below = starts + within
        out[below] = np.where(tree.round[below] == tree.round[above], out[above], 0) + (tree.step[below] == RAISED)
        begun = below[tree.children[below] > 0]
    return out
