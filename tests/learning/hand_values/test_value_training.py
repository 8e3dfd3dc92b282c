"""Values are exact solutions; trainings in folders stop anywhere, go on to the same, and refuse what does not fit."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

import equilibrist as eq  # noqa: E402
from equilibrist.core.artifact import load_artifact  # noqa: E402
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError  # noqa: E402
from equilibrist.core.writing import drop_mark, take_mark  # noqa: E402
from equilibrist.learning.hand_values import shards as shards_module  # noqa: E402
from equilibrist.learning.hand_values import value_training  # noqa: E402
from equilibrist.learning.hand_values.belief_states import random_states  # noqa: E402
from equilibrist.learning.hand_values.labels import POT, drawn_states, label, load_shard, made_shard, save_shard  # noqa: E402
from equilibrist.learning.hand_values.shards import Shards  # noqa: E402
from equilibrist.learning.hand_values.value_file import load_values  # noqa: E402
from equilibrist.learning.hand_values.value_folder import (  # noqa: E402
    ValueProgress,
    _Keeper,
    label_beside,
    resume_values,
    start_values,
    value_facts,
)
from equilibrist.learning.hand_values.value_order import PRESETS, ValueOrder, is_value_order, read_value_order  # noqa: E402

SMALL = ValueOrder("river", states=24, shard=8, steps=3, batch=4, width=4, wide=8, held_out=6)


def test_labels_are_what_the_solver_says() -> None:
    labelling = SMALL.labelling()
    states = random_states("river", 2, np.random.default_rng(5), (0.5, 3.0))
    found = label(labelling, states)
    assert (found.error < 0.001 + 1e-6).all()
    spot = labelling.spot()
    exact = eq.solve_batch(spot, boards=states.boards, ranges=states.ranges, stacks=states.depth * POT, until="0.02%")
    known = np.nan_to_num(np.stack(exact.by_hand, axis=1) / POT)
    held = states.ranges / states.ranges.sum(axis=2, keepdims=True)
    off = (np.abs(found.values - known) * held).sum(axis=2)
    assert off.max() < 0.01


def test_shards_come_back_as_they_were(tmp_path: Path) -> None:
    states = drawn_states(SMALL.labelling(), 0, 5, 7)
    shard = made_shard(SMALL.labelling(), states)
    save_shard(tmp_path / "a.eqb", shard)
    again = load_shard(tmp_path / "a.eqb", "river")
    assert again.states.hashes() == shard.states.hashes() == drawn_states(SMALL.labelling(), 0, 5, 7).hashes()
    assert (again.values == shard.values).all()
    with pytest.raises(FormatError, match="no values of the turn"):
        load_shard(tmp_path / "a.eqb", "turn")


def test_a_training_that_goes_on_comes_to_the_same(tmp_path: Path) -> None:
    start_values(tmp_path / "whole", SMALL, threads=1)
    start_values(tmp_path / "parts", replace(SMALL, states=8), threads=1)
    read = value_facts(tmp_path / "parts")
    assert (read["iterations"], read["planned"], read["finished"]) == (1, 1, True)
    (tmp_path / "parts" / "plan.json").write_text((tmp_path / "whole" / "plan.json").read_text())
    (tmp_path / "parts" / "state.eqb").unlink()
    resume_values(tmp_path / "parts", threads=1)
    first, second = (load_artifact(tmp_path / name / "state.eqb", "hand-values").arrays for name in ("whole", "parts"))
    assert all((first[key] == second[key]).all() for key in first)


def test_an_interrupt_leaves_an_iteration_done_or_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_values(tmp_path / "whole", SMALL, threads=1)
    steps = iter(range(100))
    loss = value_training.value_loss

    def interrupted(*given: object) -> object:
        if next(steps) == 4:  # in the middle of the second iteration
            raise KeyboardInterrupt
        return loss(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(value_training, "value_loss", interrupted)
    facts = start_values(tmp_path / "parts", SMALL, threads=1)
    assert (facts["iterations"], facts["finished"]) == (1, False)
    monkeypatch.setattr(value_training, "value_loss", loss)
    facts = resume_values(tmp_path / "parts", threads=1)
    assert facts["finished"]
    first, second = (load_artifact(tmp_path / name / "state.eqb", "hand-values").arrays for name in ("whole", "parts"))
    assert all((first[key] == second[key]).all() for key in first)


def test_learning_makes_values_better(tmp_path: Path) -> None:
    order = ValueOrder("river", states=60, shard=60, steps=150, batch=16, width=12, wide=32, rate=5e-3, held_out=20)
    facts = start_values(tmp_path / "values", order, threads=1)
    last = facts["curve"][-1]
    assert last["in_range"] < 0.8 * last["check_down"]
    saved = load_values(tmp_path / "values" / "values.eqb")
    assert (saved.street, saved.errors["in_range"]) == ("river", last["in_range"])


def test_others_may_solve_states_beside(tmp_path: Path) -> None:
    """What nobody is at work on; the training takes what it finds, and comes to the same."""
    start_values(tmp_path / "whole", SMALL, threads=1)
    start_values(tmp_path / "parts", replace(SMALL, states=8), threads=1)
    (tmp_path / "parts" / "plan.json").write_text((tmp_path / "whole" / "plan.json").read_text())
    claim = tmp_path / "parts" / "states-00002.claim"
    handle = take_mark(claim)
    assert handle is not None
    assert label_beside(tmp_path / "parts", threads=1, seconds=0.0) == 0
    assert label_beside(tmp_path / "parts", threads=1) == 1  # another one is being made elsewhere
    assert not (tmp_path / "parts" / "states-00002.eqb").exists()
    drop_mark(claim, handle)
    assert label_beside(tmp_path / "parts", threads=1) == 1
    assert not list((tmp_path / "parts").glob("*.claim"))
    assert label_beside(tmp_path / "parts", threads=1) == 0
    assert sorted(path.name for path in (tmp_path / "parts").glob("states-*")) == [
        f"states-0000{n}.eqb" for n in (1, 2, 3)
    ]
    begun = (tmp_path / "parts" / "states-00003.eqb").stat().st_mtime_ns
    (tmp_path / "parts" / "state.eqb").unlink()
    resume_values(tmp_path / "parts", threads=1)
    assert (tmp_path / "parts" / "states-00003.eqb").stat().st_mtime_ns == begun
    first, second = (load_artifact(tmp_path / name / "state.eqb", "hand-values").arrays for name in ("whole", "parts"))
    assert all((first[key] == second[key]).all() for key in first)


def test_a_training_makes_others_while_it_waits_for_a_shard(tmp_path: Path) -> None:
    """The shard that it needs is claimed elsewhere: the next ones are made, then that one, once the claim is given up."""
    made, told, claim = list[int](), list[float](), tmp_path / "states-00001.claim"
    handle = take_mark(claim)
    assert handle is not None
    shards = Shards(tmp_path, SMALL, "cpu", 1)

    def tell(count: int, share: float) -> None:
        told.append(share)
        there = sorted(int(path.stem[-5:]) for path in tmp_path.glob("states-*.eqb"))
        if there == [2, 3] and not made:
            made.extend(there)
            drop_mark(claim, handle)

    first = shards.take(0, tell)
    assert made[:2] == [2, 3]
    again = shards.take(1, tell)
    shards.close()
    assert len(first) == len(again) == SMALL.shard
    assert not list(tmp_path.glob("*.claim"))


def test_a_training_may_stop_solving_and_go_on_learning(tmp_path: Path) -> None:
    """What is there by then is all: others' shards too; the plan says so, and the training ends."""
    start_values(tmp_path / "parts", replace(SMALL, states=8), threads=1)
    plan = (
        (tmp_path / "parts" / "plan.json")
        .read_text()
        .replace('"states": 8', '"states": 80')
        .replace('"finish": 0', '"finish": 2')
    )
    (tmp_path / "parts" / "plan.json").write_text(plan)
    made = replace(SMALL, states=80)
    shards = Shards(tmp_path / "parts", made, "cpu", 1)
    shards.take(0, lambda count, share: None)  # of another process
    shards.take(1, lambda count, share: None)
    shards.close()
    facts = resume_values(tmp_path / "parts", threads=1, label_seconds=0.0)
    assert facts["finished"]
    assert (facts["states"], facts["iterations"]) == (16, 4)
    assert value_facts(tmp_path / "parts")["planned"] == 4


