"""The cards of a spot's own board are a set: their order says nothing about suits. Files that told its streets apart open as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.artifact import load_artifact, save_artifact
from equilibrist.evaluation.verification.spots import verify_spot
from equilibrist.exploit.responses.restricted_spots import RestrictedSpot
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import solve_spot, start_spot

TURN = Spot(
    board="Td9d6h6c",
    pot=100,
    stack=100,
    range={"oop": "AA,KQs,JTs,T7o", "ip": "KK,QQ,AJs,76s:0.5"},
    bets={"bet": "a"},
)


@pytest.mark.parametrize("board", ["Td9d6h6c", "6c6h9dTd", "9d6hTd6c", "6hTd6c9d"])
def test_the_order_of_board_cards_says_nothing(board: str) -> None:
    turn, river = compile_spot(TURN.changed(board=board)).boards
    assert len(river.cards) == 36  # 4 twelve times: hearts and clubs can be exchanged
    assert int(river.copies.sum()) == 48
    assert len(turn.player[0].images) == 1


def test_later_streets_are_told_apart() -> None:
    """On a flop Td9d6h the turn 6c is not the card that the flop had."""
    boards = compile_spot(TURN.changed(board="Td9d6h")).boards
    after = next(number for number, cards in enumerate(boards[1].cards) if cards[-1] == 16)  # 6c
    assert boards[1].first_child[after + 1] - boards[1].first_child[after] == 48


def test_merged_rivers_are_worth_what_they_are_worth_one_by_one() -> None:
    merged, whole = (start_spot(TURN, isomorphism=alike) for alike in (True, False))
    for run in (merged, whole):
        run.advance(5)  # later rounding decides between actions that are worth the same
    for me in range(2):
        for respond in (False, True):
            wanted = whole.values(me, respond=respond)
            assert merged.values(me, respond=respond) == pytest.approx(wanted, abs=2e-6 * np.abs(wanted).max())
    assert merged.memory_bytes < 0.8 * whole.memory_bytes


def test_rivers_are_reached_by_every_card() -> None:
    solution = eq.solve(TURN, iterations=30)
    hearts, clubs = (solution.at(f"x:x:{card}") for card in ("2h", "2c"))
    assert hearts.path == clubs.path
    assert hearts.labels == clubs.labels
    assert hearts.strategy.sum(axis=0) == pytest.approx(clubs.strategy.sum(axis=0), abs=1e-5)
    assert verify_spot(solution).agrees


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A file as earlier versions wrote it."""
    solution = solve_spot(compile_spot(TURN).dealt_by_street(True), iterations=30)
    assert len(solution.boards.run.streets[1].boards.cards) == 48
    solution.save(tmp_path / "now.eqb")
    artifact = load_artifact(tmp_path / "now.eqb", SpotSolution.kind)
    header = {name: value for name, value in artifact.header.items() if name != "by_street"}
    save_artifact(tmp_path / "earlier.eqb", type(artifact)(artifact.kind, header, artifact.arrays))
    return tmp_path / "earlier.eqb"


def test_files_of_earlier_versions_open_verify_and_go_on(earlier: Path) -> None:
    old = eq.load_solution(earlier)
    assert isinstance(old, SpotSolution)
    assert old.by_street
    assert len(old.boards.run.streets[1].boards.cards) == 48
    assert verify_spot(old).agrees
    further = eq.solve(TURN, resume=old, iterations=40)
    assert further.iterations == 40
    assert further.exploitability < old.exploitability
    further.save(earlier.with_name("again.eqb"))
    again = eq.load_solution(earlier.with_name("again.eqb"))
    assert again.by_street
    assert again.boards.run.exploitability() == pytest.approx(further.exploitability, rel=1e-5)
    assert RestrictedSpot.of_solution(TURN, old, "oop").respond(1.0, iterations=5).payoff > 0.0
    known = solve_spot(compile_spot(TURN).dealt_by_street(True), iterations=30)
    warm = [eq.solve(TURN, warm_start=each, warm_iterations=30, iterations=31) for each in (old, known)]
    assert all(one.by_street for one in warm)
    assert warm[0].exploitability == pytest.approx(warm[1].exploitability, rel=1e-6)


def test_new_files_say_how_they_were_dealt(tmp_path: Path) -> None:
    solution = eq.solve(TURN, iterations=5)
    solution.save(tmp_path / "turn.eqb")
    again = eq.load_solution(tmp_path / "turn.eqb")
    assert not again.by_street
    assert len(again.boards.run.streets[1].boards.cards) == 36
    assert verify_spot(again).agrees
