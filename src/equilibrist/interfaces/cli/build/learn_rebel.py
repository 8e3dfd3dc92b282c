"""ReBeL on hold'em for `equilibrist learn`: start, resume and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilibrist.learning.rebel_holdem.rebel_folder import RebelProgress

POINTS = 12  # of the curve on the screen
COLUMNS = {
    "flop": "flop: network",
    "flop_check_down": "check-down",
    "turn": "turn: network",
    "turn_package": "package's",
    "turn_check_down": "check-down",
}


def is_rebel(preset: str) -> bool:
    """Whether a preset is one of ReBeL; refuses what is none at all."""
    from equilibrist.core.errors import UnknownNameError, suggest
    from equilibrist.core.names import parse_name
    from equilibrist.learning.hand_values.value_order import PRESETS as VALUES
    from equilibrist.learning.rebel_holdem.rebel_order import PRESETS

    name = parse_name(preset).base.lower()
    if name not in (known := (*VALUES.homes, *PRESETS.homes)):
        raise UnknownNameError(
            f"There is no preset '{name}' of trainings.{suggest(name, known)} Presets are {', '.join(known)}."
        )
    return name in PRESETS.homes


def start(folder: Path, preset: str, seed: int, how: dict[str, Any], as_json: bool) -> None:
    """Begin; `how` are options of all presets."""
    from dataclasses import replace

    from equilibrist.core.errors import ParameterError
    from equilibrist.learning.networks.torch_extra import need_torch
    from equilibrist.learning.rebel_holdem.rebel_folder import start_rebel
    from equilibrist.learning.rebel_holdem.rebel_order import PRESETS

    need_torch()
    refused = {"--label-seconds": how.pop("label_seconds"), "--blueprint": how.pop("blueprints") or None}
    if unfit := next((name for name, value in refused.items() if value is not None), None):
        raise ParameterError(f"{unfit} is for trainings of values alone; leave it out.")
    order = PRESETS.make(preset)
    order = order if seed == 0 else replace(order, seed=seed)
    follow(lambda report: start_rebel(folder, order, report=report, **how))
    show(folder, as_json)


def resume(folder: Path, iterations: int | None, how: dict[str, Any], as_json: bool) -> None:
    """Go on."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.learning.rebel_holdem.rebel_folder import resume_rebel

    if how.pop("label_seconds") is not None:
        raise ParameterError("--label-seconds is for trainings of values alone; leave it out.")
    follow(lambda report: resume_rebel(folder, iterations=iterations, report=report, **how))
    show(folder, as_json)


def follow(work: Callable[[Callable[[RebelProgress], None]], Any]) -> None:
    """With a line about how far it is."""
    from equilibrist.interfaces.cli.progress import follow_training

    follow_training("rebel", work, lambda progress: "")


def show(folder: Path, as_json: bool) -> None:
    """The curve of both networks' errors."""
    from equilibrist.interfaces.cli.output import plain_table, print_json, screen
    from equilibrist.learning.rebel_holdem.rebel_folder import rebel_facts

    facts = rebel_facts(folder)
    if as_json:
        print_json(facts | {"folder": str(folder)})
        return
    console, curve = screen(), facts["curve"]
    state = "finished" if facts["finished"] else "not finished"
    console.print(
        f"ReBeL on hold'em, 20 big blinds: {facts['iterations']:,} of {facts['planned']:,} iterations, {state}",
        markup=False,
    )
    if curve:
        table = plain_table("iterations", "flops", "turns", "seconds", *COLUMNS.values())
        for begin, end in _spans(len(curve)):
            part, last = curve[begin:end], curve[end - 1]
            numbers = (f"{_mean(part, key):.3g}" for key in COLUMNS)
            counts = (f"{last[key]:,}" for key in ("iterations", "flops", "turns"))
            table.add_row(*counts, f"{last['seconds']:,.0f}", *numbers)
        console.print(table)
        console.print(
            "% of the pot, on what the networks had not seen: flops as roots of mean squares with the luck of the flop.",
            markup=False,
        )
        console.print(f"Play it: equilibrist play 'rebel(folder={folder})'", markup=False)
    if not facts["finished"]:
        console.print(f"Go on: equilibrist learn resume {folder}", markup=False)


def _spans(count: int) -> list[tuple[int, int]]:
    """Points of the curve, several to a row, since each is of a few hands."""
    every = -(-count // POINTS)
    return [(begin, min(begin + every, count)) for begin in range(0, count, every)]


def _mean(part: list[Mapping[str, Any]], key: str) -> float:
    return float(sum(point[key] for point in part) / len(part))
