"""Which member of the CFR family closes the gap of Rhode Island hold'em (13 - 205 - 1,774 classes) first.

Prints, as JSON, the gap in chips after marked iterations and the CPU seconds spent on them (evaluations not counted), one thread.

    python benchmarks/rhode_island.py [--solvers dcfr pcfr+ …] [--marks 300 1000 2000]
"""

from __future__ import annotations

import argparse
import json
import os
import time

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, kronecker_form
from equilibrist.games.poker.family import rhode_island
from equilibrist.solvers.hand_classes.solve_classes import start_rounds

SOLVERS = (
    "dcfr(gamma=3)", "dcfr", "dcfr(gamma=5)", "hs-dcfr", "dcfr(beta=0.5,gamma=4)", "dcfr(alpha=2,gamma=4)",
    "cfr+(average=quadratic)", "pcfr+", "pdcfr+", "lcfr",
)  # fmt: skip


def course(form: KroneckerForm, solver: str, marks: list[int]) -> dict[str, dict[str, float]]:
    run, spent, out = start_rounds(form, solver), 0.0, {}
    for mark in marks:
        begin = time.process_time()
        run.advance(mark - run.iteration)
        spent += time.process_time() - begin
        out[str(mark)] = {"gap": run.evaluate().nash_conv, "cpu seconds": round(spent, 2)}
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solvers", nargs="+", default=list(SOLVERS))
    parser.add_argument("--marks", nargs="+", type=int, default=[300, 1_000, 2_000])
    asked = parser.parse_args()
    rules = rhode_island().rules
    form = kronecker_form(rules, shrink(rules, "signature"))
    start_rounds(form).advance(1)  # compiled before anything is timed
    found = {solver: course(form, solver, asked.marks) for solver in asked.solvers}
    print(json.dumps({"load": os.getloadavg(), "solvers": found}, indent=2))


if __name__ == "__main__":
    main()
