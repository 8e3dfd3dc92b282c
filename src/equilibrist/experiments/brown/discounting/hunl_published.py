"""Published and recomputed numbers of the four no-limit hold'em subgames ([Brown20, §3.1.3 and Figures 3.1 to 3.4])."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from equilibrist.experiments.tables import PublishedTable

TOLERANCE = 0.10  # of the table: 32-bit vectors

PLUS, FLOORED, HALF = "cfr+(average=quadratic)", "dcfr(beta=-inf)", "dcfr(beta=0.5)"  # PLUS: the CFR+ of chapter 3
NO = math.nan  # a cell that is not published
Row = Sequence[float]


@dataclass(frozen=True)
class PublishedSubgame:
    """One of the four, with its numbers."""

    number: int
    board: str
    pot: float
    nodes: tuple[int, int, int, int]  # decision, fold, showdown, chance; cards dealt
    infoset_actions: tuple[float, float]  # hands of either range x actions x boards, and its rounding in print
    uniform: float  # mbb/g at T = 1
    value: tuple[float, float]  # chips to the player out of position, and tolerance
    marks: tuple[int, ...]
    rows: Mapping[str, Row]  # mbb/g
    runs: int  # equivalent ones

    @property
    def name(self) -> str:
        return f"subgame {self.number}"

    @property
    def river(self) -> bool:
        return len(self.board) == 10

    def table(self, last: float, solvers: Sequence[str], published: bool) -> PublishedTable:
        """The first columns; without published numbers where the ranges are not those of the table."""
        marks = [mark for mark in self.marks if mark <= last]
        rows = {s: [x if published else NO for x in self.rows[s][: len(marks)]] for s in solvers}
        return PublishedTable(self.name, marks, rows, TOLERANCE)


RIVER_MARKS, TURN_MARKS = (10, 100, 316, 1000, 3162, 8192), (10, 100, 316, 500, 1000)

SUBGAMES = (
    PublishedSubgame(
        3, "4s8hTc9h2s", 500, (32, 30, 31, 0), (98_992, 0), 28_630, (42.9, 0.1), RIVER_MARKS,
        {
            "cfr": (7101, 854, 280, 94.9, 31.8, 12.4),
            PLUS: (2133, 223, 66.0, 19.0, 3.81, 0.817),
            "cfr+": (2775, 242, 71.9, 22.0, 5.05, 1.17),
            "lcfr": (2682, 79.2, 20.0, 2.90, 0.738, 0.214),
            "dcfr": (1690, 199, 36.1, 6.33, 1.10, 0.232),
            FLOORED: (1479, 222, 30.7, 5.58, 0.919, 0.196),
            HALF: (1887, 125, 28.7, 4.98, 0.883, 0.187),
        },
        runs=6,
    ),
    PublishedSubgame(
        4, "JsKs5cQs7d", 3750, (20, 18, 19, 0), (57_288, 0), 41_190, (423.5, 0.1), RIVER_MARKS,
        {
            "cfr": (13170, 1555, 502, 169, 54.8, 21.5),
            PLUS: (5565, 221, 23.1, 3.64, 0.695, 0.240),
            "cfr+": (6956, 300, 39.9, 6.23, 1.06, 0.308),
            "lcfr": (7477, 231, 33.4, 4.97, 1.47, 0.677),
            "dcfr": (6084, 133, 14.0, 2.19, 0.320, 0.0936),
            FLOORED: (6972, 114, 13.1, 2.07, 0.318, 0.101),
            HALF: (6988, 122, 13.9, 2.05, 0.365, 0.106),
        },
        runs=6,
    ),
    PublishedSubgame(
        2, "Ts6hAh7c", 4780, (3088, 2414, 3120, 15), (6.8e6, 5e4), 39_460, (-24.8, 0.4), TURN_MARKS,
        {
            "cfr": (13770, 1713, 564, NO, NO),
            PLUS: (10130, 306, 61.3, NO, 11.8),
            "lcfr": (10030, 369, 65.2, NO, 11.9),
            "dcfr": (10050, 214, 26.1, NO, 3.92),
            FLOORED: (9830, 188, 29.1, 45.0, 8.55),
            HALF: (10220, 219, 30.4, NO, NO),
        },
        runs=3,
    ),
    PublishedSubgame(
        1, "7s9h9cTc", 500, (12320, 10878, 12336, 31), (32.9e6, 5e4), 32_310, (0.6, 0.4), TURN_MARKS,
        {
            "cfr": (8825, 1135, NO, NO, NO),
            PLUS: (3511, 315, 72.8, NO, 15.8),
            "lcfr": (4262, 162, 25.0, NO, 3.95),
            "dcfr": (3866, 272, 43.2, NO, 7.01),
            HALF: (3613, 295, 40.5, NO, NO),
        },
        runs=2,
    ),
)  # fmt: skip
