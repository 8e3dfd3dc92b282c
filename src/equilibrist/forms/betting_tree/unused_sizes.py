"""Sizes of a menu that can never be bet: no decision of the tree comes to their entry, or the size is no bet at any of them.

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
from equilibrist.forms.betting_tree.growth import first_decision
from equilibrist.forms.betting_tree.menu_tables import MenuTables
from equilibrist.games.poker.bet_menus import COMMIT_RULES, bets_before, menu_of, menu_sources, written_menus
from equilibrist.games.poker.bet_sizes import BetSize

_TINY = 1e-9
SMALL, ALL_IN, COMMITTED, NO_BET = range(1, 5)  # why a size is no bet of its own at a decision; 0: it is one
_WHY = {
    SMALL: "below the least bet",
    ALL_IN: "beyond the stack, where the menu has all-in already",
    COMMITTED: "more than 'commit' allows",
    NO_BET: "a multiple of a bet where there is none",
}


@dataclass(frozen=True)
class UnusedSize:
    """An entry of a menu of which nothing, or one size, is ever bet."""

    entry: str  # `menu.preflop.bet`
    sizes: str
    reached: bool  # whether any decision comes to the entry
    why: str

    def sentence(self) -> str:
        if self.reached:
            return f"'{self.sizes}' of {self.entry} can never be bet: wherever it stands it is {self.why}."
        return f'{self.entry} = "{self.sizes}" is never used: {self.why}.'


@dataclass(frozen=True)
class _Decisions:
    """All decisions of a tree at which the rules allow a raise, by what a menu looks at."""

    entry: npt.NDArray[np.object_]  # [n] the entry that its menu comes from
    player: Ints
    round: Ints
    bets: Ints  # of the round so far
    pot: Floats  # [n] after the call
    facing: Floats
    remaining: Floats  # behind after the call
    minimum: Floats
    paid: Floats
    stack: Floats
    lift: Bools
    share: Floats  # of the stack that a bet may commit
    rule: Ints  # of commitment

    def some(self, where: Bools) -> _Decisions:
        return _Decisions(*(getattr(self, each.name)[where] for each in fields(self)))

    def levels(self, entry: str) -> Ints:
        """Bets before the decisions of those, and on those streets, that an entry is for."""
        words = entry.split(".")
        here = np.ones(len(self.bets), dtype=np.bool_)
        for number, street in enumerate(STREETS):
            here &= (self.round == number) | (street not in words)
        for player in range(int(self.player.max(initial=0)) + 1):
            here &= (self.player == player) | (f"p{player + 1}" not in words)
        return self.bets[here]


def unused_sizes(tree: BettingTree, table: Mapping[str, Any]) -> list[UnusedSize]:
    """What a plan's tables (as in a menu file) offer in vain in the tree that was grown from them."""
    decisions, out = _decisions(tree, table), list[UnusedSize]()
    for entry, text in written_menus(table).items():
        mine, sizes = decisions.some(decisions.entry == entry), menu_of(text).sizes
        if not len(mine.bets):
            if sizes and (why := _never(entry, decisions.levels(entry))):
                out.append(UnusedSize(entry, text, reached=False, why=why))
            continue
        goes_in = any(size.unit == "a" for size in sizes)
        for size in sizes:
            reasons = _reasons(size, mine, goes_in, float(tree.rules.bet_unit))
            if (reasons > 0).all():
                why = " or ".join(_WHY[reason] for reason in np.unique(reasons).tolist())
                out.append(UnusedSize(entry, str(size), reached=True, why=why))
    return out


def _never(entry: str, levels: Ints) -> str:
    """Why no decision comes to an entry, from the bets before the decisions it is for; empty: betting does not get that far."""
    before = bets_before(entry)
    if (levels == before).any():
        return "every decision there that betting comes to has a narrower entry"
    if levels.max(initial=-1) < before:
        return ""
    blinds = " (a blind counts as a bet: the first raise before the flop is 'raise')" if before == 0 else ""
    return f"no decision comes to it{blinds}"


def _reasons(size: BetSize, here: _Decisions, goes_in: bool, unit: float) -> Ints:
    """[n] why a size is no bet at each decision, 0 where it is one: as `Menu` and `Commitment` have it."""
    out = np.zeros(len(here.bets), dtype=np.int32)
    if size.unit not in "%cx":  # all-in, and all multiples with it, may be bet wherever anything may
        return out
    wanted = {
        "%": size.amount / 100.0 * here.pot,
        "c": np.full_like(here.pot, size.amount),
        "x": (size.amount - 1.0) * here.facing,
    }
    amount = _in_units(wanted[size.unit], unit)
    all_in = amount >= here.remaining - _TINY
    small = ~all_in & (amount < here.minimum - _TINY)
    lifted = small & here.lift & (here.facing <= _TINY)
    amount = np.where(lifted, np.minimum(here.minimum, here.remaining), amount)
    all_in |= amount >= here.remaining - _TINY
    out[~all_in & _too_much(amount, here)] = COMMITTED
    out[small & ~lifted] = SMALL
    out[all_in & goes_in] = ALL_IN
    if size.unit == "x":
        out[here.facing <= _TINY] = NO_BET
    return out


