"""The Independent Chip Model: the numbers that the text works out."""

from __future__ import annotations

from equilibrist.experiments.findings import Findings, Request, close, ours, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.games.tournaments.icm import icm

PRIZES = (50.0, 30.0, 20.0)
SHORT = (300, 12_300, 900)  # button, small blind, big blind
ICM_AT_SHORT = {"button": 22.96, "small blind": 48.19, "big blind": 28.848}
LEADER, SECOND, SHORTEST = 5000, 4900, 100


def run(request: Request) -> Findings:
    request.report("ICM", None)
    found = dict(zip(ICM_AT_SHORT, icm(SHORT, PRIZES).tolist(), strict=True))
    digits = {"button": 0.005, "small blind": 0.005, "big blind": 0.0005}
    checks = [
        close(f"stacks {SHORT}: {seat}", target, found[seat], digits[seat]) for seat, target in ICM_AT_SHORT.items()
    ]
    folds = icm((LEADER, SECOND, SHORTEST), PRIZES)[1]
    doubled = icm((LEADER - SECOND, 2 * SECOND, SHORTEST), PRIZES)[1]
    busted = icm((LEADER + SECOND, 0, SHORTEST), PRIZES)[1]
    calls = 0.5 * (doubled + busted)
    # the text rounds: the shortest stack is taken for lost at once
    checks += [
        close("5000, 4900, 100: fold", 40.0, folds, 0.5),
        close("an even all-in for all chips", 35.0, calls, 0.5),
    ]
    by_sum = icm(SHORT, PRIZES, route="quadrature")
    again = ours([close("by quadrature: button", found["button"], by_sum[0], 1e-9)])
    return Findings(
        setting="three players, prizes 50, 30 and 20",
        checks=[*printed(checks), *again],
        published={"stacks 300, 12300, 900": ICM_AT_SHORT, "fold": 40.0, "call": 35.0},
        measured={"stacks 300, 12300, 900": found, "fold": float(folds), "call": float(calls)},
    )


EXPERIMENT = Experiment(
    id="ganzfried/icm",
    title="The Independent Chip Model",
    source="[Ganzfried15, §9.8.2 and §9.8.3]",
    seconds_quick=1,
    seconds_full=1,
    run=run,
    text="three players, prizes 50, 30 and 20",
    quick={"text": ("printed", "reference")},
)
