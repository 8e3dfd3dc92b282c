"""Where the locks of a spot lie in the solver's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import ParameterError
from equilibrist.games.cards.ranges import parse_cards
from equilibrist.games.holdem.boards import StreetBoards
from equilibrist.games.holdem.forest import DEAL, IP, StreetForest
from equilibrist.games.holdem.locks import Lock

Floats32 = npt.NDArray[np.float32]
Forests = Sequence[StreetForest]
Boards = Sequence[StreetBoards]


@dataclass(frozen=True)
class PlacedLock:
    """A lock on the solver's tables."""

    depth: int
    board: int
    node: int
    player: int
    fixed: Floats32  # [action, place] what bound hands do
    bound: Floats32  # [place] how far each hand is bound


@dataclass(frozen=True)
class LockArrays:
    """All locks of one player on one street, as the kernels want them."""

    lock_of: npt.NDArray[np.int32]  # [board * node] number of the lock at a node, or -1
    lock_start: npt.NDArray[np.int64]  # [lock] where its rows begin in `fixed`
    bound: Floats32  # [lock * place]
    fixed: Floats32  # [lock, action, place], one lock after the other


def place_lock(lock: Lock, forests: Forests, boards: Boards) -> PlacedLock:
    """Find the node, board and hands a lock speaks of; boards must not be merged by suits."""
    if not lock.settled:
        raise ParameterError(
            f"The lock after '{lock.line}' asks for a frequency, which becomes a strategy only in solve_spot; use that."
        )
    depth, board, node, _ = _walk(lock, forests, boards, (-1, -1, -1))
    player = int(forests[depth].kind[node])
    if player > IP:
        raise ParameterError(f"Nobody acts after '{lock.line}', so nothing can be locked there.")
    shares, weight = lock.rows(forests[depth].labels(node))
    pair = boards[depth].player[player].pair[board]
    held = np.maximum(pair, 0)
    bound = np.where(pair >= 0, weight[held], 0.0)
    if not bound.any():
        raise ParameterError(
            f"The lock after '{lock.line}' speaks of hands '{lock.hands}', none of which the player can hold there."
        )
    return PlacedLock(depth, board, node, player, shares[:, held].astype(np.float32), bound.astype(np.float32))


def locks_below(
    locks: Sequence[Lock], forests: Forests, boards: Boards, depth: int, board: int, root: int
) -> list[Lock]:
    """The locks at or below a root of a later street on one board, with lines that begin there."""
    out = []
    for lock in locks:
        *_, rest = _walk(lock, forests, boards, (depth, board, root))
        if rest is not None:
            out.append(replace(lock, line=rest))
    return out


def _walk(lock: Lock, forests: Forests, boards: Boards, stop: tuple[int, int, int]) -> tuple[int, int, int, str | None]:
    """Street, board and node at the end of a lock's line, and what of the line came after `stop`, if it passed there."""
    depth, board, node, rest = 0, 0, 0, None
    tokens = [part for part in lock.line.split(":") if part]
    for place, token in enumerate(tokens):
        if forests[depth].kind[node] == DEAL:
            board = _deal(lock, boards, depth, board, token)
            node = int(forests[depth].next_root[node])
            depth += 1
            if (depth, board, node) == stop:
                rest = ":".join(tokens[place + 1 :])
        else:
            node = forests[depth].child(node, token)
    return depth, board, node, rest


def _deal(lock: Lock, boards: Boards, depth: int, board: int, token: str) -> int:
    (card,) = parse_cards(token) if len(token) == 2 else (-1,)
    children = range(int(boards[depth].first_child[board]), int(boards[depth].first_child[board + 1]))
    for child in children:
        if boards[depth + 1].cards[child][-1] == card:
            return child
    raise ParameterError(
        f"In the lock '{lock.line}' a card must come at '{token}'; expected one that is not on the board, such as 8h."
    )


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
