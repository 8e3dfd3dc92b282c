"""Which run serves a solver on a form: a fused one where there is one for the pair, else the one in the space of plans."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.form import Form

CFR = "equilibrist.solvers.cfr.cfr:CFR"
CFR_BR = "equilibrist.solvers.fictitious_play.cfr_br:CFRBR"
FICTITIOUS_PLAY = "equilibrist.solvers.fictitious_play.fictitious_play:FictitiousPlay"
SEQUENCES = "equilibrist.forms.sequence_form.sequence_form:SequenceForm"
CLASSES = "equilibrist.forms.hand_classes.kronecker:KroneckerForm"

# (class of solver, class of form) -> the run that does the same faster; its `fits(solver)` says for which settings
FUSED: Mapping[tuple[str, str], str] = {
    (CFR, SEQUENCES): "cfr.runs:SequenceRun",
    (CFR_BR, SEQUENCES): "fictitious_play.cfr_br:BestResponderRun",
    (FICTITIOUS_PLAY, SEQUENCES): "fictitious_play.fictitious_play:FictitiousRun",
    (CFR, CLASSES): "hand_classes.class_cfr:ClassCFR",
}
# class of solver -> its run in the space of plans
GENERIC: Mapping[str, str] = {
    CFR: "plan_space.cfr:PlanCFR",
    CFR_BR: "plan_space.cfr:PlanCFRBR",
    FICTITIOUS_PLAY: "plan_space.fictitious_play:PlanFictitiousPlay",
}


def fused_run(solver: Any, form: Form) -> type | None:
    """The class of the fused run for this pair, if there is one that fits the solver's settings."""
    for ours in _kinds(solver):
        for theirs in _kinds(form):
            named = FUSED.get((ours, theirs))
            if named is not None:
                found: Any = _load(named)
                return found if found.fits(solver) else None
    return None


def start_on(solver: Any, form: Form, *, generic: bool = False) -> Any:
    """A run at iteration 0; `generic` takes the run in the space of plans even where a faster one exists."""
    fused = None if generic else fused_run(solver, form)
    if fused is not None:
        return fused(getattr(solver, "learner", solver), form)
    from equilibrist.solvers.plan_space.field import Field

    named = next((GENERIC[kind] for kind in _kinds(solver) if kind in GENERIC), None)
    if named is None:
        raise NotApplicableError(
            f"{solver!r} has no run on forms; CFR, CFR-BR and fictitious play and what derives from them have."
        )
    return _load(named)(getattr(solver, "learner", solver), Field(form))


def _kinds(thing: object) -> list[str]:
    """Its class and those it derives from, by module and name: nothing is imported to compare them."""
    return [f"{each.__module__}:{each.__qualname__}" for each in type(thing).__mro__]


def _load(named: str) -> Any:
    module, name = named.split(":")
    return getattr(importlib.import_module(f"equilibrist.solvers.{module}"), name)
