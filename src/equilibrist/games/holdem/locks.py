"""Locks: a player's strategy fixed at one place of a spot, for all its hands or some of them; the rest is solved around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equilibrist.core.errors import ParameterError
from equilibrist.games.cards.ranges import parse_range
from equilibrist.games.holdem.sizing import check_keys, read_number

_KEYS = ("line", "hands", "strategy")


@dataclass(frozen=True)
class Lock:
    """After `line` (actions and cards, `x:b120:c:8h`) the hands in a range play `strategy` (label to probability)."""

    line: str
    strategy: Mapping[str, float]
    hands: str = "random"

    def table(self) -> dict[str, Any]:
        return {"line": self.line, "hands": self.hands, "strategy": dict(self.strategy)}


def read_locks(tables: object) -> tuple[Lock, ...]:
    """Locks of a spot file: `[[lock]]` tables, or `Lock`s."""
    if not isinstance(tables, list | tuple):
        raise ParameterError("'lock' is a list of locks; write each below a line [[lock]].")
    return tuple(table if isinstance(table, Lock) else _read(table) for table in tables)


def _read(table: Any) -> Lock:
    if not isinstance(table, Mapping):
        raise ParameterError("A lock is a table with line, hands and strategy.")
    check_keys(table, _KEYS, "lock")
    strategy = table.get("strategy")
    if not isinstance(strategy, Mapping) or not strategy:
        raise ParameterError("A lock needs a 'strategy' such as { x = 0.7, b120 = 0.3 }.")
    shares = {str(label): read_number(share, f"lock.strategy.{label}") for label, share in strategy.items()}
    if abs(sum(shares.values()) - 1.0) > 1e-6:
        raise ParameterError(
            f"The probabilities of a lock sum to 1, but {dict(strategy)} sums to {sum(shares.values()):g}."
        )
    hands = str(table.get("hands", "random"))
    parse_range(hands)
    return Lock(str(table.get("line", "")), shares, hands)
