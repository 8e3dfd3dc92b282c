"""Numbers that people give: whole ones and real ones, checked where they come in."""

from __future__ import annotations

import math
from numbers import Integral, Real

from equilibrist.core.errors import ParameterError

LARGEST = 2**63 - 1


def whole_number(what: str, given: object, *, least: int = 0, most: int = LARGEST) -> int:
    """A whole number within bounds (numbers of NumPy are taken as well); anything else is refused."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise ParameterError(f"'{what}' is a whole number of at least {least:,}, but {_shown(given)} was given.")
    number = int(given)
    if not least <= number <= most:
        bound = f"at least {least:,}" if number < least else f"at most {most:,}"
        raise ParameterError(f"'{what}' must be {bound}, but {number} was given.")
    return number


def finite_number(what: str, given: object, *, least: float = 0.0) -> float:
    """A finite number of at least so much; anything else is refused."""
    if isinstance(given, bool) or not isinstance(given, Real) or not math.isfinite(given):
        raise ParameterError(f"'{what}' is a finite number of at least {least:g}, but {_shown(given)} was given.")
    number = float(given)
    if number < least:
        bound = "zero or more" if least == 0.0 else f"at least {least:g}"
        raise ParameterError(f"'{what}' must be {bound}, but {number:g} was given.")
    return number


def yes_or_no(what: str, given: object) -> bool:
    """True or False, and nothing that merely counts as one of them."""
    if not isinstance(given, bool):
        raise ParameterError(f"'{what}' is True or False, but {_shown(given)} was given.")
    return given


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 60 else text[:57] + "..."
