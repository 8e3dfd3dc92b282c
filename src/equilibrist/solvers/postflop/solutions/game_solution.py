"""BoardSolution: a solved poker game that was never laid out as a tree, and the file it is kept in."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.boards.poker_streets import betting_streets
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.poker.game import Poker
from equilibrist.games.user_files import GameNeededError
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy
from equilibrist.solvers.postflop.solutions.saved_tables import adopt, check_tables
from equilibrist.solvers.postflop.tables import table_names

KIND = "boards"
_TOLD = (
    "game", "solver", "iterations", "seconds", "cpu_seconds", "threads", "converged", "bits", "memory_bytes", "settings",
    "provenance", "extra",
)  # fmt: skip


@dataclass(frozen=True)
class BoardSolution:
    """Reads like `Solution`; its policy looks strategies up board by board."""

    game: str
    solver: str
    policy: BoardPolicy = field(repr=False)
    evaluation: Evaluation
    iterations: int
    seconds: float
    cpu_seconds: float
    threads: int
    converged: bool
    memory_bytes: int
    bits: int = 32
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> tuple[float, ...]:
        """Expected payoff of each player."""
        return self.evaluation.value

    @property
    def exploitability(self) -> float:
        """NashConv / 2, in chips."""
        return self.evaluation.exploitability

    @property
    def nash_conv(self) -> float:
        return self.evaluation.nash_conv

    @property
    def bounds(self) -> tuple[float, float]:
        """What player 1's value is proven to lie between: each end is what a best response leaves one player."""
        best = self.evaluation.best_response_value
        assert best is not None, "boards are always measured by best responses"
        return -best[1], best[0]

    @property
    def infosets(self) -> int:
        """Decisions of all hands on all boards, suit-copies counted once each."""
        total = 0
        for forest, street in zip(self.policy.forests, self.policy.run.streets, strict=True):
            for player, own in enumerate(street.boards.player):
                total += int((forest.kind == player).sum()) * int((own.count * street.boards.copies).sum())
        return total

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

    def save(self, path: str | os.PathLike[str]) -> None:
        """One file that `load_board_solution` and every command can read."""
        best = self.evaluation.best_response_value
        header: dict[str, Any] = {
            **{name: getattr(self, name) for name in _TOLD},
            "value": list(self.evaluation.value),
            "best_response_value": list(best or ()),
        }
        header |= {name: dict(header[name]) for name in ("settings", "provenance", "extra")}
        save_artifact(path, Artifact(KIND, header, self.state))


class _Header(msgspec.Struct):
    """What a file says about itself."""

    game: str
    solver: str
    iterations: int
    seconds: float
    cpu_seconds: float
    threads: int
    converged: bool
    memory_bytes: int
    value: tuple[float, float]
    best_response_value: tuple[float, float]
    settings: dict[str, Any]
    provenance: dict[str, Any]
    extra: dict[str, Any]
    bits: Literal[16, 32] = 32


def load_board_solution(path: str | os.PathLike[str]) -> BoardSolution:
    """Open a saved solution; its tables stay in the file until they are looked at."""
    from equilibrist.solvers.postflop.solve_game import board_solver, start_boards

    artifact = open_artifact(path, KIND)
    try:
        header = msgspec.convert(artifact.header, _Header)
        game = recorded_game(header.game)
        if (
            not isinstance(game, Poker)
            or header.iterations < 0
            or not all(map(math.isfinite, (*header.value, *header.best_response_value)))
        ):
            raise FormatError(f"'{header.game}' is no poker game, or its values are not numbers")
        solver = board_solver(header.solver)
        forests = betting_streets(game.rules)
        check_tables(artifact, len(forests), table_names(header.bits, solver.minimiser != "rm"))
    except GameNeededError:
        raise
    except (EquilibristError, msgspec.ValidationError) as error:
        raise FormatError(f"'{path}' is damaged or incomplete ({error}); write it again.") from None

    def build() -> Any:
        run = start_boards(game, header.solver, threads=1, bits=header.bits)
        adopt(run, artifact.arrays, os.fspath(path))
        run.iteration = header.iterations
        return run

    return BoardSolution(
        policy=BoardPolicy(game, forests, build),
        evaluation=Evaluation(header.value, header.best_response_value),
        **{name: getattr(header, name) for name in _TOLD},
    )
