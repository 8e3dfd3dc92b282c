"""CFR-FBR: strategies trained against a frequentist responder of n probing hands ([Davis15, §5.2])."""

from __future__ import annotations

from equilibrist.experiments.davis.graded_responders import (
    beats_equilibrium,
    curve_picture,
    falls_with_grade,
    graded_table,
    trends,
)
from equilibrist.experiments.findings import Findings, Request, at_most, close
from equilibrist.experiments.registry import Experiment
from equilibrist.exploit.response_functions.response_functions import ResponseFunction
from equilibrist.exploit.response_functions.uct_fbr import FBR
from equilibrist.forms.compiled import Compiled

RECOMPUTED = {
    "equilibrium": {100: 0.244, 1000: 0.079, 10000: 0.013},
    "FBR-100": {100: 0.958, 1000: -1.42, 10000: -1.57},
    "FBR-1000": {100: 0.537, 1000: 0.062, 10000: -0.207},
    "FBR-10000": {100: 0.301, 1000: 0.205, 10000: -0.013},
}
EQUILIBRIUM_WIDTH = {100: 0.03, 1000: 0.015, 10000: 0.006}


def make(game: Compiled, n: int) -> ResponseFunction:
    return FBR(game.tree, n)


def run(request: Request) -> Findings:
    rows = {100: 20_000, 1000: 20_000, 10_000: 6000} if request.full else {100: 4000, 1000: 4000, 10_000: 1500}
    runs = {100: 100, 1000: 100, 10_000: 100}
    table = graded_table(make, rows, runs, request, "FBR")
    checks = [
        close(f"equilibrium against FBR-{n}", RECOMPUTED["equilibrium"][n], cell.mean, EQUILIBRIUM_WIDTH[n])
        for n, cell in table["equilibrium"].cells.items()
    ]
    checks += beats_equilibrium(table, "FBR", 100, [100])
    own, base = table["FBR-10000"].cells[10_000].mean, table["equilibrium"].cells[10_000].mean
    checks.append(at_most("CFR-FBR-10000 less equilibrium against FBR-10000: fails to pass it", 0.0, own - base))
    checks += falls_with_grade(table)
    return Findings(
        setting=f"Leduc with suits, full-information model, iterations {dict(rows)}, both seats averaged, chips per game",
        checks=[*checks, *trends(table, "FBR")],
        recomputed=RECOMPUTED,
        measured={name: row.numbers() for name, row in table.items()},
        remarks=(
            "The thesis plays five-bucket limit hold'em; Leduc shows the same story at a thousandth of the size.",
            "FBR learns much faster than UCT: at equal n it takes more from every strategy but the weakest.",
        ),
        draw=curve_picture(table, "FBR"),
    )


EXPERIMENT = Experiment(
    id="davis/fbr",
    title="Strategies trained against frequentist responders in Leduc",
    source="[Davis15, §5.2], in Leduc",
    seconds_quick=40,
    seconds_full=200,
    run=run,
    text="five-bucket limit hold'em",
    quick={"Leduc": ("pattern", "reference")},
)
