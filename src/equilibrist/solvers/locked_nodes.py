"""Where the locks of a spot lie in the solver's tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import ParameterError
from equilibrist.games.cards.ranges import parse_cards, parse_range
from equilibrist.games.holdem.boards import StreetBoards
from equilibrist.games.holdem.forest import DEAL, IP, StreetForest
from equilibrist.games.holdem.locks import Lock


@dataclass(frozen=True)
class PlacedLock:
    """A lock on the solver's tables."""

    depth: int
    board: int
    node: int
    player: int
    probability: npt.NDArray[np.float32]  # [action, place]
    bound: npt.NDArray[np.bool_]  # [place] hands that are locked


def place_lock(lock: Lock, forests: tuple[StreetForest, ...], boards: tuple[StreetBoards, ...]) -> PlacedLock:
    """Find the node, board and hands a lock speaks of; boards must not be merged by suits."""
    depth, board, node = 0, 0, 0
    for token in (part for part in lock.line.split(":") if part):
        if forests[depth].kind[node] == DEAL:
            board = _deal(lock, boards, depth, board, token)
            node = int(forests[depth].next_root[node])
            depth += 1
        else:
            node = forests[depth].child(node, token)
    player = int(forests[depth].kind[node])
    if player > IP:
        raise ParameterError(f"Nobody acts after '{lock.line}', so nothing can be locked there.")
    labels = forests[depth].labels(node)
    unknown = [label for label in lock.strategy if label not in labels]
    if unknown:
        raise ParameterError(
            f"A lock after '{lock.line}' names {unknown[0]!r}, but the actions there are {', '.join(labels)}."
        )
    own = boards[depth].player[player]
    pair = own.pair[board]
    bound = np.where(pair >= 0, parse_range(lock.hands).weights[np.maximum(pair, 0)] > 0, False)
    if not bound.any():
        raise ParameterError(
            f"The lock after '{lock.line}' speaks of hands '{lock.hands}', none of which the player can hold there."
        )
    shares = np.array([lock.strategy.get(label, 0.0) for label in labels], dtype=np.float32)
    return PlacedLock(depth, board, node, player, np.repeat(shares[:, None], len(pair), axis=1), bound)


def _deal(lock: Lock, boards: tuple[StreetBoards, ...], depth: int, board: int, token: str) -> int:
    (card,) = parse_cards(token) if len(token) == 2 else (-1,)
    children = range(int(boards[depth].first_child[board]), int(boards[depth].first_child[board + 1]))
    for child in children:
        if boards[depth + 1].cards[child][-1] == card:
            return child
    raise ParameterError(
        f"In the lock '{lock.line}' a card must come at '{token}'; expected one that is not on the board, such as 8h."
    )
