"""`equilibrist chart`: the strategies of a solved table to print or to read elsewhere, one page a seat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from equilibrist.solvers.tables.table_solution import TableSolution


def chart(
    file: Annotated[
        Path, typer.Argument(help="A solved table, written by 'solve --out'.", autocompletion=complete_solution)
    ],
    pdf: Annotated[Path | None, typer.Option(help="Write all pages to this PDF file.")] = None,
    png: Annotated[
        Path | None, typer.Option(help="Write each page as a picture: the seat is added to this name.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write every class at every decision shown to this file.")] = None,
    seat: Annotated[str | None, typer.Option(help="Only this seat, by name or number (default: all).")] = None,
    lines: Annotated[int, typer.Option(min=1, max=6, help="Decisions on a page, the most frequent first.")] = 6,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Chart a solved table: the most frequent decisions of every seat as 13×13 grids, one page a seat."""
    from equilibrist.core.errors import NotApplicableError, ParameterError
    from equilibrist.interfaces.cli.files import check_writable, read_solution
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.solvers.tables.table_solution import TableSolution

    for path, option in ((pdf, "--pdf"), (png, "--png"), (csv, "--csv")):
        check_writable(path, option)
    solution = read_solution(file)
    if not isinstance(solution, TableSolution):
        raise NotApplicableError(f"'{file}' is no solved table; 'equilibrist show' shows other solutions.")
    if pdf is None and png is None and csv is None and not as_json:
        raise ParameterError("Nothing was asked for; give --pdf, --png, --csv or --json.")
    names = [solution.table.names[solution.table.seat(seat)]] if seat is not None else list(solution.table.names)
    shown = {name: solution.likely_lines(name, lines) for name in names}
    written = _draw(solution, shown, pdf, png)
    if csv is not None:
        _write_rows(solution, shown, csv)
        written.append(csv)
    if as_json:
        seats = {name: [solution.at(line).to_json() for line in each] for name, each in shown.items()}
        print_json({"kind": "chart", "seats": seats, "files": list(map(str, written))})
        return
    console = screen()
    for path in written:
        console.print(f"Chart in {path}", markup=False, soft_wrap=True)


def _draw(solution: TableSolution, shown: dict[str, list[str]], pdf: Path | None, png: Path | None) -> list[Path]:
    if pdf is None and png is None:
        return []
    from equilibrist.interfaces.pictures.charts import save_page, save_pages

    pages = {name: _page(solution, name, lines) for name, lines in shown.items() if lines}
    written = []
    if pdf is not None:
        save_pages(pages.values(), pdf)
        written.append(pdf)
    if png is not None:
        for name, page in pages.items():
            word = "".join(letter if letter.isalnum() else "-" for letter in name)
            path = png.with_name(f"{png.stem}-{word}{png.suffix or '.png'}")
            save_page(page, path)
            written.append(path)
    return written


def _page(solution: TableSolution, name: str, lines: list[str]) -> Any:
    from equilibrist.interfaces.cli.tables.solved_table import blinds_text, gain_text
    from equilibrist.interfaces.cli.tables.table_view import node_grid
    from equilibrist.interfaces.pictures.charts import Panel, chart_page

    panels = []
    for line in lines:
        node = solution.at(line)
        title = f"after {line}" if line else "first to act"
        panels.append(Panel(title, node_grid(node), node.actions, [float(each) for each in node.frequencies]))
    seat = solution.table.seat(name)
    deep = solution.table.stacks[seat] / solution.table.big_blind
    state = f" ({solution.unfinished})" if solution.unfinished else ""
    note = f"Largest gain of a seat in the model: {gain_text(solution)}{state}. " + " ".join(solution.model[:1])
    return chart_page(f"{name}, {deep:.4g} bb: {blinds_text(solution.table)}", panels, note)


def _write_rows(solution: TableSolution, shown: dict[str, list[str]], path: Path) -> None:
    """One line for each seat, line, class and action."""
    from equilibrist.core.writing import whole_file
    from equilibrist.solvers.tables.table_node import csv_text

    rows: list[list[Any]] = [["seat", "line", "hand", "weight", "action", "share", "ev"]]
    for name, lines in shown.items():
        for line in lines:
            node = solution.at(line)
            for hand, facts in node.to_json()["hands"].items():
                for label, share, value in zip(node.labels, facts["strategy"], facts["ev_by_action"], strict=True):
                    rows.append([name, line, hand, facts["weight"], label, share, value])
    with whole_file(path) as out:
        out.write(csv_text(rows).encode())
