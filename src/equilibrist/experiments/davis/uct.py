"""CFR-UCT in Leduc: strategies trained against search of n samples ([Davis15, Figures 5.1 and 5.2])."""

from __future__ import annotations

from equilibrist.experiments.davis.graded_responders import (
    beats_equilibrium,
    curve_picture,
    falls_with_grade,
    graded_table,
    trends,
)
from equilibrist.experiments.findings import Findings, Request, close
from equilibrist.experiments.registry import Experiment
from equilibrist.exploit.response_functions.response_functions import ResponseFunction
from equilibrist.exploit.response_functions.uct_fbr import UCT
from equilibrist.forms.compiled import Compiled

# our value against UCT-100, 1k, 10k, 100k; exploitability; value against the equilibrium (calibrated, C = 5 chips)
RECOMPUTED = {
    "equilibrium": {100: 0.512, 1000: 0.243, 10000: 0.038, 100000: 0.0094},
    "UCT-100": {100: 1.200, 1000: -0.452, 10000: -0.791, 100000: -0.918},
    "UCT-1000": {100: 0.862, 1000: 0.393, 10000: -0.246, 100000: -0.465},
    "UCT-10000": {100: 0.591, 1000: 0.368, 10000: 0.066, 100000: -0.138},
}
EQUILIBRIUM_WIDTH = {100: 0.05, 1000: 0.03, 10000: 0.012, 100000: 0.006}


def make(game: Compiled, n: int) -> ResponseFunction:
    return UCT(game.tree, n)


def run(request: Request) -> Findings:
    rows = {100: 20_000, 1000: 20_000, 10_000: 8_000} if request.full else {100: 3000, 1000: 4000}
    runs = (
        {100: 100, 1000: 100, 10_000: 100, 100_000: 40}
        if request.full
        else {100: 100, 1000: 100, 10_000: 40, 100_000: 10}
    )
    table = graded_table(make, rows, runs, request, "UCT")
    checks = [
        close(f"equilibrium against UCT-{n}", RECOMPUTED["equilibrium"][n], cell.mean, EQUILIBRIUM_WIDTH[n])
        for n, cell in table["equilibrium"].cells.items()
    ]
    for n in rows:
        checks += beats_equilibrium(table, "UCT", n, [column for column in rows if column <= n])
    checks += falls_with_grade(table)
    return Findings(
        setting=f"Leduc with suits, C = 5 chips, iterations {dict(rows)}, both seats averaged, chips per game",
        checks=[*checks, *trends(table, "UCT")],
        recomputed=RECOMPUTED,
        measured={name: row.numbers() for name, row in table.items()},
        remarks=(
            "The thesis gives neither the constant C nor iteration counts; the reference row is our own calibration.",
            "The quick setting leaves out the strategies trained against UCT-10k and UCT-100k, which pass the equilibrium late.",
        ),
        draw=curve_picture(table, "UCT"),
    )


EXPERIMENT = Experiment(
    id="davis/uct",
    title="Strategies trained against UCT of n samples in Leduc",
    source="[Davis15, §5.1, Figures 5.1 and 5.2]",
    seconds_quick=40,
    seconds_full=400,
    run=run,
    text="Leduc, UCT of 1,000 to 100,000 samples",
    quick={"text": ("pattern", "reference")},
)