QUICK = replace(SMALL, states=80, steps=2, held_out=4, until=5.0)


def numbers_of(folder: Path) -> list[int]:
    return sorted(int(path.stem[-5:]) for path in folder.glob("states-*.eqb"))


def quiet(count: int, share: float) -> None:
    """Nobody listens."""


def test_nothing_is_solved_after_the_cut(tmp_path: Path) -> None:
    """What the training has only drawn is left out, what others are at work on is waited for, and they follow the plan."""
    QUICK.save(tmp_path)
    keeper = _Keeper(tmp_path, value_training.ValueTraining(QUICK), 1, lambda progress: None)
    keeper.load()
    keeper.advance()
    keeper.advance()  # the third is drawn
    other = Shards(tmp_path, QUICK, "cpu", 1)
    assert other._next_claim() == 3
    keeper.cut()
    assert keeper.training.order.shards == keeper.shards.order.shards == 2
    other.make_beside(quiet, lambda: read_value_order(tmp_path))
    assert other.made == 0
    while keeper.training.iteration < keeper.training.order.iterations:
        keeper.advance()
    keeper.shards.close()
    other.close()
    assert numbers_of(tmp_path) == [1, 2]


def test_a_cut_counts_what_others_are_at_work_on(tmp_path: Path) -> None:
    own, other = (Shards(tmp_path, QUICK, "cpu", 1) for _ in range(2))
    assert other._next_claim() == 0
    assert own._next_claim() == 1
    assert own.cut(1).shards == 2  # claimed, but neither drawn nor there
    assert own.cut(1).shards == 2
    own.close()
    assert Shards(tmp_path, QUICK, "cpu", 1).cut(1).shards == 1
    other.close()


