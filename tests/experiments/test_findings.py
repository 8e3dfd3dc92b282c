"""Checks, statuses and the JSON they become."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from equilibrist.experiments.findings import (
    Check,
    ExperimentResult,
    Findings,
    ascending,
    at_least,
    at_most,
    between,
    close,
    descending,
    equal,
    status_of,
)

GOOD, BAD = close("number", 1.0, 1.0, 0.1), close("number", 1.0, 1.2, 0.1)
RISES, FALLS = ascending("order", {"a": 1.0, "b": 2.0}), ascending("order", {"a": 2.0, "b": 1.0})


@pytest.mark.parametrize(
    ("check", "passed"),
    [
        (descending("order", {"a": 2.0, "b": 1.0}), True),
        (descending("order", {"a": 2.0, "b": 2.0}), False),
        (close("x", 1.0, 1.05, 0.05 + 1e-12), True),
        (close("x", 1.0, 1.06, 0.05), False),
        (close("x", 0.0, math.nan, 1.0), False),
        (equal("x", 471_407, 471_406), False),
        (equal("x", [7, 13], [7, 13]), True),
        (between("x", 968, 974, 974), True),
        (between("x", 968, 974, 975), False),
        (at_least("x", 3.0, 2.9), False),
        (at_most("x", -0.8, -0.85), True),
        (RISES, True),
        (FALLS, False),
        (ascending("x", {"a": 1.0, "b": 1.0}), False),
    ],
)
def test_a_check_passes_exactly_inside_its_tolerance(check: Check, passed: bool) -> None:
    assert check.passed is passed


@pytest.mark.parametrize(
    ("checks", "differs", "status"),
    [
        ([GOOD, RISES], "", "reproduced"),
        ([GOOD], "the text rounds", "differs from the text"),
        ([BAD, RISES], "", "pattern reproduced"),
        ([BAD, RISES], "the text rounds", "pattern reproduced"),
        ([BAD], "", "not reproduced"),
        ([GOOD, FALLS], "", "not reproduced"),
        ([], "", "not reproduced"),
    ],
)
def test_status_follows_from_the_checks(checks: list[Check], differs: str, status: str) -> None:
    assert status_of(checks, differs) == status


def test_results_become_plain_json() -> None:
    findings = Findings(
        setting="quick",
        checks=[close("x", np.float64(1.0), np.float64(math.nan), 0.1)],
        measured={1000: np.float64(0.5), "runs": (np.int64(3), math.inf)},
        differs="because",
        remarks=("note",),
    )
    found = ExperimentResult("brown/x", "X", "[Brown20, Table 5.7]", findings, False, 1.23456, None).to_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["measured"] == {"1000": 0.5, "runs": [3, None]}
    assert found["checks"][0]["measured"] is None
    assert found["remarks"] == ["because", "note"]
    assert found["status"] == "not reproduced"
