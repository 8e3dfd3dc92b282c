"""`equilibrist match`: play a match and report the result with confidence intervals."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equilibrist.interfaces.cli.completion import complete_agent, complete_game

if TYPE_CHECKING:
    from equilibrist.agents.matches.match import MatchResult
    from equilibrist.games.rules import Game


def match(
    players: Annotated[
        list[str],
        typer.Argument(
            help="Players: names, or solutions (.eqb); at tables also SEAT=PLAYER, and one for all other seats.",
            autocompletion=complete_agent,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help="The game (default: that of a solution, else no-limit hold'em with 20 big blinds).",
            autocompletion=complete_game,
        ),
    ] = None,
    hands: Annotated[int, typer.Option(help="Number of hands.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed of the deals.")] = 0,
    tables: Annotated[int, typer.Option(help="Number of processes; 0 for one per core.", min=0)] = 1,
    duplicate: Annotated[bool, typer.Option("--duplicate", help="Play each deal once from every seat.")] = False,
    until_interval: Annotated[
        float | None, typer.Option(help="Stop when the first player's 95 % interval is plus or minus this many mbb/g.")
    ] = None,
    block: Annotated[
        int, typer.Option(help="Number of deals in a row with the same players, so that they may learn.", min=1)
    ] = 100,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds allowed for one decision; later answers count as faults.")
    ] = None,
    isolate: Annotated[
        bool,
        typer.Option(
            "--isolate", help="Run every player in its own process; one that does not answer in time is stopped."
        ),
    ] = False,
    patience: Annotated[int | None, typer.Option(help="Number of faults in a block that stops the match.")] = None,
    aivat: Annotated[str, typer.Option(help="Variance reduction by AIVAT: auto, full, chance or off.")] = "auto",
    exact: Annotated[
        bool, typer.Option("--exact", help="Small games: expected results of all pairs of players, without playing.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Ledger of matches (SQLite); the same command continues where it stopped.")
    ] = None,
    histories: Annotated[
        Path | None,
        typer.Option(help="Write all hands to this file, as PHH (.phhs) or as JSON lines (.jsonl)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Play a match; results in thousandths of a big blind per hand, with 95 % intervals."""
    from equilibrist.agents.matches.ledger import Ledger
    from equilibrist.agents.matches.match import DEFAULT_GAME, MatchSettings, default_tables, play_match, result_facts
    from equilibrist.agents.matches.subprocess_player import SubprocessPlayer
    from equilibrist.agents.registry import agent_game, load_agent
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.guard import complain
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.play.seating import read_seated, seat_all
    from equilibrist.interfaces.cli.progress import Meter

    check_writable(out, "--out")
    check_writable(histories, "--histories")
    if game is not None:
        load_game(game)  # first: solutions of a game from a Python file are read with it
    seated = read_seated(players)
    made_for = [found for found in (agent_game(each.player) for each in seated) if found]
    usual = made_for[0] if made_for else _for_players(DEFAULT_GAME, len(players))
    named = usual if game is None else game
    players = seat_all(seated, load_game(named))
    if exact:
        from equilibrist.interfaces.cli.play.match_exact import match_exactly

        match_exactly(players, named, as_json)
        return
    settings = MatchSettings(
        tuple(players), named, hands, seed, duplicate, block, seconds, until_interval, aivat, patience
    )
    if histories:
        _check_histories(histories, load_game(named))
    ledger = Ledger(out) if out else None
    with Meter(f"playing {load_game(named).short_name}") as meter:
        result = play_match(
            settings,
            tables or default_tables(),
            ledger,
            records=histories is not None,
            progress=lambda played, of: meter.show(played / of, f"{played:,} of {of:,} hands"),
            makers=SubprocessPlayer if isolate else load_agent,
            tell=complain,
        )
    if histories:
        _write_histories(histories, result)
    if as_json:
        print_json(result_facts(result))
    else:
        _print(result)
    if not result.finished:
        kept = "no ledger was given (--out)" if out is None else f"the same command goes on from '{out}'"
        complain(f"Interrupted after {result.hands:,} hands; {kept}.")


def _for_players(game: str, count: int) -> str:
    return game if count == 2 else re.sub(r"\)$", f",players={count})", game)


def _check_histories(path: Path, game: Game) -> None:
    """Refuse now what could not be written after the match."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.games.poker.game import Poker
    from equilibrist.interfaces.protocols.phh import phh_capable

    if not isinstance(game, Poker):
        raise NotApplicableError(f"Hand histories are for poker; '{game.name}' is another game.")
    if path.suffix != ".jsonl":
        phh_capable(game)


def _write_histories(path: Path, result: MatchResult) -> None:
    from equilibrist.core.writing import write_text
    from equilibrist.games.catalogue import load_game
    from equilibrist.games.poker.game import Poker
    from equilibrist.interfaces.cli.files import save_result
    from equilibrist.interfaces.protocols.hands import hand_from_record
    from equilibrist.interfaces.protocols.phh import write_phhs

    game = load_game(result.settings.game)
    assert isinstance(game, Poker)
    names = result.settings.players
    if path.suffix == ".jsonl":
        from equilibrist.interfaces.protocols.hand_lines import write_hand_lines

        rows = (
            ([names[p] for p in kept["seats"]], kept["hole"], kept["line"])
            for block in result.blocks
            for kept in block["records"]
        )
        text = write_hand_lines(game, rows)
        save_result(path, lambda place: write_text(place, text))
        return
    hands = (
        hand_from_record(game, kept["hole"], kept["line"], [names[p] for p in kept["seats"]])
        for block in result.blocks
        for kept in block["records"]
    )
    text = write_phhs(hands)
    save_result(path, lambda place: write_text(place, text))


def _print(result: MatchResult) -> None:
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.output import plain_table, screen

    console = screen()
    table = plain_table(
        "seat and player" if result.seats else "player",
        result.unit,
        "95 % interval",
        "luck corrected",
        "95 % interval ",
        "faults",
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for p, name in enumerate(result.settings.players):
        cells = []
        for found in (result.estimates[p], result.adjusted[p] if result.adjusted else None):
            each = result.scaled(found) if found else None
            cells += [f"{each.mean:+.1f}", f"± {1.96 * each.error:.1f}"] if each else ["–", "–"]
        table.add_row(f"{result.seats[p]} {name}" if result.seats else name, *cells, str(result.faults[p]))
    console.print(table)
    deals = f" ({result.estimates[0].samples:,} deals from every seat)" if result.settings.duplicate else ""
    console.print(f"{load_game(result.settings.game).short_name}: {result.hands:,} hands{deals}.", markup=False)
    if not result.finished:
        console.print("Interrupted: these are the blocks that were finished.", markup=False)
    if result.method:
        how = {"aivat": "AIVAT with stated strategies", "chance": "the deals alone"}[result.method]
        console.print(f"Luck is corrected by {how}.", markup=False)
    for text in result.fault_texts[:5]:
        console.print(f"fault: {text}", markup=False)
