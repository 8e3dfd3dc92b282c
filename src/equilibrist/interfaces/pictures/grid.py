"""The 13×13 grid of hole cards: a range and its strategy by class, as numbers and as coloured text.

Aces come first, pairs lie on the diagonal, suited hands above it. In a cell the width of a colour is the share of its action; a
cell pales as the class is reached less often, and classes that cannot be held stay faintly labelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.cards.deck import RANKS
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError, suggest
from equilibrist.interfaces.pictures.palette import colour_map, ink_on

if TYPE_CHECKING:
    from rich.text import Text


SIDE = 13
ABSENT = 1e-6  # average reach below which a class counts as absent
PALE = "#3d4148"  # what colours fade to in a terminal
FAINT_LABEL = "#6b7078"
CELL_COLUMNS = 5
PALEST = 0.3  # share of its colour that even a rare class keeps


@dataclass(frozen=True)
class Grid:
    """One player's hands by class [row, column]."""

    actions: tuple[str, ...]  # labels in menu order; empty where the player has nothing to decide
    combos: NDArray[np.int64]  # [13, 13] hands that the board leaves
    weight: Floats  # [13, 13] average reach of those
    mix: Floats  # [13, 13, actions] average strategy, weighted by reach; 0 where the class is absent

    @property
    def height(self) -> Floats:
        """[13, 13] weight as a share of the largest one."""
        top = self.weight.max()
        out: Floats = self.weight / top if top > 0.0 else self.weight
        return out

    @property
    def present(self) -> NDArray[np.bool_]:
        out: NDArray[np.bool_] = self.weight > ABSENT
        return out


def class_grid(
    hands: ArrayLike, reach: ArrayLike, strategy: ArrayLike, actions: Sequence[str], board: Sequence[int] = ()
) -> Grid:
    """Sum up by class: `hands` are pair numbers [H], `reach` [H], `strategy` [H, actions]."""
    numbers, weights = np.asarray(hands, dtype=np.int64), np.asarray(reach, dtype=np.float64)
    shares = np.asarray(strategy, dtype=np.float64).reshape(len(numbers), len(actions))
    table = hands_of(STANDARD)
    live = ~(np.isin(table.low, board) | np.isin(table.high, board))
    cells = SIDE * SIDE
    combos = np.bincount(table.cell[live], minlength=cells)
    cell = table.cell[numbers]
    total = np.bincount(cell, weights, minlength=cells)
    average = np.zeros((cells, len(actions)))
    for a in range(len(actions)):
        average[:, a] = np.bincount(cell, weights * shares[:, a], minlength=cells)
    average /= np.where(total > 0.0, total, 1.0)[:, None]
    return Grid(
        actions=tuple(actions),
        combos=combos.reshape(SIDE, SIDE),
        weight=(total / np.maximum(combos, 1)).reshape(SIDE, SIDE),
        mix=average.reshape(SIDE, SIDE, len(actions)),
    )


def class_name(row: int, column: int) -> str:
    """`AA`, `AKs` above the diagonal, `AKo` below it."""
    high, low = (RANKS[SIDE - 1 - place] for place in sorted((row, column)))
    return high + low + ("" if row == column else "s" if row < column else "o")


def class_hands(name: str) -> NDArray[np.int64]:
    """Pair numbers of a class such as `AKs`; `AK` is both kinds."""
    names = {class_name(row, column).lower(): row * SIDE + column for row in range(SIDE) for column in range(SIDE)}
    wanted = name.strip().lower()
    cells = [names[each] for each in (wanted, wanted + "s", wanted + "o") if each in names]
    if not cells:
        raise ParameterError(
            f"There is no class of hands '{name}'; expected one such as AKs, AKo, AK or 77.{suggest(name, names)}"
        )
    return np.flatnonzero(np.isin(hands_of(STANDARD).cell, cells))


def grid_text(grid: Grid, *, coloured: bool = True) -> Text:
    """Two lines per row of classes: the name, and below it the likeliest action with its percentage."""
    from rich.text import Text

    colours = colour_map([grid.actions])
    palette = [colours[action] for action in grid.actions] if coloured else []
    out = Text(no_wrap=True)
    for row in range(SIDE):
        for line in range(2):
            for column in range(SIDE):
                _append_cell(out, grid, row, column, line, palette)
                out.append(" " if column + 1 < SIDE else "")
            out.append("\n" if (row, line) != (SIDE - 1, 1) else "")
    return out


def _append_cell(out: Text, grid: Grid, row: int, column: int, line: int, palette: list[str]) -> None:
    """One of the two lines of a cell."""
    name = class_name(row, column)
    if not grid.present[row, column]:
        out.append(f" {name:<4}" if line == 0 else " " * CELL_COLUMNS, style=FAINT_LABEL if palette else "")
        return
    text = f" {name:<4}" if line == 0 else f" {_leader(grid, row, column):<4}"
    if not palette:
        out.append(text)
        return
    strength = PALEST + (1.0 - PALEST) * float(grid.height[row, column])
    # the two lines are sampled half a column apart: ten steps in five columns
    places = (np.arange(CELL_COLUMNS) + (0.25 if line == 0 else 0.75)) / CELL_COLUMNS
    chosen = np.searchsorted(np.cumsum(grid.mix[row, column]), places).clip(max=len(palette) - 1)
    for letter, action in zip(text, chosen, strict=True):
        colour = _faded(palette[int(action)], strength)
        out.append(letter, style=f"{'bold ' if line == 0 else ''}{ink_on(colour)} on {colour}")


def _leader(grid: Grid, row: int, column: int) -> str:
    """`x96`: the letter of the likeliest action and its percentage; the weight where there is nothing to decide."""
    shares = grid.mix[row, column]
    if not len(shares):
        return f"{100.0 * grid.weight[row, column]:.0f}"
    best = int(shares.argmax())
    return f"{grid.actions[best][0]}{100.0 * shares[best]:.0f}"


def _faded(colour: str, strength: float) -> str:
    """A colour on its way to the background."""
    channels = [(int(PALE[i : i + 2], 16), int(colour[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * strength):02x}" for a, b in channels)
