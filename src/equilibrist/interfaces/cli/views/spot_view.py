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
    from equilibrist.solvers.postflop.solutions.node_report import SolvedNode
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
    from equilibrist.solvers.three_way.three_way_solution import ThreeWaySolution

SUIT_STYLES = {"c": "bright_green", "d": "bright_blue", "h": "bright_red", "s": "bold"}
BAR_COLUMNS = 77  # as wide as the grid
RARE = 1e-6  # weight below which a hand is not listed


def show_spot(
    solution: SpotSolution | ThreeWaySolution,
    *,
    line: str | None,
    seat: str | None = None,
    hands: bool,
    hand: str | None,
    png: Path | None,
    csv: Path | None = None,
    as_json: bool,
) -> None:
    """`show FILE` for a saved spot; with the hands of a `seat`, or of the one that acts."""
    from equilibrist.interfaces.cli.output import print_json, print_whole, screen
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

    node: SolvedNode = solution.root.at(line or "")
    chosen = None if hand is None else _chosen(node, hand, seat)
    if png is not None:
        draw(node, png, solution)
    if csv is not None:
        node.to_csv(csv, seat)
    if as_json:
        print_json(_node_facts(solution, node, chosen, seat))
        return
    console = screen()
    state = f", {solution.unfinished}" if solution.unfinished else ""
    title = f"{solution.spot!r} by {solution.solver}, {solution.accuracy}{state}"
    console.print(title, style="bold", markup=False)
    if node.resolve is not None and isinstance(solution, SpotSolution):
        console.print(_resolve_sentence(solution, node), markup=False)
    if chosen is None:
        print_node(node, console)
    else:
        console.print(_heading(node))
    if hands or chosen is not None or seat is not None:
        print_whole(hands_table(node, chosen, console, seat), console)
    for path, what in ((png, "Picture in"), (csv, "Hands in")):
        if path is not None:
            console.print(f"{what} {path}", markup=False, soft_wrap=True)


def _resolve_sentence(solution: SpotSolution, node: SolvedNode) -> str:
    """That a street is not from the file, and how good it is."""
    again = node.resolve
    assert again is not None, "asked only where a street was solved again"
    return (
        f"The {solution.missing[0]} is not in the file: solved again from both ranges here, {again.iterations:,} iterations to "
        f"{again.exploitability:.3g} chips ({again.percent_of_pot:.2g} % of the pot then)."
    )


def _node_facts(
    solution: SpotSolution | ThreeWaySolution, node: SolvedNode, chosen: set[str] | None, seat: str | None
) -> dict[str, Any]:
    """What `show FILE --line L --json` prints: what `solve` printed, and this place with its hands."""
    here = node.to_json(seat)
    if chosen is not None:
        here["hands"] = {name: row for name, row in here["hands"].items() if name in chosen}
    stated = ("kind", "solver", "iterations", "exploitability", "gains", "converged")
    return {name: fact for name, fact in solution.to_json().items() if name in stated} | here


def _chosen(node: SolvedNode, text: str, seat: str | None = None) -> set[str]:
    """Names of the hands meant by a class such as AKs or a hand such as AsKs."""
    from equilibrist.cards.ranges import hand_name, hand_number
    from equilibrist.core.errors import ParameterError
    from equilibrist.interfaces.pictures.grid import class_hands

    numbers = [hand_number(text)] if len(text.strip()) == 4 else class_hands(text)
    names = {hand_name(int(number)) for number in numbers} & {hand_name(int(held)) for held in node.hands_of(seat)}
    if not names:
        raise ParameterError(
            f"'{text}' is not in the range of {seat or node.player or node.players[0]} on {node.board}; try --hands for all hands."
        )
    return names


def print_node(node: SolvedNode, console: Console, *, values: bool = True) -> None:
    """Heading, grid of the player who acts, and how often each action is taken; EV and equity unless said already."""
    from equilibrist.interfaces.pictures.grid import grid_text

    console.print(_heading(node))
    if values:
        console.print(_values(node), markup=False)
    if node.player is None:
        console.print(_nobody(node), markup=False)
        return
    grid = node_grid(node)
    coloured = console.color_system not in (None, "standard")  # sixteen colours make fold and call look alike
    console.print(grid_text(grid, coloured=coloured), crop=False)
    mix = action_mix(node.labels, node.actions, [float(each) for each in node.frequencies], coloured)
    console.print(mix, soft_wrap=True)


def node_grid(node: SolvedNode) -> Grid:
    """The hands of the player who acts, by class."""
    from equilibrist.interfaces.pictures.grid import class_grid

    return class_grid(node.hands, node.reach(), node.strategy, node.labels, node.cards)


