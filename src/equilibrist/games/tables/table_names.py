"""Tables by name: a file, or the name under which a solution keeps its table."""

from __future__ import annotations

import json
from pathlib import Path

from equilibrist.core.artifact import artifact_kind, open_artifact
from equilibrist.core.errors import ParameterError
from equilibrist.core.reading import parse_json, read_toml
from equilibrist.games.tables.table import Table

PREFIX = "table:"
ONLY_TABLES = ("seats", "names", "ante", "straddle", "payouts", "bounties", "menu", "players_to_flop")
SPOT_OR_TABLE = "expected a spot (board, pot, stack, [range], [bets]) or a table (blinds, [stacks], menu)"


def table_name(table: Table) -> str:
    """The table as JSON behind a prefix."""
    return PREFIX + json.dumps(table.table(), separators=(",", ":"), ensure_ascii=False)


def named_table(text: str) -> Table | None:
    """The table of a TOML file or a name; None where the file describes a spot."""
    if text.startswith(PREFIX):
        what = f"The table in '{text[:60]}'"
        return Table.from_table(
            parse_json(text.removeprefix(PREFIX), what, "give a table file (.toml) instead of its name")
        )
    found = read_toml(text, "The file", SPOT_OR_TABLE)
    if any(key in found for key in ("blinds", *ONLY_TABLES)) and "board" not in found:
        return Table.from_table(found, Path(text).parent)
    if not any(key in found for key in ("board", "pot", "range")):
        raise ParameterError(f"The file '{text}' has neither a board nor blinds; {SPOT_OR_TABLE}.")
    return None


def table_of(text: str) -> Table | None:
    """The table of a file, a name or a saved solution; None where it is something else."""
    if not text.endswith(".eqb"):
        return named_table(text)
    if artifact_kind(text) != "table-solution":
        return None
    return Table.from_text(str(open_artifact(text, "table-solution").header.get("table", "")))
