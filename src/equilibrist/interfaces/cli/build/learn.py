"""`equilibrist learn start | resume | status | methods`: networks in the place of tables, trained by self-play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.build import learn_rebel
from equilibrist.interfaces.cli.guard import guarded

if TYPE_CHECKING:
    from equilibrist.learning.hand_values.value_folder import ValueProgress
    from equilibrist.learning.trainings.folder import LearningProgress

learn = typer.Typer(
    help="Train networks by self-play: Deep CFR and its successors, NFSP, ReBeL.",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
)

Folder = Annotated[Path, typer.Argument(help="The folder of the training.")]
Device = Annotated[str, typer.Option(help="'cpu', 'cuda' or 'auto' (CUDA where there is one).")]
Seconds = Annotated[float | None, typer.Option(min=0, help="Maximum number of seconds; 'learn resume' continues.")]
Memories = Annotated[
    bool,
    typer.Option(
        "--without-memories",
        help="Checkpoints keep no memories: small files, but 'learn resume' fills the memories again from nets.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")]
LabelSeconds = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="With values: after so many seconds nothing new is solved, and the states that are there are learned from.",
    ),
]
POINTS = 12  # of the curve on the screen


def start(
    folder: Folder,
    game: Annotated[str | None, typer.Option(help="The game, such as leduc or 'liars-dice(faces=4)'.")] = None,
    method: Annotated[
        str | None, typer.Option(help="The method, such as 'sd-cfr(traversals=500)'; see 'learn methods'.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="Instead of a game and a method: values-turn or values-river, what hold'em hands are worth at the start of that street, "
            "such as 'values-river(states=50000)'; or rebel-holdem-20bb, ReBeL for hold'em with 20 big blinds."
        ),
    ] = None,
    blueprint: Annotated[
        list[Path] | None,
        typer.Option(
            help="With values: a trained blueprint of hold'em; a share of the states ('believed', default 0.25) are those that it plays "
            "to. May be repeated."
        ),
    ] = None,
    iterations: Annotated[int | None, typer.Option(min=1, help="Number of iterations (default: the method's).")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; runs on a CPU are repeatable.")] = 0,
    device: Device = "cpu",
    seconds: Seconds = None,
    label_seconds: LabelSeconds = None,
    without_memories: Memories = False,
    as_json: Json = False,
) -> None:
    """Begin a training in a new folder."""
    from equilibrist.core.errors import ParameterError

    if preset is not None:
        given = {"--game": game, "--method": method, "--iterations": iterations}
        if unfit := [name for name, value in given.items() if value is not None]:
            raise ParameterError(f"A preset says what is learned and how far; leave out {' and '.join(unfit)}.")
        how = {"device": device, "seconds": seconds, "label_seconds": label_seconds, "blueprints": blueprint or []}
        if learn_rebel.is_rebel(preset):
            learn_rebel.start(folder, preset, seed, how, as_json)
            return
        _start_values(folder, preset, seed, how, as_json)
        return
    for name, value in (("--label-seconds", label_seconds), ("--blueprint", blueprint)):
        if value is not None:
            raise ParameterError(f"{name} is for trainings of values; give a --preset, or leave it out.")
    if game is None or method is None:
        raise ParameterError(
            "A training needs --game and --method, or a --preset; see 'equilibrist learn start --help'."
        )
    from equilibrist.games.catalogue import load_game
    from equilibrist.learning.catalogue import load_method
    from equilibrist.learning.trainings.folder import start_learning
    from equilibrist.learning.trainings.order import LearningOrder

    load_game(game)
    order = LearningOrder(game, method, load_method(method).iterations if iterations is None else iterations, seed)
    how = {"device": device, "seconds": seconds, "with_memories": not without_memories}
    _run(lambda report: start_learning(folder, order, report=report, **how), folder, as_json)


def resume(
    folder: Folder,
    iterations: Annotated[int | None, typer.Option(min=1, help="Total number of iterations.")] = None,
    device: Device = "cpu",
    seconds: Seconds = None,
    label_seconds: LabelSeconds = None,
    without_memories: Memories = False,
    game: Annotated[
        str | None, typer.Option(help="The game, for trainings of a game from a Python file: my_game.py:MyGame.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Go on with a training that was stopped, killed or finished."""
    of_values = {"device": device, "seconds": seconds, "label_seconds": label_seconds}
    if _learns_values(folder):
        _resume_values(folder, iterations, of_values, as_json)
        return
    if _is_rebel(folder):
        learn_rebel.resume(folder, iterations, of_values, as_json)
        return
    from equilibrist.core.errors import ParameterError
    from equilibrist.games.catalogue import load_game
    from equilibrist.learning.trainings.folder import resume_learning
    from equilibrist.learning.trainings.order import read_learning_order

    if game is not None:
        given, wanted = load_game(game).name, read_learning_order(folder).game
        if given != load_game(wanted).name:
            raise ParameterError(f"'{folder}' learns '{wanted}', but --game says '{game}'; leave --game out.")
    how = {"device": device, "seconds": seconds, "with_memories": not without_memories}
    _run(lambda report: resume_learning(folder, iterations=iterations, report=report, **how), folder, as_json)


