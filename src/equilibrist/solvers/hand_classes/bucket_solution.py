"""BucketSolution: a solved game of buckets, and the file it is kept in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from equilibrist.core.artifact import Artifact
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.core.policy import Policy, TabularPolicy
from equilibrist.core.solution import (
    BaseSolution,
    Evaluation,
    Solution,
    SolveRecord,
    check_numbers,
    read_evaluation,
    read_record,
)
from equilibrist.forms.hand_classes.bucket_form import bucket_form
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.poker.bucket_game import BucketPoker
from equilibrist.solvers.cfr.cfr import bindings_told
from equilibrist.solvers.hand_classes.bucket_policy import BucketPolicy
from equilibrist.solvers.hand_classes.class_cfr import KINDS
from equilibrist.solvers.hand_classes.plan_classes import PREFIX, ClassRun
from equilibrist.solvers.hand_classes.solve_classes import start_classes
from equilibrist.solvers.iteration_loop import Finished, ProgressCallback, Solver, Stop, finish, go_on
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.written_out import written_out


@dataclass(frozen=True, eq=False, repr=False)
class BucketSolution(BaseSolution):
    """A solved game of buckets; its policy looks strategies up by betting line."""

    kind: ClassVar[str] = "buckets"

    game: str
    record: SolveRecord
    run: ClassRun = field(repr=False)
    rules: BucketPoker = field(repr=False)
    evaluation: Evaluation

    @cached_property
    def policy(self) -> BucketPolicy:
        return BucketPolicy(self.rules, self.run.strategy())

    @property
    def infosets(self) -> int:
        return sum(self.run.form.infosets)

    @property
    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Tables to go on from."""
        return self.run.state()

    def tabular(self) -> TabularPolicy:
        """The policy of every infoset by name; only where the game is small enough to be laid out."""
        return written_out(self.game, self.policy)

    def to_artifact(self) -> Artifact:
        """The file names the deals it was solved with by their hash."""
        return Artifact(self.kind, self.header(deals=self.rules.deals.hash), self.state)

    @classmethod
    def from_artifact(cls, artifact: Artifact, path: str) -> BucketSolution:
        """What a file holds; one of other deals is refused."""
        header = artifact.header
        record, evaluation = read_record(header), read_evaluation(header, players=2)
        game = recorded_game(header["game"])
        if not isinstance(game, BucketPoker) or evaluation is None or evaluation.best_response_value is None:
            raise FormatError(f"'{header['game']}' is not a game of buckets, or its values are missing")
        if game.deals.hash != header["deals"]:
            raise FormatError("it was solved with other deals than this version makes")
        check_numbers(artifact.arrays)
        plans = any(name.startswith(PREFIX) for name in artifact.arrays)
        run = start_classes(bucket_form(game), record.solver, bits=record.bits, generic=plans)
        run.restore({name: np.array(array) for name, array in artifact.arrays.items()})
        return cls(str(header["game"]), record, run, game, evaluation)


def solve_buckets(
    game: BucketPoker,
    solver: Solver,
    stop: Stop,
    *,
    threads: int = 1,
    bits: int = 32,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
    warm_start: Policy | Solution | None = None,
    warm_iterations: int | None = None,
) -> BucketSolution:
    """Solve a game of buckets without laying out its tree, by any solver on plans; Ctrl-C gives what there is."""
    if bits not in KINDS:
        raise ParameterError(f"Games of buckets have tables of 32 or 64 bits, but {bits} were asked for.")
    run = start_classes(bucket_form(game, threads), solver, bits=bits, seed=seed)
    bits = run.bits
    if warm_start is not None:
        if resume is not None:
            raise ParameterError(
                "A run goes on either from its own state or from a profile; give 'resume' or 'warm_start'."
            )
        _start_from(run, game, warm_start, warm_iterations)
    before = go_on(run, resume, kind=BucketSolution.kind, game=game.name, solver=solver.name, bits=bits)

    def solution(found: Finished[Evaluation]) -> BucketSolution:
        return BucketSolution(game.name, found.record, run, game, found.evaluation)

    return finish(
        run,
        stop,
        solution,
        solver=solver.name,
        progress=progress,
        before=before,
        threads=threads,
        bits=bits,
        settings={"representation": "buckets"}
        | bindings_told(solver)
        | ({"seed": seed} if isinstance(solver, MCCFR) else {}),
    )


def _start_from(run: ClassRun, game: BucketPoker, profile: Policy | Solution, iterations: int | None) -> None:
    """Put a run where so many iterations of a profile would have brought it."""
    if not isinstance(profile, BucketSolution) or profile.game != game.name:
        raise NotApplicableError(f"The profile is not one of '{game.name}' solved on=buckets, which is needed here.")
    run.start_from(profile.run.strategy(), iterations)
