"""Spots that the tests of devices solve, and what a solver there must find on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equilibrist.games.spots.spot import Spot
from reference.plain_program import check_tables, host_tables

RIVER = Spot(
    board="Td9d6hQc2s",
    pot=100,
    stack=300,
    range={"oop": "AA,QQ,KQs,JTs,98s,A5s,T7o", "ip": "KK,QQ,AJs,T9s,76s:0.5,K9o"},
    bets={"bet": "50%, a", "raise": "2.5x, a"},
)
TURN = RIVER.changed(board="Td9d6hQc")
RAKED = RIVER.changed(rake={"rate": 0.05, "cap": 3})
ALL_HANDS = {"oop": "random", "ip": "random"}  # rows beyond shared memory
FAR_ROWS = RIVER.changed(range=ALL_HANDS, bets={"bet": "33%, 75%, 150%, a", "raise": "2.5x, a"})
SMALL = RIVER.changed(board="8h8c4s4d", range={"oop": "AA,KQs", "ip": "KK,AJs"}, bets={"bet": "a"})
CALLED = SMALL.changed(board="8h8c4s")  # called all-ins by one matrix
LOCK = {"line": "x", "strategy": {"x": 1.0}, "weight": 0.4}


def check_values(cpu: Any, gpu: Any, me: int) -> None:
    """What hands are worth, and what a best response would be."""
    for respond in (False, True):
        wanted = cpu.values(me, respond=respond)
        assert gpu.values(me, respond=respond) == pytest.approx(wanted, abs=1e-5 * np.abs(wanted).max())


def check_pass(cpu: Any, gpu: Any, me: int) -> None:
    """After a pass from the same tables: the tables, then from those of the CPU the values."""
    for mine, there in zip(cpu.streets, gpu.streets, strict=True):
        for p in range(2):
            check_tables(host_tables(there, p), host_tables(mine, p), 2e-5)
    gpu.restore(cpu.state())
    check_values(cpu, gpu, me)
