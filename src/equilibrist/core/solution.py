"""Solution: what a solver found, with how it was found and how good it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.artifact import Artifact, decode_texts, encode_texts, load_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.core.policy import InfosetIndex, TabularPolicy


@dataclass(frozen=True)
class Evaluation:
    """Expected payoffs of a profile and what each player could gain by a best response."""

    value: tuple[float, ...]
    best_response_value: tuple[float, ...] | None  # None: imperfect recall, no exact best response is feasible

    @property
    def nash_conv(self) -> float:
        """Sum over players of what a best response gains; NaN if it was not measured."""
        if self.best_response_value is None:
            return float("nan")
        return float(sum(b - v for b, v in zip(self.best_response_value, self.value, strict=True)))

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / len(self.value)

    @property
    def value_bounds(self) -> tuple[float, float]:
        """Between what a two-player zero-sum game is worth to player 1: its own guarantee (dual) and the opponent's (primal)."""
        if self.best_response_value is None or len(self.value) != 2:
            return float("-inf"), float("inf")
        return -self.best_response_value[1], self.best_response_value[0]


@dataclass(frozen=True)
class Solution:
    """A policy for every player, frozen."""

    game: str
    solver: str
    policy: TabularPolicy  # the answer: the average, for methods that average
    evaluation: Evaluation | None  # None where no exact best response is feasible
    iterations: int
    seconds: float
    converged: bool  # an exploitability was asked for and reached; never claimed where none was asked for
    settings: Mapping[str, Any] = field(default_factory=dict)  # until, iterations, seed, parameters …
    last: TabularPolicy | None = None  # the last iterate
    state: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict, repr=False)  # to go on from
    provenance: Mapping[str, Any] = field(default_factory=dict)  # version, how exploitability was measured …
    extra: Mapping[str, Any] = field(default_factory=dict)  # solver-specific results

    @property
    def value(self) -> tuple[float, ...]:
        """Expected payoff of each player."""
        return self.evaluation.value if self.evaluation else ()

    @property
    def exploitability(self) -> float:
        """NashConv / players, in the game's chips or points; NaN if it was not measured."""
        return self.evaluation.exploitability if self.evaluation else float("nan")

    @property
    def infosets(self) -> int:
        """How many the policy has an answer for."""
        return len(self.policy.infosets)

    @property
    def nash_conv(self) -> float:
        return self.evaluation.nash_conv if self.evaluation else float("nan")

    def save(self, path: str | os.PathLike[str]) -> None:
        """One file that `load_solution` and every command can read."""
        infosets = self.policy.infosets
        arrays: dict[str, npt.NDArray[Any]] = {
            "policy": self.policy.probabilities,
            "player": infosets.player,
            "keys": encode_texts(list(infosets.keys)),
            "public": encode_texts(list(infosets.public)),
            "actions": encode_texts(["\t".join(names) for names in infosets.actions]),
        }
        if self.last is not None:
            arrays["last"] = self.last.probabilities
        arrays |= {f"state.{name}": array for name, array in self.state.items()}
        header: dict[str, Any] = {
            "game": self.game,
            "solver": self.solver,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "converged": self.converged,
            "settings": dict(self.settings),
            "provenance": dict(self.provenance),
            "extra": dict(self.extra),
            "infosets": len(infosets),
        }
        if self.evaluation:
            header["value"] = list(self.evaluation.value)
            best = self.evaluation.best_response_value
            header["best_response_value"] = None if best is None else list(best)
        save_artifact(path, Artifact("solution", header, arrays))


def load_solution(path: str | os.PathLike[str]) -> Solution:
    """Read a saved solution; refuses files that are foreign, damaged or inconsistent."""
    artifact = load_artifact(path, "solution")
    header, arrays = artifact.header, dict(artifact.arrays)
    try:
        infosets = InfosetIndex(
            keys=tuple(_texts(arrays["keys"], header["infosets"])),
            player=arrays["player"].astype(np.int32),
            actions=tuple(tuple(line.split("\t")) for line in _texts(arrays["actions"], header["infosets"])),
            public=tuple(_texts(arrays["public"], header["infosets"])),
        )
        probabilities = arrays["policy"].astype(np.float64)
        if probabilities.shape != (infosets.slots,) or not np.isfinite(probabilities).all():
            raise FormatError(f"'{path}' is damaged: its policy does not fit its infosets; write it again.")
        evaluation = None
        if "value" in header:
            best = header["best_response_value"]
            evaluation = Evaluation(tuple(header["value"]), None if best is None else tuple(best))
        return Solution(
            game=header["game"],
            solver=header["solver"],
            policy=TabularPolicy(infosets, probabilities),
            evaluation=evaluation,
            iterations=header["iterations"],
            seconds=header["seconds"],
            converged=header["converged"],
            settings=header["settings"],
            last=TabularPolicy(infosets, arrays["last"].astype(np.float64)) if "last" in arrays else None,
            state={name[6:]: array for name, array in arrays.items() if name.startswith("state.")},
            provenance=header["provenance"],
            extra=header["extra"],
        )
    except (KeyError, TypeError, IndexError, UnicodeDecodeError) as error:
        raise FormatError(f"'{path}' is damaged or incomplete ({error!r}); write it again.") from None


def _texts(data: npt.NDArray[np.uint8], count: int) -> list[str]:
    texts = decode_texts(data) if count else []
    if len(texts) != count:
        raise KeyError(f"{count} names")
    return texts
