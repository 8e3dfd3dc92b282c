"""`equilibrist convert`: read and write games and spots of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equilibrist.interfaces.cli.completion import complete_game


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A game such as kuhn for an .efg file or limit-holdem for a .game file; a file of TexasSolver commands, a Libratus "
            "subgame or a solved spot for a .toml file.",
            autocompletion=complete_game,
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET", help="game.efg (Gambit), poker.game (ACPC) or spot.toml (a spot that 'solve' reads)."
        ),
    ],
    stack: Annotated[
        float | None,
        typer.Option(help="Libratus subgames: chips of each player before the hand (default: 20000)."),
    ] = None,
    line: Annotated[
        str, typer.Option(help="Solved spots: where the new spot begins, such as 'x:x' or, after a card, 'x:x:8h'.")
    ] = "",
) -> None:
    """Write a game as a Gambit file or an ACPC game definition, or a spot from another program's file or from a solved one."""
    from equilibrist.core.errors import NotApplicableError, ParameterError
    from equilibrist.core.writing import write_text
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import screen

    check_writable(target, "TARGET")
    if line and not source.endswith(".eqb"):
        raise NotApplicableError("--line leads through a solved spot (.eqb); leave it out for other sources.")
    if target.suffix in (".efg", ".game"):
        if stack is not None:
            raise NotApplicableError(
                "--stack is for Libratus subgames, but a file of a game was asked for; leave it out."
            )
        text, what = _gambit(source) if target.suffix == ".efg" else _definition(source)
    elif target.suffix == ".toml":
        text, what = _spot(source, stack) if not source.endswith(".eqb") else _rest(source, line)
    else:
        raise ParameterError(f"TARGET '{target}' must end in .efg (Gambit), .game (ACPC) or .toml (a spot).")
    write_text(target, text)
    screen().print(f"{what}, written to {target}", markup=False)


def _gambit(source: str) -> tuple[str, str]:
    """The text of an .efg file, and what it holds."""
    from equilibrist.forms.history_tree.efg_writer import write_efg
    from equilibrist.games.catalogue import load_game

    game = load_game(source)
    return write_efg(game), game.short_name


def _definition(source: str) -> tuple[str, str]:
    """The text of a .game file, and what it holds."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.games.catalogue import load_game
    from equilibrist.games.poker.game import Poker
    from equilibrist.interfaces.protocols.acpc import write_game

    game = load_game(source)
    if not isinstance(game, Poker):
        raise NotApplicableError(
            f"Only poker games have an ACPC definition, but '{game.name}' is another game; write an .efg."
        )
    return write_game(game), game.short_name


def _spot(source: str, stack: float | None) -> tuple[str, str]:
    """The text of a spot file, and what it holds."""
    from equilibrist.games.spots.imports import load_foreign_spot

    spot = load_foreign_spot(source, stack=stack)
    return spot.to_toml(), repr(spot)


def _rest(source: str, line: str) -> tuple[str, str]:
    """The text of a spot file for what is left of a solved spot after a line, and what it holds."""
    from equilibrist.search.engines.spot_rest import spot_after, spot_at
    from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

    solution, (before, _, last) = load_spot_solution(source), line.rpartition(":")
    dealt = bool(last) and last[0] not in "xcfbr"
    spot = spot_after(solution.at(before), last) if dealt else spot_at(solution.at(line))
    return spot.to_toml(), repr(spot)
