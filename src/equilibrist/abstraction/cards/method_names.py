"""Methods by name, as people type them: `kmeans-emd(restarts=25)`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from equilibrist.abstraction.cards.methods import (
    EhsEqual,
    EhsPercentile,
    Isomorphism,
    KMeansEmd,
    KMeansL2,
    Method,
    Ochs,
)
from equilibrist.abstraction.cards.potential_aware import PotentialAware
from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.core.names import Name, Value, parse_name

METHODS: dict[str, type[Any]] = {
    method.word: method for method in (Isomorphism, EhsPercentile, EhsEqual, KMeansEmd, KMeansL2, Ochs, PotentialAware)
}


def parse_method(text: str) -> Method:
    """`kmeans-emd` or `kmeans-emd(restarts=25)`."""
    name = parse_name(text)
    if name.base not in METHODS:
        raise UnknownNameError(
            f"There is no method '{name.base}'.{suggest(name.base, METHODS)} The methods are {', '.join(METHODS)}."
        )
    kind = METHODS[name.base]
    known = {entry.name: entry for entry in fields(kind)}
    for key, value in name.parameters.items():
        if key not in known:
            raise ParameterError(
                f"The method '{name.base}' has no parameter '{key}'; it has {', '.join(known) or 'none'}."
            )
        _check_parameter(name.base, key, value, known[key].default)
    made: Method = kind(**name.parameters)
    return made


def _check_parameter(word: str, key: str, value: Value, default: object) -> None:
    """Of the kind of the default; numbers above zero."""
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    fits = (
        isinstance(value, str)
        if isinstance(default, str)
        else numeric and (isinstance(default, float) or isinstance(value, int))
    )
    if not fits or (isinstance(value, int | float) and value <= 0):
        raise ParameterError(f"{key}={value} does not fit the method '{word}'; its default is {default}.")


def method_text(method: Method) -> str:
    """The method as typed, with all parameters: what a hash is made of."""
    given: dict[str, Value] = {entry.name: getattr(method, entry.name) for entry in fields(method)}  # type: ignore[arg-type]
    return str(Name(method.word, given))
