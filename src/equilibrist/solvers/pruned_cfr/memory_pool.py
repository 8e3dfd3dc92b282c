"""Tables of walks and the memory under them: pools that sequences live in, which shrink and grow with what is pruned."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.solvers.pruned_cfr._kernels.pruned_learning import FREE, INTERVALS, RESPONSES
from equilibrist.solvers.pruned_cfr._kernels.pruned_walk import (
    BASE,
    COUNTED,
    LIVE,
    LIVE_PLANS,
    NOWHERE,
    NOWHERE_PLANS,
    REACHES,
    SEEN,
    TALLY,
    TOP,
    TOP_PLANS,
    VALUES,
    Tables,
)
from equilibrist.solvers.pruned_cfr.iteration_weights import UNIT_BITS
from equilibrist.solvers.pruned_cfr.layout import WalkLayout

SPARE = 1.25  # pools are this much larger than what lives in them, and shrink when it falls below half
POOLED = ("strategy", "regret", "memory", "value", "ends", "bound")  # one entry per living sequence
PLANS = ("total", "average")
NEVER = -(1 << 40)  # an iteration long ago


def empty_tables(layout: WalkLayout, strategy: Floats, method: int, *, memory: bool, separate: bool) -> Tables:
    """Everything in memory and nothing learnt; `memory`: the minimiser keeps a number for each sequence."""
    arrays, sequences = layout.arrays, layout.sequences
    infosets, own = len(arrays.spread), method >= INTERVALS
    tally = np.zeros(TALLY, dtype=np.int64)
    tally[[TOP, LIVE, NOWHERE, TOP_PLANS, LIVE_PLANS, NOWHERE_PLANS]] = sequences

    def pool(fill: float | Floats) -> Floats:
        """As wide at its end as the widest infoset, so that a stray read finds NaN and a stray write harms nobody."""
        out = np.full(sequences + layout.widest, np.nan)
        out[:sequences] = fill
        return out

    value, total = pool(0.0), pool(0.0)
    return Tables(
        place=np.arange(sequences, dtype=np.int32),
        strategy=pool(strategy),
        regret=pool(0.0),
        memory=pool(0.0) if memory else np.zeros(1),
        value=value,
        ends=pool(0.0) if method == INTERVALS else value,
        bound=pool(FREE) if own else np.zeros(1),
        shelf=np.arange(sequences, dtype=np.int32),
        total=total,
        average=pool(0.0) if separate else total,
        marks=np.zeros((infosets, 3), dtype=np.int64),
        sums=np.zeros((infosets, 5)),
        stored=np.zeros(sequences if method == INTERVALS else 1),
        proof=np.zeros((sequences if own else 1, 3)),
        checked=np.full(sequences if method == RESPONSES else 1, NEVER),
        stack=np.zeros(len(arrays.nodes) + infosets, dtype=np.int32),
        weight=np.zeros(len(arrays.nodes)),
        visited=np.zeros((2, infosets), dtype=np.int32),
        lists=np.zeros((2, sequences if own else 1), dtype=np.int32),
        tally=tally,
    )


def wasteful(tables: Tables) -> bool:
    """Whether less than half of a pool is alive."""
    tally = tables.tally
    return bool((tally[[NOWHERE, NOWHERE_PLANS]] > 2 * SPARE * tally[[LIVE, LIVE_PLANS]] + 64).any())


def moved(tables: Tables, need: int, widest: int) -> Tables:
    """What lives, in new arrays with room for `need` more sequences and some to spare; the old ones can go."""
    new: dict[str, Any] = {}
    for index, names, top, nowhere in (
        ("place", POOLED, TOP, NOWHERE),
        ("shelf", PLANS, TOP_PLANS, NOWHERE_PLANS),
    ):
        where, old = getattr(tables, index), int(tables.tally[nowhere])
        live = np.flatnonzero(where != old)
        size = int(SPARE * (len(live) + need))
        new[index] = np.full(len(where), size, dtype=np.int32)
        new[index][live] = np.arange(len(live))
        tables.tally[top], tables.tally[nowhere] = len(live), size
        done: dict[int, Floats] = {}  # tables that share an array go on doing so
        for name in names:
            array = getattr(tables, name)
            if len(array) > 1 and id(array) not in done:
                done[id(array)] = np.full(size + widest, np.nan)
                done[id(array)][: len(live)] = array[where[live]]
            new[name] = done.get(id(array), array)
    return tables._replace(**new)


def change_units(tables: Tables, old: tuple[int, int], new: tuple[int, int], separate: bool) -> None:
    """Count weights of regrets and of averages in new units; powers of two, so that nothing is rounded."""
    regrets, averages = new[0] - old[0], new[1] - old[1]
    if regrets:
        for column in (SEEN, VALUES, REACHES):
            tables.sums[:, column] = np.ldexp(tables.sums[:, column], -UNIT_BITS * regrets)
        for array in (tables.total, tables.bound, tables.stored, tables.proof[:, BASE]):
            array[:] = np.ldexp(array, -UNIT_BITS * regrets)
    if averages and separate:
        tables.sums[:, COUNTED] = np.ldexp(tables.sums[:, COUNTED], -UNIT_BITS * averages)
        tables.average[:] = np.ldexp(tables.average, -UNIT_BITS * averages)
