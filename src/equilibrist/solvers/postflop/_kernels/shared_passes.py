"""Passes over the last streets by any number of threads, each in one call for all of them.

Threads draw tickets, one for each piece of work, in an order in which every piece depends on earlier ones alone: the way down of a board,
then its last boards in pieces. Whoever finishes the last piece of a board brings its values up. A thread that comes late, or never,
holds nobody up. Every piece has values of its own, which are added up in a fixed order: any number of threads gives the same bits.
"""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.atomics import LINE, publish, take, wait_for
from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import load, spread, store
from equilibrist.solvers.postflop._kernels.layout import ZERO, Links, Side, Street, Weights
from equilibrist.solvers.postflop._kernels.reach import reach_down
from equilibrist.solvers.postflop._kernels.symmetry import symmetrise
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop._kernels.values import values_up

TICKET = 0  # the next piece of work
READY, FINISHED, FREED, WORDS = 1, 2, 3, 3  # of a slot: reach has come down, pieces done, values have gone up
LAST, DOWN, UP = 0, 1, 2  # what is done with a board


class Order(NamedTuple):
    """The T pieces of work of a pass; level 0 is the first of its streets, 1 the one between it and the last boards, if there is one."""

    level: Any  # [T]
    board: Any  # [T]
    piece: Any  # [T] number among the pieces of the board
    first: Any  # [T] last boards of the piece; -1: the way down
    last: Any  # [T]
    begin: Any  # [2] first board of each level
    boards: Any  # [2]
    slots: Any  # [2] boards of a level that are at work at a time
    offset: Any  # [2] slots of the levels before
    rank: Any  # [2, boards] in which order boards are begun
    pieces: Any  # [2, boards] of last boards, or of boards below


class Strips(NamedTuple):
    """One kind of memory for the boards at work: a strip for each slot, or for each player or piece of it."""

    array: Any  # [all]
    first: Any  # [2] where a level begins
    step: Any  # [2] from one strip to the next, in sixteens
    size: Any  # [2, 2] of what is used of a strip, by level and player


class Room(NamedTuple):
    """What boards hand to those below and get back."""

    reach: Strips  # for each player: the columns that stay zero lie elsewhere
    value: Strips  # for each piece
    pieces: Any  # [2] most of a board of each level
    width: Any  # [2, 2] columns that are handed down, by level and player
    width_above: Any  # [2, 2] columns of what comes from above
    roots: Any  # [2] of the street below


class Level(NamedTuple):
    """One street, both players, and memory for as many boards as are at work at a time."""

    street: Street
    side0: Side
    side1: Side
    scratch0: Any  # [slots] Scratch: what showdowns and folds of the boards themselves pay is kept until values come up
    scratch1: Any  # [slots] Scratch


class Below(NamedTuple):
    """What a board hands down and gets back, R roots."""

    reach: Any  # [R * reach_width] the opponent's
    reach_width: int
    value: Any  # [R * value_width] mine
    value_width: int
    roots: int


@kernel
def clear(array, first, count):
    """Zeros, sixteen at a time."""
    zero = spread(ZERO)
    for h in range(first, first + count, 16):
        store(array, h, zero)


@kernel
def add_pieces(value, first, count, step):
    """The values of all pieces of a board, added to those of the first one in their order."""
    for h in range(first, first + step, 16):
        total = load(value, h)
        for k in range(1, count):
            total = total + load(value, h + k * step)
        store(value, h, total)


@kernel
def strip(strips, level, number, player):
    """One strip of a level."""
    at = strips.first[level] + number * strips.step[level]
    return strips.array[at : at + strips.size[level, player]]


@kernel
def clear_strip(strips, level, number):
    """All of it, with the room behind what is used."""
    clear(strips.array, strips.first[level] + number * strips.step[level], strips.step[level])


@kernel
def work_on(kind, first, last, mode, me, weights, here, memory, above, below, control, word, nothing):
    """Boards first .. last-1 of a street, DOWN, UP, or both (LAST), with scratch memory of this number.

    On the way down the opponent's reach is announced to those who wait for it as soon as it is there.
    """
    street = here.street
    mine, theirs = (here.side0, here.side1) if me == 0 else (here.side1, here.side0)
    scratch = (here.scratch0 if me == 0 else here.scratch1)[memory]
    forest, hands, their_hands = street.forest, mine.hands, theirs.hands
    for b in range(first, last):
        if kind != UP:
            reach_down(
                mode, b, 1 - me, forest, their_hands, theirs.tables, scratch, street.factor, weights.keep, above.reach,
                above.reach_width, below.reach, below.reach_width, nothing,
            )  # fmt: skip
            if kind == DOWN:
                publish(control, word[0], word[1])
            terminals(b, me, forest, street.group_start, street.groups, hands, their_hands, mine.payoff, scratch)
        if kind != DOWN:
            if kind == UP:
                symmetrise(b, hands, below.roots, below.value_width, below.value, scratch.spare)
            values_up(
                mode, b, me, forest, hands, mine.tables, scratch, weights, below.value, below.value_width, above.value,
                above.value_width, nothing,
            )  # fmt: skip


