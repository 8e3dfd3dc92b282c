"""Checks, statuses and the JSON they become."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pytest

from equilibrist.experiments.findings import (
    Check,
    ExperimentResult,
    Findings,
    Kind,
    Status,
    ascending,
    at_least,
    at_most,
    attainable_status,
    between,
    close,
    descending,
    equal,
    on,
    outside,
    printed,
    refuted,
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


PRINTED, MISPRINTED = printed([GOOD])[0], printed([BAD])[0]
PROOF, NO_PROOF = outside("value", 3.0, 1.0, 2.0), outside("value", 1.5, 1.0, 2.0)


@pytest.mark.parametrize(
    ("check", "passed"),
    [
        (outside("x", -64.2, -66.7, -66.6), True),
        (outside("x", -66.65, -66.7, -66.6), False),
        (refuted("x", 3.1e9, 6.7e9, 6.7e9, 1.0), True),
        (refuted("x", 3.1e9, 6.7e9, 6.8e9, 1.0), False),  # the two routes do not agree
        (refuted("x", 0.1, 0.1004, 0.1001, 0.001), False),  # the printed number comes out
        (refuted("x", 0.01, math.nan, 0.1, 0.001), False),
    ],
)
def test_a_refutation_needs_two_routes_or_proven_bounds(check: Check, passed: bool) -> None:
    assert check.kind == "refutation"
    assert check.passed is passed


@pytest.mark.parametrize(
    ("checks", "text", "status"),
    [
        ([PRINTED, RISES, GOOD], True, "reproduced"),
        ([GOOD, RISES], True, "pattern reproduced"),  # nothing printed was compared
        ([GOOD], True, "stand-in reproduced"),  # numbers of ours in place of the text's
        ([MISPRINTED, RISES], True, "pattern reproduced"),
        ([BAD, PRINTED, RISES], True, "pattern reproduced"),
        ([MISPRINTED], True, "not reproduced"),
        ([PRINTED, FALLS], True, "not reproduced"),
        ([PRINTED, PROOF], True, "differs from the text"),
        ([PRINTED, NO_PROOF], True, "not reproduced"),
        ([MISPRINTED, PROOF, RISES], True, "pattern reproduced"),
        ([PRINTED, RISES], False, "stand-in reproduced"),
        ([GOOD], False, "stand-in reproduced"),
        ([BAD, RISES], False, "stand-in reproduced"),  # what the text says holds; the numbers are ours
        ([BAD], False, "not reproduced"),
        ([GOOD, FALLS], False, "not reproduced"),
        ([], True, "not reproduced"),
    ],
)
def test_status_follows_from_the_checks(checks: list[Check], text: bool, status: str) -> None:
    assert status_of(checks, text=text) == status


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ({"text": [PRINTED]}, "reproduced"),
        ({"text": [PRINTED], "Leduc": [GOOD]}, "reproduced"),  # references support, and claim nothing
        ({"text": [PRINTED], "Leduc": [BAD]}, "not reproduced"),
        ({"text": [PRINTED], "Leduc": [RISES]}, "stand-in reproduced"),
        ({"text: Table 1": [PRINTED], "text: Figure 2": [RISES]}, "pattern reproduced"),
        ({"text": [PROOF], "Leduc": [RISES]}, "differs from the text"),
        ({"text": [PROOF], "Leduc": [FALLS]}, "not reproduced"),
        ({"Leduc": [GOOD]}, "stand-in reproduced"),
    ],
)
def test_the_whole_is_as_weak_as_its_weakest_part(parts: dict[str, list[Check]], status: str) -> None:
    checks = [check for part, each in parts.items() for check in on(part, each)]
    declared = {part: [check.kind for check in each] for part, each in parts.items()}
    result = ExperimentResult("x/y", "", "", Findings("", checks), False, 0.0, None, declared)
    assert result.status == status
    if all(check.passed for check in checks):
        assert attainable_status(declared) == status


def test_a_failing_check_never_betters_a_status() -> None:
    order = get_args(Status).index
    kinds: list[Kind] = ["printed", "pattern", "reference", "refutation"]
    for text in (True, False):
        for some in product(kinds, repeat=3):
            held = [Check("", 0, 0, 0, True, kind) for kind in some]
            for place in range(3):
                broken = [replace(check, passed=i != place) for i, check in enumerate(held)]
                now, then = status_of(held, text=text), status_of(broken, text=text)
                assert order(then) >= order(now) or now == "differs from the text", (some, place)


def test_results_become_plain_json() -> None:
    findings = Findings(
        setting="quick",
        checks=[close("x", np.float64(1.0), np.float64(math.nan), 0.1)],
        measured={1000: np.float64(0.5), "runs": (np.int64(3), math.inf)},
        remarks=("note",),
    )
    result = ExperimentResult(
        "brown/x", "X", "[Brown20, Table 5.7]", findings, False, 1.23456, None, {"text": ["reference"]}
    )
    found = result.to_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["measured"] == {"1000": 0.5, "runs": [3, None]}
    assert found["checks"][0]["measured"] is None
    assert found["remarks"] == ["note"]
    assert found["parts"] == {"text": "not reproduced"}
    assert found["status"] == "not reproduced"
