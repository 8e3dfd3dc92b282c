"""FLOP, fictitious linear optimistic play, and linear fictitious play: `FictitiousPlay` with weights that grow ([Brown20, §5.3.8])."""

from __future__ import annotations

from equilibrist.solvers.fictitious_play.fictitious_play import GUARANTEE, FictitiousPlay
from equilibrist.solvers.registry import SolverEntry


def linear_fp() -> FictitiousPlay:
    return FictitiousPlay(linear=True)


def flop() -> FictitiousPlay:
    return FictitiousPlay(linear=True, optimistic=True)


ENTRIES = [
    SolverEntry("linear-fp", "fictitious play, iteration t weighs t", linear_fp, {}, "Brown20", GUARANTEE),
    SolverEntry("flop", "fictitious linear optimistic play", flop, {}, "Brown20", GUARANTEE),
]
