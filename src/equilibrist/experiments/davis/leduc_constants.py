"""Reference constants of limit Leduc: what five fixed strategies and CFR+ lose to a best response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.findings import Check, Findings, Request, close
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import Spread, exploitability_at, run_all, writings
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.solvers.solve import solve

Choice = Callable[[Sequence[str]], list[float]]

REFERENCE = {
    "always-fold": 1.0000,
    "always-call": 1.4667,
    "always-raise": 2.3667,
    "uniform": 2.3736,
    "probe": 2.1500,  # half call, half raise
}
CFR_PLUS = {100: 0.0134, 1000: 0.0002}
VALUE = -0.085606
LAST_DIGIT = 0.00005  # half of it, in numbers given to four decimals


def prefer(*order: str) -> Choice:
    """Always the first legal action of an order of preference."""
    return lambda actions: [float(a == next(o for o in order if o in actions)) for a in actions]


def probe(actions: Sequence[str]) -> list[float]:
    """Half check or call, half bet or raise; call where no raise is left."""
    passive, active = prefer("x", "c")(actions), prefer("b", "r", "c")(actions)
    return [(p + a) / 2 for p, a in zip(passive, active, strict=True)]


FIXED: dict[str, Choice] = {
    "always-fold": prefer("x", "f"),
    "always-call": prefer("x", "c"),
    "always-raise": prefer("b", "r", "c"),
    "uniform": lambda actions: [1 / len(actions)] * len(actions),
    "probe": probe,
}


def fixed_policy(game: Compiled, choice: Choice) -> TabularPolicy:
    """The same rule at every infoset of both players."""
    infosets = game.infosets
    return TabularPolicy(infosets, np.concatenate([choice(actions) for actions in infosets.actions]))


def cfr_plus_runs(game: Compiled) -> dict[int, Spread]:
    """Equivalent runs of CFR+: after 1,000 iterations rounding moves the fourth decimal."""
    runs = run_all([partial(exploitability_at, way, "cfr+", tuple(CFR_PLUS)) for way in writings(game)])
    return {t: Spread(tuple(column)) for t, column in zip(CFR_PLUS, zip(*runs, strict=True), strict=True)}


def cfr_plus_check(iterations: int, spread: Spread) -> Check:
    """The number given to four decimals lies among equivalent runs, the last digit's half allowed."""
    low, high = spread.interval(0.0)
    bounds = [low - LAST_DIGIT, high + LAST_DIGIT]
    target = CFR_PLUS[iterations]
    passed = bounds[0] <= target <= bounds[1]
    return Check(f"CFR+ after {iterations} iterations", target, spread.centre, bounds, passed)


def run(request: Request) -> Findings:
    game = compiled("leduc")
    request.report("leduc: fixed strategies and the linear program", 0.0)
    measured = {name: evaluate_policy(game, fixed_policy(game, rule)).exploitability for name, rule in FIXED.items()}
    value = solve(game, "lp").value[0]
    request.report("leduc: cfr+", 0.5)
    plus = cfr_plus_runs(game)
    checks = [close(name, REFERENCE[name], measured[name], LAST_DIGIT) for name in REFERENCE]
    checks += [cfr_plus_check(t, spread) for t, spread in plus.items()]
    return Findings(
        setting="everything that was recomputed: exploitability in chips, averaged over both seats",
        checks=[*checks, close("value to the first seat", VALUE, value, 5e-7)],
        recomputed={"exploitability": REFERENCE, "cfr+": CFR_PLUS, "value": VALUE},
        measured={"exploitability": measured, "cfr+": {t: spread.centre for t, spread in plus.items()}, "value": value},
        remarks=("These constants calibrate the thesis's Leduc experiments; they are not printed in its text.",),
    )


EXPERIMENT = Experiment(
    id="davis/leduc-constants",
    title="Reference constants of limit Leduc",
    source="[Davis15, §2.2.2], recomputed",
    seconds_quick=2,
    seconds_full=2,
    run=run,
    text="Leduc, without printed numbers",
    quick={"text": ("reference",)},
)
