"""`equilibrist train start | resume | status | pack | improve`: blueprints by Monte Carlo CFR."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.guard import guarded

if TYPE_CHECKING:
    from equilibrist.solvers.blueprint.folder import TrainingOrder, TrainingProgress
    from equilibrist.solvers.blueprint.plan import BlueprintPlan

train = typer.Typer(
    help="Train a blueprint: a strategy for a poker game too large to solve, on a betting tree and buckets.",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
)

USUAL_PASSES = 200
Folder = Annotated[Path, typer.Argument(help="The folder of the training.")]
Threads = Annotated[int, typer.Option(min=1, help="Number of threads.")]
Device = Annotated[str, typer.Option(help="With passes over all boards (--method dcfr …): 'cpu', 'cuda' or 'auto'.")]
Seconds = Annotated[float | None, typer.Option(help="Maximum number of seconds; 'train resume' continues.")]
Ray = Annotated[
    str, typer.Option(metavar="ADDRESS|local", help="Workers on a Ray cluster; needs buckets made with --public.")
]
Workers = Annotated[int, typer.Option(min=1, help="With --ray: workers, each with flops of its own.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")]


def start(
    folder: Folder,
    preset: Annotated[
        str,
        typer.Option(
            help="leduc, hu-20bb, hu-50bb, hu-100bb, hu-200bb, hu-200bb-medium, six-100bb, or a bot: tartanian7, libratus …"
        ),
    ] = "",
    game: Annotated[
        str, typer.Option(help="Instead of a preset: a poker game, such as 'nolimit-holdem(stack=2000)'.")
    ] = "",
    menu: Annotated[Path | None, typer.Option(help="Bet sizes: a TOML file, see docs/action-abstraction.md.")] = None,
    cards: Annotated[
        str, typer.Option(help="Buckets: tiny, small, medium, large, a file of 'cluster', or exact.")
    ] = "",
    method: Annotated[
        str,
        typer.Option(
            help="mccfr: sampled deals (default); dcfr, cfr+, lcfr or cfr: passes over all boards, where the board comes at once."
        ),
    ] = "",
    iterations: Annotated[int | None, typer.Option(min=1, help="Number of deals to train on, or of passes.")] = None,
    weighting: Annotated[
        str, typer.Option(help="linear: early iterations count less; none. Default: the preset's, or linear.")
    ] = "",
    pruning: Annotated[
        str, typer.Option(help="none, threshold (as Pluribus) or fading (as Libratus). Default: the preset's, or none.")
    ] = "",
    storage: Annotated[str, typer.Option(help="Regrets as float32 or int32. Default: the preset's, or float32.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="Random seed; runs with one thread are repeatable.")] = 0,
    threads: Threads = 1,
    device: Device = "cpu",
    seconds: Seconds = None,
    ray: Ray = "",
    workers: Workers = 2,
    as_json: Json = False,
) -> None:
    """Begin a training in a new folder."""
    from dataclasses import replace

    from equilibrist.core.errors import ParameterError
    from equilibrist.solvers.blueprint.folder import TrainingOrder, start_training
    from equilibrist.solvers.blueprint.presets import find_plan
    from equilibrist.solvers.blueprint.training import SAMPLING, PruneRule, Training

    plan, usual, training = _plan(preset, game, menu, cards), 1_000_000, Training()
    if preset:
        usual, training = find_plan(preset).iterations, find_plan(preset).training
    given: dict[str, Any] = {
        "weighting": weighting,
        "storage": storage,
        "prune": pruning and PruneRule(pruning),
        "method": method,
    }
    if method not in ("", SAMPLING):
        usual = USUAL_PASSES
        if weighting or seed:
            raise ParameterError(
                f"'{method}' says how iterations count and draws nothing; leave out --weighting and --seed."
            )
    training = replace(training, seed=seed, **{key: value for key, value in given.items() if value})
    order = TrainingOrder(plan, training, iterations or usual)
    _say_size(plan)
    if ray:
        _run(_on_cluster(folder, order, ray, workers), folder, threads, seconds, as_json)
        return
    _run(lambda **how: start_training(folder, order, device=device, **how), folder, threads, seconds, as_json)


def resume(
    folder: Folder,
    iterations: Annotated[int | None, typer.Option(min=1, help="Total number of deals.")] = None,
    threads: Threads = 1,
    device: Device = "cpu",
    seconds: Seconds = None,
    ray: Ray = "",
    workers: Workers = 2,
    game: Annotated[
        str | None, typer.Option(help="The game, for trainings of a game from a Python file: my_game.py:MyGame.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Go on with a training that was stopped, killed or finished."""
    from equilibrist.games.catalogue import load_game
    from equilibrist.solvers.blueprint.folder import resume_training

    if game is not None:
        load_game(game)
    if ray:
        _run(_on_cluster(folder, None, ray, workers), folder, threads, seconds, as_json)
        return
    _run(
        lambda **how: resume_training(folder, iterations=iterations, device=device, **how),
        folder,
        threads,
        seconds,
        as_json,
    )


