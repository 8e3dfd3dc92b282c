"""Experiments on pruning, thresholds and sampled subgames: what they compare, on settings that take seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from equilibrist.experiments.brown.discounting import mccfr_hunl
from equilibrist.experiments.brown.pruning import pruning, thresholding
from equilibrist.experiments.brown.pruning.pruning_published import (
    AT_ONCE,
    BRP,
    ITERATIONS,
    LEDUC,
    LEDUC_5,
    PARTIAL,
    RBP,
    SPACE,
    at_once,
    skipping,
)
from equilibrist.experiments.findings import Request
from equilibrist.experiments.registry import run_experiment
from equilibrist.experiments.rounding_replicas import UNITS, writings
from equilibrist.experiments.tables import table_checks
from equilibrist.solvers.registry import make_solver

# Public data of others, used by path where it lies beside the project and never copied into it.
DATA = Path(__file__).parents[4] / "shared" / "reference" / "libratus"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the Libratus subgames are not here")


def test_names_in_the_tables_are_solvers() -> None:
    for table in (LEDUC, LEDUC_5, AT_ONCE):
        for solver, row in table.rows.items():
            assert make_solver(solver).name
            assert len(row) == len(table.marks)
        assert set(ITERATIONS[table.name]) <= set(table.rows)
        assert set(SPACE.get(table.name, {})) <= set(table.rows)
    assert at_once(skipping(RBP, 5)) == "cfr(pruning=rbp,skip=5,updates=simultaneous)"


def test_first_column_of_v6() -> None:
    """A million nodes on Leduc, two units: exploitability and iterations of every row."""
    found = pruning.measure(LEDUC.up_to(10**6), writings(pruning.LEDUC_NAME, UNITS[:2]), Request())
    checks = [*table_checks([found]), *pruning.iteration_checks(found)]
    assert [check.name for check in checks if not check.passed] == []
    assert "1e+06 nodes" in checks[0].name
    assert found.mean(PARTIAL, 10**6, "iterations") == pytest.approx(574, abs=3)
    assert found.mean(BRP, 10**6, "space") < 0.95
    assert found.paths[RBP][-1].nodes >= 10**6


def test_steps_lead_up_to_the_marks() -> None:
    steps = pruning.steps_up_to((10**6, 10**7))
    assert steps[0] == 10**5
    assert steps[-1] == 10**7
    assert 10**6 in steps
    assert mccfr_hunl.steps_up_to(10**8)[-1] == 10**8


def test_zero_reach_pattern() -> None:
    checks, found = pruning.zero_reach(Request(), pruning.LEDUC_NAME, 2000)
    assert found["CFR, always"] < found["CFR"]
    assert len(checks) == 2


def test_thresholds_pattern() -> None:
    chosen = {name: thresholding.SOLVERS[name] for name in (thresholding.PLAIN, thresholding.PARTIAL)}
    found = thresholding.measure(thresholding.LEDUC_NAME, chosen, 1000, 1, Request())
    assert found.nodes(thresholding.PLAIN) == 1000 * 2 * 1936
    assert found.nodes(thresholding.PARTIAL) < 0.9 * found.nodes(thresholding.PLAIN)
    line = found.runs[thresholding.PLAIN][0]
    assert thresholding.at_nodes(line, line.nodes[3]) == line.exploitability[3]


@pytest.mark.slow
def test_sampled_subgames_without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-in ranges claim orderings only."""
    monkeypatch.setattr(mccfr_hunl, "RUNS", {False: 1})
    monkeypatch.setattr(mccfr_hunl, "PER_DECADE", 1)
    result = run_experiment("brown/mccfr-hunl")
    assert result.status == "stand-in reproduced"
    assert [check.name for check in result.checks if not check.passed] == []


@pytest.mark.slow
@needs_data
def test_sampled_subgames_with_data() -> None:
    result = run_experiment("brown/mccfr-hunl", data=str(DATA))
    assert [check.name for check in result.checks if not check.passed] == []
    assert result.status == "pattern reproduced"


@needs_data
def test_first_column_of_v5() -> None:
    """1e7 nodes on subgame 3: 1,383 mbb/g; on subgame 4: 1,065."""
    for number, published in ((3, 1383.0), (4, 1065.0)):
        spot = mccfr_hunl.load(mccfr_hunl.RIVERS[number], str(DATA))
        assert mccfr_hunl.trace(spot, mccfr_hunl.LINEAR, 1, [10**7]) == pytest.approx([published], rel=0.08)