def test_who_solves_beside_ends_where_the_plan_is_cut(tmp_path: Path) -> None:
    QUICK.save(tmp_path)
    seen = list[int]()

    def cut(progress: ValueProgress) -> None:
        seen.append(progress.iterations)
        replace(QUICK, states=8).save(tmp_path)

    assert label_beside(tmp_path, threads=1, report=cut) == 1
    assert (numbers_of(tmp_path), set(seen)) == ([1], {0})
    assert not list(tmp_path.glob("*.claim"))


def test_shards_are_counted_and_not_what_is_told_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device tells of no share done several times."""
    QUICK.save(tmp_path)
    begun = list[int]()

    def made(labelling: Any, states: Any, *, threads: int, device: str, tell: Any) -> Any:
        begun.append(len(states))
        for _ in range(3):
            tell(0.0)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return made_shard(labelling, states, threads=threads, device=device)

    monkeypatch.setattr(shards_module, "made_shard", made)
    assert label_beside(tmp_path, threads=1) == 2
    assert numbers_of(tmp_path) == [1, 2]


def test_what_is_drawn_stays_ones_own(tmp_path: Path) -> None:
    """However long nothing is solved; and what somebody has put there all the same is not made again."""
    own, other = (Shards(tmp_path, QUICK, "cpu", 1) for _ in range(2))
    own.take(0, quiet)
    assert list(own._drawn) == [1]
    mark = tmp_path / "states-00002.claim"
    os.utime(mark, (0.0, 0.0))
    assert other._next_claim() == 2
    save_shard(tmp_path / "states-00002.eqb", made_shard(QUICK.labelling(), drawn_states(QUICK.labelling(), 1, 8, 0)))
    begun = (tmp_path / "states-00002.eqb").stat().st_mtime_ns
    own.take(1, quiet)
    assert own._next_claim() == 3
    assert not own._drawn
    own.take(3, quiet)
    assert list(own._drawn) == [4]  # drawing ahead goes on
    own.close()
    other.close()
    assert (tmp_path / "states-00002.eqb").stat().st_mtime_ns == begun
    assert not list(tmp_path.glob("*.claim"))


def test_what_was_made_before_it_is_claimed_is_not_made_again(tmp_path: Path) -> None:
    own = Shards(tmp_path, QUICK, "cpu", 1)
    (tmp_path / "states-00001.eqb").touch()
    assert not own._claim(0)
    assert not list(tmp_path.glob("*.claim"))
    own.close()


def test_an_error_leaves_no_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*given: Any, **named: Any) -> Any:
        raise FormatError("cannot")

    with monkeypatch.context() as patch:
        patch.setattr(value_training.ValueTraining, "train", failing)
        with pytest.raises(FormatError, match="cannot"):
            start_values(tmp_path / "values", QUICK, threads=1)
    assert numbers_of(tmp_path / "values") == [1]
    assert not list((tmp_path / "values").glob("*.claim"))


def test_held_out_states_are_never_trained_on(tmp_path: Path) -> None:
    start_values(tmp_path / "values", replace(SMALL, states=8), threads=1)
    held = load_shard(tmp_path / "values" / "held-out.eqb", "river")
    assert (held.error <= 0.01 * SMALL.until / 2.0 + 1e-6).all()
    trained = load_shard(tmp_path / "values" / "states-00001.eqb", "river")
    assert not set(held.states.hashes()) & set(trained.states.hashes())
    save_shard(tmp_path / "values" / "states-00002.eqb", replace(trained, states=trained.states[np.r_[0:8]]))
    mixed = replace(
        trained,
        states=held.states[np.r_[0:6, 0:2]],
        values=held.values[np.r_[0:6, 0:2]],
        error=held.error[np.r_[0:6, 0:2]],
    )
    save_shard(tmp_path / "values" / "states-00002.eqb", mixed)
    with pytest.raises(FormatError, match="among those held out"):
        resume_values(tmp_path / "values", states=16, threads=1)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    start_values(tmp_path / "values", replace(SMALL, states=8), threads=1)
    with pytest.raises(ParameterError, match="not an empty folder"):
        start_values(tmp_path / "values", SMALL)
    with pytest.raises(ParameterError, match="would be fewer"):
        resume_values(tmp_path / "values", states=4)
    with pytest.raises(EquilibristError, match="There is no preset of values 'values-flop'"):
        PRESETS.make("values-flop")
    with pytest.raises(EquilibristError, match="states"):
        PRESETS.make("values-river(states=0)")
    with pytest.raises(ParameterError, match="the turn and the river"):
        ValueOrder("flop")  # type: ignore[arg-type]
    assert is_value_order(tmp_path / "values")
    assert not is_value_order(tmp_path)
    plan = tmp_path / "values" / "plan.json"
    plan.write_text(plan.read_text().replace('"states": 8', '"states": "8"'))
    with pytest.raises(FormatError, match="is damaged"):
        value_facts(tmp_path / "values")
    plan.write_text(plan.read_text().replace('"states": "8"', '"states": 8').replace('"width": 4', '"width": 5'))
    with pytest.raises(FormatError, match="does not fit its plan"):
        resume_values(tmp_path / "values", threads=1)
