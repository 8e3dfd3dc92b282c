"""What checking down on a table's flops is worth: linear in the other's reach, so two matrices of classes serve all lines of two seats.

With S(h, h') the chance that h wins on a flop's boards less that it loses, and T(h, h') that it meets h' there, checking down pays
a hand stake x S + tie x T (a tie costs half the rake). Sums over flops and hands of a class are taken once, by the passes that lines
are played with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.core.arrays import Floats
from equilibrist.forms.boards.street_betting import SHOWDOWN, StreetForest
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.gpu.cuda_device import cupy
from equilibrist.solvers.tables.on_device.lines_together import DealtFlops, LinesLaidOut, LinesTogether

SHOWN, MET = (1.0, -1.0, 0.0), (1.0, 1.0, 1.0)  # what winner, loser and each of a tie have


@dataclass(frozen=True)
class CheckedDown:
    """[class, class] for each player, the other's class second: what checking down pays a unit of stake, and a unit of tie."""

    shown: tuple[Floats, Floats]
    met: tuple[Floats, Floats] | None  # None: no line is raked

    def worth(self, player: int, amounts: tuple[float, float], reach: Floats) -> Floats:
        """[class] against reach [class]; `amounts` are stake and tie."""
        stake, tie = amounts
        out: Floats = stake * (self.shown[player] @ reach)
        if tie == 0.0:
            return out
        assert self.met is not None, "made wherever a line is raked"
        return out + tie * (self.met[player] @ reach)


def amounts_of(betting: Sequence[StreetForest]) -> tuple[float, float]:
    """Stake and tie of the one showdown of a spot without bets."""
    last = betting[-1]
    [end] = np.flatnonzero(last.kind == SHOWDOWN).tolist()
    return float(last.win[end] - last.lose[end]) / 2.0, float(last.tie[end])


def lay_out_checks(betting: Sequence[StreetForest], dealt: DealtFlops, *, raked: bool) -> LinesLaidOut:
    """The passes that find the matrices; `betting` of any line without bets."""
    last = betting[-1]
    shows = last.kind == SHOWDOWN

    def paying(amounts: tuple[float, float, float]) -> tuple[StreetForest, ...]:
        win, lose, tie = (np.where(shows, amount, 0.0) for amount in amounts)
        return *betting[:-1], replace(last, win=win, lose=lose, tie=tie)

    return LinesLaidOut([paying(MET), paying(SHOWN)] if raked else [paying(SHOWN)], dealt)


def check_down(laid: LinesLaidOut, weights: Floats, schedule: Schedule) -> CheckedDown:
    """One pass for each class that the second player has; `weights` [flop] are what flops count."""
    run = LinesTogether(laid, np.repeat(weights[:, None], CLASSES, axis=1), schedule)
    found = np.zeros((laid.lines, CLASSES, CLASSES))
    for other in np.unique(laid.cells(1)).tolist():
        if other < CLASSES:
            reach = np.zeros((laid.lines, CLASSES))
            reach[:, other] = 1.0
            found[:, :, other] = cupy().asnumpy(run.values(0, "value", reach))
    each = combinations()[:, None]
    shown, met = found[-1], found[0]
    return CheckedDown((shown / each, -shown.T / each), (met / each, met.T / each) if laid.lines == 2 else None)
