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
            help="A game such as kuhn for an .efg file or limit-holdem for a .game file; a file of TexasSolver commands or a Libratus "
            "subgame for a .toml file.",
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
) -> None:
    """Write a game as a Gambit file or an ACPC game definition, or read a spot from another program's file."""
    from equilibrist.core.errors import NotApplicableError, ParameterError
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import screen

    check_writable(target, "TARGET")
    if target.suffix in (".efg", ".game"):
        if stack is not None:
            raise NotApplicableError(
                "--stack is for Libratus subgames, but a file of a game was asked for; leave it out."
            )
        text, what = _gambit(source) if target.suffix == ".efg" else _definition(source)
    elif target.suffix == ".toml":
        text, what = _spot(source, stack)
    else:
        raise ParameterError(f"TARGET '{target}' must end in .efg (Gambit), .game (ACPC) or .toml (a spot).")
    target.write_text(text, encoding="utf-8")
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
