"""Names with parameters, as people type them: `leduc(ranks=5)`, `dcfr(alpha=1.5, beta=-inf)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from equilibrist.core.errors import ParameterError

Value = bool | int | float | str | tuple["Value", ...]

_NAME = re.compile(r"\s*([A-Za-z][A-Za-z0-9_+./-]*)\s*(?:\((.*)\))?\s*\Z", re.DOTALL)
LONGEST = 1_000_000  # characters; a matrix given in a name is the longest there is
DEEPEST = 8  # lists in lists
LONGEST_NUMBER = 4_000  # digits; Python itself reads few more
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True)
class Name:
    """A bare name and its keyword parameters."""

    base: str
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        if not self.parameters:
            return self.base
        inside = ",".join(f"{key}={format_value(value)}" for key, value in self.parameters.items())
        return f"{self.base}({inside})"


def parse_name(text: str) -> Name:
    """Read `name` or `name(key=value, …)`; values are numbers, true/false, words or [lists]."""
    if len(text) > LONGEST:
        raise ParameterError(f"A name of {len(text):,} characters was given; at most {LONGEST:,} are read.")
    match = _NAME.match(text)
    if match is None:
        raise ParameterError(f"Cannot read {text!r}: expected a name such as 'leduc' or 'leduc(ranks=5)'.")
    parameters: dict[str, Value] = {}
    for part in split_top_level(match.group(2) or "", text):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not _KEY.match(key) or not value.strip():
            raise ParameterError(f"Cannot read the parameter {part.strip()!r} in {text!r}: expected key=value.")
        if key in parameters:
            raise ParameterError(f"The parameter '{key}' is given twice in {text!r}; give it once.")
        parameters[key] = parse_value(value.strip(), text)
    return Name(match.group(1), parameters)


def split_top_level(inside: str, text: str) -> list[str]:
    """Split at commas that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(inside):
        if character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
            if depth < 0:
                raise ParameterError(f"Unbalanced brackets in {text!r}.")
        elif character == "," and depth == 0:
            parts.append(inside[start:position])
            start = position + 1
    if depth:
        raise ParameterError(f"Unbalanced brackets in {text!r}.")
    parts.append(inside[start:])
    return [part for part in parts if part.strip()]


def parse_value(word: str, text: str, depth: int = 0) -> Value:
    if word.startswith("[") and word.endswith("]"):
        if depth >= DEEPEST:
            raise ParameterError(
                f"Lists lie in lists more than {DEEPEST} deep in {text[:60]!r}; no parameter needs that."
            )
        return tuple(parse_value(part.strip(), text, depth + 1) for part in split_top_level(word[1:-1], text))
    lowered = word.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    try:
        return int(word)
    except ValueError:
        if len(word) > LONGEST_NUMBER and word.lstrip("+-").isdigit():
            raise ParameterError(
                f"A number of {len(word):,} digits was given in {text[:60]!r}; give a smaller one."
            ) from None
    try:
        return float(word)
    except ValueError:
        pass
    if word[0] in "\"'" and word[-1] == word[0] and len(word) > 1:
        return word[1:-1]
    return word


def is_whole(text: str) -> bool:
    """Whether `int` reads it as a number of 64 bits: other digits than 0 to 9, such as ², are none."""
    return text.isascii() and text.isdigit() and len(text) <= 18


def format_value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ",".join(format_value(item) for item in value) + "]"
    if isinstance(value, int) and value.bit_length() > 3 * LONGEST_NUMBER:
        return f"a number of more than {LONGEST_NUMBER:,} digits"  # Python itself writes no longer ones
    return str(value)


def readable(settings: Any) -> str:
    """`CFR(minimiser='hedge', horizon=100)`: a dataclass as it would be written, what is left at its default left out."""
    shown = []
    for entry in fields(settings):
        value = getattr(settings, entry.name)
        usual = entry.default if entry.default_factory is MISSING else entry.default_factory()
        if entry.repr and entry.init and value != usual:
            shown.append(f"{entry.name}={value!r}")
    return f"{type(settings).__name__}({', '.join(shown)})"
