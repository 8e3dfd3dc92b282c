"""Many spots searched at once, against searches one by one."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.search.engines import spot_batches
from equilibrist.search.engines.spot_batches import search_batch, search_cards, search_together
from equilibrist.search.engines.spot_task import SearchTask, search_task, spot_with_gadget
from equilibrist.search.engines.spots import asked_at, search_from, search_spot
from equilibrist.search.maxmargin import Maxmargin
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution, load_spot_solution
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from reference.joined_engine import JoinedEngine

TURN = Spot(
    board="Td9d6hQc",
    pot=100,
    stack=300,
    range={"oop": "AA,QQ,KQs,JTs,98s,A5s,T7o", "ip": "KK,QQ,AJs,T9s,76s:0.5,K9o"},
    bets={"bet": "50%, a", "raise": "a"},
)
CARDS = ("2s", "Qh", "8d", "9s")
SAFE = ["resolve", "maxmargin", "reach-maxmargin", "estimate-distributional"]


@cache
def solved() -> SpotSolution:
    found = eq.solve(TURN, iterations=60)
    assert isinstance(found, SpotSolution)
    return found


@pytest.mark.parametrize("technique", ["unsafe", *SAFE])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_is_its_searches(technique: str, threads: int) -> None:
    place, seen = solved().at("x:x"), list[tuple[int, int]]()
    found = search_cards(
        place, "ip", technique, cards=CARDS, iterations=50, threads=threads, progress=lambda d, n: seen.append((d, n))
    )
    assert tuple(found) == CARDS
    assert seen == [(k + 1, 4) for k in range(4)]
    for card, one in found.items():
        alone = search_from(place.play(card), "ip", technique, iterations=50)
        assert one.exploitability == alone.exploitability
        assert one.solution.ev == alone.solution.ev
        assert np.array_equal(one.values, alone.values, equal_nan=True)
        assert one.margin == pytest.approx(alone.margin, nan_ok=True)


def together(
    technique: str, cards: tuple[str, ...] = CARDS, **goals: Any
) -> tuple[JoinedEngine, list[Any], list[SearchTask]]:
    """Searches of rivers in one run, as on a GPU, on an engine of the CPU."""
    asked = [asked_at(solved().at("x:x").play(card), "ip", technique) for card in cards]
    tasks = [search_task(spot, "ip", technique, bits=32, **payoffs, **goals) for spot, payoffs in asked]
    spots = [compile_spot(spot_with_gadget(task)[0]) for task in tasks]
    runs = [start_spot(spot, tasks[0].solver) for spot in spots]
    engine = JoinedEngine(runs)
    run_at: Callable[[int], tuple[BoardCFR, CompiledSpot]] = lambda k: (runs[k], spots[k])  # noqa: E731
    return engine, search_together(engine, tasks, run_at), tasks


@pytest.mark.parametrize("technique", SAFE)
def test_gadgets_side_by_side_are_gadgets_one_by_one(technique: str) -> None:
    """In few iterations, since rounding grows; by themselves they are the same to the last bit."""
    _, found, tasks = together(technique, iterations=5)
    for card, one, task in zip(CARDS, found, tasks, strict=True):
        alone = search_spot(
            task.spot, "ip", technique, alternative=task.alternative, deviation=task.deviation, iterations=5, bits=32
        )
        assert one.solution.iterations == 5
        assert np.array_equal(one.hands, alone.hands)
        assert one.alternative == pytest.approx(alone.alternative, nan_ok=True)
        assert one.mass == pytest.approx(alone.mass, rel=1e-6)
        assert one.exploitability == pytest.approx(alone.exploitability, rel=1e-4)
        assert one.margin == pytest.approx(alone.margin, rel=1e-4)
        assert one.tolerance == pytest.approx(alone.tolerance, rel=1e-4, nan_ok=True)
        _, (single,), _ = together(technique, (card,), iterations=5)
        assert single.exploitability == pytest.approx(one.exploitability, rel=1e-12)


def test_each_search_ends_at_its_goal() -> None:
    engine, found, tasks = together("resolve", until="0.2%")
    for one, task in zip(found, tasks, strict=True):
        assert one.exploitability <= 0.002 * task.spot.pot
        assert one.solution.converged
        again = search_spot(task.spot, "ip", "resolve", alternative=task.alternative, until="0.2%")
        assert one.margin == pytest.approx(again.margin, abs=0.02 * task.spot.pot)
    assert len({one.solution.iterations for one in found}) > 1  # some ended before others
    assert engine.selected[-2:] == [[], [0, 1, 2, 3]]


def test_cards_that_differ_by_suits_only_are_searched_once() -> None:
    turn = Spot(board="Td9h6hTh", pot=10, stack=20, range={"oop": "AA,KQ", "ip": "QQ,JJ"}, bets={"bet": "a"})
    place = eq.solve(turn, iterations=10).at("x:x")  # type: ignore[attr-defined]
    found = search_cards(place, "oop", iterations=5)
    assert len({place.play(card).path for card in place.next_cards}) == len(found) < 48
    assert {place.play(card).path for card in found} == {place.play(card).path for card in place.next_cards}


def test_what_cannot_be_searched_at_once_is_refused() -> None:
    place = solved().at("x")
    with pytest.raises(NotApplicableError, match="No card comes after 'x'"):
        search_cards(place, "ip")
    with pytest.raises(NotApplicableError, match="all-in after 'b300:c'"):
        search_cards(solved().at("b300:c"), "ip")
    with pytest.raises(ParameterError, match="at least one spot"):
        search_batch([], "ip")
    with pytest.raises(ParameterError, match=r"2 spots takes as many 'alternatives' \[spot, 1326\], but 1 were given"):
        search_batch([TURN, TURN], "ip", "resolve", alternatives=[np.zeros(1326)])
    with pytest.raises(NotApplicableError, match="needs to know what the opponent"):
        search_batch([TURN], "ip", "resolve")
    with pytest.raises(NotApplicableError, match="32 bits there"):
        search_batch([TURN], "ip", device="cuda", bits=16)
    with pytest.raises(ParameterError, match="'threads'"):
        search_batch([TURN], "ip", threads=0)


@pytest.mark.gpu
@pytest.mark.parametrize("technique", ["unsafe", *SAFE])
@pytest.mark.parametrize("line", ["x:x", "b50:c"])
def test_batches_on_a_gpu_are_those_of_the_cpu(technique: str, line: str) -> None:
    place = solved().at(line)
    cpu, gpu = (
        search_cards(place, "ip", technique, cards=CARDS, until="0.05%", iterations=20_000, device=device)
        for device in ("cpu", "cuda")
    )
    for card, one in gpu.items():
        chips = 0.0005 * one.solution.spot.pot
        assert one.exploitability <= chips
        assert np.array_equal(one.hands, cpu[card].hands)
        if isinstance(one.technique.gadget, Maxmargin):  # other gadgets leave margins of rare hands open
            assert one.margin == pytest.approx(cpu[card].margin, abs=8 * chips)
        if one.technique.safe:
            assert one.tolerance == pytest.approx(cpu[card].tolerance, abs=4 * chips)


@pytest.mark.gpu
@pytest.mark.parametrize("technique", SAFE)
def test_a_few_iterations_on_a_gpu_are_those_of_the_cpu(technique: str) -> None:
    place = solved().at("x:x")
    cpu, gpu = (
        search_cards(place, "ip", technique, cards=CARDS, iterations=3, bits=32, device=device)
        for device in ("cpu", "cuda")
    )
    for card, one in gpu.items():
        assert one.mass == pytest.approx(cpu[card].mass, rel=1e-5)
        assert one.values == pytest.approx(cpu[card].values, abs=0.01, nan_ok=True)
        assert one.exploitability == pytest.approx(cpu[card].exploitability, rel=1e-3)


@pytest.mark.gpu
def test_turns_with_gadgets_on_a_gpu() -> None:
    flop = TURN.changed(board="Td9d6h", stack=60)
    place = eq.solve(flop, iterations=30).at("x:x")  # type: ignore[attr-defined]
    found = search_cards(place, "oop", "resolve", until="0.2%", iterations=5000, device="cuda")
    for card in list(found)[:3]:
        alone = search_from(place.play(card), "oop", "resolve", until="0.2%", iterations=5000)
        chips = 0.002 * alone.solution.spot.pot
        assert found[card].exploitability <= chips
        assert found[card].tolerance == pytest.approx(alone.tolerance, abs=4 * chips)


class Batch:
    """In place of one on a device."""


def test_one_group_at_a_time_is_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[weakref.ref[Batch]]()

    def start(*_: Any) -> Batch:
        assert all(each() is None for each in made)
        batch = Batch()
        made.append(weakref.ref(batch))
        return batch

    monkeypatch.setattr(spot_batches, "wants_gpu", lambda *_, **__: True)
    monkeypatch.setattr(spot_batches, "start_group", start)
    monkeypatch.setattr(spot_batches, "lay_out_group", lambda spots, group: None)
    monkeypatch.setattr(spot_batches, "BatchEngine", lambda batch: batch)
    monkeypatch.setattr(spot_batches, "search_together", lambda engine, tasks, run: tasks)
    spots = [TURN, TURN.changed(bets={"bet": "a"}), TURN.changed(pot=110)]  # of two shapes
    found: Any = search_batch(spots, "oop", "resolve", alternatives=np.zeros((3, 1326)), device="cuda")
    assert [task.spot.pot for task in found] == [100, 100, 110]
    assert len(made) == 2


def test_every_card_is_searched_where_the_next_street_was_not_saved(tmp_path: Path) -> None:
    spot = TURN.changed(board="6h6cTd9d", range={"oop": "AA,KQs", "ip": "KK,QJs"}, bets={"bet": "a"})
    whole = eq.solve(spot, iterations=20)
    assert isinstance(whole, SpotSolution)
    whole.save(tmp_path / "turn.eqb", without="river")
    cards = [
        list(search_cards(each.at("x:x"), "oop", iterations=5))
        for each in (whole, load_spot_solution(tmp_path / "turn.eqb"))
    ]
    assert 12 < len(cards[0]) < 48
    assert cards[1] == cards[0]
