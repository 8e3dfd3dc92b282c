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
)
from equilibrist.abstraction.cards.ochs import Ochs
from equilibrist.abstraction.cards.potential_aware import PotentialAware
from equilibrist.abstraction.cards.textures import TextureEqual
from equilibrist.core.catalogue import Entry, Makers, summary_of
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name, Value, format_value

KINDS: tuple[type[Any], ...] = (
    Isomorphism,
    EhsPercentile,
    EhsEqual,
    TextureEqual,
    KMeansEmd,
    KMeansL2,
    Ochs,
    PotentialAware,
)


def _entry(kind: type[Any]) -> Entry:
    """A method with the parameters of its dataclass; numbers must be above zero."""

    def make(**given: Value) -> Method:
        for key, value in given.items():
            text = isinstance(parameters[key], str)
            if text != isinstance(value, str) or (not text and not value > 0):  # type: ignore[operator]
                raise ParameterError(
                    f"{key}={format_value(value)} does not fit the method '{kind.word}'; its default is {parameters[key]}."
                )
        made: Method = kind(**given)
        return made

    parameters = {entry.name: entry.default for entry in fields(kind)}
    return Entry(kind.word, summary_of(kind), make, parameters)


ENTRIES = [_entry(kind) for kind in KINDS]

CARD_METHODS: Makers[Entry, Method] = Makers(
    kind="method",
    package="equilibrist.abstraction.cards",
    table={"method_names": [entry.name for entry in ENTRIES]},
    hint=f"The methods are {', '.join(entry.name for entry in ENTRIES)}.",
)


def parse_method(text: str) -> Method:
    """`kmeans-emd` or `kmeans-emd(restarts=25)`."""
    return CARD_METHODS.make(text)


def method_text(method: Method) -> str:
    """The method as typed, with all parameters: what a hash is made of."""
    given: dict[str, Value] = {entry.name: getattr(method, entry.name) for entry in fields(method)}  # type: ignore[arg-type]
    return str(Name(method.word, given))
