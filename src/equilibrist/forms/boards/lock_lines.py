"""Where the line of a lock leads: the cards dealt on it, and the street and node at its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equilibrist.cards.ranges import parse_cards
from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.street_betting import DEAL, IP, StreetForest
from equilibrist.games.spots.locks import Lock


def locked_place(lock: Lock, forests: Sequence[StreetForest]) -> tuple[tuple[int, ...], int, int]:
    """The cards dealt on a lock's line, and the street and node at its end, where somebody acts."""
    *_, (cards, depth, node) = lock_steps(lock, forests)
    if forests[depth].kind[node] > IP:
        raise ParameterError(f"Nobody acts after '{lock.line}', so nothing can be locked there.")
    return cards, depth, node


def lock_steps(lock: Lock, forests: Sequence[StreetForest]) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Cards dealt so far, street and node: at the beginning and after every part of a lock's line."""
    cards, depth, node = tuple[int, ...](), 0, 0
    yield cards, depth, node
    for token in lock_tokens(lock):
        if forests[depth].kind[node] == DEAL:
            if len(token) != 2:
                raise no_card(lock, token)
            cards, node, depth = (*cards, *parse_cards(token)), int(forests[depth].next_root[node]), depth + 1
        else:
            node = forests[depth].child(node, token)
        yield cards, depth, node


def lock_tokens(lock: Lock) -> list[str]:
    """The parts of a lock's line."""
    return [part for part in lock.line.split(":") if part]


def no_card(lock: Lock, token: str) -> ParameterError:
    """The sentence for a part of a line that should be a card."""
    return ParameterError(
        f"In the lock '{lock.line}' a card must come at '{token}'; expected one that is not on the board, such as 8h."
    )
