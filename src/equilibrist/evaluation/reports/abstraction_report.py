"""What an abstraction is worth: the four criteria of [Gilpin09, §6.7], all exact expectations in a reference game.

Every player of an abstraction is lifted to the reference game, which tells hands apart at least as finely. Both seats are
averaged, because the second player has the advantage of position: head-to-head, against an equilibrium, against a nemesis (a best
response in either seat), and the value that the abstraction's own solution suggests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equilibrist.abstraction.information.methods import format_sizes
from equilibrist.evaluation.reports.class_quality import RoundQuality
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.solvers.hand_classes.gameshrink_loss import VerifiedShrink
from equilibrist.solvers.hand_classes.passes import ClassPass, RoundStrategy
from equilibrist.solvers.hand_classes.solve_classes import RoundSolution


class Arena:
    """Exact matches between strategies of one game."""

    def __init__(self, form: KroneckerForm) -> None:
        self._passing = ClassPass(form)

    def earned(self, first: RoundStrategy, second: RoundStrategy) -> float:
        """What `first` earns as player 1 against `second` as player 2: x'Ay."""
        self._passing.follow(0, first.weights[0])
        self._passing.follow(1, second.weights[1])
        return self._passing.respond(0)[0]

    def head_to_head(self, one: RoundStrategy, other: RoundStrategy) -> float:
        """What `one` earns on average of both seats."""
        return 0.5 * self.earned(one, other) - 0.5 * self.earned(other, one)


@dataclass(frozen=True)
class Reference:
    """The game in which everything is measured, and an equilibrium of it where one is known."""

    name: str
    form: KroneckerForm = field(repr=False)
    solution: RoundSolution | None = field(default=None, repr=False)

    def to_json(self) -> dict[str, Any]:
        known = self.solution
        return {
            "name": self.name,
            "classes": list(self.form.classes[0].counts),
            "sequences": list(self.form.sequences),
            "value": None if known is None else known.evaluation.value[0],
            "bracket": None if known is None else list(known.bracket),
        }


@dataclass(frozen=True)
class AbstractionReport:
    """One abstraction; amounts are chips a hand, both seats averaged."""

    game: str
    method: str
    classes: tuple[int, ...]
    sequences: tuple[int, int]
    rounds: tuple[RoundQuality, ...]
    reference: Mapping[str, Any] = field(default_factory=dict)  # where the criteria were measured
    cap: int | None = None  # bets of the model in each round, where fewer than in the game
    gap: float | None = None  # of the solution in its own game
    iterations: int | None = None
    converged: bool | None = None
    value: float | None = None  # x'Ay of the solution in its own game
    value_error: float | None = None  # distance from the reference equilibrium's value
    nemesis: float | None = None  # earned against best responses; the exploitability with its sign turned
    against_equilibrium: float | None = None
    head_to_head: Mapping[str, float] = field(default_factory=dict)

    @property
    def exploitability(self) -> float | None:
        return None if self.nemesis is None else -self.nemesis

    def to_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        out: dict[str, Any] = {
            "game": self.game,
            "method": self.method,
            "classes": list(self.classes),
            "cap": self.cap,
            "sequences": list(self.sequences),
            "rounds": [quality.to_json() for quality in self.rounds],
        }
        if self.nemesis is not None:
            out["reference"] = dict(self.reference)
            out["solution"] = {"gap": self.gap, "iterations": self.iterations, "converged": self.converged}
            out |= {
                "value": self.value,
                "value_error": self.value_error,
                "exploitability": self.exploitability,
                "nemesis": self.nemesis,
                "against_equilibrium": self.against_equilibrium,
                "head_to_head": dict(self.head_to_head),
            }
        return out

    def text(self) -> str:
        """A few lines for people."""
        cap = "" if self.cap is None else f", at most {self.cap} bets a round"
        lines = [
            f"{self.game}, {self.method}: {format_sizes(self.classes)} classes{cap}, {self.sequences[0]:,} sequences a player"
        ]
        for quality in self.rounds:
            lines.append(
                f"  round {quality.round}: {quality.classes:,} classes of {quality.smallest:,} to {quality.largest:,} hands "
                f"(median {quality.median:g}); equity variance inside {quality.equity_variance:.3g}, "
                f"{100 * quality.equity_explained:.2f} % explained"
            )
        if self.nemesis is not None:
            lines += self._criteria()
        return "\n".join(lines)

    def _criteria(self) -> list[str]:
        where = f"{self.reference['name']} ({format_sizes(self.reference['classes'])})"
        lines = [
            f"  solved in itself: value {self.value:.6g}, gap {self.gap:.3g} after {self.iterations:,} iterations",
            f"  in {where}: exploitability {self.exploitability:.6g}, that is {self.nemesis:.6g} against a nemesis",
        ]
        if self.against_equilibrium is not None:
            lines.append(
                f"  against an equilibrium: {self.against_equilibrium:.6g}; error of the value {self.value_error:.6g}"
            )
        lines += [f"  head to head with {name}: {earned:+.6g}" for name, earned in self.head_to_head.items()]
        return lines


def report_abstraction(
    game: str,
    method: str,
    rounds: tuple[RoundQuality, ...],
    made: VerifiedShrink,
    reference: Reference,
    opponents: Mapping[str, RoundStrategy] | None = None,
    *,
    cap: int | None = None,
    arena: Arena | None = None,
) -> AbstractionReport:
    """All criteria that can be measured with what is given; `opponents` are lifted to the same reference game."""
    arena = arena or Arena(reference.form)
    known, own = reference.solution, made.solution
    value = own.evaluation.value[0]
    return AbstractionReport(
        game=game,
        method=method,
        classes=made.classes.counts,
        sequences=own.strategy.form.sequences,
        rounds=rounds,
        reference=reference.to_json(),
        cap=cap,
        gap=own.gap,
        iterations=own.iterations,
        converged=own.converged,
        value=value,
        value_error=None if known is None else abs(value - known.evaluation.value[0]),
        nemesis=made.nemesis,
        against_equilibrium=None if known is None else arena.head_to_head(made.lifted, known.strategy),
        head_to_head={name: arena.head_to_head(made.lifted, strategy) for name, strategy in (opponents or {}).items()},
    )
