"""TableTree: decisions in the order in which they are reached, one row for every action of every seat, and what the ends pay.

A *slot* is one action of one decision; slots are numbered seat by seat, those that go on before folds, so that the reach of a seat is one
block of rows. Row `slot` holds what the seat has played up to and including the action; rows after all slots hold what each seat begins
with.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, class_weights
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.games.spots.locks import Lock
from equilibrist.games.tables.betting import NOBODY, Situation, first_decision, play_line
from equilibrist.games.tables.flop_leaves import CHECK_DOWN
from equilibrist.games.tables.flop_spots import plays_on
from equilibrist.games.tables.payoffs import Payoffs, Worth
from equilibrist.games.tables.table import Table

MOST_DECISIONS = 200_000
SOON, WIDE = 5_000, 2_000  # decisions after which they are estimated, and lines that an estimate takes
SURELY = 4.0  # times too many: the median of three estimates is within a factor of three of most trees
STAY = 3  # seats at least that there is room for at an end
MOST_OUTCOMES = 5_000_000  # of all ends together


@dataclass(frozen=True)
class TableTree:
    """The betting of a table, frozen."""

    table: Table
    lines: tuple[str, ...]  # [decision] actions before it
    labels: tuple[tuple[str, ...], ...]  # [decision]
    seat: Longs  # [decision] who acts
    first: Longs  # [decision + 1] where its actions begin in the next two
    slots: Longs  # [action] its slot
    children: Longs  # [action] the next decision, or -1 - end
    seat_slots: Longs  # [seat + 1] where the slots of a seat begin
    seat_folds: Longs  # [seat] where its folds begin
    before: Longs  # [slot] row of the same seat before the action
    rows: Longs  # [end, seat] row of each seat
    decision_rows: Longs  # [decision, seat] the same before a decision
    staying: Longs  # [end, place] seats that show cards, -1 where there are fewer
    tops: Longs  # [end, place] the last of the pots that each of them can win
    first_pay: Longs  # [end] where its outcomes begin
    pays: Floats  # [outcome, seat]
    flops: int  # ends at which two or more could still bet: flops that are played
    played_ends: dict[int, Situation]  # the same by number; kept only where they are not checked down
    depth: int = 0  # hands to come that are in `pays`; 0: ICM or chips
    future_gain: float = 0.0  # what a seat could gain at most in one of them

    @property
    def decisions(self) -> int:
        return len(self.seat)

    @property
    def ends(self) -> int:
        return len(self.rows)

    @property
    def slot_count(self) -> int:
        return len(self.before)

    @cached_property
    def showing(self) -> Longs:
        """[end] how many seats show their cards."""
        shown: Longs = (self.staying >= 0).sum(axis=1)
        return shown

    @cached_property
    def flop_ends(self) -> dict[int, Situation]:
        """Those of two players."""
        return {number: end for number, end in self.played_ends.items() if plays_on(end)}

    @cached_property
    def place(self) -> dict[str, int]:
        """Decision by line."""
        return {line: number for number, line in enumerate(self.lines)}

    @cached_property
    def locks(self) -> tuple[Longs, Floats, Floats]:
        """[decision] number of its lock or -1; [lock, action, class] shares that are fixed; [lock, class] what is left free."""
        return _locks(self)

    def slots_of(self, decision: int) -> Longs:
        """The slots of a decision's actions, in their order."""
        return self.slots[self.first[decision] : self.first[decision + 1]]

    def decision_after(self, line: str) -> int:
        """The decision after a line such as `f:r2.5:f`."""
        here = play_line(self.table, line)
        if here.seat == NOBODY:
            raise ParameterError(f"Nobody has anything to decide after '{line[:80]}'; the betting is over there.")
        return self.place[":".join(here.line)]


