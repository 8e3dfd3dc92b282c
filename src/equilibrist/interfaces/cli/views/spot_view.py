"""A place in a solved spot on the screen: the 13×13 grid, the mix of actions, single hands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from equilibrist.interfaces.pictures.grid import Grid
    from equilibrist.solvers.postflop.solutions.spot_node import Cursor
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

PLAYERS = ("oop", "ip")
SUIT_STYLES = {"c": "bright_green", "d": "bright_blue", "h": "bright_red", "s": "bold"}
BAR_COLUMNS = 77  # as wide as the grid
RARE = 1e-6  # weight below which a hand is not listed


def show_spot(
    solution: SpotSolution, *, line: str | None, hands: bool, hand: str | None, png: Path | None, as_json: bool
) -> None:
    """`show FILE` for a saved spot."""
    from equilibrist.interfaces.cli.output import print_json, screen

    cursor = solution.root.at(line or "")
    chosen = None if hand is None else _chosen(cursor, hand)
    if png is not None:
        draw(cursor, png, solution)
    if as_json:
        print_json(_node_facts(solution, cursor, chosen))
        return
    console = screen()
    state = "" if solution.converged else ", NOT converged"
    title = f"{solution.spot!r} by {solution.solver}, exploitability {solution.percent_of_pot:.3g} % of the pot{state}"
    console.print(title, style="bold", markup=False)
    if cursor.resolve is not None:
        console.print(_resolve_sentence(solution, cursor), markup=False)
    if chosen is None:
        print_node(cursor, console)
    else:
        console.print(_heading(cursor))
    if hands or chosen is not None:
        console.print(hands_table(cursor, chosen, console))
    if png is not None:
        console.print(f"Picture in {png}", markup=False)


def _resolve_sentence(solution: SpotSolution, cursor: Cursor) -> str:
    """That a street is not from the file, and how good it is."""
    again = cursor.resolve
    assert again is not None, "asked only where a street was solved again"
    return (
        f"The {solution.missing[0]} is not in the file: solved again from both ranges here, {again.iterations:,} iterations to "
        f"{again.exploitability:.3g} chips ({again.percent_of_pot:.2g} % of the pot then)."
    )


def _node_facts(solution: SpotSolution, cursor: Cursor, chosen: set[str] | None) -> dict[str, Any]:
    """What `show FILE --line L --json` prints: what `solve` printed, and this place with its hands."""
    here = cursor.facts()
    if chosen is not None:
        here["hands"] = {name: row for name, row in here["hands"].items() if name in chosen}
    stated = ("kind", "solver", "iterations", "exploitability", "converged")
    return {name: fact for name, fact in solution.to_json().items() if name in stated} | here


def _chosen(cursor: Cursor, text: str) -> set[str]:
    """Names of the hands meant by a class such as AKs or a hand such as AsKs."""
    from equilibrist.cards.ranges import hand_name, hand_number
    from equilibrist.core.errors import ParameterError
    from equilibrist.interfaces.pictures.grid import class_hands

    numbers = [hand_number(text)] if len(text.strip()) == 4 else class_hands(text)
    names = {hand_name(int(number)) for number in numbers} & {hand_name(int(held)) for held in cursor.hands}
    if not names:
        raise ParameterError(
            f"'{text}' is not in the range of {cursor.player or 'oop'} on {cursor.board}; try --hands for all hands."
        )
    return names


def print_node(cursor: Cursor, console: Console, *, values: bool = True) -> None:
    """Heading, grid of the player who acts, and how often each action is taken; EV and equity unless said already."""
    from equilibrist.interfaces.pictures.grid import grid_text

    console.print(_heading(cursor))
    if values:
        console.print(_values(cursor), markup=False)
    if cursor.player is None:
        console.print(_nobody(cursor), markup=False)
        return
    grid = node_grid(cursor)
    coloured = console.color_system not in (None, "standard")  # sixteen colours make fold and call look alike
    console.print(grid_text(grid, coloured=coloured), crop=False)
    console.print(_mix(cursor, coloured), soft_wrap=True)


def node_grid(cursor: Cursor) -> Grid:
    """The hands of the player who acts, by class."""
    from equilibrist.interfaces.pictures.grid import class_grid

    return class_grid(cursor.hands, cursor.reach(), cursor.strategy, cursor.labels, cursor.cards)


def _heading(cursor: Cursor) -> Text:
    from rich.text import Text

    out = Text()
    out.append(cards_text(cursor.cards))
    actor = f"{cursor.player} to act" if cursor.player else "nobody to act"
    stacks = " / ".join(f"{stack:,.10g}" for stack in cursor.stacks)
    out.append(f"  {cursor.line or 'the beginning'}: ", style="bold")
    out.append(f"{actor}, pot {cursor.pot:,.10g}, behind {stacks}")
    return out


def _values(cursor: Cursor) -> str:
    """EV, equity and how much of it is realised (EV over equity times the pot); a line that is never played has none."""
    ev = "   ".join(f"{name} {format_number(cursor.range_ev(name))}" for name in PLAYERS)
    equity = "   ".join(f"{name} {format_percent(cursor.range_equity(name))}" for name in PLAYERS)
    eqr = "   ".join(f"{name} {format_percent(cursor.range_eqr(name))}" for name in PLAYERS)
    return f"EV  {ev}      equity  {equity}      EQR  {eqr}"


def format_number(value: float | None) -> str:
    """Chips; a dash where there is no value."""
    return "–" if value is None or value != value else f"{value:,.3f}"  # NaN alone differs from itself


def format_percent(value: float | None) -> str:
    """A share as a percentage; a dash where there is none."""
    return "–" if value is None or value != value else f"{100.0 * value:.2f} %"


def _nobody(cursor: Cursor) -> str:
    if cursor.is_over:
        return "The hand is over here; a shorter --line shows the decisions before."
    return f"A card comes next; go on with it, as in --line {cursor.line}:{cursor.next_cards[-1]}"


def _mix(cursor: Cursor, coloured: bool) -> Text:
    """One bar of all hands together, and the names with their percentages."""
    from rich.text import Text

    from equilibrist.interfaces.pictures.palette import colour_map

    colours = colour_map([cursor.labels]) if coloured else {}
    out, filled, share = Text(), 0, 0.0
    frequencies = [float(each) for each in cursor.frequencies]
    for label, frequency in zip(cursor.labels, frequencies, strict=True):
        share += frequency
        width = round(BAR_COLUMNS * share) - filled
        filled += width
        if coloured:
            out.append("█" * width, style=colours[label])
    out.append("\n" if coloured else "")
    for label, name, frequency in zip(cursor.labels, cursor.actions, frequencies, strict=True):
        out.append("■ " if coloured else "", style=colours.get(label, ""))
        out.append(f"{name} {100.0 * frequency:.1f} %   ")
    out.rstrip()
    return out


def hands_table(cursor: Cursor, chosen: set[str] | None, console: Console) -> Table:
    """One line per hand that can be here: weight, equity, EV, how much equity it realises, share and EV of every action."""
    from equilibrist.interfaces.cli.output import plain_table
    from equilibrist.interfaces.pictures.palette import colour_map

    actions = (*cursor.actions, *(f"EV {each}" for each in cursor.labels))
    table = plain_table("hand", "weight", "equity", "EV", "EQR", *actions)
    for column in table.columns[1:]:
        column.justify = "right"
    if console.color_system not in (None, "standard"):
        for column, colour in zip(table.columns[5:], colour_map([cursor.labels]).values(), strict=False):
            column.header_style = colour
    for name, row in cursor.facts()["hands"].items():
        if row["weight"] < RARE if chosen is None else name not in chosen:
            continue
        shares = [f"{100.0 * share:.1f} %" for share in row.get("strategy", ())]
        values = [format_number(value) for value in row.get("ev_by_action", ())]
        worth = (format_percent(row["equity"]), format_number(row["ev"]), format_percent(row["eqr"]))
        table.add_row(name, f"{row['weight']:.4g}", *worth, *shares, *values)
    return table


def draw(cursor: Cursor, path: Path, solution: SpotSolution) -> None:
    """The grid as a picture."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.pictures.strategy_pictures import save_grid_picture

    if cursor.player is None:
        raise NotApplicableError(
            f"Nobody acts after '{cursor.line}', so there is no grid to draw; choose another --line."
        )
    where = f" after {cursor.line}" if cursor.line else ""
    stack = min(cursor.stacks)
    ev = ", ".join(f"{name} {format_number(cursor.range_ev(name))}" for name in PLAYERS)
    state = "" if solution.converged else " (NOT converged)"
    caption = (
        f"{str(cursor.player).upper()} to act{where}: pot {cursor.pot:,.10g}, stack {stack:,.10g}\n"
        f"EV {ev}; exploitability {solution.percent_of_pot:.2g} % of the pot{state}"
    )
    save_grid_picture(
        node_grid(cursor),
        path,
        board=cursor.cards,
        frequencies=[float(each) for each in cursor.frequencies],
        names=cursor.actions,
        caption=caption,
    )


def cards_text(cards: Sequence[int]) -> Text:
    """Cards in the colours of their suits, a space after the flop and the turn."""
    from rich.text import Text

    from equilibrist.cards.range_text import STANDARD

    out = Text()
    for place, card in enumerate(cards):
        out.append(" " if place in (3, 4) else "")
        out.append(STANDARD.label(card), style=SUIT_STYLES[STANDARD.label(card)[1]])
    return out
