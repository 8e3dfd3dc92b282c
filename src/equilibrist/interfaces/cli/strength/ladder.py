"""`equilibrist ladder`: every pair of several players in duplicate matches, as a table of means with 95 % intervals."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_agent, complete_game

if TYPE_CHECKING:
    from equilibrist.agents.matches.ladder import Ladder, LadderOrder, LadderProgress


def ladder(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER PLAYER PLAYER …|FOLDER",
            help="Three or more players: names, or solutions (.eqb); or the folder of a ladder to print it again.",
            autocompletion=complete_agent,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help="The game, for two players (default: that of the solutions, else no-limit hold'em with 20 big blinds).",
            autocompletion=complete_game,
        ),
    ] = None,
    hands: Annotated[int | None, typer.Option(help="Number of hands of each pair (default: 1000).", min=1)] = None,
    until_interval: Annotated[
        float | None, typer.Option(help="Stop a pair when its 95 % interval is plus or minus this many mbb/g.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the deals (default: 0).", min=0)] = None,
    tables: Annotated[
        int | None, typer.Option(help="Number of processes; 0 for one per core (default: 1).", min=0)
    ] = None,
    block: Annotated[
        int | None,
        typer.Option(help="Deals in a row with the same players, so that they may learn (default: 100).", min=1),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds allowed for one decision; later answers count as faults.")
    ] = None,
    isolate: Annotated[
        bool,
        typer.Option(
            "--isolate", help="Run every player in its own process; one that does not answer in time is stopped."
        ),
    ] = False,
    patience: Annotated[
        int | None, typer.Option(help="Number of faults in a block that stops the match of a pair.")
    ] = None,
    aivat: Annotated[
        str | None, typer.Option(help="Variance reduction by AIVAT: auto, full, chance or off (default: auto).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the ladder; the same command continues where it stopped.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write a row for every pair to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Let every pair of players meet in a duplicate match; thousandths of a big blind per hand with 95 % intervals."""
    from equilibrist.agents.matches.ladder import ladder_facts
    from equilibrist.core.errors import ParameterError
    from equilibrist.core.writing import write_text
    from equilibrist.interfaces.cli.files import check_writable, save_result
    from equilibrist.interfaces.cli.output import print_json

    check_writable(csv, "--csv")
    if len(players) == 1 and not os.path.isdir(players[0]):
        raise ParameterError(
            f"There is no folder '{players[0]}' of a ladder to print; name three or more players to play one."
        )
    given: dict[str, Any] = {
        "game": game, "hands": hands, "until_interval": until_interval, "seed": seed, "block": block, "seconds": seconds,
        "patience": patience, "aivat": aivat,
    }  # fmt: skip
    if len(players) == 1:
        _refuse_settings({**given, "game": None} | {"tables": tables, "isolate": isolate or None, "out": out})
        folder: Path | None = Path(players[0])
        found = _opened(Path(players[0]), game)
    else:
        folder = out
        found = _played(players, given, 1 if tables is None else tables, isolate, out)
    if csv is not None:
        text = _csv(found)
        save_result(csv, lambda place: write_text(place, text))
    if as_json:
        print_json(ladder_facts(found) | {"folder": None if folder is None else str(folder)})
    else:
        _print(found)
    _tell_unfinished(found, folder)


def _refuse_settings(given: dict[str, Any]) -> None:
    from equilibrist.core.errors import ParameterError

    named = [name.replace("_", "-") for name, value in given.items() if value is not None]
    if named:
        raise ParameterError(f"A folder is printed as it is, but --{named[0]} was given; name the players to play on.")


def _opened(folder: Path, game: str | None) -> Ladder:
    """A ladder to print; `game` names that of a Python file, whose code does not run because a folder names it."""
    from equilibrist.agents.matches.ladder_folder import open_ladder
    from equilibrist.core.errors import ParameterError
    from equilibrist.games.catalogue import load_game

    given = None if game is None else load_game(game)
    found = open_ladder(folder)
    if given is not None and given.name != load_game(found.order.game).name:
        raise ParameterError(
            f"'{folder}' is a ladder of '{found.order.game}', but --game {game} was given; leave --game out."
        )
    return found


def _order(players: list[str], given: dict[str, Any]) -> LadderOrder:
    from equilibrist.agents.matches.ladder import LadderOrder
    from equilibrist.agents.matches.match import DEFAULT_GAME
    from equilibrist.agents.registry import agent_game
    from equilibrist.core.errors import ParameterError
    from equilibrist.games.catalogue import load_game

    told = {name: value for name, value in given.items() if value is not None}
    if "game" in told:
        load_game(told["game"])  # first: solutions of a game from a Python file are read with it
        return LadderOrder(tuple(players), **told)
    LadderOrder(tuple(players), DEFAULT_GAME, **told)  # refuses what no file need be read for
    made_for = {name: made for name in players if (made := agent_game(name)) is not None}
    games = list(dict.fromkeys(made_for.values()))
    if len(games) > 1:
        one, other = (next(name for name, made in made_for.items() if made == each) for each in games[:2])
        raise ParameterError(
            f"A ladder is of one game, but '{one}' plays '{games[0]}' and '{other}' plays '{games[1]}'; "
            "name players of one game, or say which with --game."
        )
    return LadderOrder(tuple(players), games[0] if games else DEFAULT_GAME, **told)


