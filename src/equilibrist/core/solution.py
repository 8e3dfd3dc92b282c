"""Solution: what every solved thing offers; SolveRecord: how it was obtained; TabularSolution: a policy infoset by infoset."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar, cast

import msgspec
import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import EquilibristError, FormatError, MissingExtraError, TooLargeError
from equilibrist.core.policy import InfosetIndex, Policy, TabularPolicy

if TYPE_CHECKING:
    from equilibrist.core.artifact import Artifact

EXACT = "exact best response, NashConv / players"  # how an exploitability was measured, unless a record says otherwise

NORMALISED = 1e-6  # how far a row of probabilities may be from one
FEW = 8  # entries of an array that holds figures, not a table
MOST_ITERATIONS = 10**12
ROUNDING = 1e-9  # of a payoff: gains no further below zero count as none

Arrays = Mapping[str, npt.NDArray[Any]]


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
        gains = [b - v for b, v in zip(self.best_response_value, self.value, strict=True)]
        found = float(sum(gains))
        rounding = ROUNDING * max(1.0, *map(abs, self.value))
        return 0.0 if -rounding <= found < 0.0 else found  # less than nothing is rounding, unless it is more than that

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


def sound_evaluation(value: tuple[float, float], best: tuple[float, float], error: float) -> Evaluation:
    """Numbers that are exact to `error`: a best response that seems worth less than play by no more than that is worth as much."""
    below = max(v - b for v, b in zip(value, best, strict=True))
    if not below <= 4.0 * error:  # both may be off, in either direction; NaN comes here, too
        raise EquilibristError(
            f"A best response was found to be worth {below:.3g} chips less than play, but rounding explains {4.0 * error:.3g} at the "
            "most; amounts or weights of this spot are too far apart to be solved."
        )
    return Evaluation(value, (max(best[0], value[0]), max(best[1], value[1])))


@dataclass(frozen=True)
class SolveRecord:
    """How a solution was obtained; every solution embeds one, and the header of its file repeats it."""

    solver: str
    iterations: int = 0
    seconds: float = 0.0
    converged: bool = False  # an exploitability was asked for and reached; never claimed where none was asked for
    interrupted: bool = False
    cpu_seconds: float = 0.0  # of all threads; 0: not measured
    threads: int = 1
    bits: int = 64  # of a table entry
    memory_bytes: int = 0  # of the solver's tables; 0: not measured
    settings: Mapping[str, Any] = field(default_factory=dict)  # until, iterations, seed, parameters …
    provenance: Mapping[str, Any] = field(default_factory=dict)  # version, how exploitability was measured …
    extra: Mapping[str, Any] = field(default_factory=dict)  # what a solver knows besides

    def to_json(self) -> dict[str, Any]:
        """Plain values, as in the header of a file."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return told | {name: dict(told[name]) for name in ("settings", "provenance", "extra")}


