"""[Gilpin09, Tables 6.6 to 6.9 and 7.1] as printed, and the methods that stand for the text's."""

from __future__ import annotations

from typing import Any

from equilibrist.abstraction.information.expectation import ExpectationBased
from equilibrist.abstraction.information.methods import InformationAbstraction
from equilibrist.abstraction.information.potential_aware import HistogramPotential
from equilibrist.evaluation.reports.abstraction_study import Watch
from equilibrist.experiments.findings import Request
from equilibrist.solvers.iteration_loop import Progress

ROWS = ("13-25-125", "13-50-250", "13-75-500", "13-100-750", "13-125-1000", "13-150-1250", "13-205-1774")
LAST = ROWS[-1]

METHODS: dict[str, InformationAbstraction] = {
    "EB": ExpectationBased(error="squared"),  # the recomputed rows added up squared errors
    "EB2": ExpectationBased(2, error="squared"),
    "PA": HistogramPotential(
        temporary=5, restarts=30
    ),  # of 2 to 20 and all, 5 come closest to the text (docs/information-abstraction.md)
}
FULL_RESOLUTION = HistogramPotential(restarts=30)  # the last row; beside the others with --full

# Tables 6.6 to 6.9, one entry for each row
EQUILIBRIUM = {
    "EB": (-25.0312, -19.6519, -15.4708, -11.9801, -9.3718, -6.8172, -0.0877),
    "EB2": (-25.0807, -19.2139, -15.3714, -12.0462, -9.3465, -6.9536, -0.0877),
    "PA": (-41.7910, -18.2612, -10.5562, -5.4248, -3.2392, -1.5770, 0.0),
}
NEMESIS = {
    "EB": (-160.527, -134.406, -97.970, -68.888, -44.761, -29.556, -0.429),
    "EB2": (-163.527, -134.946, -99.145, -72.218, -47.334, -31.212, -0.429),
    "PA": (-204.022, -125.972, -68.238, -45.124, -24.200, -12.067, -0.001),
}
HEAD_TO_HEAD = {
    "EB vs EB2": (0.1490, -0.1272, 0.1787, 0.2340, 0.1713, 0.1813, 0.0),
    "EB vs PA": (16.6223, -1.0627, -8.5784, -6.9880, -6.4130, -5.5707, -0.0877),
    "EB2 vs PA": (17.0938, -0.5200, -8.4891, -7.1448, -6.3567, -5.6879, -0.0877),
}
VALUES = {
    "EB": (-68.8710, -59.6962, -60.1006, -60.3524, -61.6250, -61.8371, -64.2361),
    "EB2": (-69.1463, -59.5952, -59.9381, -60.3941, -61.6343, -61.8717, -64.2361),
    "PA": (-56.9853, -62.2535, -59.8614, -63.8007, -63.9787, -64.0957, -64.1987),
}

# Table 7.1
CAPPED_EQUILIBRIUM = {  # by bets a round
    1: (-73.816, -52.004, -44.320, -41.400, -39.532, -38.532, -37.311),
    2: (-44.154, -22.162, -15.324, -9.396, -7.560, -5.806, -4.409),
    3: (-41.791, -18.261, -10.556, -5.425, -3.239, -1.577, 0.000),
}
CAPPED_NEMESIS = {
    1: (-359.566, -365.047, -310.879, -312.997, -301.066, -298.511, -293.850),
    2: (-201.750, -137.742, -83.411, -60.067, -44.699, -35.214, -26.160),
    3: (-204.022, -125.972, -68.238, -45.124, -24.200, -12.067, -0.001),
}


def watching(request: Request) -> Watch:
    """Tells what is being solved."""

    def about(title: str) -> Any:
        def tell(progress: Progress) -> None:
            request.report(title, progress.fraction)

        return tell

    return about


def amount(value: float | None) -> float:
    """A number of a report that has been measured."""
    assert value is not None
    return value
