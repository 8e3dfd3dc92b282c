"""BoardSolution: a solved poker game that was never laid out as a tree, and the file it is kept in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from equilibrist.core.artifact import Artifact
from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import (
    BaseSolution,
    Evaluation,
    SolveRecord,
    read_evaluation,
    read_record,
    read_solution,
)
from equilibrist.forms.boards.poker_streets import betting_streets
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy
from equilibrist.solvers.postflop.solutions.saved_tables import adopt, check_tables, restore
from equilibrist.solvers.postflop.tables import decisions_of_hands, table_names
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.registry import remade


@dataclass(frozen=True, repr=False)
class BoardSolution(BaseSolution):
    """A poker game solved board by board; its policy looks strategies up by public state."""

    kind: ClassVar[str] = "boards"

    game: str
    record: SolveRecord
    policy: BoardPolicy = field(repr=False)
    evaluation: Evaluation

    @property
    def bounds(self) -> tuple[float, float]:
        """What player 1's value is proven to lie between: each end is what a best response leaves one player."""
        best = self.evaluation.best_response_value
        assert best is not None, "boards are always measured by best responses"
        return -best[1], best[0]

    @property
    def infosets(self) -> int:
        """Decisions of all hands on all boards, suit-copies counted once each."""
        return decisions_of_hands(self.policy.forests, self.policy.run.streets)

    @property
    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Tables to go on from."""
        return self.policy.run.state()

    def tabular(self) -> TabularPolicy:
        """The same policy for every infoset by name; only for games small enough to be laid out."""
        infosets = Compiled(self.policy.game).infosets
        out = np.empty(infosets.slots)
        known: dict[str, dict[str, npt.NDArray[np.float64]]] = {}
        for i, key in enumerate(infosets.keys):
            public = infosets.public[i]
            if public not in known:
                known[public] = self.policy.by_label(public)
            hand = key.removesuffix(public).removesuffix(":") if public else key
            out[infosets.first_slot[i] : infosets.first_slot[i + 1]] = known[public][hand]
        return TabularPolicy(infosets, out)

    def to_artifact(self) -> Artifact:
        if remade(self.solver) is None:
            raise NotApplicableError(
                f"No name makes the solver '{self.solver}' again, so its tables could not be read back; solve with a solver that has a "
                "name, or give yours one by a plug-in."
            )
        return Artifact(self.kind, self.header(), self.state)

    @classmethod
    def from_artifact(cls, artifact: Artifact, path: str) -> BoardSolution:
        """What a file holds; its tables stay there until they are looked at."""
        from equilibrist.solvers.postflop.board_runs import solver_on_boards
        from equilibrist.solvers.postflop.solve_game import start_boards

        header = artifact.header
        record = read_record({"bits": 32, **header})
        game, evaluation = recorded_game(header["game"]), read_evaluation(header, players=2)
        if not isinstance(game, Poker) or evaluation is None or evaluation.best_response_value is None:
            raise FormatError(f"'{header['game']}' is not a poker game, or its values are missing")
        if record.bits not in (16, 32):
            raise FormatError(f"there are no tables of {record.bits} bits")
        solver = solver_on_boards(record.solver)
        plain = isinstance(solver, CFR) and solver.plain_matching
        forests = betting_streets(game.rules)
        kinds = table_names(record.bits, solver.minimiser != "rm") if plain else ("average",)
        check_tables(artifact, len(forests), kinds)

        def build() -> BoardCFR:
            run = start_boards(game, record.solver, threads=1, bits=record.bits)
            if plain:
                adopt(run, artifact.arrays, path, record.iterations)
            else:
                restore(run, artifact.arrays, path)
            return run

        return cls(str(header["game"]), record, BoardPolicy(game, forests, build), evaluation)


def load_board_solution(path: str | os.PathLike[str]) -> BoardSolution:
    """A saved solution of a game solved on boards."""
    return read_solution(path, BoardSolution)
