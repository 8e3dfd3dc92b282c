"""A place at a solved table on the screen: the 13×13 grid of who acts, the mix of actions, single hands; two solutions compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Rows

    from equilibrist.interfaces.pictures.grid import Grid
    from equilibrist.solvers.tables.table_node import TableNode
    from equilibrist.solvers.tables.table_solution import TableSolution

LISTED = 12


def show_table(
    solution: TableSolution,
    *,
    line: str | None,
    hands: bool,
    hand: str | None,
    png: Path | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """`show FILE` for a saved table."""
    from equilibrist.interfaces.cli.output import print_json, print_whole, screen
    from equilibrist.interfaces.cli.tables.solved_table import blinds_text, gain_text

    node = solution.at(line or "")
    chosen = None if hand is None else _chosen(hand)
    if png is not None:
        draw(solution, node, png)
    if csv is not None:
        node.to_csv(csv)
    if as_json:
        print_json(_facts(solution, node, chosen))
        return
    console = screen()
    state = f", {solution.unfinished}" if solution.unfinished else ""
    title = f"{blinds_text(solution.table)}, by {solution.solver}: largest gain {gain_text(solution)}{state}"
    console.print(title, style="bold", markup=False)
    for sentence in solution.model:
        console.print(sentence, style="dim", markup=False)
    if chosen is None:
        print_node(node, console)
    if hands or chosen is not None:
        print_whole(hands_table(node, chosen), console)
    for path, what in ((png, "Picture in"), (csv, "Hands in")):
        if path is not None:
            console.print(f"{what} {path}", markup=False, soft_wrap=True)


def _chosen(text: str) -> set[str]:
    """Names of the classes meant by AKs, or by AK for both kinds."""
    from equilibrist.cards.allins.classes import NAMES
    from equilibrist.cards.range_text import STANDARD, hands_of
    from equilibrist.interfaces.pictures.grid import class_hands

    return {NAMES[int(hands_of(STANDARD).cell[hand])] for hand in class_hands(text)}


def _facts(solution: TableSolution, node: TableNode, chosen: set[str] | None) -> dict[str, Any]:
    stated = ("kind", "solver", "iterations", "exploitability", "converged", "gains", "ev", "unit", "model")
    here = node.to_json()
    if chosen is not None:
        here["hands"] = {name: row for name, row in here["hands"].items() if name in chosen}
    return {name: fact for name, fact in solution.to_json().items() if name in stated} | here


def print_node(node: TableNode, console: Console) -> None:
    """Heading, grid of the seat that acts, and how often each action is taken."""
    from equilibrist.interfaces.cli.views.spot_view import action_mix
    from equilibrist.interfaces.pictures.grid import grid_text

    actor = f"{node.player} to act" if node.player else "nobody to act"
    console.print(f"{node.line or 'the beginning'}: {actor}, pot {node.pot:,.10g}", style="bold", markup=False)
    if node.is_over:
        console.print("The betting is over here; a shorter --line shows the decisions before.", markup=False)
        return
    if node.absent:
        console.print(
            f"This line is never reached: {' and '.join(node.absent)} never play{'s' if len(node.absent) == 1 else ''} so. "
            "What stands here was not learned.",
            style="bold",
            markup=False,
        )
    coloured = console.color_system not in (None, "standard")  # sixteen colours make fold and call look alike
    console.print(grid_text(node_grid(node), coloured=coloured), crop=False)
    console.print(action_mix(node.labels, node.actions, [float(f) for f in node.frequencies], coloured), soft_wrap=True)


def node_grid(node: TableNode) -> Grid:
    """The hands of the seat that acts, by class."""
    from equilibrist.cards.allins.classes import combinations
    from equilibrist.interfaces.pictures.grid import SIDE, Grid

    return Grid(
        actions=node.labels,
        combos=combinations().reshape(SIDE, SIDE),
        weight=node.reach().reshape(SIDE, SIDE),
        mix=node.strategy.reshape(SIDE, SIDE, len(node.labels)),
    )


def first_in_table(solution: TableSolution) -> Rows:
    """What every seat does when all before it have folded."""
    from equilibrist.interfaces.cli.output import plain_table

    rows = plain_table("folded to", "line", "does")
    for decision, line in enumerate(solution.tree.lines):
        if set(line) <= set("f:"):
            node = solution.at(line)
            mix = zip(node.actions, node.frequencies, strict=True)
            text = "   ".join(f"{action} {100.0 * share:.1f} %" for action, share in mix)
            rows.add_row(solution.table.names[solution.tree.seat[decision]], line or "–", text)
    return rows


def hands_table(node: TableNode, chosen: set[str] | None) -> Rows:
    """One line per class: weight, EV, share and EV of every action."""
    from equilibrist.interfaces.cli.output import plain_table
    from equilibrist.interfaces.cli.views.spot_view import format_number

    rows = plain_table("hand", "weight", "EV", *node.actions, *(f"EV {label}" for label in node.labels))
    for column in rows.columns[1:]:
        column.justify = "right"
    for name, hand in node.to_json()["hands"].items():
        if chosen is None or name in chosen:
            shares = [f"{100.0 * share:.1f} %" for share in hand["strategy"]]
            values = [format_number(value) for value in hand["ev_by_action"]]
            rows.add_row(name, f"{hand['weight']:.4g}", format_number(hand["ev"]), *shares, *values)
    return rows


def draw(solution: TableSolution, node: TableNode, path: Path) -> None:
    """The grid as a picture."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.cli.tables.solved_table import blinds_text, gain_text
    from equilibrist.interfaces.pictures.strategy_pictures import save_grid_picture

    if node.is_over:
        raise NotApplicableError(
            f"Nobody acts after '{node.line}', so there is no grid to draw; choose another --line."
        )
    where = f" after {node.line}" if node.line else ""
    state = f" ({solution.unfinished})" if solution.unfinished else ""
    caption = f"{node.player} to act{where}: {blinds_text(solution.table)}\nlargest gain {gain_text(solution)}{state}"
    save_grid_picture(
        node_grid(node),
        path,
        board=(),
        frequencies=[float(each) for each in node.frequencies],
        names=node.actions,
        caption=caption,
    )


