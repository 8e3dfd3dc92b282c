"""`equilibrist evaluate BLUEPRINT --from river`: what a best response wins from a blueprint from a street on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilibrist.solvers.blueprint.exact.street_response import BoardMean, StreetResponse
    from equilibrist.solvers.blueprint.strategy import PokerBlueprint

LINES = 5  # that are shown


def evaluate_street(agent: str, street: str, boards: int | None, seed: int, threads: int | None, as_json: bool) -> None:
    """Measure it and print it."""
    from equilibrist.compute.machine import cores
    from equilibrist.interfaces.cli.output import duration, print_json
    from equilibrist.interfaces.cli.play.evaluate_exact import trained_blueprint
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.solvers.blueprint.exact.street_response import street_response

    blueprint = trained_blueprint(agent, "--from")
    number, begun = _street(street, blueprint), time.monotonic()

    def show(done: int, boards: int) -> None:
        left = (time.monotonic() - begun) / done * (boards - done)
        meter.show(done / boards, f"{done:,} of {boards:,} boards, {duration(left)} left")

    with Meter(f"from the {street} on") as meter:
        found = street_response(blueprint, number, boards=boards, seed=seed, threads=threads or cores(), report=show)
    facts = _facts(agent, street, blueprint, found)
    if as_json:
        print_json(facts)
    else:
        _print(facts)


def _street(street: str, blueprint: PokerBlueprint) -> int:
    from equilibrist.cards.streets import STREETS
    from equilibrist.core.errors import ParameterError

    names = STREETS[1 : blueprint.abstract.tree.rounds]
    if street not in names:
        raise ParameterError(
            f"--from is a street after the first, {', '.join(names)}, but '{street}' was given; from the start on it is --exact."
        )
    return STREETS.index(street)


def _facts(agent: str, street: str, blueprint: PokerBlueprint, found: StreetResponse) -> dict[str, Any]:
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.interfaces.cli.play.evaluate_exact import seat_names

    big_blind = recorded_game(blueprint.game).big_blind
    unit = 1.0 / (big_blind or 1.0)
    lines = sorted(found.lines.items(), key=lambda item: -item[1][0])
    return {
        "agent": agent,
        "game": blueprint.game,
        "from": street,
        "unit": "mbb/g" if big_blind else "points / 1000",
        "seats": seat_names(blueprint),
        "boards": found.boards,
        "complete": found.complete,
        "gains": [_told(each.scaled(1000.0 * unit)) for each in found.gain],
        "gain": _told(found.mean.scaled(1000.0 * unit)),
        "reached": _told(found.reached),
        "each": _told(found.each.scaled(unit)),
        "lines": [
            {"line": line, "gain": 1000.0 * unit * gain, "reached": share} for line, (gain, share) in lines
        ],
        "seconds": found.seconds,
    }  # fmt: skip


def _told(estimate: BoardMean) -> dict[str, Any]:
    return {"value": estimate.value, "interval": [estimate.low, estimate.high]}


def _print(facts: dict[str, Any]) -> None:
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.interfaces.cli.output import duration, screen

    console = screen()
    print_gains(facts, recorded_game(facts["game"]).short_name)
    worst = ", ".join(f"{row['line']} ({row['gain']:.1f})" for row in facts["lines"][:LINES])
    console.print(f"Most is lost after {worst}.", markup=False)
    console.print(_coverage(facts, duration(facts["seconds"])), style="dim", markup=False)


def print_gains(facts: dict[str, Any], game: str) -> None:
    """The table of gains, and what a hand that gets there gives away."""
    from equilibrist.interfaces.cli.output import plain_table, screen

    console, unit, street = screen(), facts["unit"], facts["from"]
    complete = facts.get("complete", False)
    table = plain_table("measure", unit, *(() if complete else ("95 % interval",)))
    for column in table.columns[1:]:
        column.justify = "right"
    names = [*(f"best response of the {seat} gains" for seat in facts["seats"]), "both seats on average"]
    for name, row in zip(names, [*facts["gains"], facts["gain"]], strict=True):
        low, high = row["interval"]
        table.add_row(name, f"{row['value']:+.1f}", *(() if complete else (f"{low:+.1f} to {high:+.1f}",)))
    console.print(f"{facts['agent']} in {game}, responses from the {street} on, {unit}", markup=False)
    console.print(table)
    big = "big blinds" if unit == "mbb/g" else "points"
    console.print(
        f"{100 * facts['reached']['value']:.1f} % of the hands are played on the {street}; each of these gives away "
        f"{facts['each']['value']:.2f} {big}.",
        markup=False,
    )


def _coverage(facts: dict[str, Any], seconds: str) -> str:
    told = "All" if facts["complete"] else f"{facts['boards']:,} drawn"
    return f"{told} boards, all hands and lines that lead there, ranges by the blueprint's own play, its own bets; {seconds}."
