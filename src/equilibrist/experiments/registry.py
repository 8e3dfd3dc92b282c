"""Experiments by id, found by folder: `brown/liars-dice` is `liars_dice.py` somewhere below `experiments/brown/`.

Listing reads the card at the end of each file, `EXPERIMENT = Experiment(…)`, without importing it; running imports one module.
What a run came to is kept in the cache, one small file each, for the list.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import Any, cast, get_args

from equilibrist.compute.interrupts import InterruptsEndAll
from equilibrist.compute.kernel import cache_folder
from equilibrist.core.catalogue import Catalogue
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.core.writing import make_folder, write_text
from equilibrist.experiments.findings import ExperimentResult, Findings, Parts, Report, Request, Status
from equilibrist.version import __version__

LARGEST = 10_000  # bytes of a file with an outcome
PACKAGE = "equilibrist.experiments"
CARD = "\nEXPERIMENT = "


@dataclass(frozen=True)
class Experiment:
    """One published result and how to come by it."""

    id: str
    title: str
    source: str  # the thesis and the place in it, as [Brown20, Table 5.7]
    seconds_quick: float  # on two cores, kernels compiled
    seconds_full: float
    run: Callable[[Request], Findings]
    text: str  # the game and size that the text has
    quick: Parts  # what the quick setting runs on, 'text' or a stand-in, and the kinds of checks that are made there
    full: Parts | None = None  # the same of the full setting, where that is different
    data: Parts | None = None  # and of both with a folder of data files
    gpu: bool = False  # whether it can run on a GPU
    full_on: str = "two cores"  # what `seconds_full` are of
    side_by_side: bool = False  # whether it has pieces that can run side by side, each in a process of its own

    def declared(self, request: Request) -> Parts:
        """Parts and kinds of the setting that is asked for."""
        if request.data is not None and self.data is not None:
            return self.data
        return self.full if request.full and self.full is not None else self.quick


def _files(folder: Traversable, module: str) -> Iterator[tuple[str, Traversable]]:
    """Modules below a package folder, in a fixed order; also out of a zip file."""
    for child in sorted(folder.iterdir(), key=lambda child: child.name):
        if child.is_dir():
            yield from _files(child, f"{module}{child.name}.")
        elif child.name.endswith(".py") and child.name != "__init__.py":
            yield module + child.name.removesuffix(".py"), child


def _by_folder() -> dict[str, tuple[str, ...]]:
    """Module of every experiment: files below a thesis' folder that end with a card; the others help them."""
    found: dict[str, tuple[str, ...]] = {}
    for module, file in _files(files(PACKAGE), ""):
        thesis, _, rest = module.partition(".")
        if rest and CARD in file.read_text(encoding="utf-8"):
            found[module] = (f"{thesis}/{rest.rpartition('.')[2].replace('_', '-')}",)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _defined(module: ModuleType) -> list[tuple[str, Experiment]]:
    return [(module.EXPERIMENT.id, module.EXPERIMENT)]


def plugged_experiment(name: str, found: Any) -> Experiment:
    """An experiment of a plug-in."""
    if not isinstance(found, Experiment):
        raise FormatError(f"The experiment '{name}' of a plug-in is {found!r}; it must name an Experiment.")
    return found


EXPERIMENTS: Catalogue[Experiment] = Catalogue(
    kind="experiment",
    package=PACKAGE,
    table=_by_folder,
    hint="'equilibrist reproduce --list' shows all of them.",
    group="equilibrist.experiments",
    adapt=plugged_experiment,
    read=_defined,
)


def list_experiments() -> list[str]:
    """Ids of all published results that `reproduce` computes again."""
    return EXPERIMENTS.names()


def experiment_cards() -> list[Experiment]:
    """All experiments in a fixed order; none is imported before it runs, those of plug-ins excepted."""
    cards = [_card(module) for module in EXPERIMENTS.homes.values()]
    return [*cards, *EXPERIMENTS.plugged_entries().values()]


def _card(module: str) -> Experiment:
    """What the end of a file says about its experiment: literals, and a `run` that imports the module when it is called."""
    *folders, name = module.split(".")
    text = files(PACKAGE).joinpath(*folders, f"{name}.py").read_text(encoding="utf-8")
    statement = ast.parse(text[text.index(CARD) :]).body[0]
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.value, ast.Call)
    told = {str(word.arg): ast.literal_eval(word.value) for word in statement.value.keywords if word.arg != "run"}

    def run(request: Request) -> Findings:
        experiment: Experiment = importlib.import_module(f"{PACKAGE}.{module}").EXPERIMENT
        return experiment.run(request)

    return Experiment(**told, run=run)


