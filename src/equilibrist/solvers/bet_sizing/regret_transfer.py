"""Regret transfer: when payoffs change, keep what was learned and count it for less ([Brown20, §4.2]).

`transfer-cfr` remembers its regrets as functions of the named parameters; resumed on another member of the family it goes on there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.core.names import Name, Value, parse_name
from equilibrist.core.solution import Solution, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.forms.history_tree.infoset_forest import grow_forest
from equilibrist.forms.history_tree.parameters import GameFamily, family_of
from equilibrist.solvers.bet_sizing.affine_cfr import SAMPLINGS, AffineRun, start_affine_run
from equilibrist.solvers.iteration_loop import ProgressCallback, Stop
from equilibrist.solvers.iterative_solver import drive
from equilibrist.solvers.registry import SolverEntry

RULES = ("bound", "sharp", "theory", "ratio")


@dataclass(frozen=True)
class Transfer:
    """One move of a run: what it did to average regrets, and how much the past counts afterwards."""

    delta: float  # largest increase of an average regret
    weight: float


def transfer(
    run: AffineRun, theta: Sequence[float] | Floats, *, weight: str | float = "bound", scale: float | None = None
) -> Transfer:
    """Move a run to another point. `weight` is a number or a rule; `scale` is U, the size of payoffs, in the bounds.

    bound: Proposition 1. sharp: the same by Cauchy-Schwarz. theory: Theorem 16. ratio: potential before over potential after.
    """
    delta = average_growth([run], [theta])
    chosen = transfer_weight(run, theta, weight, scale) if isinstance(weight, str) else float(weight)
    if not 0.0 <= chosen <= 1.0:
        raise ParameterError(f"The weight of past iterations lies from 0 to 1, but {chosen} was given.")
    run.move(theta, chosen)
    return Transfer(delta, chosen)


def transfer_weight(
    run: AffineRun, theta: Sequence[float] | Floats, rule: str = "bound", scale: float | None = None
) -> float:
    """The smallest weight over all infosets by one of the rules ([Brown20, Proposition 1, Theorem 16, Corollary 5])."""
    if rule not in RULES:
        raise ParameterError(f"The weight is a number or one of {', '.join(RULES)}, but '{rule}' was given.")
    if run.weight <= 0.0:
        return 1.0
    u = payoff_scale(run.tree) if scale is None else scale
    if not u > 0.0:
        raise ParameterError(f"The size of payoffs must be positive, but {u} was given.")
    before, after = run.regrets(), run.regrets(theta)
    if rule in ("theory", "ratio"):
        new = _by_infoset(np.maximum(after, 0.0) ** 2, run, np.add)
        old = (
            u * u * run.actions * run.weight
            if rule == "theory"
            else _by_infoset(np.maximum(before, 0.0) ** 2, run, np.add)
        )
        busy = new > 1e-12
        return float(min(1.0, (old[busy] / new[busy]).min(initial=1.0)))
    delta = np.maximum(_by_infoset(after - before, run, np.maximum), 0.0) / run.weight
    step = delta * math.sqrt(run.weight) / u
    grown = (1.0 + step) ** 2 if rule == "sharp" else 1.0 + 2.0 * step * np.sqrt(run.actions) + step**2
    return float(1.0 / grown.max(initial=1.0))


def _by_infoset(entries: Floats, run: AffineRun, fold: Any) -> Floats:
    """Add up or maximise over the actions of each infoset; the entries of an infoset lie together."""
    order = np.argsort(run.first, kind="stable")
    owned = np.zeros(len(entries), dtype=bool)
    members = np.repeat(run.first[order], run.actions[order]) + _count_up(run.actions[order])
    owned[members] = True
    starts = np.concatenate([[0], np.cumsum(run.actions[order])[:-1]]).astype(np.int64)
    out = np.empty(len(run.first))
    out[order] = fold.reduceat(entries[members], starts)
    return out


def _count_up(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    total = np.arange(int(counts.sum()))
    return total - np.repeat(np.cumsum(counts) - counts, counts)


def average_growth(runs: Sequence[AffineRun], thetas: Sequence[Sequence[float] | Floats]) -> float:
    """L of Algorithm 3: the largest growth of an average regret over all runs, at least 0."""
    growth = [
        float((run.regrets(theta) - run.regrets()).max(initial=0.0)) / run.weight
        for run, theta in zip(runs, thetas, strict=True)
        if run.weight > 0.0
    ]
    return max([0.0, *growth])


def payoff_scale(tree: GameTree) -> float:
    """U: the mean absolute payoff over the ends of the game, each as likely as chance makes it."""
    forest = grow_forest(tree, "The size of payoffs")
    sizes = np.abs(tree.returns).mean(axis=1)
    total = float(forest.terminal_chance.sum())
    return float(forest.terminal_chance @ sizes) / total


@dataclass(frozen=True)
class TransferCFR:
    """CFR that can change its payoffs: `vary` names the parameters whose change it is ready for."""

    vary: Value
    weight: Value = "bound"
    scale: float | None = None
    sampling: str = "none"

    def __post_init__(self) -> None:
        if self.sampling not in SAMPLINGS:
            raise ParameterError(f"'sampling' is one of {', '.join(SAMPLINGS)}, but {self.sampling!r} was given.")
        known = isinstance(self.weight, int | float) and 0.0 <= self.weight <= 1.0
        if isinstance(self.weight, bool) or not (known or self.weight in RULES):
            raise ParameterError(
                f"'weight' is a number from 0 to 1 or one of {', '.join(RULES)}, but {self.weight!r} was given."
            )

    @property
    def name(self) -> str:
        given: dict[str, Value] = {"vary": self.vary}
        if self.weight != "bound":
            given["weight"] = self.weight
        if self.scale is not None:
            given["scale"] = self.scale
        if self.sampling != "none":
            given["sampling"] = self.sampling
        return str(Name("transfer-cfr", given))

    def family(self, game: str) -> GameFamily:
        return family_of(game, [str(part) for part in self.vary] if isinstance(self.vary, tuple) else str(self.vary))

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        family = self.family(game.game.name)
        run = start_affine_run(family.tree(), self.sampling, seed)
        moved = None
        if resume is not None and resume.game != game.game.name:
            moved, resume = self._transfer(run, family, resume), None
        target = Compiled(game.game, run.tree)
        settings: dict[str, Any] = {"parameters": dict(zip(family.names, family.start, strict=True))}
        if moved is not None:
            settings |= {"transferred_weight": moved.weight, "regret_growth": moved.delta}
        return drive(run, target, self.name, stop, seed=seed, progress=progress, resume=resume, settings=settings)

    def _transfer(self, run: AffineRun, family: GameFamily, resume: Solution) -> Transfer:
        """Take over another member's tables and move them here."""
        old = self.family(resume.game)
        if replace(old, parameters=family.parameters, given=family.given) != family or not _alike(old, family):
            raise FormatError(
                f"The saved run is on '{resume.game}', which differs from '{family.base}' in more than {', '.join(family.names)}; "
                "resume a member of the same family."
            )
        if parse_name(resume.solver).base != "transfer-cfr" or not resume.state:
            raise FormatError(
                f"The saved run is '{resume.solver}', which does not remember how its regrets depend on {', '.join(family.names)}; "
                "solve with transfer-cfr first."
            )
        try:
            run.restore(resume.state)
        except (KeyError, ValueError) as error:
            raise FormatError(f"The saved solver state does not fit this game ({error}); solve it anew.") from None
        weight = self.weight if isinstance(self.weight, str) else float(self.weight)  # type: ignore[arg-type]
        return transfer(run, family.start, weight=weight, scale=self.scale)


def _alike(first: GameFamily, second: GameFamily) -> bool:
    """The same member when both stand at the same theta."""
    return first(*second.start).name == second(*second.start).name


def _make(
    vary: Value | None = None, weight: Value = "bound", scale: float | None = None, sampling: str = "none"
) -> TransferCFR:
    if vary is None:
        raise NotApplicableError(
            "transfer-cfr needs the parameters that may change: transfer-cfr(vary=bets) for leduc."
        )
    names = vary if isinstance(vary, tuple) else (vary,)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ParameterError(
            f"'vary' names parameters of the game, such as bets or [bets,ante], but {vary!r} was given."
        )
    if scale is not None and (
        isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < math.inf
    ):
        raise ParameterError(f"'scale' is a positive number, but {scale!r} was given.")
    return TransferCFR(vary, weight, scale, sampling)


ENTRIES = (
    SolverEntry(
        "transfer-cfr",
        "CFR whose regrets follow a change of the named parameters; resume it on another member of the family",
        _make,
        {"vary": None, "weight": "bound", "scale": None, "sampling": "none"},
        "Brown20",
        "two-player zero-sum: as good as wT + T' iterations from scratch",
        also={"weight": (int, float)},
    ),
)