def status(folder: Folder, as_json: Json = False) -> None:
    """Say where a training stands."""
    _print(folder, as_json)


def pack(
    file: Annotated[Path, typer.Argument(help="A trained blueprint (blueprint.eqb).")],
    out: Annotated[Path, typer.Option(help="Output file of the purified blueprint.")],
    first: Annotated[
        str, typer.Option("--from", help="First street to purify: preflop, flop, turn or river.")
    ] = "flop",
    as_json: Json = False,
) -> None:
    """Keep only the likeliest action of every infoset, in as many bits as it takes."""
    from equilibrist.cards.streets import STREETS
    from equilibrist.core.errors import ParameterError
    from equilibrist.interfaces.cli.files import save_result
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    if first not in STREETS:
        raise ParameterError(f"Strategies are purified from the {', '.join(STREETS)} on, but '{first}' was given.")
    whole = load_blueprint(file)
    made = whole.purified(STREETS.index(first))
    out = save_result(out, made.save)
    facts = {"file": str(out), "bytes_before": whole.nbytes, "bytes": made.nbytes, "purified_from": first}
    if as_json:
        print_json(facts)
        return
    screen().print(f"{out}: {made.nbytes:,} bytes of strategies instead of {whole.nbytes:,}", markup=False)


def improve(
    file: Annotated[Path, typer.Argument(help="A trained blueprint (blueprint.eqb).")],
    hands: Annotated[
        Path, typer.Argument(help="Hands of its opponents: a file (.phh, .phhs, .jsonl, .txt) or a folder.")
    ],
    out: Annotated[Path, typer.Option(help="Output file of the menu with the new sizes, for 'train start --menu'.")],
    name: Annotated[str | None, typer.Option(help="Only the bets of this player.")] = None,
    street: Annotated[
        str, typer.Option(help="Only this street: preflop, flop, turn or river (default: all, one menu for them).")
    ] = "",
    most: Annotated[int, typer.Option(min=1, help="Most gaps between known sizes to close.")] = 2,
    as_json: Json = False,
) -> None:
    """Find the bets that opponents make between the sizes of a blueprint, and a menu that has them (Libratus's self-improver)."""
    from equilibrist.agents.blueprint.self_improver import improvement, known_sizes, with_sizes
    from equilibrist.cards.streets import STREETS
    from equilibrist.core.errors import ParameterError
    from equilibrist.core.writing import write_text
    from equilibrist.interfaces.cli.files import check_writable, save_result
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.interfaces.histories import opening_bets, read_histories
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    check_writable(out, "--out")
    if street and street not in STREETS:
        raise ParameterError(f"Streets are {', '.join(STREETS)}, but '{street}' was given.")
    plan = load_blueprint(file).plan
    played = read_histories(hands)
    if played.left_out:
        print(played.sentence(), file=sys.stderr)
    bets = opening_bets(played, name, STREETS.index(street) if street else None)
    kind = "raise" if street == STREETS[0] and any(plan.rules.blinds) else "bet"  # a blind is a bet
    found = improvement(known_sizes(plan, street, kind), bets, most)
    improved = with_sizes(plan, found.sizes, street=street, kind=kind)
    out = save_result(out, lambda path: write_text(path, _toml(improved.menu)))
    facts = {"file": str(out), "bets": len(bets), "defensive": list(found.defensive), "offensive": found.offensive}
    if as_json:
        print_json(facts)
        return
    added = ", ".join(f"{100 * size:.4g} %" for size in found.sizes) or "nothing"
    screen().print(f"{len(bets):,} bets looked at; {added} of the pot added to the menu in {out}", markup=False)


