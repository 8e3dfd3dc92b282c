"""`equilibrist evaluate BLUEPRINT --exact`: what a best response wins from a blueprint, over all boards and hands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilibrist.solvers.blueprint.exact.exact_exploitability import ExactExploitability, ExactProgress
    from equilibrist.solvers.blueprint.exact.flop_sample import Bounds
    from equilibrist.solvers.blueprint.strategy import PokerBlueprint

KEPT = ".flops"  # the folder beside a blueprint with the values of flops that are done


def evaluate_exactly(agent: str, flops: int | None, seed: int, threads: int | None, device: str, as_json: bool) -> None:
    """Measure it and print it."""
    from equilibrist.compute.checkpoints import Checkpoints
    from equilibrist.compute.machine import cores
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.solvers.blueprint.exact.exact_exploitability import blueprint_key, exact_exploitability

    blueprint = trained_blueprint(agent, "--exact")
    folder = Path(agent).with_suffix(KEPT)
    kept = Checkpoints(folder, blueprint_key(blueprint))
    done = 0

    def show(progress: ExactProgress) -> None:
        nonlocal done
        done = progress.done
        meter.show(progress.done / progress.flops, _progress_text(progress))

    with Meter("exact") as meter:
        try:
            found = exact_exploitability(
                blueprint,
                flops=flops,
                seed=seed,
                threads=threads or cores(),
                device=device,
                checkpoints=kept,
                report=show,
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"Interrupted; {done:,} flops are kept in {folder}, and the same command goes on from there."
            ) from None
    facts = _facts(agent, blueprint, found)
    if as_json:
        print_json(facts)
    else:
        _print(facts)


def trained_blueprint(agent: str, option: str) -> PokerBlueprint:
    """What an option of `evaluate` measures."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.solvers.blueprint.strategy import PokerBlueprint
    from equilibrist.solvers.saved_solutions import load_solution

    found = load_solution(agent) if agent.endswith(".eqb") else None
    if not isinstance(found, PokerBlueprint):
        raise NotApplicableError(
            f"{option} is for blueprints of 'equilibrist train', but '{agent}' is none; leave it out."
        )
    return found


def _progress_text(progress: ExactProgress) -> str:
    from equilibrist.interfaces.cli.output import duration

    left = "" if progress.seconds_left is None else f", {duration(progress.seconds_left)} left"
    return f"{progress.done:,} of {progress.flops:,} flops{left}, {progress.memory_bytes / 1e6:,.0f} MB"


def _facts(agent: str, blueprint: PokerBlueprint, found: ExactExploitability) -> dict[str, Any]:
    from equilibrist.games.catalogue import recorded_game

    big_blind = recorded_game(blueprint.game).big_blind
    scale = 1000.0 / (big_blind or 1.0)
    judged = found.judgement

    def told(bounds: Bounds) -> dict[str, Any]:
        here = bounds.scaled(scale)
        return {"at_least": here.least, "at_most": here.most, "interval": [here.low, here.high]}

    return {
        "agent": agent,
        "game": blueprint.game,
        "unit": "mbb/g" if big_blind else "points / 1000",
        "seats": seat_names(blueprint),
        "flops": found.flops,
        "of_flops": found.classes,
        "complete": found.complete,
        "value": told(judged.value),
        "gains": [told(each) for each in judged.gain],
        "exploitability": told(judged.exploitability),
        "rounding": scale * found.error,
        "seconds": found.seconds,
    }


def seat_names(blueprint: PokerBlueprint) -> list[str]:
    return seats_of(blueprint.abstract.rules.blinds)


def seats_of(blinds: Sequence[float]) -> list[str]:
    """What players are called: by their blinds where these differ."""
    if len(blinds) != 2 or blinds[0] == blinds[1]:
        return ["first player", "second player"]
    return ["big blind", "small blind"] if blinds[0] > blinds[1] else ["small blind", "big blind"]


def _print(facts: dict[str, Any]) -> None:
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.interfaces.cli.output import duration, plain_table, screen

    console, complete = screen(), facts["complete"]
    numbers = (facts["unit"],) if complete else ("at least", "at most", "95 % interval")
    table = plain_table("measure", *numbers)
    for column in table.columns[1:]:
        column.justify = "right"
    seats = facts["seats"]
    rows = {f"value of the {seats[0]}, both by the blueprint": facts["value"]}
    rows |= {f"best response of the {seat} gains": gain for seat, gain in zip(seats, facts["gains"], strict=True)}
    rows |= {"exploitability": facts["exploitability"]}
    for name, row in rows.items():
        low, high = row["interval"]
        sampled = (f"{row['at_most']:+.1f}", f"{low:+.1f} to {high:+.1f}")
        table.add_row(name, f"{row['at_least']:+.{1 if not complete else 2}f}", *(() if complete else sampled))
    console.print(f"{facts['agent']} in {recorded_game(facts['game']).short_name}, {facts['unit']}", markup=False)
    console.print(table)
    console.print(_coverage(facts, duration(facts["seconds"])), style="dim", markup=False)


def _coverage(facts: dict[str, Any], seconds: str) -> str:
    rounding = f"rounding is at most {facts['rounding']:.2g} {facts['unit']}"
    if facts["complete"]:
        return f"All {facts['of_flops']:,} flops that differ, all boards and hands, the blueprint's own bets; {rounding}; {seconds}."
    return (
        f"{facts['flops']:,} of {facts['of_flops']:,} flops, drawn by seed, all boards and hands below them, the blueprint's own bets. "
        "The true number for all flops lies in the interval with 95 %: its lower end is that of responses whose play before the flop was "
        "chosen on one half of the flops and valued on the other, its upper end that of one chosen and valued on all of them; "
        f"{rounding}; {seconds}."
    )
