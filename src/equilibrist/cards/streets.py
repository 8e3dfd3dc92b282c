"""Streets: what is dealt, by name. Cards come on streets; bets are made in rounds."""

from __future__ import annotations

STREETS = ("preflop", "flop", "turn", "river")
POSTFLOP_STREETS = STREETS[1:]  # those that a spot can begin with
