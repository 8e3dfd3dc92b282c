"""Steps of a walk on a river with all hands and rake, beside the solver on boards."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import SHOWDOWN
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.bucket_walks.device_walks import sizes_of
from equilibrist.solvers.postflop.bucket_walks.walk_hands import WalkShape, walk_hands
from equilibrist.solvers.postflop.bucket_walks.walk_program import EVALUATE, walk_program
from equilibrist.solvers.postflop.solve_spot import start_spot
from reference.plain_walk import Board

MULTIPROCESSOR = SimpleNamespace(
    shared_per_block=232_448, shared_per_multiprocessor=233_472, registers=65_536, threads=2048
)
RIVER = Spot(
    board="Td9d6hQc2s", pot=100, stack=300, range={"oop": "random", "ip": "random"}, bets={"bet": "50%, a", "raise": "2.5x, a"},
)  # fmt: skip


@pytest.mark.parametrize("spot", [RIVER, RIVER.changed(rake={"rate": 0.05, "cap": 3})], ids=["plain", "raked"])
@pytest.mark.parametrize("me", [0, 1])
def test_where_all_actions_are_equally_likely_walks_find_the_same(spot: Spot, me: int) -> None:
    run = start_spot(spot)  # without an iteration: even strategies
    forest, boards = run.forests[0], run.streets[0].boards
    shape = WalkShape(int(boards.player[0].count[0]))
    program = walk_program(forest, me, 1000)
    hands = walk_hands(boards, None, np.zeros((1, boards.player[0].places), dtype=np.int32), shape, shape.places)
    rows = [np.repeat(1.0 / n, n)[:, None] for n in (forest.children[forest.kind == p] for p in range(2))]
    reach = np.append(np.ones(shape.hands), np.zeros(shape.places - shape.hands))[hands.order[0]]
    found = Board(shape, hands, 0, rows, np.zeros((2, 1, 1))).walk(me, program, program.roots[0], reach)
    for values, respond in ((found[0], True), (found[1], False)):
        wanted = run.values(me, respond=respond)
        assert values[hands.order[0, : shape.hands].argsort()] == pytest.approx(wanted, abs=2e-6 * np.abs(wanted).max())
    shown = int((forest.kind == SHOWDOWN).sum())
    assert 0 < program.evaluations == int((program.steps[:, 0] & 255 == EVALUATE).sum()) >= shown // 2


def test_betting_too_deep_for_shared_memory_is_refused() -> None:
    program = walk_program(start_spot(RIVER).forests[0], 0, 1)
    assert sizes_of(WalkShape(1081), program, True, MULTIPROCESSOR)["BLOCKS"] >= 1
    deep = replace(program, depth=12)
    with pytest.raises(NotApplicableError, match="12 decisions of a player follow each other"):
        sizes_of(WalkShape(1081), deep, True, MULTIPROCESSOR)
    assert sizes_of(WalkShape(15), deep, True, MULTIPROCESSOR)["THREADS"] == 32  # few hands fit
