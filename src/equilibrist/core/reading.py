"""The door for everything that is read: sizes, depths and keys are checked before a text is parsed, and refusals say what was expected.

Parsers of nested formats recurse, and `tomllib` keeps a table for every part of a dotted key, so that 30 KB of `a.a.a…` would take a
gigabyte. Every format of the package is read through here: TOML, JSON (also the header of `.eqb` files), and plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, TypeVar, overload

from equilibrist.core.errors import FormatError

T = TypeVar("T")

MOST_BYTES = 2 << 20  # of a definition: spots, menus, locks, models, betting trees
HAND_BYTES = 64 << 20  # of a file of hands or of a tree, which are read piece by piece
HEADER_BYTES = 64 << 20  # of the header of a saved file
DEEPEST = 32  # brackets inside brackets
KEY_PARTS = 16  # `menu.river.p1` has three
ALL_PARTS = 20_000  # of all keys together: each may become a table
LARGEST_WHOLE = 2**63 - 1

_TOML_PIECES = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)'  # strings, closed or not: what they hold is no syntax
    r"|'''.*?(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+"
    r"|[\[\]{}.=,\n]",
    re.DOTALL,
)
_JSON_PIECES = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def read_bytes(path: str | os.PathLike[str], what: str, *, most: int = MOST_BYTES) -> bytes:
    """The content of a file; devices and pipes that never end are left after `most` bytes."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a path with a null byte
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"{what} '{path}' cannot be read ({reason}); check the path.") from None
    if len(content) > most:
        raise FormatError(
            f"{what} '{path}' has more than {most:,} bytes; files of its kind are shorter, check the path."
        )
    return content


def read_text(
    path: str | os.PathLike[str], what: str, expected: str, *, most: int = MOST_BYTES, encoding: str = "utf-8"
) -> str:
    """The text of a file; lines end as they do anywhere."""
    try:
        text = read_bytes(path, what, most=most).decode(encoding)
    except UnicodeDecodeError:
        raise FormatError(f"{what} '{path}' is not text; {expected}.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_toml(path: str | os.PathLike[str], what: str, expected: str) -> dict[str, Any]:
    """The table of a TOML file."""
    return parse_toml(read_text(path, what, expected), f"{what} '{path}'", expected)


def parse_toml(text: str, what: str, expected: str) -> dict[str, Any]:
    """The table of a TOML text, checked before and after: nesting, keys, whole numbers beyond 64 bits."""
    import tomllib

    _check_toml(text, what, expected)
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also numbers and dates that cannot be
        raise FormatError(f"{what} is not valid TOML: {_reason(error)}; {expected}.") from None
    _check_wholes(table, what, expected)
    return table


@overload
def parse_json(content: str | bytes, what: str, expected: str) -> Any: ...


@overload
def parse_json(content: str | bytes, what: str, expected: str, kind: type[T]) -> T: ...


def parse_json(content: str | bytes, what: str, expected: str, kind: Any = Any) -> Any:
    """What a JSON text holds; NaN and infinity are no JSON."""
    import msgspec

    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if json_depth(data) > DEEPEST:
        raise FormatError(f"{what} has brackets inside brackets more than {DEEPEST} deep; {expected}.")
    try:
        found = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"{what} is not valid JSON: {_reason(error)}; {expected}.") from None
    if kind is Any:
        _check_wholes(found, what, expected)
    return found


def json_depth(data: bytes) -> int:
    """How deep brackets lie inside brackets, or the count where it is small anyway."""
    count = data.count(b"[") + data.count(b"{")
    if count <= DEEPEST:
        return count
    depth = deepest = 0
    for piece in _JSON_PIECES.finditer(data):
        first = piece.group()[:1]
        if first in (b"[", b"{"):
            depth += 1
            deepest = max(deepest, depth)
        elif first in (b"]", b"}"):
            depth -= 1
    return deepest


def _check_toml(text: str, what: str, expected: str) -> None:
    """Brackets in brackets and dotted keys, seen without parsing."""
    depth = dots = parts = 0
    for piece in _TOML_PIECES.finditer(text):
        token = piece.group()
        if token == ".":
            dots += 1
            if dots >= KEY_PARTS:
                raise FormatError(f"{what} has a key of more than {KEY_PARTS} parts; {expected}.")
        elif token in ("[", "{"):
            depth, dots = depth + 1, 0
            if depth > DEEPEST:
                raise FormatError(f"{what} has brackets inside brackets more than {DEEPEST} deep; {expected}.")
        elif token in ("]", "}", "=", ",", "\n"):
            parts += dots if token in ("]", "=") else 0  # a dot before a comma or an end of line belongs to a number
            depth, dots = max(depth - (token in ("]", "}")), 0), 0
    if parts > ALL_PARTS:
        raise FormatError(f"{what} has keys of more than {ALL_PARTS:,} parts in all; {expected}.")


def _check_wholes(found: Any, what: str, expected: str) -> None:
    """Whole numbers fit in 64 bits, as both formats promise each other."""
    waiting = [found]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            raise FormatError(f"{what} has a whole number beyond 64 bits; {expected}.")


def _reason(error: Exception) -> str:
    """Why, in one line; a parser that ran out of stack says nothing useful."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return " ".join(str(error).split())[:200]
