"""TableTree: decisions in the order in which they are reached, one row for every action of every seat, and what the ends pay.

A *slot* is one action of one decision; slots are numbered seat by seat, those that go on before folds, so that the reach of a seat is one
block of rows. Row `slot` holds what the seat has played up to and including the action; rows after all slots hold what each seat begins
with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, class_weights
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.games.spots.locks import Lock
from equilibrist.games.tables.betting import NOBODY, Situation, first_situation, play_line
from equilibrist.games.tables.payoffs import Payoffs
from equilibrist.games.tables.table import Table

MOST_DECISIONS = 200_000
STAY = 3  # seats at most that show their cards


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
    staying: Longs  # [end, STAY] seats that show cards, -1 where there are fewer
    first_pay: Longs  # [end] where its outcomes begin
    pays: Floats  # [outcome, seat]
    flops: int  # ends at which two or more could still bet: flops that are played

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
    waiting, found = [first_situation(table)], 0
    while waiting:
        here = waiting.pop()
        if here.seat == NOBODY:
            continue
        found += 1
        if found > most:
            raise TooLargeError(
                f"The menus make more than {most:,} decisions; offer fewer sizes, fewer cold calls or fewer 'players_to_flop'."
            )
        waiting += [here.after(index) for index in range(len(here.actions))]
    return found


def grow_table(table: Table) -> TableTree:
    """The tree of a table; refuses what has nothing to decide or too much of it."""
    start = first_situation(table)
    if start.seat == NOBODY:
        raise ParameterError("Blinds and antes leave nobody anything to decide at this table; give deeper stacks.")
    grown = _Growing([], [], [], [], [], [], [])
    for place, here, last in _walk(start):
        if here.seat == NOBODY:
            _hang(grown, place, -1 - len(grown.ends))
            grown.ends.append((here, last))
            continue
        if len(grown.seat) >= MOST_DECISIONS:
            count_decisions(table)
        _hang(grown, place, len(grown.seat))
        grown.seat.append(here.seat)
        grown.lines.append(":".join(here.line))
        grown.labels.append(here.labels)
        grown.action_before.append(last)
        grown.children.append([])
        for label in here.labels:
            grown.owners.append((here.seat, label == "f", last[here.seat]))
    return _frozen(table, grown)


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


def _frozen(table: Table, grown: _Growing) -> TableTree:
    seats = table.seats
    keys = [(seat, fold, number) for number, (seat, fold, _) in enumerate(grown.owners)]
    order = np.array([number for _, _, number in sorted(keys)])  # [slot] action
    slot_of = np.empty(len(order), np.int64)
    slot_of[order] = np.arange(len(order))
    owner = np.array([seat for seat, _, _ in grown.owners])[order]
    folds = np.array([fold for _, fold, _ in grown.owners])[order]
    rows = np.concatenate([slot_of, len(order) + np.arange(seats)[::-1]])  # index -1 - seat counts from the end

    payoffs = Payoffs(table)
    first_pay = [payoffs.add(end)[0] for end, _ in grown.ends]
    staying = [(*end.staying, *(-1,) * STAY)[:STAY] for end, _ in grown.ends]
    widths = [len(names) for names in grown.labels]
    seat_slots = np.searchsorted(owner, np.arange(seats + 1))
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
        staying=np.array(staying),
        first_pay=np.array(first_pay),
        pays=payoffs.values(),
        flops=sum(sum(end.behind[seat] > 0.0 for seat in end.staying) > 1 for end, _ in grown.ends),
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
