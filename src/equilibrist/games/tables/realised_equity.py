"""Realised equity: what hands win on the flop beyond their equity, as our own solves of flops measured it.

A class a of hands out of position and a class b in position that see a flop of pot P are worth, to the former,

    P (equity(a, b) - 1/2) + P (alpha[a] - beta[b]),

with effects alpha and beta for who raised last (nobody, the player in position, the one out of position) and for the depth of stacks. They
were fitted so that every class has the value that it had in the solves against the ranges there (`benchmarks/realised.py`). An effect
belongs to a class of hands, whatever else its seat raises, and what one wins the other loses: so raising cannot be bought. A seat
that raises worse hands brings their lower effects to the flop.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.games.tables.betting import NOBODY, Situation

LIMPED, IP_RAISED, OOP_RAISED = KINDS = ("limped", "ip-raised", "oop-raised")
_STORED = Path(__file__).with_name("realised_equity.txt")


@dataclass(frozen=True, eq=False)
class PairEffects:
    """Two seats that see a flop and can bet on it."""

    seats: tuple[int, int]  # out of position, in position
    chips: float  # that effects are multiplied with
    alpha: Floats  # [class] out of position
    beta: Floats  # [class] in position


@cache
def measured() -> dict[str, list[tuple[float, Floats, Floats]]]:
    """By who raised last: stack to pot ratio, alpha and beta, from shallow to deep."""
    out: dict[str, list[tuple[float, Floats, Floats]]] = {kind: [] for kind in KINDS}
    rows = [line.split() for line in _STORED.read_text(encoding="ascii").splitlines() if line[:1] not in ("", "#")]
    for (kind, depth, *alpha), (_, _, *beta) in zip(rows[::2], rows[1::2], strict=True):
        out[kind].append((float(depth), np.array(alpha, float), np.array(beta, float)))
    return {kind: sorted(found, key=lambda each: each[0]) for kind, found in out.items()}


def about() -> list[str]:
    """What the stored numbers are, line by line."""
    return [line[1:].strip() for line in _STORED.read_text(encoding="ascii").splitlines() if line.startswith("#")]


@lru_cache(maxsize=4096)
def effects_at(kind: str, depth: float) -> tuple[Floats, Floats]:
    """Alpha and beta between the nearest depths that were measured, by the logarithm; beyond them those of the last one."""
    found = measured()[kind]
    logs = np.log([each[0] for each in found])
    place = float(np.interp(math.log(depth), logs, np.arange(len(found))))
    low = min(int(place), max(len(found) - 2, 0))
    high, share = min(low + 1, len(found) - 1), place - low
    alpha: Floats = (1.0 - share) * found[low][1] + share * found[high][1]
    beta: Floats = (1.0 - share) * found[low][2] + share * found[high][2]
    return alpha, beta


def pair_effects(end: Situation) -> Iterator[PairEffects]:
    """All pairs of an end that can bet on the flop; of three players each pair plays for half the pot."""
    able = [seat for seat in end.staying if end.behind[seat] > 0.0]
    if len(able) < 2:
        return
    seats = end.table.seats
    in_turn = sorted(able, key=lambda seat: (seat + 2) % seats if seats > 2 else 1 - seat)
    taken = min(end.table.rake.rate * end.pot, end.table.rake.cap)
    for oop, ip in combinations(in_turn, 2):
        raised = {oop: OOP_RAISED, ip: IP_RAISED, NOBODY: LIMPED}
        kind = raised.get(end.raiser, LIMPED)  # a third one raised: neither of these two has the initiative
        depth = min(end.behind[oop], end.behind[ip]) / end.pot
        share = 1.0 / (len(end.staying) - 1)
        yield PairEffects((oop, ip), share * (end.pot - taken), *effects_at(kind, depth))
