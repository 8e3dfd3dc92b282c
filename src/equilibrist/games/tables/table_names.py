"""Tables by name: a file, or the name under which a solution keeps its table."""

from __future__ import annotations

import json
from pathlib import Path

from equilibrist.core.artifact import artifact_kind, open_artifact
from equilibrist.core.errors import FormatError
from equilibrist.core.reading import parse_json, parse_toml, read_text
from equilibrist.games.tables.table import EXPECTED, Table

PREFIX = "table:"


def table_name(table: Table) -> str:
    """The table as JSON behind a prefix."""
    return PREFIX + json.dumps(table.table(), separators=(",", ":"), ensure_ascii=False)


def named_table(text: str) -> Table | None:
    """The table of a file or a name; None where it is something else."""
    if text.startswith(PREFIX):
        what = f"The table in '{text[:60]}'"
        return Table.from_table(
            parse_json(text.removeprefix(PREFIX), what, "give a table file (.toml) instead of its name")
        )
    return Table.from_toml(text) if is_table_file(text) else None


def table_of(text: str) -> Table | None:
    """The table of a file, a name or a saved solution; None where it is something else."""
    if not text.endswith(".eqb"):
        return named_table(text)
    if artifact_kind(text) != "table-solution":
        return None
    return Table.from_text(str(open_artifact(text, "table-solution").header.get("table", "")))


def is_table_file(path: str | Path) -> bool:
    """Whether a TOML file describes a table: it has blinds, and no board; what cannot be read is no table."""
    try:
        table = parse_toml(read_text(path, "The file", EXPECTED), "The file", EXPECTED)
    except FormatError:
        return False
    return "blinds" in table and "board" not in table