@dataclass
class _Growing:
    """What is collected while the tree grows."""

    seat: list[int]
    lines: list[str]
    labels: list[tuple[str, ...]]
    action_before: list[tuple[int, ...]]  # [decision] of each seat its last action, counted over all, -1 - seat if none
    children: list[list[int]]
    ends: list[tuple[Situation, tuple[int, ...]]]
    owners: list[tuple[int, bool, int]]  # [action] seat, whether it folds, the seat's action before


def count_decisions(table: Table, most: int = MOST_DECISIONS) -> int:
    """Decisions of a table, before anything is allocated; refuses more than `most`."""
    waiting, found = [first_decision(table)], 0
    while waiting:
        here = waiting.pop()
        if here.seat == NOBODY:
            continue
        found += 1
        _refuse_too_many(table, found, most)
        waiting += [here.after(index) for index in range(len(here.actions))]
    return found


def estimate_decisions(table: Table, wide: int = WIDE, seed: int = 0) -> float:
    """About how many decisions a table has: the first are counted, and a random line below each of the next stands for others."""
    rng, waiting, found = random.Random(seed), deque([first_decision(table)]), 0.0
    while waiting and len(waiting) < wide:
        here = waiting.popleft()
        if here.seat != NOBODY:
            found += 1.0
            waiting.extend(here.after(index) for index in range(len(here.actions)))
    for below in waiting:
        here, alike = below, 1.0
        while here.seat != NOBODY:
            found += alike
            alike *= len(here.actions)
            here = here.after(rng.randrange(len(here.actions)))
    return found


def _refuse_too_many(table: Table, found: int, most: int = MOST_DECISIONS) -> None:
    """Large trees are refused by an estimate as soon as they are seen to be large, others once they are too large."""
    about = median(estimate_decisions(table, seed=seed) for seed in range(3)) if found == SOON < most else 0.0
    if found > most or about > SURELY * most:
        many = (
            f"about {float(f'{about:.1g}'):,.0f} decisions, more than {most:,}"
            if about
            else f"more than {most:,} decisions"
        )
        raise TooLargeError(f"The menus make {many}; offer fewer sizes, fewer cold calls or fewer 'players_to_flop'.")


def _refuse_too_many_outcomes(found: int) -> None:
    """Pots of many different sizes can be won in many ways."""
    if found > MOST_OUTCOMES:
        raise TooLargeError(
            f"The ends of the betting have more than {MOST_OUTCOMES:,} outcomes; offer fewer sizes or fewer 'players_to_flop'."
        )


def _most_showing(grown: _Growing) -> int:
    """Places that ends have room for."""
    return max(STAY, *(len(end.staying) for end, _ in grown.ends))


def grow_table(table: Table, worth: Worth | None = None) -> TableTree:
    """The tree of a table; refuses what has nothing to decide or too much of it. `worth` values stacks after it, where ICM does not."""
    start = first_decision(table)
    grown = _Growing([], [], [], [], [], [], [])
    for place, here, last in _walk(start):
        if here.seat == NOBODY:
            _hang(grown, place, -1 - len(grown.ends))
            grown.ends.append((here, last))
            continue
        _refuse_too_many(table, len(grown.seat) + 1)
        _hang(grown, place, len(grown.seat))
        grown.seat.append(here.seat)
        grown.lines.append(":".join(here.line))
        grown.labels.append(here.labels)
        grown.action_before.append(last)
        grown.children.append([])
        for label in here.labels:
            grown.owners.append((here.seat, label == "f", last[here.seat]))
    return _frozen(table, grown, worth)


def _walk(start: Situation) -> Iterator[tuple[int, Situation, tuple[int, ...]]]:
    """Situations parents first, with the decision above and every seat's last action; actions are counted as they are met."""
    nothing = tuple(-1 - seat for seat in range(len(start.bets)))
    waiting: list[tuple[int, Situation, tuple[int, ...]]] = [(-1, start, nothing)]
    decisions = actions = 0
    while waiting:
        place, here, last = waiting.pop()
        yield place, here, last
        if here.seat == NOBODY:
            continue
        below = [
            (decisions, here.after(i), (*last[: here.seat], actions + i, *last[here.seat + 1 :]))
            for i in range(len(here.actions))
        ]
        waiting += below[::-1]
        decisions, actions = decisions + 1, actions + len(below)


