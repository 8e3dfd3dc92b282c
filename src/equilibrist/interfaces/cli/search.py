"""`equilibrist search`: a decision of a solved spot searched again in real time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from equilibrist.search.spot_search import SpotSearch


def search(
    file: Annotated[
        Path,
        typer.Argument(help="A solved spot written by 'solve --out': the blueprint.", autocompletion=complete_solution),
    ],
    line: Annotated[str, typer.Option(help="Where to search, such as 'x:b120:c:8h'.")] = "",
    searcher: Annotated[str | None, typer.Option(help="oop or ip; the player who acts, if absent.")] = None,
    technique: Annotated[
        str, typer.Option(help="resolve or maxmargin (no hand of the opponent gains), or unsafe (believes its range).")
    ] = "resolve",
    bet: Annotated[
        str | None, typer.Option(help="What the opponent has done at --line instead of anything solved: b165, r400.")
    ] = None,
    bets: Annotated[str | None, typer.Option(help="Bet sizes from here on, such as '33%, 75%, a'.")] = None,
    raises: Annotated[str | None, typer.Option(help="Raise sizes from here on.")] = None,
    until: Annotated[str | None, typer.Option(help="Stop at this exploitability: chips, or '1%' of the pot.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many iterations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds.")] = None,
    threads: Annotated[int, typer.Option(help="Cores to use.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write the solution found here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Search one decision of a solved spot again: finer bets, bets it does not know, one street to the end."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.interfaces.cli.spot import is_spot_file
    from equilibrist.interfaces.cli.spot_view import print_node
    from equilibrist.search.spot_search import search_from
    from equilibrist.solvers.spot_solution import load_spot_solution

    if not is_spot_file(file):
        raise NotApplicableError(
            f"'{file}' is no solved spot; solve one with 'equilibrist solve spot.toml --out spot.eqb'."
        )
    check_writable(out, "--out")
    place = load_spot_solution(file).at(line)
    acting = place.player if bet is None else {"oop": "ip", "ip": "oop"}.get(place.player or "")
    menus = None if bets is None and raises is None else {"bet": bets or "", "raise": raises or ""}
    goals = (until, iterations, seconds)
    found = search_from(
        place,
        searcher or acting or "oop",
        technique,
        bet=bet,
        bets=menus,
        until="0.1%" if all(goal is None for goal in goals) else until,
        iterations=iterations,
        seconds=seconds,
        threads=threads,
    )
    if out is not None:
        found.solution.save(out)
    if as_json:
        print_json(search_facts(found))
        return
    console = screen()
    console.print(_summary(found), markup=False)
    print_node(found.solution.root, console)


def search_facts(found: SpotSearch) -> dict[str, Any]:
    """What `search --json` prints."""
    numbers = {"margin": found.margin, "tolerance": found.tolerance}
    return {
        "kind": "search",
        "searcher": found.searcher,
        "technique": found.technique,
        "iterations": found.solution.iterations,
        "seconds": found.seconds,
        "exploitability": {
            "chips": found.exploitability,
            "percent_of_pot": 100.0 * found.exploitability / found.solution.spot.pot,
        },
        **{name: value if value == value else None for name, value in numbers.items()},
        **found.solution.root.facts(),
    }


def _summary(found: SpotSearch) -> str:
    share = 100.0 * found.exploitability / found.solution.spot.pot
    text = (
        f"{found.technique} search for {found.searcher}: {found.solution.iterations} iterations, {found.seconds:.2f} s, "
        f"exploitability {share:.2f} % of the pot"
    )
    if found.alternative is None:
        return text
    return f"{text}; smallest margin {found.margin:+.2f} chips, at most {found.tolerance:.3f} chips given away"
