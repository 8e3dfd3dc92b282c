"""BucketSolution: a solved game of buckets, and the file it is kept in."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec
import numpy.typing as npt

from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError
from equilibrist.core.solution import Evaluation
from equilibrist.forms.hand_classes.bucket_form import bucket_form
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.poker.bucket_game import BucketPoker
from equilibrist.games.user_files import GameNeededError
from equilibrist.solvers.hand_classes.bucket_policy import BucketPolicy
from equilibrist.solvers.hand_classes.class_cfr import KINDS, ClassCFR
from equilibrist.solvers.hand_classes.solve_classes import start_rounds
from equilibrist.solvers.iteration_loop import Loop, ProgressCallback, Solver, Stop
from equilibrist.version import __version__

KIND = "buckets"
_TOLD = ("game", "solver", "iterations", "seconds", "converged", "bits", "settings", "provenance", "extra")


@dataclass(frozen=True, eq=False)
class BucketSolution:
    """Reads like `Solution`; its policy looks strategies up by betting line."""

    game: str
    solver: str
    run: ClassCFR = field(repr=False)
    rules: BucketPoker = field(repr=False)
    evaluation: Evaluation
    iterations: int
    seconds: float
    converged: bool
    bits: int = 32
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def policy(self) -> BucketPolicy:
        return BucketPolicy(self.rules, self.run.strategy())

    @property
    def value(self) -> tuple[float, ...]:
        return self.evaluation.value

    @property
    def exploitability(self) -> float:
        """NashConv / 2, in chips."""
        return self.evaluation.exploitability

    @property
    def nash_conv(self) -> float:
        return self.evaluation.nash_conv

    @property
    def infosets(self) -> int:
        return sum(self.run.form.infosets)

    @property
    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Tables to go on from."""
        return self.run.state()

    def save(self, path: str | os.PathLike[str]) -> None:
        """One file that every command can read; it names the deals it was solved with by their hash."""
        header: dict[str, Any] = {
            **{name: getattr(self, name) for name in _TOLD},
            "value": list(self.evaluation.value),
            "best_response_value": list(self.evaluation.best_response_value or ()),
            "deals": self.rules.deals.hash,
        }
        header |= {name: dict(header[name]) for name in ("settings", "provenance", "extra")}
        save_artifact(path, Artifact(KIND, header, self.state))


class _Header(msgspec.Struct):
    """What a file says about itself."""

    game: str
    solver: str
    iterations: int
    seconds: float
    converged: bool
    bits: int
    value: tuple[float, float]
    best_response_value: tuple[float, float]
    deals: str
    settings: dict[str, Any]
    provenance: dict[str, Any]
    extra: dict[str, Any]


def load_bucket_solution(path: str | os.PathLike[str]) -> BucketSolution:
    """Open a saved solution; one of other deals is refused."""
    artifact = load_artifact(path, KIND)
    try:
        header = msgspec.convert(artifact.header, _Header)
        game = recorded_game(header.game)
        if not isinstance(game, BucketPoker) or not all(
            map(math.isfinite, (*header.value, *header.best_response_value))
        ):
            raise FormatError(f"'{header.game}' is no game of buckets, or its values are not numbers")
        if game.deals.hash != header.deals:
            raise FormatError("it was solved with other deals than this version makes")
        run = start_rounds(bucket_form(game), header.solver, bits=header.bits)
        run.restore(artifact.arrays)
    except GameNeededError:
        raise
    except (EquilibristError, msgspec.ValidationError, KeyError, ValueError) as error:
        raise FormatError(f"'{path}' is damaged or does not fit ({error}); write it again.") from None
    return BucketSolution(
        run=run,
        rules=game,
        evaluation=Evaluation(header.value, header.best_response_value),
        **{name: getattr(header, name) for name in _TOLD},
    )


def solve_buckets(
    game: BucketPoker,
    solver: Solver,
    stop: Stop,
    *,
    threads: int = 1,
    bits: int = 32,
    progress: ProgressCallback | None = None,
    resume: BucketSolution | None = None,
) -> BucketSolution:
    """Solve a game of buckets without laying out its tree; Ctrl-C gives what there is."""
    if bits not in KINDS:
        raise ParameterError(f"Games of buckets have tables of 32 or 64 bits, but {bits} were asked for.")
    run = start_rounds(bucket_form(game, threads), solver.name, bits=bits)
    if resume is not None:
        _go_on(run, game, solver, resume)
    loop: Loop[Evaluation] = Loop(run, stop, progress, 0.0 if resume is None else resume.seconds)

    def solution(interrupted: bool) -> BucketSolution:
        evaluation = loop.final_evaluation()
        reached = stop.exploitability is not None and evaluation.exploitability <= stop.exploitability
        return BucketSolution(
            game=game.name,
            solver=solver.name,
            run=run,
            rules=game,
            evaluation=evaluation,
            iterations=run.iteration,
            seconds=loop.elapsed(),
            converged=reached and not interrupted,
            bits=bits,
            settings={
                "until": stop.exploitability,
                "iterations": stop.iterations,
                "seconds": stop.seconds,
                "representation": "buckets",
            },
            provenance={"version": __version__, "exploitability": "exact best response, NashConv / players"},
            extra={"interrupted": True} if interrupted else {},
        )

    return loop.finish(solution)


def _go_on(run: ClassCFR, game: BucketPoker, solver: Solver, resume: Any) -> None:
    if not isinstance(resume, BucketSolution) or resume.game != game.name or resume.solver != solver.name:
        raise FormatError(
            f"The saved run is '{resume.solver}' on '{resume.game}', which cannot go on as '{solver.name}' on '{game.name}'; name "
            "the same game and solver."
        )
    if resume.run.passing.kind != run.passing.kind:
        raise ParameterError(f"The saved run has {resume.bits}-bit tables; ask for the same.")
    run.restore(resume.state)
