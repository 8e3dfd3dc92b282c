"""`equilibrist match --exact`: everybody against everybody in a small game, without playing a hand ([Davis15, §3.1 and §3.2])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilibrist.exploit.response_functions.strength import CrossTable


def match_exactly(players: Sequence[str], game: str, as_json: bool) -> None:
    """Expected results of players that do not learn, seats averaged, with both ways to rank them."""
    from equilibrist.agents.registry import load_agent
    from equilibrist.agents.tabulate import tabulate
    from equilibrist.core.errors import ParameterError
    from equilibrist.exploit.response_functions.strength import both_sides, cross_table
    from equilibrist.forms.compiled import compiled
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.output import print_json

    if len(set(players)) < len(players) or len(players) < 2:
        raise ParameterError("--exact compares at least two different players; name each of them once.")
    rules = load_game(game)
    if rules.players != 2:
        raise ParameterError(f"--exact is for games of two players, but '{rules.name}' is for {rules.players}.")
    sides = both_sides(compiled(rules))
    table = cross_table(sides, {name: tabulate(load_agent(name), rules, name) for name in players})
    facts = _facts(
        table, rules.name, 1000.0 / (rules.big_blind or 1.0), "mbb/g" if rules.big_blind else "points / 1000"
    )
    if as_json:
        print_json(facts)
    else:
        _print(facts)


def _facts(table: CrossTable, game: str, scale: float, unit: str) -> dict[str, Any]:
    return {
        "game": game,
        "players": list(table.names),
        "payoff": (table.payoff * scale).tolist(),
        "mean": (table.means() * scale).tolist(),
        "bankroll": table.bankroll(),
        "instant_runoff": table.instant_runoff(),
        "unit": unit,
    }


def _signed(number: float) -> str:
    return f"{round(number, 1) + 0.0:+.1f}"  # no -0.0


def _print(facts: dict[str, Any]) -> None:
    from equilibrist.interfaces.cli.output import plain_table, screen

    console, names = screen(), facts["players"]
    table = plain_table("", "player", *(f"vs {n + 1}" for n in range(len(names))), "mean", "bankroll", "runoff")
    for column in table.columns[2:]:
        column.justify = "right"
    for n, (name, row, mean) in enumerate(zip(names, facts["payoff"], facts["mean"], strict=True), 1):
        cells = ["" if other == name else _signed(earned) for other, earned in zip(names, row, strict=True)]
        places = [str(facts[rule].index(name) + 1) for rule in ("bankroll", "instant_runoff")]
        table.add_row(str(n), name, *cells, _signed(mean), *places)
    console.print(table)
    console.print(
        f"{facts['game']}: {facts['unit']}, expected, seats averaged; places by total bankroll and by instant runoff",
        style="dim",
        markup=False,
    )
