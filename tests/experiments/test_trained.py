"""Blueprints that experiments train: Ctrl-C, and going on."""

import signal

import pytest

from equilibrist.experiments.findings import Request
from equilibrist.experiments.trained import trained
from equilibrist.solvers.blueprint.presets import find_plan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun


def test_a_training_that_is_interrupted_goes_on_as_if_nothing_had_happened(tmp_path, monkeypatch):
    """The signal falls between deals and their being counted; none may be walked twice."""
    plan, deals, request = find_plan("leduc").plan, 24 * BLOCK, Request(False, None, None)
    whole = trained(plan, deals, request)
    walk, pressed = BlueprintRun._piece, []

    def block(self, piece, frames):
        seen = walk(self, piece, frames)
        if piece.block == 5 and not pressed:
            pressed.append(piece.block)
            signal.raise_signal(signal.SIGINT)
        return seen

    monkeypatch.setattr(BlueprintRun, "_piece", block)
    with pytest.raises(KeyboardInterrupt):
        trained(plan, deals, request, checkpoints=tmp_path)
    again = trained(plan, deals, request, checkpoints=tmp_path)
    assert pressed
    assert (again.packed == whole.packed).all()
