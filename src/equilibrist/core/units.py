"""Amounts of chips: multiples of a smallest unit that the game states (`chip`), kept free of rounding errors and written as decimals.

A game with a chip has bets, stacks and results that are whole multiples of it, so that no pot gains or loses anything. Binary fractions
cannot hold 0.1, but the float nearest to a decimal is the only one that prints as it: after every sum an amount is rounded to the
decimals of the chip, which gives that float back. Games without a chip (0) bet real numbers, kept to nine decimals; ties share exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal

from equilibrist.core.errors import ParameterError

UNITS = (1.0, 0.01, 0.0001)  # whole chips, cents, hundredths of a cent
REAL_DIGITS = 9  # decimals of amounts in games without a chip
MOST_UNITS = 2**50  # sums of a table's stacks stay exact in floats
_LABEL_DIGITS = 6


def smallest_unit(amounts: Iterable[float], otherwise: float | None = None) -> float:
    """The chip of a table that states none: whole chips if all amounts are whole, else cents, else 0.0001, else refused."""
    given = [amount for amount in amounts if math.isfinite(amount)]
    for unit in UNITS:
        if all(is_multiple(amount, unit) for amount in given):
            return unit
    if otherwise is not None:
        return otherwise
    odd = next(amount for amount in given if not is_multiple(amount, UNITS[-1]))
    raise ParameterError(
        f"The amount {odd!r} has more than four decimals; give amounts in multiples of 0.0001, or in larger units."
    )


def is_multiple(amount: float, unit: float) -> bool:
    """Whether an amount is a whole multiple of a unit, both taken as the decimals that they print as."""
    (above, below), (unit_above, unit_below) = _decimal(amount).as_integer_ratio(), _decimal(unit).as_integer_ratio()
    return above * unit_below % (below * unit_above) == 0


def digits_of(unit: float) -> int:
    """Decimals that hold every multiple of a unit; those of real numbers for 0."""
    if not unit:
        return REAL_DIGITS
    return max(0, -int(_decimal(unit).normalize().as_tuple().exponent))


def check_unit(unit: float, **amounts: Iterable[float]) -> None:
    """Refuse a chip that is none, and amounts of which it is not a unit."""
    if not 0 < unit < math.inf or digits_of(unit) > digits_of(UNITS[-1]):
        raise ParameterError(
            f"The smallest chip is a number from 0.0001 with at most four decimals, but {unit!r} was given."
        )
    for what, several in amounts.items():
        for amount in several:
            if not math.isfinite(amount):
                continue
            if not is_multiple(amount, unit):
                raise ParameterError(
                    f"The {what.replace('_', ' ')} of {number_text(amount)} is no multiple of the smallest chip of {number_text(unit)}; "
                    "give a smaller chip."
                )
            if abs(amount) > MOST_UNITS * unit:
                raise ParameterError(
                    f"The {what.replace('_', ' ')} of {amount:g} is more than {MOST_UNITS:.2g} times the smallest chip of "
                    f"{number_text(unit)}; give a larger chip or smaller amounts."
                )


def exact(amount: float, digits: int) -> float:
    """A sum of amounts without the errors of binary fractions; whole numbers have none."""
    return amount if amount % 1 == 0 else round(amount, digits)


def nearest_multiple(amount: float, unit: float) -> float:
    """The nearest multiple of a unit, halves upwards; 0 leaves real numbers alone."""
    if not unit:
        return amount
    return round(math.floor(round(amount / unit, REAL_DIGITS) + 0.5) * unit, REAL_DIGITS)


def chip_text(amount: float) -> str:
    """Chips as labels write them: `300`, `0.25`, at most six decimals and never an exponent."""
    if math.isinf(amount):
        return f"{amount:g}"
    rounded = round(amount, _LABEL_DIGITS)
    whole = int(rounded)
    return str(whole) if rounded == whole else f"{rounded:.{_LABEL_DIGITS}f}".rstrip("0")


def number_text(amount: float) -> str:
    """`120`, `97.5`: twelve digits, or all of them where twelve would not do."""
    text = f"{amount:.12g}"
    return text if float(text) == amount else repr(amount)


def _decimal(amount: float) -> Decimal:
    return Decimal(repr(float(amount)))
