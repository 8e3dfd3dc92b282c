"""Pieces of experiments in processes of their own."""

import os

import pytest

from equilibrist.core.errors import LostWorkerError
from equilibrist.experiments.findings import Request
from equilibrist.experiments.side_by_side import side_by_side


def squared(piece: int, progress: tuple[float, float], request: Request) -> tuple[int, int]:
    request.report(f"piece {piece}", progress[1])
    return piece * piece, os.getpid()


def lost(piece: int, progress: tuple[float, float], request: Request) -> None:
    os._exit(1)


def test_pieces_come_to_the_same_in_other_processes() -> None:
    told: list[tuple[str, float | None]] = []
    here = dict(side_by_side(squared, [1, 2, 3], Request(progress=lambda *what: told.append(what)), (0.4, 1.0)))
    assert [value for value, _ in here.values()] == [1, 4, 9]
    assert {where for _, where in here.values()} == {os.getpid()}
    assert [share for _, share in told] == pytest.approx([0.6, 0.8, 1.0])
    there = dict(side_by_side(squared, [1, 2, 3], Request(jobs=2)))
    assert {piece: value for piece, (value, _) in there.items()} == {1: 1, 2: 4, 3: 9}
    assert os.getpid() not in {where for _, where in there.values()}


def test_reports_of_other_processes_arrive() -> None:
    told: list[tuple[str, float | None]] = []
    list(side_by_side(squared, [5, 6], Request(jobs=2, progress=lambda *what: told.append(what)), (0.5, 1.0)))
    assert sorted(doing for doing, _ in told) == ["piece 5", "piece 6"]
    assert max(share or 0.0 for _, share in told) == 1.0


def test_a_process_that_is_lost_is_said() -> None:
    with pytest.raises(LostWorkerError):
        list(side_by_side(lost, [1, 2], Request(jobs=2)))
