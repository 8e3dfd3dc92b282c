"""Where output goes: tables and JSON to stdout, progress to stderr."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDEST = 1000  # columns of a table
PIPED_WIDTH = 140  # columns where neither a terminal nor COLUMNS says how many there are


def screen() -> Console:
    """The console for results."""
    from rich.console import Console

    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(file=sys.stdout, highlight=False, emoji=False, width=None if known else PIPED_WIDTH)


def plain_table(*columns: str) -> Table:
    """A table without walls; the first column names the rows and is never broken."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", min_width=min(12, len(column)))
    table.columns[0].no_wrap = True
    table.columns[0].style = "bold"
    return table


def print_whole(table: Table, console: Console) -> None:
    """Longer lines than the screen has rather than numbers that lost their last digits."""
    seen, console.width = console.width, max(console.width, WIDEST)
    console.print(table, crop=False)
    console.width = seen


def print_json(value: Mapping[str, Any]) -> None:
    """One object on stdout; numbers that JSON does not know become null."""
    from equilibrist.core.writing import plain

    print(json.dumps(plain(value), indent=2 if sys.stdout.isatty() else None, ensure_ascii=False, allow_nan=False))


def number(value: float, digits: int = 6) -> str:
    """A number as people read it: plain where short, with an exponent where tiny or huge."""
    if not math.isfinite(value):
        return "not measured" if math.isnan(value) else str(value)
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.3e}"
    return f"{value:.{digits}f}"


def duration(seconds: float) -> str:
    """`0.42 s`, `1:05` or `2:03:04`."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