@kernel
def slot_of(level, board, turn, order):
    """How many boards of a level were begun before, the slot of this one, and where its words stand in `control`."""
    number = turn * order.boards[level] + order.rank[level, board - order.begin[level]]
    slot = number % order.slots[level]
    return number, slot, (order.offset[level] + slot) * WORDS * LINE


@kernel
def is_last_piece(level, board, at, order, control):
    """One more piece of a board is done: whether it was the last one; the board's own terminals are one more."""
    if take(control, at + FINISHED * LINE, 1) < order.pieces[level, board - order.begin[level]]:
        return False
    publish(control, at + FINISHED * LINE, 0)
    return True


@kernel
def run_passes(mode, whole, players, factors, order, room, levels, ends, control, nothing):
    """This thread's part of passes for the first to the last of `players`, once for every row of `factors` [rows, 3].

    `levels` are the first street, the one between if there is one, and the last, number 2. `ends` holds both players' weights above the
    first board, and the values there. Unless it is `whole`, the first board is left to the caller: its reach stands in the room, and so
    do the values below it at the end.
    Everything is in one kernel, and every kernel below is called by one other: each in between would be compiled again with all of them.
    """
    count, tasks = players[1] - players[0] + 1, order.level.shape[0]
    passes = np.int64(factors.shape[0]) * count
    while True:
        ticket = take(control, TICKET, 1)
        turn, i = ticket // tasks, ticket % tasks
        if turn >= passes:
            return
        row, me = turn // count, players[0] + turn % count
        them = 1 - me
        weights = Weights(factors[row, 0], factors[row, 1], factors[row, 2])
        level, board, piece, first, end = order.level[i], order.board[i], order.piece[i], order.first[i], order.last[i]
        number, slot, at = slot_of(level, board, turn, order)
        kind = LAST
        if first < 0:
            kind = DOWN
            wait_for(control, at + FREED * LINE, number - order.slots[level] + 1)
            if level > 0:
                _, _, words = slot_of(level - 1, order.begin[0], turn, order)
                wait_for(control, words + READY * LINE, turn + 1)
        else:
            wait_for(control, at + READY * LINE, number + 1)
        while True:
            word, working = (at + READY * LINE, number + 1), True
            handed = strip(room.reach, level, 2 * slot + them, them)
            if kind == LAST:
                here, memory = levels[2], np.int64(0)
                place = slot * room.pieces[level] + piece
                clear_strip(room.value, level, place)
                above = Links(
                    handed, room.width[level, them], strip(room.value, level, place, me), room.width[level, me]
                )
                below = Below(nothing, room.width[level, them], nothing, room.width[level, me], room.roots[level])
            else:
                here, memory, first, end = levels[level], slot, board, board + 1
                place = slot * room.pieces[level]
                if kind == UP:
                    pieces = order.pieces[level, board - order.begin[level]]
                    add_pieces(
                        room.value.array,
                        room.value.first[level] + place * room.value.step[level],
                        pieces,
                        room.value.step[level],
                    )
                below = Below(
                    handed, room.width[level, them], strip(room.value, level, place, me), room.width[level, me], room.roots[level]
                )  # fmt: skip
                reach, value = (ends[1], ends[2]) if me == 0 else (ends[0], ends[3])
                if level > 0:
                    over = board - order.begin[level]  # the first level has one slot
                    if kind == UP:
                        clear_strip(room.value, level - 1, over)
                    reach, value = strip(room.reach, level - 1, them, them), strip(room.value, level - 1, over, me)
                above = Links(reach, room.width_above[level, them], value, room.width_above[level, me])
                working = level > 0 or whole
                if kind == DOWN and not working:
                    publish(control, word[0], word[1])
            if working:
                work_on(kind, first, end, mode, me, weights, here, memory, above, below, control, word, nothing)
            if kind == UP:
                publish(control, at + FREED * LINE, number + 1)
                if level == 0:
                    break
                level, board = level - 1, order.begin[0]
                number, slot, at = slot_of(level, board, turn, order)
            if not is_last_piece(level, board, at, order, control):
                break
            kind = UP
