"""Programs and tables that the kernels of the GPU follow, executed plainly and compared with the solver of the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from equilibrist.cards.equity import equity
from equilibrist.cards.range_text import STANDARD
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.postflop.gpu.tree_program import group_roots, roots_of, tree_program
from equilibrist.solvers.postflop.solve_spot import start_spot
from reference.plain_program import LEARN, RESPOND, VALUE, PlainRun, allin_matrix, check_tables, host_tables

RANGES = {"oop": "AA,QQ,KQs,JTs,98s,A5s,T7o", "ip": "KK,QQ,AJs,T9s,76s:0.5,K9o"}
BETS = {"bet": "50%, a", "raise": "2.5x, a", "river": {"donk": "75%"}}
RIVER = Spot(board="Td9d6hQc2s", pot=100, stack=300, range=RANGES, bets={"bet": "50%, a", "raise": "2.5x, a"})
TURN = RIVER.changed(board="Td9d6hQc")
RAKED = RIVER.changed(rake={"rate": 0.05, "cap": 3})
WIDE = RIVER.changed(range={"oop": "random", "ip": "random"})  # rows that several warps work on
PAIRED = TURN.changed(board="8h8c4s4d")  # suits that can be exchanged


def same_iterations(spot, solver, bits, most):
    run = start_spot(spot, solver, bits=bits)
    plain = PlainRun(run, most)
    for _ in range(2):
        weights = discount_factors(run.schedule, run.iteration)[0].tolist()
        for me in range(2):
            run.learn(me, run._at_root(1 - me, run.root_weights[1 - me]))
            plain.values(LEARN, me, weights)
            for street, mine in zip(run.streets, plain.streets, strict=True):
                for p in range(2):
                    check_tables(mine.tables[p], host_tables(street, p), 2e-5)
            for street in plain.streets:  # where actions are exactly equal, rounding decides what comes next
                street.take()
        run.iteration += 1
    for me in range(2):
        for mode, respond in ((VALUE, False), (RESPOND, True)):
            count = run.streets[0].boards.player[me].count[0]
            found, wanted = plain.values(mode, me)[0, :count], run.values(me, respond=respond)
            assert found == pytest.approx(wanted, abs=2e-5 * np.abs(wanted).max())


@pytest.mark.parametrize("spot", [RIVER, TURN, RAKED, PAIRED, WIDE], ids=["river", "turn", "raked", "paired", "wide"])
@pytest.mark.parametrize("most", [1, 40])
@pytest.mark.sampled(2)
def test_programs_do_what_the_cpu_does(spot, most):
    same_iterations(spot, "dcfr(gamma=3)", 32, most)


@pytest.mark.parametrize(
    ("spot", "solver"), [(RIVER, "pcfr+"), (PAIRED, "dcfr(gamma=3)"), (WIDE, "cfr+")], ids=["river", "paired", "wide"]
)
def test_tables_of_16_bits_are_rounded_as_on_the_cpu(spot, solver):
    same_iterations(spot, solver, 16, 40)


def test_predictions_are_those_of_the_cpu():
    same_iterations(RAKED, "pcfr+", 32, 40)


def test_groups_hold_every_root_once_and_no_more_nodes_than_asked():
    forest = start_spot(TURN).forests[1]
    size = np.bincount(roots_of(forest), minlength=forest.roots)
    for most in (1, 20, 1000):
        groups = group_roots(forest, most)
        assert sorted(root for group in groups for root in group) == list(range(forest.roots))
        assert all(len(group) == 1 or size[group].sum() <= most for group in groups)
    program = tree_program(forest, group_roots(forest, 20), 0)
    for p in range(2):
        assert sorted(program.slots[p]) == list(range(forest.slots[p]))


@pytest.mark.parametrize("board", ["Td9d6hQc", "8h8c4s4d"])
@pytest.mark.parametrize("me", [0, 1])
def test_matrices_of_all_ins_are_equities(board, me):
    """What a hand wins less what it loses over all cards to come, against the opponent's range."""
    spot = compile_spot(TURN.changed(board=board))
    turn, river = spot.boards
    matrix = allin_matrix(turn, river, me, spot.deal.chances[1])[0]
    hands = [
        ["".join(STANDARD.label(card) for card in spot.deal.hands[pair]) for pair in own.pair[0, : own.count[0]]]
        for own in turn.player
    ]
    weights = spot.weights[1 - me][turn.player[1 - me].pair[0, : len(hands[1 - me])]]
    for i, mine in enumerate(hands[me][::4]):
        met = [
            (w, them)
            for w, them in zip(weights, hands[1 - me], strict=True)
            if not {mine[:2], mine[2:]} & {them[:2], them[2:]}
        ]
        won = sum(w * (2.0 * equity(mine, them, board).equity[0] - 1.0) for w, them in met)
        assert weights @ matrix[: len(weights), 4 * i] == pytest.approx(won, abs=1e-9)
