"""`equilibrist icm`: what stacks are worth in a tournament, and what chips at risk cost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from equilibrist.games.tournaments.standings import Standings
    from equilibrist.interfaces.cli.tournaments.icm_facts import HandsToCome


def icm(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Standings in TOML: stacks, payouts, names, bounties, progressive."),
    ] = None,
    stacks: Annotated[
        str, typer.Option(help="Chips of each player, such as 5000,3000,2000 or 20000x50 (fifty times).")
    ] = "",
    payouts: Annotated[
        str, typer.Option(help="Prizes from the first place down, such as 50,30,20; satellites: 1000x5.")
    ] = "",
    names: Annotated[
        str, typer.Option(help="Names of the players, such as Ann,Bob,Cem (default: numbers from 1).")
    ] = "",
    bounties: Annotated[str, typer.Option(help="Knockout tournaments: the bounty on each head.")] = "",
    progressive: Annotated[
        float | None,
        typer.Option(
            help="Share of a bounty that is added to the taker's own, 0.5 in most PKO tournaments (default: 0)."
        ),
    ] = None,
    move: Annotated[
        list[str] | None,
        typer.Option(
            help="Chips that move after a hand: FROM,TO or FROM,TO,CHIPS (default: the smaller stack); may be repeated."
        ),
    ] = None,
    seats: Annotated[
        str,
        typer.Option(help="Players between whom bubble factors are shown (default: all, where they are ten or fewer)."),
    ] = "",
    at_risk: Annotated[
        float | None,
        typer.Option("--at-risk", help="Chips of which bubble factors are (default: the smaller of two stacks)."),
    ] = None,
    fgs: Annotated[
        int, typer.Option(min=0, max=4, help="Also show equities after so many hands of jam or fold (0 to 4).")
    ] = 0,
    blinds: Annotated[
        str, typer.Option(help="Blinds of these hands, such as 300,600; stacks are in the order of acting.")
    ] = "",
    ante: Annotated[float, typer.Option(min=0.0, help="Ante of each player in these hands.")] = 0.0,
    places: Annotated[int, typer.Option(min=0, help="Also show the probabilities of the first so many places.")] = 0,
    route: Annotated[str, typer.Option(help="recursion, quadrature, sampled, or auto.")] = "auto",
    samples: Annotated[
        int, typer.Option(min=2, help="Number of sampled finish orders, where they are sampled.")
    ] = 100_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the sampled finish orders.")] = 0,
    csv: Annotated[Path | None, typer.Option(help="Write one row for each player to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Prize money that stacks are worth by the Independent Chip Model, with bubble factors, before and after a hand."""
    from equilibrist.core.writing import write_text
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.tournaments.icm_facts import IcmQuestion, csv_text, icm_facts
    from equilibrist.interfaces.cli.tournaments.icm_view import print_icm

    begun = time.perf_counter()
    check_writable(csv, "--csv")
    standings = given_standings(file, stacks, payouts, names, bounties, progressive)
    question = IcmQuestion(
        standings=standings,
        moves=tuple(move or ()),
        seats=tuple(part.strip() for part in seats.split(",") if part.strip()),
        at_risk=at_risk,
        places=places,
        route=route,
        samples=samples,
        seed=seed,
        futures=_futures(fgs, blinds, ante),
    )
    facts = icm_facts(question)
    if csv is not None:
        write_text(csv, csv_text(facts))
    facts["seconds"] = time.perf_counter() - begun
    if as_json:
        print_json(facts)
    else:
        print_icm(facts, csv)


def _futures(depth: int, blinds: str, ante: float) -> HandsToCome | None:
    from equilibrist.core.errors import ParameterError
    from equilibrist.games.tournaments.standings import parse_amounts
    from equilibrist.interfaces.cli.tournaments.icm_facts import HandsToCome

    if not depth:
        if blinds or ante:
            raise ParameterError("--blinds and --ante are those of hands to come; give their number by --fgs, too.")
        return None
    if not blinds:
        raise ParameterError("--fgs plays hands, and these have blinds; give --blinds such as 300,600.")
    return HandsToCome(depth, tuple(parse_amounts("blinds", blinds)), ante)


def given_standings(
    file: Path | None, stacks: str, payouts: str, names: str, bounties: str, progressive: float | None
) -> Standings:
    """Standings of a file, of options, or of both; an option stands before the file."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.games.tournaments.standings import make_standings, parse_amounts, read_standings

    given = {} if file is None else read_standings(file)
    for key, text in (("stacks", stacks), ("payouts", payouts), ("bounties", bounties)):
        if text:
            given[key] = parse_amounts(key, text)
    if names:
        given["names"] = [name.strip() for name in names.split(",")]
    if progressive is not None:
        given["progressive"] = progressive
    for key in ("stacks", "payouts"):
        if not given.get(key):
            raise ParameterError(f"There are no {key}; give a file of standings, or --{key} such as 50,30,20.")
    if given.get("progressive") and not given.get("bounties"):
        raise ParameterError("--progressive is a share of bounties, but there are none; give --bounties, too.")
    return make_standings(**given)
