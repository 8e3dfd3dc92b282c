"""`equilibrist evaluate PLAYER --from river`: what a best response wins on the last street from any player that can state its strategy."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilibrist.core.player import Player
    from equilibrist.evaluation.play.last_street_response import LastStreetResponse
    from equilibrist.evaluation.play.statistics import Estimate
    from equilibrist.games.poker.game import Poker

READINGS = 8  # of bets that a player does not know, where it draws how it reads them
LEAST = 2  # hands that an interval takes


def evaluate_last_street(
    agent: str, street: str, game: str | None, hands: int, bets: str, seed: int, as_json: bool
) -> None:
    """Measure it and print it."""
    from equilibrist.agents.matches.match import DEFAULT_GAME
    from equilibrist.agents.registry import agent_game, load_agent
    from equilibrist.evaluation.play.last_street_response import (
        LastStreetResponder,
        judge_last_street,
        last_street_gains,
    )
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.output import duration, print_json
    from equilibrist.interfaces.cli.progress import Meter

    asked = load_agent(agent)
    table = load_game(game if game is not None else agent_game(agent) or DEFAULT_GAME)
    poker = _poker(street, table)
    sizes = pot_shares(bets)
    responder = LastStreetResponder(poker, lambda: load_agent(agent), sizes, _readings(asked, bets))
    found, begun = [], time.monotonic()
    try:
        with Meter(f"from the {street} on") as meter:
            for each in last_street_gains(responder, hands, seed):
                found.append(each)
                left = duration((time.monotonic() - begun) / len(found) * (hands - len(found)))
                meter.show(len(found) / hands, f"{len(found):,} of {hands:,} hands, {left} left")
    except KeyboardInterrupt:
        if len(found) < LEAST:
            raise
    facts = _facts(agent, street, table, bets, judge_last_street(found), time.monotonic() - begun)
    facts["could_bet"] = responder.could_bet
    if as_json:
        print_json(facts)
    else:
        _print(facts, table)


def pot_shares(bets: str) -> list[float | str]:
    """`10%, 150%, a` as shares of the pot."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.games.poker.bet_menus import menu_of

    sizes: list[float | str] = []
    for size in menu_of(bets).sizes if bets else ():
        if size.unit not in ("%", "a"):
            raise ParameterError(f"--bets are shares of the pot such as '10%, 150%, a', but '{size}' was given.")
        sizes.append("a" if size.unit == "a" else size.amount / 100.0)
    return sizes


def _poker(street: str, game: Any) -> Poker:
    """Players are asked for their strategies on the last street alone."""
    from equilibrist.cards.streets import STREETS
    from equilibrist.core.errors import NotApplicableError, ParameterError
    from equilibrist.games.poker.game import Poker

    if not isinstance(game, Poker):
        raise NotApplicableError(f"--from is for poker, but '{game.name}' is none; leave it out.")
    last = STREETS[min(len(game.rules.board), len(STREETS)) - 1]
    if street not in STREETS:
        raise ParameterError(f"--from is a street such as {last}, but '{street}' was given.")
    if street != last:
        raise NotApplicableError(
            f"Responses to players, and with --bets, are known on the {last} alone, but --from {street} was given; give --from {last}, "
            "or a blueprint by itself."
        )
    return game


def _readings(player: Player, bets: str) -> int:
    """How often a player is taken: one that solves the street as it is bet reads nothing."""
    from equilibrist.agents.blueprint.searching_player import SearchingPlayer

    return READINGS if bets and not isinstance(player, SearchingPlayer) else 1


def _facts(agent: str, street: str, game: Any, bets: str, found: LastStreetResponse, seconds: float) -> dict[str, Any]:
    from equilibrist.interfaces.cli.play.evaluate_exact import seats_of

    unit = 1.0 / (game.big_blind or 1.0)
    return {
        "agent": agent,
        "game": game.name,
        "from": street,
        "bets": bets or None,
        "unit": "mbb/g" if game.big_blind else "points / 1000",
        "seats": seats_of(game.rules.blinds),
        "hands": found.hands,
        "there": found.there,
        "gains": [_told(each.scaled(1000.0 * unit)) for each in found.gain],
        "gain": _told(found.mean.scaled(1000.0 * unit)),
        "reached": {"value": found.reached},
        "each": {"value": unit * found.each},
        "seconds": seconds,
    }


def _told(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.mean, "interval": list(estimate.interval)}


def _print(facts: dict[str, Any], game: Any) -> None:
    from equilibrist.interfaces.cli.output import duration, screen
    from equilibrist.interfaces.cli.play.evaluate_street import print_gains

    print_gains(facts, game.short_name)
    if facts["there"] and not facts["could_bet"]:
        screen().print(
            f"The response could only call and fold, since the player never bets on the {facts['from']}: what bets win from it is seen "
            "with --bets '50%, a'.",
            markup=False,
        )
    more = f", and {facts['bets']}" if facts["bets"] else ""
    screen().print(
        f"{facts['hands']:,} hands that it played against itself, {facts['there']:,} to the {facts['from']}; all hands apart, ranges by "
        f"its own play, its own bets{more}; {duration(facts['seconds'])}.",
        style="dim",
        markup=False,
    )