def show_table_comparison(
    first: TableSolution, second: TableSolution, names: tuple[str, str], line: str | None, as_json: bool
) -> None:
    """`show FILE --compare OTHER` for tables: values and gains of all seats, and what is played differently at a line."""
    from equilibrist.interfaces.cli.output import number, plain_table, print_json, screen

    found = compare_tables(first, second, line or "")
    if as_json:
        print_json(found)
        return
    console = screen()
    rows = plain_table("seat", *(f"EV {name}" for name in names), *(f"gain {name}" for name in names))
    for seat in first.table.names:
        values = [solution.ev[seat] for solution in (first, second)]
        gains = [solution.gains[seat] for solution in (first, second)]
        rows.add_row(seat, *(f"{value:,.4f}" for value in values), *map(number, gains))
    console.print(rows)
    hands = plain_table("hand", *names, "difference")
    for name, row in found["hands"].items():
        mixes = (
            "  ".join(f"{a} {100 * p:.1f}" for a, p in zip(found["actions"], row[s], strict=True))
            for s in ("first", "second")
        )
        hands.add_row(name, *mixes, f"{100 * row['difference']:.1f} %")
    where = f"after {found['line']}" if found["line"] else "at the beginning"
    console.print(hands if found["hands"] else f"No hand is played differently {where}.")
    console.print(f"{100 * found['difference']:.2f} % of all hands {where}, on average", style="dim", markup=False)


def compare_tables(first: TableSolution, second: TableSolution, line: str) -> dict[str, Any]:
    """What two solutions of the same seats say after a line."""
    import numpy as np

    from equilibrist.cards.allins.classes import NAMES, combinations
    from equilibrist.core.errors import NotApplicableError

    if first.table.names != second.table.names:
        raise NotApplicableError("The seats differ; only tables with the same seats can be compared.")
    one, other = first.at(line), second.at(line)
    if one.labels != other.labels:
        raise NotApplicableError(
            f"The choices after '{line}' differ, {', '.join(one.labels) or 'none'} and {', '.join(other.labels) or 'none'}; choose a line "
            "where they are the same."
        )
    if one.is_over:
        raise NotApplicableError(f"Nobody acts after '{line}'; choose a shorter line.")
    size = 0.5 * np.abs(one.strategy - other.strategy).sum(axis=1)
    weight = combinations() * one.reach()
    most = [int(c) for c in np.argsort(-size * weight)[:LISTED] if size[c] > 0.0]
    sides = {
        name: {"ev": solution.ev, "gains": solution.gains, "solver": solution.solver, "iterations": solution.iterations}
        for name, solution in (("first", first), ("second", second))
    }
    hands = {
        NAMES[c]: {
            "difference": float(size[c]),
            "first": one.strategy[c].tolist(),
            "second": other.strategy[c].tolist(),
        }
        for c in most
    }
    total = float(weight.sum())
    mean = float(weight @ size) / total if total > 0.0 else 0.0
    return {
        "kind": "comparison",
        "line": one.line,
        "player": one.player,
        "actions": list(one.labels),
        **sides,
        "difference": mean,
        "hands": hands,
    }