def _toml(table: Mapping[str, Any], place: str = "") -> str:
    """A menu as 'train start --menu' reads it: text and numbers, then the tables inside."""
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    lines = [f"[{place}]"] if place and plain else []
    lines += [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    inside = [
        _toml(value, f"{place}.{key}" if place else key) for key, value in table.items() if isinstance(value, Mapping)
    ]
    return "\n".join([*lines, *inside]) + ("\n" if lines else "")


def _plan(preset: str, game: str, menu: Path | None, cards: str) -> BlueprintPlan:
    from dataclasses import replace

    from equilibrist.core.errors import ParameterError
    from equilibrist.games.catalogue import load_game
    from equilibrist.solvers.blueprint.plan import BlueprintPlan
    from equilibrist.solvers.blueprint.presets import PRESETS, find_plan

    if bool(preset) == bool(game):
        raise ParameterError(f"Name either --preset ({', '.join(PRESETS)}) or --game; one of them is needed.")
    table: dict[str, Any] = {}
    if menu is not None:
        from equilibrist.core.reading import read_toml

        table = read_toml(menu, "The menu file", "expected tables such as those 'train presets --menu' prints")
    if not preset:
        load_game(game)  # named by a person: a plan in a file runs no code
        return BlueprintPlan(game, table, cards or "small")
    plan = find_plan(preset).plan
    return replace(plan, menu=table or plan.menu, cards=cards or plan.cards)


def _say_size(plan: BlueprintPlan) -> None:
    from equilibrist.forms.betting_tree.counting import count_betting
    from equilibrist.interfaces.cli.build.menu_warnings import warn_of_unused_sizes
    from equilibrist.interfaces.cli.guard import complain

    size = count_betting(plan.rules)
    text = f"Betting: {sum(map(sum, size.decisions)):,} decisions"
    sizes = plan.bucket_counts()
    if sizes:
        slots = size.slots(sizes)
        text += f"; buckets {'/'.join(map(str, sizes))}: {slots:,} infoset-actions, {8 * slots / 1e6:,.1f} MB of tables"
    complain(f"{text}.")
    warn_of_unused_sizes(plan.rules, plan.menu, size.nodes)


def _on_cluster(folder: Path, order: TrainingOrder | None, address: str, workers: int) -> Any:
    from equilibrist.solvers.blueprint.folder import train_on_cluster

    def work(threads: int, **how: Any) -> Any:
        return train_on_cluster(folder, order, address=address, workers=workers, **how)

    return work


def _run(work: Any, folder: Path, threads: int, seconds: float | None, as_json: bool) -> None:
    from equilibrist.interfaces.cli.progress import Meter

    with Meter("train") as meter:
        work(
            threads=threads,
            seconds=seconds,
            building=lambda text, share: meter.show(share, text),
            report=lambda progress: meter.show(progress.iterations / progress.planned, _progress_text(progress)),
        )
    _print(folder, as_json)


def _progress_text(progress: TrainingProgress) -> str:
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:,.0f} s left"
    text = (
        f"{progress.iterations:,} of {progress.planned:,} iterations, {progress.iterations_per_second:,.4g} a second, "
        f"{progress.nodes_per_second / 1e6:.1f} M nodes/s{left}"
    )
    if progress.health is not None:
        text += f", {progress.health.infosets:,} infosets"
        if progress.health.average_regret is not None:
            text += f", average regret {progress.health.average_regret:.3g}"
        if progress.health.exploitability is not None:
            text += f", exploitability {progress.health.exploitability:.4g} chips"
    return f"{text}. {progress.warning}" if progress.warning else text


def _print(folder: Path, as_json: bool) -> None:
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.solvers.blueprint.folder import BLUEPRINT, training_facts

    facts = training_facts(folder)
    if as_json:
        print_json(facts | {"folder": str(folder)})
        return
    console = screen()
    state = "finished" if facts["finished"] else "not finished"
    console.print(
        f"{facts['game']} with {facts['cards']} buckets: {facts['iterations']:,} of {facts['planned']:,} iterations, {state}",
        markup=False,
    )
    if facts.get("nodes_touched"):
        regret, exact = facts["average_regret"], facts["exploitability"]
        said = "" if regret is None else f", average regret {regret:.4g} chips"
        said += f", exploitability {exact:.4g} chips" if isinstance(exact, float) else ""
        console.print(
            f"{facts['nodes_touched']:,} nodes touched, {facts['infosets_touched']:,} infosets learned at{said}",
            markup=False,
        )
        console.print(f"Play it: equilibrist play {folder / BLUEPRINT}", markup=False)
    if not facts["finished"]:
        console.print(f"Go on: equilibrist train resume {folder}", markup=False)


for command in (start, resume, status, pack, improve):
    train.command()(guarded(command))
