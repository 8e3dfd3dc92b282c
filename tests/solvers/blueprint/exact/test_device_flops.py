"""Walks on a GPU against the CPU: as plain steps without a device, and by the kernels with one (`-m gpu`)."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.core.errors import NotApplicableError, TooLargeError, UnknownNameError
from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
from equilibrist.solvers.blueprint.exact.device_flops import DealtFlop, walk_streets
from equilibrist.solvers.blueprint.exact.exact_exploitability import (
    ExactRun,
    blueprint_key,
    engine_on,
    exact_exploitability,
)
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.postflop.bucket_walks.walk_hands import WalkShape
from equilibrist.solvers.postflop.gpu.cuda_device import Properties
from random_blueprint import LEDUC, NINE_CARDS, random_blueprint, whole_deck
from reference.plain_walk import PlainWalks

NEEDS_CUPY = pytest.mark.skipif(
    importlib.util.find_spec("cupy") is None, reason="the extra 'gpu' (CuPy) is not installed"
)
RHODE_ISLAND = BlueprintPlan("rhode-island(ranks=3,suits=2)", cards="exact")
NOLIMIT_LEDUC = BlueprintPlan("nolimit-leduc(stack=12,suits=2)", {"menu": {"bet": "50%, 100%, a"}}, "exact")
PLANS = [NINE_CARDS, LEDUC, RHODE_ISLAND, NOLIMIT_LEDUC]


def numbers(found):
    judged = found.judgement
    return [judged.value.least, judged.gain[0].least, judged.gain[1].least]


def alike(mine, other, tolerance):
    scale = max(np.abs(other.best).max(), 1e-9)
    assert mine.best / scale == pytest.approx(other.best / scale, abs=tolerance)
    assert mine.value / scale == pytest.approx(other.value / scale, abs=tolerance * len(other.best[0]))


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.game_name)
@pytest.mark.parametrize("group", [1, 1000])
@pytest.mark.sampled(3)
def test_steps_do_what_the_cpu_does(plan, group):
    blueprint = random_blueprint(plan, seed=4)
    mine, other = ExactRun(blueprint, engine=lambda streets: PlainWalks(streets, group)), ExactRun(blueprint)
    for number in range(min(len(mine.cards), 3)):
        alike(mine.flop(number), other.flop(number), 1e-5)


@pytest.mark.parametrize("hands", [1, 5, 15, 127, 128, 1081, 1128, 1176, 1326])
def test_every_hand_and_entry_has_a_place_and_one_is_left(hands):
    shape = WalkShape(hands)
    assert shape.threads % 32 == 0
    assert hands < shape.places <= hands + 128
    assert 2 * hands < shape.threads * shape.entries
    assert shape.entries % 2 == 1
    assert (shape.entries - 2) * shape.threads <= 2 * hands


def test_bytes_of_a_board_are_known():
    streets = BucketedStreets.of(random_blueprint(NINE_CARDS))
    walked = walk_streets(streets)
    flop = DealtFlop(streets, walked, streets.flops[0][0].tolist())
    for hands, street in zip(flop.hands, walked, strict=True):
        kept = ("hands", "entries", "starts", "order", "bucket", "low", "count", "share", "parent")
        each = sum(getattr(hands, name)[0].nbytes for name in kept)
        assert each <= street.shape.board_bytes <= each + 64
        assert len(hands.count) <= street.boards


def test_without_a_device_it_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(NotApplicableError, match="leave --device out"):
        exact_exploitability(random_blueprint(LEDUC), device="cuda")
    with pytest.raises(UnknownNameError, match="cuda"):
        exact_exploitability(random_blueprint(LEDUC), device="gpu")
    assert exact_exploitability(random_blueprint(LEDUC), device="auto").complete


@pytest.mark.gpu
@NEEDS_CUPY
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.game_name)
def test_kernels_do_what_the_cpu_does(plan, tmp_path):
    """Flop by flop, by several threads, from what the CPU left and on the CPU from what is left."""
    blueprint = random_blueprint(plan, seed=4)
    mine, other = (ExactRun(blueprint, engine=engine_on(device)) for device in ("cuda", "cpu"))
    for number in range(len(mine.cards)):
        alike(mine.flop(number), other.flop(number), 2e-6)
    kept, whole = Checkpoints(tmp_path, blueprint_key(blueprint)), exact_exploitability(blueprint)
    ExactRun(blueprint).look_at([0], kept, lambda progress: None)
    there = exact_exploitability(blueprint, threads=3, device="cuda", checkpoints=kept)
    assert numbers(there) == pytest.approx(numbers(whole), abs=2e-5, rel=2e-5)
    assert exact_exploitability(blueprint, checkpoints=kept).judgement == there.judgement


@pytest.mark.gpu
@NEEDS_CUPY
@pytest.mark.parametrize("cards", [[0, 1, 2], [0, 4, 8], [6, 25, 36]])
def test_flops_of_the_whole_deck_are_those_of_the_cpu(cards):
    menu = {"menu": {"bet": "a", "raise": "", "turn": {"bet": "100%"}, "preflop": {"bet": "100%", "raise": "a"}}}
    blueprint = whole_deck(menu)
    mine, other = (ExactRun(blueprint, engine=engine_on(device)) for device in ("cuda", "cpu"))
    number = mine.cards.tolist().index(cards)
    found = mine.flop(number)
    alike(found, other.flop(number), 2e-6)
    assert np.array_equal(found.best, mine.flop(number).best)  # bit for bit


@pytest.mark.gpu
@NEEDS_CUPY
def test_what_does_not_fit_on_the_device_is_refused(monkeypatch):
    monkeypatch.setattr(Properties, "free_bytes", lambda self: 1000)
    with pytest.raises(TooLargeError, match="on the device"):
        exact_exploitability(random_blueprint(LEDUC), device="cuda")
