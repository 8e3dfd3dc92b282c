"""Which run serves a solver on a form: a fused one where there is one for the pair, else the one in the space of plans."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from equilibrist.forms.form import Form

# (class of solver, class of form) -> the run that does the same faster; its `fits(solver)` says for which settings
FUSED: Mapping[tuple[str, str], str] = {
    ("CFR", "SequenceForm"): "cfr.runs:SequenceRun",
    ("CFRBR", "SequenceForm"): "fictitious_play.cfr_br:BestResponderRun",
    ("FictitiousPlay", "SequenceForm"): "fictitious_play.fictitious_play:FictitiousRun",
    ("CFR", "KroneckerForm"): "hand_classes.class_cfr:ClassCFR",
}
# class of solver -> its run in the space of plans
GENERIC: Mapping[str, str] = {
    "CFR": "plan_space.cfr:PlanCFR",
    "CFRBR": "plan_space.cfr:PlanCFRBR",
    "FictitiousPlay": "plan_space.fictitious_play:PlanFictitiousPlay",
}


def fused_run(solver: Any, form: Form) -> type | None:
    """The class of the fused run for this pair, if there is one that fits the solver's settings."""
    named = FUSED.get((type(solver).__name__, type(form).__name__))
    if named is None:
        return None
    found: Any = _load(named)
    return found if found.fits(solver) else None


def start_on(solver: Any, form: Form, *, generic: bool = False) -> Any:
    """A run at iteration 0; `generic` takes the run in the space of plans even where a faster one exists."""
    fused = None if generic else fused_run(solver, form)
    if fused is not None:
        return fused(getattr(solver, "learner", solver), form)
    from equilibrist.solvers.plan_space.field import Field

    run: Any = _load(GENERIC[type(solver).__name__])
    return run(getattr(solver, "learner", solver), Field(form))


def _load(named: str) -> Any:
    module, name = named.split(":")
    return getattr(importlib.import_module(f"equilibrist.solvers.{module}"), name)