def label(
    folder: Folder,
    device: Device = "cpu",
    seconds: Annotated[float | None, typer.Option(min=0, help="Begin nothing new after so many seconds.")] = None,
) -> None:
    """Solve states for a training of values beside it, as many processes as like; they share out the shards."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.cli.output import screen
    from equilibrist.learning.hand_values.value_folder import label_beside

    if not _learns_values(folder):
        raise NotApplicableError(f"'{folder}' holds no training of values; begin one with --preset values-turn.")
    made = list[int]()
    _follow_values(lambda report: made.append(label_beside(folder, device=device, seconds=seconds, report=report)))
    screen().print(f"{made[0]:,} shards of states were solved.", markup=False)


def status(folder: Folder, as_json: Json = False) -> None:
    """Say where a training stands, with the curve of its exact exploitability or, of values, of its errors."""
    if _is_rebel(folder):
        learn_rebel.show(folder, as_json)
        return
    (_print_values if _learns_values(folder) else _print)(folder, as_json)


def methods(as_json: Json = False) -> None:
    """List the methods of learning and their parameters."""
    from equilibrist.core.names import format_value
    from equilibrist.interfaces.cli.output import plain_table, print_json, screen
    from equilibrist.learning.catalogue import METHODS
    from equilibrist.learning.networks.torch_extra import need_torch

    need_torch()
    entries = list(METHODS.entries().values())
    if as_json:
        told = [{"name": each.name, "summary": each.summary, "parameters": each.parameters} for each in entries]
        print_json({"methods": told})
        return
    table = plain_table("method", "what it is", "parameters")
    for each in entries:
        parameters = ", ".join(f"{key}={format_value(value)}" for key, value in each.parameters.items())
        table.add_row(each.name, each.summary, parameters)
    screen().print(table)


def _run(work: Callable[[Callable[[LearningProgress], None]], Any], folder: Path, as_json: bool) -> None:
    from equilibrist.interfaces.cli.progress import Meter

    with Meter("learn") as meter:
        work(lambda progress: meter.show(progress.iterations / progress.planned, _progress_text(progress)))
    _print(folder, as_json)


def _progress_text(progress: LearningProgress) -> str:
    from equilibrist.interfaces.cli.output import duration

    text = f"{progress.iterations:,} of {progress.planned:,} iterations"
    if progress.exploitability is not None:
        text += f", exploitability {progress.exploitability:.4g} {progress.unit}"
    if progress.seconds_left is not None:
        text += f", {duration(progress.seconds_left)} left"
    return f"{text}. {progress.warning}" if progress.warning else text


def _print(folder: Path, as_json: bool) -> None:
    from equilibrist.interfaces.cli.output import plain_table, print_json, screen
    from equilibrist.learning.trainings.folder import POLICY, learning_facts

    facts = learning_facts(folder)
    if as_json:
        print_json(facts | {"folder": str(folder)})
        return
    state = "finished" if facts["finished"] else "not finished"
    console = screen()
    console.print(
        f"{facts['game']} by {facts['method']}: {facts['iterations']:,} of {facts['planned']:,} iterations, {state}",
        markup=False,
    )
    if facts["curve"]:
        table = plain_table("iterations", *_counted(facts["curve"]), "seconds", f"exploitability ({facts['unit']})")
        for point in _some(facts["curve"]):
            counts = [f"{point[key]:,}" for key in _counted(facts["curve"])]
            table.add_row(
                f"{point['iterations']:,}", *counts, f"{point['seconds']:,.1f}", f"{point['exploitability']:.4g}"
            )
        console.print(table)
        console.print(f"Play it: equilibrist play {folder / POLICY}", markup=False)
    if not facts["finished"]:
        console.print(f"Go on: equilibrist learn resume {folder}", markup=False)


def _learns_values(folder: Path) -> bool:
    from equilibrist.learning.hand_values.value_order import is_value_order

    return is_value_order(folder)


def _is_rebel(folder: Path) -> bool:
    from equilibrist.learning.rebel_holdem.rebel_order import is_rebel_order

    return is_rebel_order(folder)


def _start_values(folder: Path, preset: str, seed: int, how: dict[str, Any], as_json: bool) -> None:
    from dataclasses import replace

    from equilibrist.learning.hand_values.value_folder import start_values
    from equilibrist.learning.hand_values.value_order import PRESETS
    from equilibrist.learning.networks.torch_extra import need_torch

    need_torch()
    order = PRESETS.make(preset)
    order = order if seed == 0 else replace(order, seed=seed)
    _follow_values(lambda report: start_values(folder, order, report=report, **how))
    _print_values(folder, as_json)


def _resume_values(folder: Path, iterations: int | None, how: dict[str, Any], as_json: bool) -> None:
    from equilibrist.core.errors import ParameterError
    from equilibrist.learning.hand_values.value_folder import resume_values
    from equilibrist.learning.hand_values.value_order import read_value_order
    from equilibrist.learning.networks.torch_extra import need_torch

    need_torch()
    order, states = read_value_order(folder), None
    if iterations is not None:
        if iterations < order.iterations:
            raise ParameterError(
                f"This training was asked for {order.iterations:,} iterations; {iterations:,} would be fewer."
            )
        states = max(order.states, (iterations - order.finish) * order.shard)
    _follow_values(lambda report: resume_values(folder, states=states, report=report, **how))
    _print_values(folder, as_json)


def _follow_values(work: Callable[[Callable[[ValueProgress], None]], Any]) -> None:
    from equilibrist.interfaces.cli.progress import follow_training

    def error(progress: ValueProgress) -> str:
        return "" if progress.error is None else f", off by {progress.error:.3g} % of the pot"

    follow_training("values", work, error)


def _print_values(folder: Path, as_json: bool) -> None:
    from equilibrist.interfaces.cli.output import plain_table, print_json, screen
    from equilibrist.learning.hand_values.value_folder import value_facts

    facts = value_facts(folder)
    if as_json:
        print_json(facts | {"folder": str(folder)})
        return
    console = screen()
    state = "finished" if facts["finished"] else "not finished"
    console.print(
        f"Values of the {facts['street']}: {facts['iterations']:,} of {facts['planned']:,} iterations, {state}",
        markup=False,
    )
    if facts["curve"]:
        last = facts["curve"][-1]
        table = plain_table("states", "seconds", "off by (% of the pot)", "any hand", "worst tenth")
        for point in _some(facts["curve"]):
            numbers = (f"{point[key]:.3g}" for key in ("in_range", "any_hand", "worst_tenth"))
            table.add_row(f"{point['states']:,}", f"{point['seconds']:,.0f}", *numbers)
        console.print(table)
        console.print(
            f"States held out; worth their equity, hands would be off by {last['check_down']:.3g} %.", markup=False
        )
        console.print(
            f"Search with it: equilibrist search SPOT.toml --depth street --leaves net --values {folder}", markup=False
        )
    if not facts["finished"]:
        console.print(f"Go on: equilibrist learn resume {folder}", markup=False)


def _counted(curve: list[Mapping[str, Any]]) -> list[str]:
    return [key for key in curve[-1] if key not in ("iterations", "seconds", "exploitability")]


def _some(curve: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The last point and some before it, evenly spaced."""
    every = -(-len(curve) // POINTS)
    return curve[::-1][::every][::-1]


for command in (start, resume, label, status, methods):
    learn.command()(guarded(command))