def _too_much(amount: Floats, here: _Decisions) -> Bools:
    """[n] whether a bet commits more than its share of the stack."""
    chips = here.facing + amount
    total, remaining = (here.rule == COMMIT_RULES.index(rule) for rule in ("total", "remaining"))
    over = np.where(total, here.paid, 0.0) + chips
    whole = here.stack - np.where(remaining, here.paid, 0.0)
    bound = np.where(np.isfinite(here.share), here.share, 0.0) * whole
    return np.isfinite(here.share) & (over > bound + _TINY)


def _in_units(amount: Floats, unit: float) -> Floats:
    """[n] the nearest multiples of a unit, halves upwards."""
    return np.asarray(np.floor(np.round(amount / unit, 9) + 0.5) * unit) if unit > 0.0 else amount


def _decisions(tree: BettingTree, table: Mapping[str, Any]) -> _Decisions:
    rules, nodes = tree.rules, tree.decisions
    bets_of, last_of, acted_of = _history(tree)
    bets, last, acted = bets_of[nodes], last_of[nodes], acted_of[nodes]
    actor, number, paid = tree.player[nodes].astype(np.int32), tree.round[nodes].astype(np.int32), tree.paid[nodes]
    own, most = paid[np.arange(len(nodes)), actor], paid.max(axis=1)
    stacks = np.array([rules.stack_of(p) for p in range(tree.players)])
    facing, remaining = np.minimum(most, stacks[actor]) - own, stacks[actor] - most
    minimum = (
        np.maximum(rules.minimum_bet, last) if rules.raise_at_least_last else np.full(len(nodes), rules.minimum_bet)
    )
    seats = np.arange(tree.players)
    answers = (
        (seats != actor[:, None]) & ((tree.folded[nodes][:, None] >> seats & 1) == 0) & (stacks - most[:, None] > _TINY)
    )
    closed = ((acted >> actor) & 1).astype(np.bool_) & (facing < minimum - _TINY)
    able = (bets < np.array(rules.caps, dtype=np.float64)[number]) & answers.any(axis=1) & (remaining > _TINY) & ~closed
    level = bets + ((number == 0) & any(rules.blinds))
    menus = MenuTables.of(rules)
    at = (actor, number, np.minimum(level, menus.lift.shape[2] - 1))
    entries = _entries(table, tree)
    found = _Decisions(
        entries[actor, number, np.minimum(level, entries.shape[2] - 1)], actor, number, level, paid.sum(axis=1) + facing, facing,
        remaining, minimum, own, stacks[actor], menus.lift[at], menus.shares[number], menus.commit_rule[number].astype(np.int32),
    )  # fmt: skip
    return found.some(able)


def _entries(table: Mapping[str, Any], tree: BettingTree) -> npt.NDArray[np.object_]:
    """[player, round, bets] the entry of each menu."""
    sources = menu_sources(table, tree.players, tree.rounds)
    out = np.full(1 + np.array(list(sources)).max(axis=0), "", dtype=object)
    for place, entry in sources.items():
        out[place] = entry
    return out


def _history(tree: BettingTree) -> tuple[Ints, Floats, Ints]:
    """[N] bets of the round so far, the largest raise among them, and who has acted in it (as bits)."""
    root = first_decision(tree.rules)
    bets, acted = np.zeros((2, len(tree)), dtype=np.int32)
    last = np.zeros(len(tree))
    bets[0], last[0] = root.bets, root.last_raise
    begun = np.zeros(1, dtype=np.int64)
    while len(begun):  # one depth of the tree after the other
        width = tree.children[begun].astype(np.int64)
        above = np.repeat(begun, width)
        starts = np.repeat(tree.first_child[begun].astype(np.int64), width)
        below = starts + np.arange(len(above)) - np.repeat(np.cumsum(width) - width, width)
        raised, on = tree.step[below] == RAISED, tree.round[below] == tree.round[above]
        extra = tree.paid[below].max(axis=1) - tree.paid[above].max(axis=1)
        bets[below] = np.where(on, bets[above] + raised, 0)
        last[below] = np.where(on, np.where(raised, np.maximum(last[above], extra), last[above]), 0.0)
        acted[below] = np.where(on, acted[above] | (1 << tree.player[above].astype(np.int32)), 0)
        begun = below[tree.children[below] > 0]
    return bets, last, acted
