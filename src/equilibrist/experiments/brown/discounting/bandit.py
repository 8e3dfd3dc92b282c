"""Three actions worth 0, 1 and -1,000,000: how long regret matching takes to forget the first iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from equilibrist.experiments.findings import Findings, Request, between, equal, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.registry import make_solver

if TYPE_CHECKING:
    from equilibrist.solvers.iteration_loop import Run

PUBLISHED = {"cfr+": 471_407, "lcfr": 970}
REFERENCE = {"cfr": 471_407, "cfr+": 471_407, "lcfr": 972, "dcfr": 52_127}

CHUNK = 4096
LONGEST = 1_000_000


def plays_best(run: Run) -> bool:
    """Whether the next iteration plays the action worth 1 alone; the others must be exactly absent."""
    policy = run.last()
    assert policy is not None
    row = policy["row"]
    return row["a1"] == 0.0 and row["a3"] == 0.0 < row["a2"]


def first_pure_iteration(solver: str) -> int:
    """The first iteration that plays the best action purely; it never leaves it again, so chunks may be skipped."""
    run: Run = cast(CFR, make_solver(solver)).start(compiled("bandit"))
    before = run.state()
    while not plays_best(run):
        if run.iteration >= LONGEST:
            return LONGEST
        before = run.state()
        run.advance(CHUNK)
    run.restore(before)
    while not plays_best(run):
        run.advance(1)
    return run.iteration + 1


def run(request: Request) -> Findings:
    measured = {}
    for number, solver in enumerate(REFERENCE):
        request.report(f"bandit: {solver}", number / len(REFERENCE))
        measured[solver] = first_pure_iteration(solver)
    return Findings(
        setting="the published setting: one decision, payoffs 0, 1, -1e6",
        checks=[
            equal("CFR", REFERENCE["cfr"], measured["cfr"]),
            *printed(
                [
                    equal("CFR+", PUBLISHED["cfr+"], measured["cfr+"]),
                    between("LCFR", 968, 974, measured["lcfr"], target=PUBLISHED["lcfr"]),
                ]
            ),
            equal("DCFR(1.5, 0, 2)", REFERENCE["dcfr"], measured["dcfr"]),
        ],
        published=PUBLISHED,
        recomputed=REFERENCE,
        measured=measured,
        remarks=("The text says 970 for LCFR; with regrets added first and discounted second, 972 comes out.",),
    )


EXPERIMENT = Experiment(
    id="brown/bandit",
    title="Iterations until the best of three actions is played purely",
    source="[Brown20, §3.1.2]",
    seconds_quick=1,
    seconds_full=1,
    run=run,
    text="one decision with payoffs 0, 1 and -1,000,000",
    quick={"text": ("printed", "reference")},
)