def _heading(node: SolvedNode) -> Text:
    from rich.text import Text

    out = Text()
    out.append(cards_text(node.cards))
    actor = f"{node.player} to act" if node.player else "nobody to act"
    stacks = " / ".join(f"{stack:,.10g}" for stack in node.stacks)
    out.append(f"  {node.line or 'the beginning'}: ", style="bold")
    out.append(f"{actor}, pot {node.pot:,.10g}, behind {stacks}")
    return out


def _values(node: SolvedNode) -> str:
    """EV, equity and how much of it is realised (EV over equity times the pot); a line that is never played has none."""
    ev = "   ".join(f"{name} {format_number(node.range_ev(name))}" for name in node.players)
    equity = "   ".join(f"{name} {format_percent(node.range_equity(name))}" for name in node.players)
    eqr = "   ".join(f"{name} {format_percent(node.range_eqr(name))}" for name in node.players)
    return f"EV  {ev}      equity  {equity}      EQR  {eqr}"


def format_number(value: float | None) -> str:
    """Chips; a dash where there is no value."""
    return "–" if value is None or value != value else f"{value:,.3f}"  # NaN alone differs from itself


def format_percent(value: float | None) -> str:
    """A share as a percentage; a dash where there is none."""
    return "–" if value is None or value != value else f"{100.0 * value:.2f} %"


def _nobody(node: SolvedNode) -> str:
    if node.is_over:
        return "The hand is over here; a shorter --line shows the decisions before."
    return f"A card comes next; go on with it, as in --line {node.line}:{node.next_cards[-1]}"


def action_mix(labels: Sequence[str], names: Sequence[str], frequencies: Sequence[float], coloured: bool) -> Text:
    """One bar of all hands together, and the names with their percentages."""
    from rich.text import Text

    from equilibrist.interfaces.pictures.palette import colour_map

    colours = colour_map([labels]) if coloured else {}
    out, filled, share = Text(), 0, 0.0
    for label, frequency in zip(labels, frequencies, strict=True):
        share += frequency
        width = round(BAR_COLUMNS * share) - filled
        filled += width
        if coloured:
            out.append("█" * width, style=colours[label])
    out.append("\n" if coloured else "")
    for label, name, frequency in zip(labels, names, frequencies, strict=True):
        out.append("■ " if coloured else "", style=colours.get(label, ""))
        out.append(f"{name} {100.0 * frequency:.1f} %   ")
    out.rstrip()
    return out


def hands_table(node: SolvedNode, chosen: set[str] | None, console: Console, seat: str | None = None) -> Table:
    """One line per hand that can be here: weight, equity, EV, how much equity it realises, share and EV of every action."""
    from equilibrist.interfaces.cli.output import plain_table
    from equilibrist.interfaces.pictures.palette import colour_map

    acts = node.player is not None and seat in (None, node.player)
    actions = (*node.actions, *(f"EV {each}" for each in node.labels)) if acts else ()
    table = plain_table("hand", "weight", "equity", "EV", "EQR", *actions)
    for column in table.columns[1:]:
        column.justify = "right"
    if acts and console.color_system not in (None, "standard"):
        for column, colour in zip(table.columns[5:], colour_map([node.labels]).values(), strict=False):
            column.header_style = colour
    for name, row in node.to_json(seat)["hands"].items():
        if row["weight"] < RARE if chosen is None else name not in chosen:
            continue
        shares = [f"{100.0 * share:.1f} %" for share in row.get("strategy", ())]
        values = [format_number(value) for value in row.get("ev_by_action", ())]
        worth = (format_percent(row["equity"]), format_number(row["ev"]), format_percent(row["eqr"]))
        table.add_row(name, f"{row['weight']:.4g}", *worth, *shares, *values)
    return table


def draw(node: SolvedNode, path: Path, solution: SpotSolution | ThreeWaySolution) -> None:
    """The grid as a picture."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.pictures.strategy_pictures import save_grid_picture

    if node.player is None:
        raise NotApplicableError(
            f"Nobody acts after '{node.line}', so there is no grid to draw; choose another --line."
        )
    where = f" after {node.line}" if node.line else ""
    stacks = (
        " / ".join(f"{stack:,.10g}" for stack in node.stacks) if len(node.stacks) > 2 else f"{min(node.stacks):,.10g}"
    )
    ev = ", ".join(f"{name} {format_number(node.range_ev(name))}" for name in node.players)
    state = f" ({solution.unfinished})" if solution.unfinished else ""
    caption = (
        f"{str(node.player).upper()} to act{where}: pot {node.pot:,.10g}, stack {stacks}\n"
        f"EV {ev}; {solution.accuracy}{state}"
    )
    save_grid_picture(
        node_grid(node),
        path,
        board=node.cards,
        frequencies=[float(each) for each in node.frequencies],
        names=node.actions,
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
