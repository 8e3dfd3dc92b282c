"""The flop that two players see after a line of a table, as a spot: pot, stacks, rake and bet sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from equilibrist.games.spots.street_menus import menus_table
from equilibrist.games.tables.betting import NOBODY, Situation

USUAL_BETS = {"bet": "66%", "raise": "a"}  # of flops that are solved inside a table: as few as are worth something


def plays_on(end: Situation) -> bool:
    """Whether two players see a flop with chips behind."""
    return end.seat == NOBODY and len(end.staying) == 2 and min(end.behind[seat] for seat in end.staying) > 0.0


def positions(end: Situation) -> tuple[int, int]:
    """The two seats that stay: out of position, in position. After the flop the blinds act first; heads-up the big blind."""
    seats = end.table.seats
    oop, ip = sorted(end.staying, key=lambda seat: (seat + 2) % seats if seats > 2 else 1 - seat)
    return oop, ip


def flop_keys(end: Situation, bets: Mapping[str, Any] = USUAL_BETS) -> dict[str, Any]:
    """The keys of a spot file but its board and ranges; `bets` are for tables that name none for after the flop."""
    table = end.table
    oop, ip = positions(end)
    keys: dict[str, Any] = {
        "pot": end.pot,
        "stacks": {"oop": end.behind[oop], "ip": end.behind[ip]},
        "bets": dict(bets) if table.postflop is None else menus_table(table.postflop),
    }
    if table.rake.rate:
        keys["rake"] = {"rate": table.rake.rate} | ({"cap": table.rake.cap} if math.isfinite(table.rake.cap) else {})
    return keys
