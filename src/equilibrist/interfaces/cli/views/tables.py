"""Strategies as coloured bars with numbers beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from equilibrist.interfaces.pictures.palette import colour_map, describe_action, is_betting
from equilibrist.interfaces.strategies import StrategyRow

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

BAR_WIDTH = 24
MOST_NUMBERS = 6  # probabilities written out beside one bar
WORTH_WRITING = 0.0005
SHADES = "█▓▒░"  # tell actions apart where there is no colour


def strategy_table(rows: Sequence[StrategyRow], console: Console) -> Table:
    """One line per infoset."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    few = console.color_system in (None, "standard")  # sixteen colours make fold and call look alike
    colours = {} if few else colour_map(row.actions for row in rows)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("player", justify="right")
    table.add_column("infoset", overflow="fold")
    table.add_column("strategy", no_wrap=True)
    table.add_column("probabilities", overflow="fold")
    for row in rows:
        table.add_row(str(row.player + 1), Text(row.key, style="bold"), _bar(row, colours), _numbers(row, colours))
    return table


def legend(rows: Sequence[StrategyRow]) -> str:
    """`x check, c call …` for the letters of betting games."""
    letters: dict[str, str] = {}
    for row in rows:
        if is_betting(row.actions):
            letters |= {action: describe_action(action) for action in row.actions if len(action) == 1}
    return ", ".join(f"{letter} {word}" for letter, word in letters.items())


def _bar(row: StrategyRow, colours: dict[str, str]) -> Text:
    from rich.text import Text

    out = Text()
    for number, cells in enumerate(_cells(row.probabilities, BAR_WIDTH)):
        out.append(_glyph(number, "█", colours) * cells, style=colours.get(row.actions[number], ""))
    return out


def _numbers(row: StrategyRow, colours: dict[str, str]) -> Text:
    """The likeliest actions in the order of the menu."""
    from rich.text import Text

    likely = sorted(range(len(row.actions)), key=lambda a: -row.probabilities[a])[:MOST_NUMBERS]
    out = Text()
    for a in sorted(likely):
        if row.probabilities[a] >= WORTH_WRITING or len(row.actions) <= 2:
            out.append(f"{_glyph(a, '■', colours)} ", style=colours.get(row.actions[a], ""))
            out.append(f"{row.actions[a]} {row.probabilities[a]:.3f}  ")
    hidden = 1.0 - sum(row.probabilities[a] for a in likely)
    if hidden >= WORTH_WRITING:
        out.append(f"others {hidden:.3f}")
    return out


def _glyph(action: int, coloured: str, colours: dict[str, str]) -> str:
    """Shades instead of colours where there are none."""
    return coloured if colours else SHADES[action % len(SHADES)]


def _cells(probabilities: Sequence[float], width: int) -> list[int]:
    """Whole cells that add up to the width, by largest remainders."""
    exact = [p * width for p in probabilities]
    cells = [int(x) for x in exact]
    by_remainder = sorted(range(len(exact)), key=lambda a: cells[a] - exact[a])
    for a in by_remainder[: max(0, width - sum(cells))]:
        cells[a] += 1
    return cells