class Solution(Protocol):
    """What every solved thing offers, however it was stored while it was solved: games, spots, boards, buckets, blueprints."""

    kind: ClassVar[str]  # of its file

    @property
    def game(self) -> str:
        """The game by the name that `load_game` reads."""

    @property
    def title(self) -> str:
        """The same in a few words."""

    @property
    def record(self) -> SolveRecord: ...

    @property
    def evaluation(self) -> Evaluation | None:
        """Values and best responses; None where they were not measured."""

    @property
    def unit(self) -> str:
        """What a payoff of 1 is called."""

    @property
    def policy(self) -> Policy:
        """Both players' strategies by infoset."""

    def tabular(self) -> TabularPolicy:
        """The policy of every infoset by name; only where the game is small enough to be laid out."""

    @property
    def infosets(self) -> int:
        """Decisions that the policy has an answer for."""

    @property
    def state(self) -> Arrays:
        """Tables to go on from; empty where there are none."""

    @property
    def value(self) -> tuple[float, ...]: ...

    @property
    def exploitability(self) -> float: ...

    @property
    def nash_conv(self) -> float: ...

    @property
    def solver(self) -> str: ...

    @property
    def iterations(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def converged(self) -> bool: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def unfinished(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, Any]: ...

    @property
    def provenance(self) -> Mapping[str, Any]: ...

    @property
    def extra(self) -> Mapping[str, Any]: ...

    def recorded(self, **changes: Any) -> Self:
        """The same solution with another record."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """One file that `load_solution` and every command can read."""

    def to_json(self) -> dict[str, Any]:
        """All about it but its strategy, as plain values."""


class BaseSolution:
    """What follows from a record and an evaluation; kinds of solutions add their policy, their header and their tables."""

    kind: ClassVar[str]

    if TYPE_CHECKING:  # fields of the kinds; a property here would be taken for a field's default

        @property
        def unit(self) -> str: ...

        @property
        def game(self) -> str: ...

        @property
        def record(self) -> SolveRecord: ...

        @property
        def evaluation(self) -> Evaluation | None: ...

        @property
        def infosets(self) -> int: ...

    else:
        unit = "chips"

    def __repr__(self) -> str:
        """One line; policies and tables may have millions of entries."""
        worth = ", ".join(f"{value:.6g}" for value in self.value)
        told = [
            f"{self.iterations:,} iterations" + (f" ({self.unfinished})" if self.unfinished else ""),
            f"value ({worth})" if worth else "not measured",
            f"exploitability {self.exploitability:.3g} {self.unit}" if worth else "",
        ]
        return f"<{type(self).__name__} of {self.title!r} by {self.solver!r}: {', '.join(filter(None, told))}>"

    @property
    def title(self) -> str:
        return self.game

    @property
    def value(self) -> tuple[float, ...]:
        """Expected payoff of each player; empty if it was not measured."""
        return self.evaluation.value if self.evaluation else ()

    @property
    def exploitability(self) -> float:
        """NashConv / players, in the game's unit; NaN if it was not measured."""
        return self.evaluation.exploitability if self.evaluation else float("nan")

    @property
    def nash_conv(self) -> float:
        return self.evaluation.nash_conv if self.evaluation else float("nan")

    @property
    def solver(self) -> str:
        return self.record.solver

    @property
    def iterations(self) -> int:
        return self.record.iterations

    @property
    def seconds(self) -> float:
        return self.record.seconds

    @property
    def converged(self) -> bool:
        """Whether the exploitability that was asked for was reached."""
        return self.record.converged

    @property
    def interrupted(self) -> bool:
        return self.record.interrupted

    @property
    def unfinished(self) -> str:
        """What is to be said of a solution that did not reach a target; empty for one that did."""
        if self.converged:
            return ""
        goal = self.record.settings.get("until")
        return "no target was set" if goal is None and not self.interrupted else "NOT converged"

    @property
    def cpu_seconds(self) -> float:
        return self.record.cpu_seconds

    @property
    def threads(self) -> int:
        return self.record.threads

    @property
    def bits(self) -> int:
        return self.record.bits

    @property
    def memory_bytes(self) -> int:
        return self.record.memory_bytes

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.record.settings

    @property
    def provenance(self) -> Mapping[str, Any]:
        return self.record.provenance

    @property
    def extra(self) -> Mapping[str, Any]:
        return self.record.extra

    def recorded(self, **changes: Any) -> Self:
        """The same solution with another record: `solution.recorded(converged=False)`."""
        changed: Self = replace(cast(Any, self), record=replace(self.record, **changes))
        return changed

    def save(self, path: str | os.PathLike[str]) -> None:
        """One file that `load_solution` and every command can read."""
        from equilibrist.core.artifact import save_artifact

        save_artifact(path, self.to_artifact())

    def to_artifact(self) -> Artifact:
        """The file's contents."""
        raise NotImplementedError

    def header(self, **told: Any) -> dict[str, Any]:
        """What every file says about itself, and what a kind adds."""
        header = {"game": self.game, **self.record.to_json()}
        if self.evaluation is not None:
            best = self.evaluation.best_response_value
            header |= {
                "value": list(self.evaluation.value),
                "best_response_value": None if best is None else list(best),
            }
        return header | told

    def to_json(self) -> dict[str, Any]:
        """All about it but its strategy, as plain values."""
        record = self.record.to_json()
        return {
            "kind": self.kind,
            "game": self.game,
            **{name: record[name] for name in ("solver", "iterations", "seconds")},
            "value": list(self.value),
            "exploitability": self.exploitability,
            "infosets": self.infosets,
            "nash_conv": self.nash_conv,
            "best_response_value": self.evaluation.best_response_value if self.evaluation else None,
            "unit": self.unit,
            **{name: record[name] for name in ("converged", "interrupted", "cpu_seconds", "threads", "bits")},
            **{name: record[name] for name in ("memory_bytes", "extra", "settings")},
            "measured": self.provenance.get("exploitability"),
            "error": self.provenance.get("error"),  # chips that values may be off by rounding, where that is known
            "version": self.provenance.get("version"),
        }


@dataclass(frozen=True, repr=False)
class TabularSolution(BaseSolution):
    """A policy for every player, infoset by infoset."""

    kind: ClassVar[str] = "solution"

    game: str
    record: SolveRecord
    policy: TabularPolicy  # the answer: the average, for methods that average
    evaluation: Evaluation | None  # None where no exact best response is feasible
    last: TabularPolicy | None = None  # the last iterate
    state: Arrays = field(default_factory=dict, repr=False)  # to go on from
    unit: str = "chips or points"  # which of them is not known of files written before it was kept

    @property
    def infosets(self) -> int:
        """How many the policy has an answer for."""
        return len(self.policy.infosets)

    def tabular(self) -> TabularPolicy:
        return self.policy

    def to_artifact(self) -> Artifact:
        from equilibrist.core.artifact import Artifact, encode_texts

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
        return Artifact(self.kind, self.header(infosets=len(infosets), unit=self.unit), arrays)

    @classmethod
    def from_artifact(cls, artifact: Artifact, path: str) -> TabularSolution:
        """What a file holds; refuses what is inconsistent."""
        header, arrays = artifact.header, {name: np.array(array) for name, array in artifact.arrays.items()}
        infosets = InfosetIndex(
            keys=tuple(_texts(arrays["keys"], header["infosets"])),
            player=arrays["player"].astype(np.int32),
            actions=tuple(tuple(line.split("\t")) for line in _texts(arrays["actions"], header["infosets"])),
            public=tuple(_texts(arrays["public"], header["infosets"])),
        )
        probabilities = arrays["policy"].astype(np.float64)
        check_distributions(infosets, probabilities, "policy")
        last = arrays.get("last")
        if last is not None:
            check_distributions(infosets, last, "last iterate")
        state = {name[6:]: array for name, array in arrays.items() if name.startswith("state.")}
        check_numbers(state)
        told = {"unit": str(header["unit"])} if "unit" in header else {}
        return cls(
            game=str(header["game"]),
            record=read_record(header),
            policy=TabularPolicy(infosets, probabilities),
            evaluation=read_evaluation(header),
            last=None if last is None else TabularPolicy(infosets, last.astype(np.float64)),
            state=state,
            **told,
        )


def check_distributions(infosets: InfosetIndex, probabilities: npt.NDArray[Any], what: str) -> None:
    """Refuse rows that are no distributions over the actions of their infosets."""
    if probabilities.shape != (infosets.slots,):
        raise FormatError(f"its {what} does not fit its infosets")
    if not infosets.slots:
        return
    sums = np.add.reduceat(probabilities, infosets.first_slot[:-1])
    lowest = np.minimum.reduceat(probabilities, infosets.first_slot[:-1])
    wrong = np.flatnonzero(~((lowest >= 0.0) & (np.abs(sums - 1.0) <= NORMALISED)))  # NaN, too
    if len(wrong):
        raise FormatError(f"its {what} is no distribution over actions at '{infosets.keys[wrong[0]]}'")


def check_numbers(tables: Mapping[str, npt.NDArray[Any]]) -> None:
    """Refuse tables that hold what is no number; a few single figures may be infinite."""
    for name, table in tables.items():
        if np.issubdtype(table.dtype, np.floating):
            sound = np.isfinite(table) if table.size > FEW else ~np.isnan(table)
            if not sound.all():
                raise FormatError(f"its table '{name}' holds what is no number")


class Readable(Protocol):
    """A class whose objects are kept in files of one kind."""

    kind: ClassVar[str]

    @classmethod
    def from_artifact(cls, artifact: Artifact, path: str) -> Self: ...


R = TypeVar("R", bound=Readable)


def read_solution(path: str | os.PathLike[str], wanted: type[R], *, again: str = "write it again") -> R:
    """The one way in for every kind: a file is opened, checked and taken over by its class, or refused with a sentence."""
    from equilibrist.core.artifact import open_artifact

    artifact = open_artifact(path, wanted.kind)
    try:
        return wanted.from_artifact(artifact, os.fspath(path))
    except (TooLargeError, MissingExtraError):
        raise
    except (EquilibristError, msgspec.MsgspecError, KeyError, TypeError, ValueError, IndexError) as error:
        reason = repr(error) if isinstance(error, KeyError) else str(error).removesuffix(".")
        raise FormatError(
            f"'{path}' is damaged, incomplete or from a version that this one cannot read ({reason}); {again}."
        ) from None


def read_record(header: Mapping[str, Any]) -> SolveRecord:
    """How the solution in a file was obtained; what the previous version did not write has its default."""
    told = {each.name: header[each.name] for each in fields(SolveRecord) if each.name in header}
    extra = dict(told.get("extra", {}))
    if extra.pop("interrupted", False):  # where the previous version kept it
        told["interrupted"] = True
    record = msgspec.convert(told | {"extra": extra}, SolveRecord)
    if not 0 <= record.iterations <= MOST_ITERATIONS or not 0.0 <= record.seconds < math.inf:
        raise FormatError("its iterations or seconds are not possible")
    return record


def read_evaluation(header: Mapping[str, Any], players: int | None = None) -> Evaluation | None:
    """The values that a file states, if it does."""
    if "value" not in header:
        return None
    value = _numbers(header["value"], players)
    best = header["best_response_value"]
    return Evaluation(value, None if best is None else _numbers(best, len(value)))


def _numbers(values: Sequence[Any], count: int | None) -> tuple[float, ...]:
    numbers = msgspec.convert(values, tuple[float, ...])
    if not all(map(math.isfinite, numbers)) or count not in (None, len(numbers)):
        raise FormatError("its values are not numbers")
    return numbers


def _texts(data: npt.NDArray[np.uint8], count: int) -> list[str]:
    from equilibrist.core.artifact import decode_texts

    texts = decode_texts(data) if count else []
    if len(texts) != count:
        raise KeyError(f"{count} names")
    return texts
