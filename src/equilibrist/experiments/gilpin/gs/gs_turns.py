"""Turns of limit hold'em: classes of single boards by bisected thresholds, and programs at the table from beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from equilibrist.abstraction.information.board_hands import BoardHands, board_hands
from equilibrist.abstraction.information.lossy_gameshrink import outcome_costs
from equilibrist.cards.evaluator import FULL_DECK, pairs
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.experiments.findings import Check, Request, at_most, close, equal
from equilibrist.experiments.gilpin.gs.phase_one import PhaseStrategy, SampledStrengths, three_rounds
from equilibrist.games.poker.betting import first_node
from equilibrist.search.endgame_programs.turn_program import (
    TurnProgram,
    TurnSolution,
    expectation_buckets,
    threshold_buckets,
    turn_program,
)
from equilibrist.solvers.hand_classes.solve_classes import solve_rounds

GS1_TARGETS, TOLERANCE = (25, 125), 0.2  # [Gilpin09, §6.3.1]
GS2_PHASE_TWO = (10, 100)  # [Gilpin09, §6.4.1]
MINUTE = 60.0
LP_ROUNDING = 1e-6  # chips; HiGHS keeps its constraints to 1e-9 of the largest payoff
SECOND_ROUTE = 0.01  # chips: exploitability to which CFR checks a program's value


@dataclass(frozen=True)
class TableSetting:
    """Programs at the table: buckets, how many situations, and how many programs at once."""

    buckets: tuple[int, int]
    situations: int
    parallel: int = 1


def shrunk_boards(count: int, request: Request) -> tuple[list[Check], dict[str, Any]]:
    """Turn and river classes of random boards by bisection of both thresholds."""
    rng = np.random.default_rng(14)
    found: list[tuple[int, int]] = []
    largest: list[float] = []
    excess: list[float] = []
    for n in range(count):
        request.report("thresholds by bisection", n / count)
        hands = board_hands(rng.choice(FULL_DECK.size, 4, replace=False).tolist())
        made = threshold_buckets(hands, GS1_TARGETS).buckets
        found.append(made.counts)
        largest.append(float(np.bincount(made.turn).max() / len(made.turn)))
        excess += matching_excess(hands, rng)
    checks = [
        Check(
            f"§6.3.1, {round} classes of {count} boards: least and most",
            target,
            [min(counts), max(counts)],
            [(1.0 - TOLERANCE) * target, (1.0 + TOLERANCE) * target],
            min(counts) >= (1.0 - TOLERANCE) * target and max(counts) <= (1.0 + TOLERANCE) * target,
        )
        for round, target, counts in zip(("turn", "river"), GS1_TARGETS, zip(*found, strict=True), strict=True)
    ]
    measured = {
        "classes of turn and river, by board": found,
        "hands in the largest turn class, mean share": float(np.mean(largest)),
        "matching by strength costs more than the cheapest by, median and most": [median(excess), max(excess)],
    }
    return checks, measured


def matching_excess(hands: BoardHands, rng: np.random.Generator, tried: int = 20) -> list[float]:
    """By how much the ordered matching of random pairs of hands is dearer than the cheapest one, as shares of that."""
    out = []
    for _ in range(tried):
        one, other = (hands.after[hands.possible[:, h], h] for h in rng.integers(0, len(hands.hands), 2))
        cost = outcome_costs(np.concatenate([one, other]))[: len(one), len(one) :]
        cheapest = float(cost[linear_sum_assignment(cost)].sum())
        rows, columns = (np.argsort(2 * x[:, 0] + x[:, 1], kind="stable") for x in (one, other))
        out.append(float(cost[rows, columns].sum()) / max(cheapest, 1.0) - 1.0)
    return out


def situations(
    player: PhaseStrategy, sample: SampledStrengths, count: int
) -> Iterator[tuple[list[int], tuple[Floats, Floats], float]]:
    """Boards, ranges and pots at the start of the turn, as the first phase gets there against itself."""
    rng = np.random.default_rng(16)
    cards = pairs()
    found = 0
    while found < count:
        flop = int(rng.integers(len(sample.flops)))
        line, ranges, pot = _play_to_turn(player, flop, rng)
        if line is None:
            continue
        left = np.setdiff1d(np.arange(FULL_DECK.size), sample.flops[flop])
        board = [*sample.flops[flop].tolist(), int(rng.choice(left))]
        free = ~np.isin(cards, board).any(axis=1)
        yield board, (ranges[0] * free, ranges[1] * free), pot
        found += 1


def _play_to_turn(player: PhaseStrategy, flop: int, rng: np.random.Generator) -> tuple[str | None, list[Floats], float]:
    """A line of betting drawn with both ranges as they are, [pairs]; None where somebody folds."""
    node = first_node(three_rounds())
    classes = (player.classes.preflop, player.classes.flop[flop])
    ranges = [np.where(classes[1] >= 0, 1.0, 0.0) for _ in range(2)]
    while node.player < 0 or node.round < 2:
        if node.player < 0:
            if any(node.folded):
                return None, ranges, 0.0
            node = node.after_deal
            continue
        held = classes[node.round]
        rows = np.where(held[:, None] >= 0, player.lines[node.line][held], 0.0)
        chances = ranges[node.player] @ rows
        action = int(rng.choice(len(chances), p=chances / chances.sum()))
        ranges[node.player] = ranges[node.player] * rows[:, action]
        node = node.after(action)
    return node.line, ranges, float(node.pot)


@dataclass(frozen=True)
class Solved:
    """One program at the table, by two routes."""

    seconds: float
    size: tuple[int, int, int]  # rows, columns, entries of the payoff matrix
    value: float
    gap: float  # of the program's two plans, by best responses
    bracket: tuple[float, float]  # of the value, by CFR
    cfr_seconds: float


def solve_situation(program: TurnProgram) -> Solved:
    """HiGHS for player 1, then best responses to both plans, then CFR."""
    found: TurnSolution = program.solve(0)
    checked = solve_rounds(program.form, until=SECOND_ROUTE, iterations=20_000)
    form = program.form
    size = (form.sequences[1] + form.infosets[0] + 1, form.sequences[0] + form.infosets[1] + 1, form.payoff_nonzeros)
    return Solved(found.seconds, size, found.value, found.evaluation.nash_conv, checked.bracket, checked.seconds)


def table_checks(
    player: PhaseStrategy, sample: SampledStrengths, setting: TableSetting, request: Request
) -> tuple[list[Check], dict[str, Any]]:
    """Programs of random situations, timed."""
    programs = []
    for board, ranges, pot in situations(player, sample, setting.situations):
        made = expectation_buckets(board_hands(board), setting.buckets)
        programs.append(turn_program(board, ranges, pot, buckets=made))
    team, solved = Team(setting.parallel), []
    for start in range(0, len(programs), setting.parallel):
        request.report("programs of turn and river", start / len(programs))
        solved += team.run([partial(solve_situation, each) for each in programs[start : start + setting.parallel]])
    inside = max(max(each.bracket[0] - each.value, each.value - each.bracket[1]) for each in solved)
    title = "-".join(map(str, setting.buckets))
    checks = [
        equal(
            f"§6.4.1, {title}: buckets of every board",
            list(setting.buckets),
            _common([p.buckets.counts for p in programs]),
        ),
        at_most(f"§6.4.1, {title}: median seconds of HiGHS", MINUTE, median(each.seconds for each in solved)),
        close(
            f"§6.4.1, {title}: gap by best responses, chips, at most",
            0.0,
            max(each.gap for each in solved),
            LP_ROUNDING,
        ),
        at_most(f"§6.4.1, {title}: value outside the bracket of CFR, chips", 0.0, inside),
    ]
    return checks, {"programs of turn and river": [vars(each) for each in solved]}


def _common(counts: Sequence[tuple[int, int]]) -> list[Any]:
    """What all have in common, or all of them."""
    return list(counts[0]) if len(set(counts)) == 1 else [list(each) for each in counts]
