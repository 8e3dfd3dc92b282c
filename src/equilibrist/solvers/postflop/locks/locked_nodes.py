"""Where the locks of a spot lie in the solver's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.range_text import STANDARD
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.lock_lines import lock_steps, lock_tokens, locked_place, no_card
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import StreetBoards
from equilibrist.games.spots.locks import Lock

Forests = Sequence[StreetForest]
Boards = Sequence[StreetBoards]


@dataclass(frozen=True)
class PlacedLock:
    """A lock on the solver's tables."""

    depth: int
    board: int
    node: int
    player: int
    fixed: Floats  # [action, place] what bound hands do
    bound: Floats  # [place] how far each hand is bound


@dataclass(frozen=True)
class LockArrays:
    """All locks of one player on one street, as the kernels want them."""

    lock_of: npt.NDArray[np.int32]  # [board * node] number of the lock at a node, or -1
    lock_start: npt.NDArray[np.int64]  # [lock] where its rows begin in `fixed`
    bound: Floats  # [lock * place]
    fixed: Floats  # [lock, action, place], one lock after the other


def place_locks(locks: Sequence[Lock], forests: Forests, boards: Boards, *, merged: bool) -> list[PlacedLock]:
    """All locks on boards that are there; where boards are `merged` by suits, a lock on another has its image on one of them."""
    out = []
    for lock in locks:
        cards, depth, _ = locked_place(lock, forests)
        whole = (*boards[0].cards[0], *cards)
        if not merged or whole in boards[depth].cards or len(set(whole)) < len(whole):
            out.append(place_lock(lock, forests, boards))
    return out


def place_lock(lock: Lock, forests: Forests, boards: Boards) -> PlacedLock:
    """Find the node, board and hands a lock speaks of, on a board that is there."""
    if not lock.settled:
        raise ParameterError(
            f"The lock after '{lock.line}' asks for a frequency, which becomes a strategy only in solve_spot; use that."
        )
    cards, depth, node = locked_place(lock, forests)
    board, player = _board(lock, cards, boards), int(forests[depth].kind[node])
    shares, weight = lock.rows(forests[depth].labels(node))
    pair = boards[depth].player[player].pair[board]
    held = np.maximum(pair, 0)
    bound = np.where(pair >= 0, weight[held], 0.0)
    if not bound.any():
        raise ParameterError(
            f"The lock after '{lock.line}' speaks of hands '{lock.hands}', none of which the player can hold there."
        )
    return PlacedLock(depth, board, node, player, shares[:, held].astype(np.float64), bound.astype(np.float64))


def locks_below(
    locks: Sequence[Lock], forests: Forests, boards: Boards, depth: int, board: int, root: int
) -> list[Lock]:
    """The locks at or below a root of a later street on one board, with lines that begin there."""
    out = []
    for lock in locks:
        for passed, (cards, street, node) in enumerate(lock_steps(lock, forests)):
            if (street, node) == (depth, root) and _board(lock, cards, boards) == board:
                out.append(replace(lock, line=":".join(lock_tokens(lock)[passed:])))
    return out


def _board(lock: Lock, cards: tuple[int, ...], boards: Boards) -> int:
    """The number of the board that these cards make."""
    whole = (*boards[0].cards[0], *cards)
    for length in range(len(boards[0].cards[0]) + 1, len(whole) + 1):
        if len(set(whole[:length])) < length:
            raise no_card(lock, STANDARD.label(whole[length - 1]))
    return boards[len(cards)].cards.index(whole)


def lock_arrays(locks: Sequence[PlacedLock], boards: int, nodes: int) -> LockArrays:
    """Pack the locks of one player on one street; of several locks at one place the last that names a hand counts."""
    by_place: dict[int, list[PlacedLock]] = {}
    for lock in locks:
        by_place.setdefault(lock.board * nodes + lock.node, []).append(lock)
    lock_of = np.full(boards * nodes, -1, dtype=np.int32)
    start, bound, fixed = [0], [], []
    for number, (place, here) in enumerate(by_place.items()):
        lock_of[place] = number
        shares, share_bound = here[0].fixed.copy(), here[0].bound.copy()
        for later in here[1:]:
            named = later.bound > 0.0
            shares[:, named], share_bound[named] = later.fixed[:, named], later.bound[named]
        bound.append(share_bound)
        fixed.append(shares.ravel())
        start.append(start[-1] + shares.size)
    return LockArrays(lock_of, np.array(start[:-1], dtype=np.int64), np.concatenate(bound), np.concatenate(fixed))


def bind(tables: Any, board: int, node: int, nodes: int, free: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What hands do [action, place] at a node, from what they do where they are free."""
    number = int(tables.lock_of[board * nodes + node]) if tables.locked else -1
    if number < 0:
        return free
    actions, places = free.shape
    start = int(tables.lock_start[number])
    fixed = tables.fixed[start : start + actions * places].reshape(actions, places)
    bound = tables.bound[number * places : (number + 1) * places]
    mixed: npt.NDArray[np.float64] = free + bound * (fixed - free)
    return mixed
