"""Recomputed numbers for [Brown20, Figures 3.14 and 3.18 to 3.21]: total exploitability at equal nodes touched."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from equilibrist.experiments.tables import PublishedTable

NO = math.nan
NODES = "{:.3g} nodes"
Row = Sequence[float]
TOLERANCE = 0.15  # two digits are published, and runs of different programs differ by some percent in nodes

NONE, PARTIAL, RBP, BRP = "cfr(on=pruned)", "cfr(pruning=partial)", "cfr(pruning=rbp)", "cfr(pruning=brp)"
FLOORED, FLOORED_BRP = "cfr+(average=uniform,pruning=partial)", "cfr+(average=uniform,pruning=brp)"
PLUS, PLUS_RBP = "cfr+(pruning=partial)", "cfr+(pruning=rbp)"


def at_once(solver: str) -> str:
    """The same with simultaneous updates."""
    return f"{solver[:-1]},updates=simultaneous)"


def skipping(solver: str, iterations: int) -> str:
    """The same with another least number of iterations worth skipping."""
    return f"{solver[:-1]},skip={iterations})"


HALF_DECADES = {7.5: round(10**7.5), 8.5: round(10**8.5)}
LEDUC_MARKS = (10**6, 10**7, HALF_DECADES[7.5])
LEDUC_5_MARKS = (10**7, 10**8, HALF_DECADES[8.5], 10**9)

LEDUC = PublishedTable(
    "Leduc",
    LEDUC_MARKS,
    {
        NONE: (8.0e-2, 1.16e-2, 5.3e-3),
        PARTIAL: (3.8e-2, 5.8e-3, 2.3e-3),
        RBP: (3.0e-2, 4.4e-3, 2.1e-3),
        BRP: (2.6e-2, 4.6e-3, 2.2e-3),
        FLOORED: (3.2e-2, 3.3e-3, 1.05e-3),
        FLOORED_BRP: (2.9e-2, 2.6e-3, 8.1e-4),
        PLUS: (2.5e-3, 4.6e-5, 7.5e-6),
    },
    TOLERANCE,
    mark=NODES,
)
LEDUC_5 = PublishedTable(
    "Leduc-5",
    LEDUC_5_MARKS,
    {
        PARTIAL: (1.08, 6.7e-2, 2.0e-2, 6.7e-3),
        RBP: (0.90, 2.6e-2, 5.6e-3, 1.7e-3),
        BRP: (0.91, 2.6e-2, 5.6e-3, 1.6e-3),
        FLOORED: (1.32, 1.3e-1, 3.9e-2, 1.2e-2),
        FLOORED_BRP: (1.30, 5.8e-2, 1.0e-2, 1.7e-3),
        PLUS: (0.77, 2.4e-2, 3.1e-3, 3.0e-4),
    },
    TOLERANCE,
    mark=NODES,
)
AT_ONCE = PublishedTable(
    "Leduc-5, simultaneous",
    LEDUC_5_MARKS,
    {
        at_once(PARTIAL): (2.1, 2.3e-1, 8.3e-2, 3.2e-2),
        at_once(RBP): (1.7, 1.1e-1, 3.3e-2, 1.3e-2),
        at_once(skipping(RBP, 5)): (1.6, 1.2e-1, 4.0e-2, 1.8e-2),
        at_once(PLUS): (1.7, 2.2e-1, 6.3e-2, 1.6e-2),
        at_once(PLUS_RBP): (1.5, 1.8e-1, 3.9e-2, 4.7e-2),
    },
    TOLERANCE,
    chaotic=(at_once(PLUS_RBP),),
    mark=NODES,
)
# iterations done within the same nodes; unpublished ones are NaN
ITERATIONS: Mapping[str, Mapping[str, Row]] = {
    "Leduc": {
        NONE: (259, 2583, 8168),
        PARTIAL: (574, 5324, 16334),
        RBP: (732, 7510, 23408),
        BRP: (740, 7457, 22913),
        FLOORED: (NO, NO, 12172),
        FLOORED_BRP: (NO, NO, 18026),
    },
    "Leduc-5": {
        PARTIAL: (61, 1348, 5078, 17106),
        RBP: (76, 3846, 20603, 85702),
        BRP: (74, 3763, 20053, 83921),
        FLOORED: (37, 507, 1701, 5472),
        FLOORED_BRP: (42, 1121, 6452, 39923),
        PLUS: (NO, NO, NO, 5472),
    },
    "Leduc-5, simultaneous": {
        at_once(PARTIAL): (74, 1765, 7027, 27389),
        at_once(RBP): (101, 4868, 24396, 90980),
        at_once(skipping(RBP, 5)): (119, 4087, 17048, 50238),
        at_once(PLUS): (37, 434, 1516, 5234),
    },
}
# sequences not below a pruned action / all sequences
SPACE: Mapping[str, Mapping[str, Row]] = {
    "Leduc": {BRP: (NO, NO, 0.86), FLOORED_BRP: (NO, NO, 0.87)},
    "Leduc-5": {BRP: (NO, 0.71, 0.60, 0.49), FLOORED_BRP: (NO, 0.81, 0.70, 0.52)},
}
STEADY_NODES = {PARTIAL: 57_000, RBP: 10_500}  # per iteration, Leduc-5 between the last two marks

TEXT = {
    "Figure 3.13": "a best response in zero-reach sequences needs fewer iterations with CFR; no effect with CFR+",
    "Figure 3.14": "Leduc: RBP is worth a factor 8 with CFR and 2 with CFR+; Leduc-5: 12 and 10",
    "Figure 3.15": "skip thresholds 1, 5, 10, 25, 50 behave alike",
    "Figures 3.18, 3.19": "BRP: Leduc quickly to about half the space; Leduc-5 to a seventh at C = 0.1, still falling",
    "Figures 3.20, 3.21": "BRP is like RBP in Leduc and twice as fast in Leduc-5 with CFR; RM+ with BRP is like CFR+ with RBP",
}