def find_experiment(id: str) -> Experiment:
    """The experiment with this id; only its module is imported."""
    return EXPERIMENTS.find(id)


def run_experiment(
    id: str,
    *,
    full: bool = False,
    progress: Report | None = None,
    data: str | None = None,
    figure: str | None = None,
    device: str = "cpu",
    jobs: int = 1,
    seconds: float | None = None,
) -> ExperimentResult:
    """Run the quick or the full setting, compare with what was published and, where asked, write a picture."""
    experiment = find_experiment(id)
    if device != "cpu":
        _check_device(experiment, device)
    if jobs != 1 or seconds is not None:
        _check_jobs(experiment, jobs)
    if figure is not None:
        from equilibrist.experiments.pictures import check_picture  # before the work, not after it

        check_picture(figure)
    until = None if seconds is None else time.time() + seconds
    request = Request(full, data, progress, device if experiment.gpu else "cpu", jobs, until)
    begin = time.perf_counter()
    with InterruptsEndAll():
        findings = experiment.run(request)
    seconds = time.perf_counter() - begin
    _refuse_undeclared(experiment, request, findings)
    if figure is not None:
        from equilibrist.experiments.pictures import write_picture

        write_picture(experiment.title, findings, figure)
    declared = experiment.declared(request)
    return ExperimentResult(
        experiment.id, experiment.title, experiment.source, findings, full, seconds, figure, declared
    )


def _check_device(experiment: Experiment, device: str) -> None:
    """Refuse a device that is none, or a GPU for what cannot use it; before the work, not after it."""
    from equilibrist.solvers.postflop.gpu.devices import check_device

    check_device(device)
    if device == "cuda" and not experiment.gpu:
        able = ", ".join(card.id for card in experiment_cards() if card.gpu)
        raise NotApplicableError(f"'{experiment.id}' runs on the CPU; leave --device out. A GPU is used by: {able}.")
    if device == "cuda":
        from equilibrist.solvers.postflop.gpu.cuda_device import cupy

        cupy()


def _check_jobs(experiment: Experiment, jobs: int) -> None:
    if jobs < 1:
        raise ParameterError(f"At least one job is needed, but {jobs} were asked for.")
    if not experiment.side_by_side:
        able = ", ".join(card.id for card in experiment_cards() if card.side_by_side)
        raise NotApplicableError(
            f"'{experiment.id}' is one piece of work; leave --jobs and --seconds out. Several pieces: {able}."
        )


def _refuse_undeclared(experiment: Experiment, request: Request, findings: Findings) -> None:
    """A status may rest only on what the card declares: games, sizes and kinds of checks."""
    declared = {(part, kind) for part, kinds in experiment.declared(request).items() for kind in kinds}
    first = next(iter(experiment.declared(request)), "")
    made = {(check.part or first, check.kind) for check in findings.checks}
    if made != declared:
        wrong = ", ".join(f"'{part}': {kind}" for part, kind in sorted(made ^ declared))
        raise FormatError(
            f"The experiment '{experiment.id}' declares other checks than it makes; these are on one side only: {wrong}. "
            "Mend its card or its checks."
        )


reproduce = run_experiment  # its public name


@dataclass(frozen=True)
class Outcome:
    """The last run of an experiment with this version."""

    status: Status
    full: bool


def outcome_file(id: str) -> Path:
    return cache_folder() / "experiments" / "outcomes" / f"{id.replace('/', '-')}.json"


def remember(result: ExperimentResult) -> None:
    """Keep the status; a cache that cannot be written is no reason to fail."""
    path = outcome_file(result.id)
    facts = {"id": result.id, "status": result.status, "full": result.full, "version": __version__}
    with contextlib.suppress(FormatError):
        make_folder(path.parent)
        write_text(path, json.dumps(facts))


def remembered(ids: Iterable[str]) -> dict[str, Outcome]:
    """What was kept by this version; files that are damaged or of another version count as not there."""
    found = {}
    for id in ids:
        facts = _facts(outcome_file(id))
        if facts.get("id") == id and facts.get("version") == __version__ and facts.get("status") in get_args(Status):
            found[id] = Outcome(cast(Status, facts["status"]), bool(facts.get("full")))
    return found


def _facts(path: Path) -> dict[str, object]:
    from equilibrist.core.reading import parse_json, read_bytes

    try:
        facts = parse_json(read_bytes(path, "The outcome", most=LARGEST), "The outcome", "facts were expected")
    except FormatError:
        return {}
    return facts if isinstance(facts, dict) else {}