def _hang(grown: _Growing, place: int, what: int) -> None:
    if place >= 0:
        grown.children[place].append(what)


def _frozen(table: Table, grown: _Growing, worth: Worth | None) -> TableTree:
    seats = table.seats
    keys = [(seat, fold, number) for number, (seat, fold, _) in enumerate(grown.owners)]
    order = np.array([number for _, _, number in sorted(keys)])  # [slot] action
    slot_of = np.empty(len(order), np.int64)
    slot_of[order] = np.arange(len(order))
    owner = np.array([seat for seat, _, _ in grown.owners])[order]
    folds = np.array([fold for _, fold, _ in grown.owners])[order]
    rows = np.concatenate([slot_of, len(order) + np.arange(seats)[::-1]])  # index -1 - seat counts from the end

    payoffs, first_pay = Payoffs(table, worth), []
    staying, tops = (
        np.full((len(grown.ends), _most_showing(grown)), -1),
        np.zeros((len(grown.ends), _most_showing(grown)), np.int64),
    )
    for number, (end, _) in enumerate(grown.ends):
        first, last = payoffs.add(end)
        _refuse_too_many_outcomes(first)
        first_pay.append(first)
        staying[number, : len(last)], tops[number, : len(last)] = end.staying, last
    widths = [len(names) for names in grown.labels]
    seat_slots = np.searchsorted(owner, np.arange(seats + 1))
    played = [
        number for number, (end, _) in enumerate(grown.ends) if sum(end.behind[seat] > 0.0 for seat in end.staying) > 1
    ]
    goes_on = [int(np.count_nonzero((owner == seat) & ~folds)) for seat in range(seats)]
    return TableTree(
        table=table,
        lines=tuple(grown.lines),
        labels=tuple(grown.labels),
        seat=np.array(grown.seat),
        first=np.concatenate([[0], np.cumsum(widths)]),
        slots=slot_of,
        children=np.array([child for several in grown.children for child in several]),
        seat_slots=seat_slots,
        seat_folds=seat_slots[:-1] + np.array(goes_on),
        before=rows[np.array([before for _, _, before in grown.owners])[order]],
        rows=np.array([rows[list(last)] for _, last in grown.ends]),
        decision_rows=np.array([rows[list(last)] for last in grown.action_before]),
        staying=staying,
        tops=tops,
        first_pay=np.array(first_pay),
        pays=payoffs.values(),
        flops=len(played),
        played_ends={} if table.leaves == CHECK_DOWN else {number: grown.ends[number][0] for number in played},
    )


def _locks(tree: TableTree) -> tuple[Longs, Floats, Floats]:
    number = np.full(tree.decisions, -1)
    fixed, free = list[Floats](), list[Floats]()
    widest = max(map(len, tree.labels))
    for lock in tree.table.locks:
        place = _locked_place(tree, lock)
        if number[place] >= 0:
            raise ParameterError(f"Two locks stand after '{lock.line[:80]}'; put what they say into one.")
        shares, bound = lock.rows(tree.labels[place])
        by_class = np.stack([class_weights(bound * row) for row in shares])
        left = 1.0 - by_class.sum(axis=0)
        number[place] = len(fixed)
        fixed.append(np.concatenate([by_class, np.zeros((widest - len(by_class), CLASSES))]))
        free.append(np.where(np.abs(left) < 1e-9, 0.0, left))
    return number, np.array(fixed).reshape(-1, widest, CLASSES), np.array(free).reshape(-1, CLASSES)


def _locked_place(tree: TableTree, lock: Lock) -> int:
    if lock.frequency is not None:
        raise ParameterError("Locks of a table fix a 'strategy'; a 'frequency' is for spots, leave it out.")
    return tree.decision_after(lock.line)
