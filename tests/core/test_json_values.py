"""What JSON does not know becomes null, a list or text."""

import json
from fractions import Fraction

import numpy as np

from equilibrist.core.json_values import plain


def test_values_become_what_json_knows():
    given = {
        1: (1.5, float("nan"), -float("inf")),
        "numpy": [np.float32(0.5), np.int64(3), np.bool_(True), np.array([[1.0, np.nan]]), np.float64("inf")],
        "set": {2},
        "other": Fraction(1, 3),
        "flags": [True, None, "text", 7],
    }
    told = plain(given)
    assert told == {
        "1": [1.5, None, None],
        "numpy": [0.5, 3, True, [[1.0, None]], None],
        "set": [2],
        "other": "1/3",
        "flags": [True, None, "text", 7],
    }
    json.dumps(told, allow_nan=False)
