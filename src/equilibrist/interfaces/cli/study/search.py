"""`equilibrist search`: a decision of a spot searched in real time, from a solved one or from its ranges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from equilibrist.search.depth_limited.spot_continuations import Continuations
    from equilibrist.search.engines.spots import SpotSearch

BELOW = "Below the searched street (--depth street)"


def search(
    file: Annotated[
        Path,
        typer.Argument(
            help="A solved spot written by 'solve --out': the blueprint. Or a spot file, searched from its ranges.",
            metavar="SOLUTION|SPOT.toml",
            autocompletion=complete_solution,
        ),
    ],
    line: Annotated[str, typer.Option(help="Where to search, such as 'x:b120:c:8h'.")] = "",
    searcher: Annotated[str | None, typer.Option(help="oop or ip; the player who acts, if absent.")] = None,
    technique: Annotated[
        str | None,
        typer.Option(
            help="resolve or maxmargin (no hand of the opponent gains; resolve, if absent), or unsafe (believes its range)."
        ),
    ] = None,
    bet: Annotated[
        str | None, typer.Option(help="What the opponent has done at --line instead of anything solved: b165, r400.")
    ] = None,
    bets: Annotated[str | None, typer.Option(help="Bet sizes from here on, such as '33%, 75%, a'.")] = None,
    raises: Annotated[str | None, typer.Option(help="Raise sizes from here on.")] = None,
    until: Annotated[str | None, typer.Option(help="Stop at this exploitability: chips, or '1%' of the pot.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many iterations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds.")] = None,
    threads: Annotated[int, typer.Option(help="Cores to use.")] = 1,
    depth: Annotated[
        str, typer.Option(help="end: search to the river. street: this street alone, seconds even on a flop.")
    ] = "end",
    policies: Annotated[
        str | None,
        typer.Option(
            help="What players may choose from: blueprint, fold, call, raise; all, if absent.", rich_help_panel=BELOW
        ),
    ] = None,
    factor: Annotated[
        float | None, typer.Option(help="By which a biased policy prefers its action (10).", rich_help_panel=BELOW)
    ] = None,
    one_sided: Annotated[
        bool, typer.Option("--one-sided", help="Only the opponent chooses, not both players.", rich_help_panel=BELOW)
    ] = False,
    blueprint: Annotated[
        str | None,
        typer.Option(
            help="solved: found on the sampled boards first. learned: with this street, no choices. check: no more bets.",
            rich_help_panel=BELOW,
        ),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(help="Cards sampled for each street to come, such as '16,4', or all.", rich_help_panel=BELOW),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the sample (0).", rich_help_panel=BELOW)] = None,
    below_bets: Annotated[str | None, typer.Option(help="Bet sizes there ('75%').", rich_help_panel=BELOW)] = None,
    below_raises: Annotated[str | None, typer.Option(help="Raise sizes there ('a').", rich_help_panel=BELOW)] = None,
    out: Annotated[Path | None, typer.Option(help="Write the solution found here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Search one decision of a spot: finer bets, bets a solution does not know, one street alone or all to the end."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.games.spots.spot import Spot
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.interfaces.cli.study.spot import is_spot_file
    from equilibrist.interfaces.cli.views.spot_view import print_node
    from equilibrist.search.engines.spots import search_from, search_spot
    from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

    said = {"policies": policies, "factor": factor, "blueprint": blueprint, "sample": sample, "seed": seed}
    menus_below = None if below_bets is None and below_raises is None else (below_bets or "", below_raises or "")
    goals = (until, iterations, seconds)
    how: dict[str, Any] = {
        "until": ("0.1%" if depth == "end" else "1%") if all(goal is None for goal in goals) else until,
        "iterations": iterations,
        "seconds": seconds,
        "threads": threads,
        "depth": depth,
        "continuations": read_continuations(said, one_sided, menus_below),
    }
    menus = None if bets is None and raises is None else {"bet": bets or "", "raise": raises or ""}
    check_writable(out, "--out")
    if file.suffix == ".toml":
        if line or bet is not None:
            raise NotApplicableError(
                "--line and --bet lead through a solved spot; in a spot file write them as 'line'."
            )
        spot = Spot.from_toml(file)
        spot = spot if menus is None else spot.changed(bets=menus)
        acting = ("oop", "ip")[spot.opening.player]
        found = search_spot(spot, searcher or acting, technique or "unsafe", **how)
    elif is_spot_file(file):
        place = load_spot_solution(file).at(line)
        actor = place.player if bet is None else {"oop": "ip", "ip": "oop"}.get(place.player or "")
        found = search_from(place, searcher or actor or "oop", technique or "resolve", bet=bet, bets=menus, **how)
    else:
        raise NotApplicableError(
            f"'{file}' is no solved spot; solve one with 'equilibrist solve spot.toml --out spot.eqb', or give a spot file."
        )
    if out is not None:
        found.solution.save(out)
    if as_json:
        print_json(search_facts(found))
        return
    console = screen()
    console.print(_summary(found), markup=False)
    print_node(found.solution.root, console)


def read_continuations(said: dict[str, Any], one_sided: bool, menus: tuple[str, str] | None) -> Continuations | None:
    """What was said about play below the searched street; nothing, if nothing was."""
    from equilibrist.search.depth_limited.spot_continuations import ALL, Continuations

    given = {name: value for name, value in said.items() if value is not None}
    if not given and not one_sided and menus is None:
        return None
    if "policies" in given:
        given["policies"] = tuple(name.strip() for name in given["policies"].split(","))
    if "sample" in given and given["sample"] != ALL:
        given["sample"] = _counts(given["sample"])
    if menus is not None:
        given["bets"] = {"bet": menus[0], "raise": menus[1]}
    return Continuations(**given, balanced=not one_sided)


def _counts(text: str) -> tuple[int, ...]:
    from equilibrist.core.errors import ParameterError

    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(f"--sample takes whole numbers such as '16,4', or all, but '{text}' was given.") from None


def search_facts(found: SpotSearch) -> dict[str, Any]:
    """What `search --json` prints."""
    numbers = {"margin": found.margin, "tolerance": found.tolerance}
    return {
        "kind": "search",
        "searcher": found.searcher,
        "technique": found.technique.name,
        "iterations": found.solution.iterations,
        "seconds": found.seconds,
        "exploitability": {
            "chips": found.exploitability,
            "percent_of_pot": 100.0 * found.exploitability / found.solution.spot.pot,
        },
        **{name: value if value == value else None for name, value in numbers.items()},
        **({"below": _below(found)} if found.solution.missing else {}),
        **found.solution.root.facts(),
    }


def _below(found: SpotSearch) -> dict[str, Any]:
    """How play below the searched street was taken."""
    names = ("continuations", "factor", "balanced", "blueprint", "boards", "seed")
    return {name: found.solution.settings[name] for name in names}


def _summary(found: SpotSearch) -> str:
    share = 100.0 * found.exploitability / found.solution.spot.pot
    if found.solution.missing:
        from equilibrist.games.spots.bet_sizes import STREETS

        told, street = found.solution.settings, STREETS[found.solution.spot.street]
        boards = " and ".join(
            f"{count} {name}s" for count, name in zip(told["boards"], found.solution.missing, strict=True)
        )
        return (
            f"The {street} alone searched for {found.searcher} ({found.technique.name}): {found.solution.iterations} iterations, "
            f"{found.seconds:.2f} s; exploitability {share:.2f} % of the pot in the depth-limited game\n"
            f"Below it: {', '.join(told['continuations'])} (blueprint {told['blueprint']}) on {boards}, seed {told['seed']}"
        )
    text = (
        f"{found.technique.name} search for {found.searcher}: {found.solution.iterations} iterations, {found.seconds:.2f} s, "
        f"exploitability {share:.2f} % of the pot"
    )
    if found.alternative is None:
        return text
    return f"{text}; smallest margin {found.margin:+.2f} chips, at most {found.tolerance:.3f} chips given away"
