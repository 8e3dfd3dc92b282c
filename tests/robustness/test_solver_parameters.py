"""Whatever a solver takes as a parameter it also solves with: no traceback, no hang, and a strategy of probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equilibrist.core.errors import EquilibristError
from equilibrist.core.names import Name
from equilibrist.solvers.registry import SOLVERS
from equilibrist.solvers.solve import solve
from robustness.children import run_cases
from robustness.test_readers import say, told

EXTREMES = (1, 0.5, 1e-300, 1e6, 2**31, 2**63 - 1, 1e308, math.inf, -math.inf, -1)
GAMES = ("kuhn",)


def cases() -> list[tuple[str, str]]:
    out = []
    for entry in SOLVERS.entries().values():
        for key, usual in entry.parameters.items():
            number = isinstance(usual, int | float) and not isinstance(usual, bool)
            if number or {int, float} & set(entry.also.get(key, ())):
                out += [(game, str(Name(entry.name, {key: value}))) for value in EXTREMES for game in GAMES]
    return out


def check(game: str, solver: str) -> None:
    try:
        with np.errstate(all="ignore"):
            found = solve(game, solver, iterations=3, seconds=2.0)
    except EquilibristError:
        return
    policy = found.tabular()
    probabilities = np.asarray(policy.probabilities)
    assert np.isfinite(probabilities).all(), f"{solver} on {game} plays NaN"
    assert (probabilities >= 0.0).all(), f"{solver} on {game} plays a negative probability"
    assert found.exploitability is None or not found.exploitability < -1e-6, f"{solver}: {found.exploitability}"


@pytest.mark.slow
def test_extreme_parameters_of_every_solver() -> None:
    wanted = cases()
    for name in SOLVERS.names():  # kernels are compiled before children are forked
        for game in GAMES:
            check(game, name)
    found = list(run_cases(len(wanted), lambda case: check(*wanted[case]), each=60))
    wrong = [one for one in found if one.kind != "fine"]
    say(f"{len(found):,} solves with extreme parameters: {len(wrong)} wrong")
    assert not wrong, told("solves", wrong) + "\n" + "\n".join(f"{one.case}: {wanted[one.case]}" for one in wrong)
