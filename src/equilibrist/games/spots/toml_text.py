"""TOML as we write it: values first, tables below their headers, numbers without needless points."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Table = Mapping[str, Any]


def beside(value: object, folder: Path) -> object:
    """`@name` as a path from the folder of the spot file; anything else unchanged."""
    if isinstance(value, str) and value.lstrip().startswith("@"):
        return f"@{folder / value.strip()[1:].strip()}"
    return value


def plain(number: float) -> float:
    """Whole numbers without the point."""
    return int(number) if number == int(number) else number


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def _key(name: str) -> str:
    """A key as TOML writes it, in quotes where it must be."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def toml_text(table: Table) -> str:
    """A file that reads back as this table."""
    return "\n".join(toml_lines(table, "")).lstrip() + "\n"


def toml_lines(table: Table, name: str) -> Iterator[str]:
    """Values first, then tables below a header each."""
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    several = {
        key: value
        for key, value in table.items()
        if isinstance(value, list) and value and isinstance(value[0], Mapping)
    }
    if name and len(inner) < len(table):
        yield from ("", f"[{name}]")
    yield from (
        f"{_key(key)} = {json.dumps(value)}" for key, value in table.items() if key not in inner and key not in several
    )
    for key, value in inner.items():
        yield from toml_lines(value, f"{name}.{_key(key)}" if name else _key(key))
    for key, tables in several.items():
        for one in tables:
            yield from ("", f"[[{key}]]")
            yield from toml_lines({k: v for k, v in one.items() if not isinstance(v, Mapping)}, "")
            for part, value in one.items():
                if isinstance(value, Mapping):
                    inside = ", ".join(f"{json.dumps(label)} = {json.dumps(share)}" for label, share in value.items())
                    yield f"{part} = {{ {inside} }}"
