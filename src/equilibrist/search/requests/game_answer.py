"""GameAnswer: a searched decision of a game, on boards or as a table, and how it is saved."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import EXACT, SolveRecord, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.responses.best_response import evaluate_policy, translate
from equilibrist.version import __version__

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class GameAnswer:
    """A searched decision of a game."""

    game: str
    line: str  # where the search begins
    searcher: int
    technique: str
    iterations: int
    seconds: float
    exploitability: float  # chips or points, of the gadget game
    margin: float
    tolerance: float  # by how much the opponent's best response in the whole game can have risen, at most
    player: int  # who acts at the line
    actions: tuple[str, ...]
    frequencies: tuple[float, ...]
    hands: Mapping[str, tuple[float, ...]] = field(repr=False)  # probabilities of the actions
    unit: str | None = None  # of values, if it is not the game's
    below: Mapping[str, Any] | None = None  # what was assumed where the search stopped
    policy: TabularPolicy | None = field(
        default=None, repr=False
    )  # of the whole game, where it is a table of its own actions

    def to_json(self) -> dict[str, Any]:
        """What `search --json` prints; players count from 1."""
        told = {name: getattr(self, name) for name in ("game", "line", "technique", "iterations", "seconds")}
        return {
            "kind": "search",
            **told,
            "searcher": self.searcher + 1,
            "exploitability": {"chips": self.exploitability},
            **{name: _number(getattr(self, name)) for name in ("margin", "tolerance")},
            **({"below": dict(self.below)} if self.below is not None else {}),
            "player": self.player + 1,
            "actions": list(self.actions),
            "frequencies": list(self.frequencies),
            "strategy": {hand: dict(zip(self.actions, row, strict=True)) for hand, row in self.hands.items()},
        }


def _number(value: float) -> float | None:
    return value if value == value else None


def save_answer(answer: GameAnswer, path: str | os.PathLike[str]) -> None:
    """The whole game's policy with the searcher's part replaced, measured and saved as a solution."""
    if answer.policy is None:
        raise NotApplicableError(
            "--out writes searched spots, and games solved as tables and searched without --bet; leave --out out."
        )
    game = Compiled(load_game(answer.game))
    policy = translate(answer.policy, game.infosets)
    record = SolveRecord(
        solver=f"search({answer.technique})",
        iterations=answer.iterations,
        seconds=answer.seconds,
        settings={"technique": answer.technique, "searcher": answer.searcher + 1, "line": answer.line},
        provenance={"version": __version__, "exploitability": EXACT},
    )
    TabularSolution(answer.game, record, policy, evaluate_policy(game, policy)).save(path)
