"""How large a game is, before anything is built."""

from __future__ import annotations

import math
import os
import random

from equilibrist.compute.machine import available_memory
from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.games.rules import CHANCE, TERMINAL, Game

# at the peak of building, arrays with their share of keys and labels; benchmarks/tabular.py prints both
BYTES_PER_HISTORY = 180
PUBLIC_BYTES_PER_HISTORY = 520


def memory_limit() -> int:
    """Bytes a tree may take: three quarters of what is available, or EQUILIBRIST_MEMORY (bytes)."""
    override = os.environ.get("EQUILIBRIST_MEMORY")
    if override:
        try:
            limit = float(override)
            if not 0.0 <= limit < math.inf:
                raise ValueError
        except ValueError:
            raise ParameterError(
                f"EQUILIBRIST_MEMORY is '{override}', but a number of bytes is expected, such as 4e9; set it or leave it out."
            ) from None
        return int(limit)
    return available_memory() * 3 // 4


def estimate_histories(game: Game, probes: int = 400, seed: int = 0) -> float:
    """Histories of a game: known, or estimated by random descents (Knuth's unbiased estimator)."""
    known = game.histories()
    if known is not None:
        return known
    rng = random.Random(seed)
    total = 0.0
    for _ in range(probes):
        state, weight = game.start(), 1.0
        total += 1.0
        while state.player != TERMINAL:
            if state.player == CHANCE:
                width = len(state.chance())
            else:
                width = len(state.actions())
            weight *= width
            total += weight
            state = state.child(rng.randrange(width))
            if weight > 1e30:
                break
    return total / probes


def check_fits(game: Game, limit_bytes: int, bytes_per_history: int = BYTES_PER_HISTORY) -> None:
    """Refuse a game whose tree would not fit, before building it."""
    histories = estimate_histories(game)
    if math.isinf(histories):
        raise TooLargeError(
            f"The game '{game.name}' has more histories than can be counted and will not fit in {limit_bytes / 1e9:.1f} GB; "
            "choose smaller parameters (a bet menu, a shorter stack, fewer cards)."
        )
    if histories * bytes_per_history > limit_bytes:
        raise TooLargeError(
            f"The game '{game.name}' has about {histories:.3g} histories and would need {_size(histories * bytes_per_history)}, but "
            f"{limit_bytes / 1e9:.1f} GB are available; choose smaller parameters."
        )


def check_memory(what: str, size: float) -> None:
    """Refuse what is made before a tree is asked for, where it alone would not fit."""
    if size > memory_limit():
        raise TooLargeError(
            f"{what} would need {_size(size)}, but {memory_limit() / 1e9:.1f} GB are available; choose smaller parameters."
        )


def _size(size: float) -> str:
    return f"{size / 1e9:,.1f} GB" if size < 1e15 else f"{size:.1e} bytes"
