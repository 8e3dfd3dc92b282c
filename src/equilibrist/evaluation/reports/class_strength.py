"""How strong a strategy of a game of buckets is: losses to graded responders that never need its tree ([Davis15, §5.2])."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.reports.strength_report import KINDS, Loss, NamedResponder, StrengthReport, graded_samples
from equilibrist.exploit.response_functions.class_uct_fbr import (
    ClassArena,
    RoundBestResponse,
    RoundFBR,
    RoundResponder,
    RoundUCT,
    graded_value,
)
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.solvers.hand_classes.passes import RoundStrategy, Weights

CLASS_DEFAULT = "fbr-100 fbr-1000 fbr-10000 uct-1000 best"


def read_class_responders(text: str) -> list[tuple[NamedResponder, RoundResponder]]:
    """Responders by name: `best`, `uct-1000`, `fbr-1000`."""
    names = [name for name in re.split(r"[\s,]+", text.strip()) if name]
    return [class_responder(name) for name in (CLASS_DEFAULT.split() if names in ([], ["default"]) else names)]


def class_responder(name: str) -> tuple[NamedResponder, RoundResponder]:
    if name == "best":
        return NamedResponder(name, KINDS[name]), RoundBestResponse()
    kind, _, rest = name.partition("-")
    if kind not in ("uct", "fbr") or not rest:
        raise NotApplicableError(f"In games of buckets responders are best, uct-1000 and fbr-1000, not '{name}'.")
    n = graded_samples(rest, name)
    return NamedResponder(name, f"{kind.upper()}, {n:,} samples", n), RoundUCT(n) if kind == "uct" else RoundFBR(n)


def class_strength(
    game: str,
    form: KroneckerForm,
    weights: Weights,
    responders: Sequence[tuple[NamedResponder, RoundResponder]],
    *,
    runs: int = 20,
    seed: int = 0,
) -> StrengthReport:
    """Losses of a strategy to all responders, chips per game; both seats together are worth nothing."""
    if runs < 2:
        raise ParameterError(f"Monte Carlo responders are drawn at least twice, but {runs} was given.")
    arena = ClassArena(form, np.float64)
    losses = []
    for named, responder in responders:
        found = graded_value(arena, weights, responder, runs=1 if named.strength is None else runs, seed=seed)
        losses.append(Loss(named, -found.mean, found.interval))
    return StrengthReport(game, tuple(losses), RoundStrategy(form, weights).evaluate().exploitability)
