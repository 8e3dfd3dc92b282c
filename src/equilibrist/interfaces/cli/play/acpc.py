"""`equilibrist deal` and `equilibrist join`: the two ends of the ACPC protocol."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equilibrist.core.units import chip_text
from equilibrist.interfaces.cli.completion import complete_agent, complete_game

if TYPE_CHECKING:
    from equilibrist.games.poker.game import Poker

Game = Annotated[
    str, typer.Option(help="A game, or a game definition of the ACPC (.game).", autocompletion=complete_game)
]
HOLDEM = "nolimit-holdem"
STOPPED = 1


def deal(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of the programs that will connect, in order.")
    ] = None,
    game: Game = HOLDEM,
    hands: Annotated[int, typer.Option(help="Hands to deal.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed of the deals.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on (default: this machine only).")] = "127.0.0.1",
    ports: Annotated[str, typer.Option(help="One port for each seat, separated by commas; empty for free ports.")] = "",
    seconds: Annotated[float, typer.Option(help="Seconds allowed for one action.")] = 10.0,
    patience: Annotated[int, typer.Option(help="Number of faults by one program that stops the match.", min=0)] = 10,
) -> None:
    """Deal to programs that speak the ACPC protocol, one port for each seat; prints the score at the end."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.core.names import is_whole
    from equilibrist.interfaces.protocols.acpc_dealer import ACPCDealer

    table = _poker(game)
    if names and len(names) != table.players:
        raise ParameterError(f"'{table.name}' has {table.players} players, but {len(names)} names were given.")
    if not 0.0 < seconds < math.inf:
        raise ParameterError(f"--seconds is a time above 0 for one action, but {seconds:g} was given.")
    if ports and not all(is_whole(part.strip()) for part in ports.split(",")):
        raise ParameterError(f"Ports are numbers with commas between them, but '{ports}' was given.")
    dealer = ACPCDealer(table, host, [int(part) for part in ports.split(",")] if ports else None)
    print("ports " + " ".join(map(str, dealer.ports)), file=sys.stderr, flush=True)
    try:
        result = dealer.run(hands, seed, seconds, patience=patience)
    finally:
        dealer.close()
    for fault in result.faults[:20]:
        print(f"fault of player {fault.seat + 1}: {fault.kind}, {fault.text}; played {fault.played}", file=sys.stderr)
    print(result.score(names or [f"player{p + 1}" for p in range(table.players)]))
    if result.stopped:
        print(f"{result.stopped} {result.hands} hands were played.", file=sys.stderr)
        raise typer.Exit(STOPPED)


def join(
    agent: Annotated[str, typer.Argument(help="A player or a solution (.eqb).", autocompletion=complete_agent)],
    host: Annotated[str, typer.Argument(help="Host name of the dealer.")],
    port: Annotated[int, typer.Argument(help="Port of the seat.", min=1, max=65535)],
    game: Game = HOLDEM,
    seed: Annotated[int, typer.Option(help="Random seed of the player.")] = 0,
) -> None:
    """Connect a player to a dealer that speaks the ACPC protocol."""
    from equilibrist.agents.registry import load_agent
    from equilibrist.interfaces.protocols.acpc_player import join as sit_down

    hands, won = sit_down(load_agent(agent), _poker(game), host, port, seed)
    print(f"{hands} hands, {chip_text(won)} chips")


def _poker(text: str) -> Poker:
    from equilibrist.core.reading import read_text
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.protocols.acpc import acpc_capable, read_game

    if not text.endswith(".game"):
        return acpc_capable(load_game(text))
    return read_game(
        read_text(text, "The game definition", "expected lines such as numPlayers = 2"), name=Path(text).name
    )