def _played(players: list[str], given: dict[str, Any], tables: int, isolate: bool, out: Path | None) -> Ladder:
    import contextlib

    from equilibrist.agents.matches.ladder import play_ladder, refuse_bad_players
    from equilibrist.agents.matches.ladder_folder import open_to_play, refuse_changed
    from equilibrist.agents.matches.match import default_tables
    from equilibrist.agents.matches.subprocess_player import SubprocessPlayer
    from equilibrist.agents.registry import load_agent
    from equilibrist.interfaces.cli.files import check_folder
    from equilibrist.interfaces.cli.guard import complain
    from equilibrist.interfaces.cli.progress import Meter

    order = _order(players, given)
    if out is not None:
        check_folder(out, "--out")
    with Meter("ladder") as meter, contextlib.ExitStack() as opened:
        meter.show(None, "preparing", worth_a_line=False)
        refuse_bad_players(order)  # before a folder is made for them
        ledger = None if out is None else opened.enter_context(open_to_play(out, order))
        return play_ladder(
            order,
            ledger,
            tables or default_tables(),
            progress=lambda each: meter.show(each.fraction, _progress_text(each)),
            makers=SubprocessPlayer if isolate else load_agent,
            tell=complain,
            check=lambda pair: None if out is None else refuse_changed(out, pair),
        )


def _progress_text(each: LadderProgress) -> str:
    names = " – ".join(each.pair)
    return f"pair {each.number:,} of {each.pairs:,}, {names}: {each.hands:,} of {each.of:,} hands"


def _csv(found: Ladder) -> str:
    """One row for every pair."""
    import csv
    import io

    from equilibrist.agents.matches.ladder import ladder_facts

    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("player", "opponent", "hands", "mbb_per_game", "low", "high", "plain", "plain_low", "plain_high",
                   "method", "faults", "faults_of_opponent", "finished", "stopped"))  # fmt: skip
    for each in ladder_facts(found)["pairs"]:
        plain = each["plain"] or {"mbb_per_game": None, "interval": (None, None)}
        rows.writerow(
            (*each["players"], each["hands"], each["mbb_per_game"], *(each["interval"] or (None, None)),
             plain["mbb_per_game"], *plain["interval"], each["method"], *each["faults"], each["finished"], each["stopped"])
        )  # fmt: skip
    return text.getvalue()


def _print(found: Ladder) -> None:
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.output import plain_table, print_whole, screen

    console, ranking, names = screen(), found.ranking(), found.order.players
    table = plain_table("", "player", "mean", "95 % interval", "opponents", *(f"vs {n + 1}" for n in range(len(names))))
    for column in table.columns[2:]:
        column.justify, column.no_wrap = "right", True
    for place, player in enumerate(ranking, 1):
        mean = found.mean(player)
        cells = ("–", "–", "0") if mean is None else (_signed(mean.mean), _plus_minus(mean.error), str(mean.opponents))
        others = ("" if other == player else _cell(found, player, other) for other in ranking)
        table.add_row(str(place), names[player], *cells, *others)
    print_whole(table, console)
    console.print(
        f"{load_game(found.order.game).short_name}, {found.unit}: {found.done:,} of {len(found.results):,} pairs, "
        f"{found.hands:,} hands, each deal from both seats.",
        markup=False,
    )
    for line in _notes(found):
        console.print(line, markup=False, soft_wrap=True)


def _cell(found: Ladder, player: int, other: int) -> str:
    """What a player won from another; marked where somebody broke the rules."""
    each = found.of(player, other)
    if each.stopped:
        return "stopped"
    won = each.mbb(player)
    if won is None:
        return "–"
    return f"{_signed(won.mean)} {_plus_minus(won.error)}" + (" !" if any(each.faults) else "")


def _notes(found: Ladder) -> list[str]:
    """How luck was corrected, and what was marked."""
    results = [each.result for each in found.results if each.result is not None]
    how = {"aivat": "AIVAT with stated strategies", "chance": "the deals alone", None: "nothing"}
    methods = [how[name] for name in ("aivat", "chance", None) if any(each.method == name for each in results)]
    lines = [f"Luck is corrected by {', in other pairs by '.join(methods)}."] if methods else []
    for each in found.results:
        one, other = (found.order.players[player] for player in each.pair)
        if each.stopped:
            lines.append(f"stopped: {one} – {other}: {each.stopped}")
        elif any(each.faults) and each.result is not None:
            texts = each.result.fault_texts
            lines.append(f"! {one} – {other}: {each.faults[0]:,} and {each.faults[1]:,} faults, the first: {texts[0]}.")
    return lines


def _signed(number: float) -> str:
    return f"{round(number, 1) + 0.0:+.1f}"  # no -0.0


def _plus_minus(error: float) -> str:
    import math

    return f"± {1.96 * error:.1f}" if math.isfinite(error) else "± ?"


def _tell_unfinished(found: Ladder, folder: Path | None) -> None:
    from equilibrist.interfaces.cli.guard import complain

    if found.finished:
        return
    kept = "no folder was given (--out)" if folder is None else f"the same command goes on from '{folder}'"
    complain(f"Not finished: {found.done:,} of {len(found.results):,} pairs, {found.hands:,} hands; {kept}.")
