"""CFR at work on each representation: arrays in, kernels called, policies out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree.infoset_forest import payoff_ranges
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.cfr._kernels import (
    sequence_cfr,
)  # those of the other representations are imported by their runs
from equilibrist.solvers.cfr.cfr import CFR, RegretRun

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats
    from equilibrist.core.solution import Evaluation
    from equilibrist.forms.public_tree.public_layout import PublicLayout
    from equilibrist.solvers.cfr.warm_start import Substitute


class SequenceRun(RegretRun):
    """Two players with perfect recall; the workhorse."""

    @staticmethod
    def fits(solver: CFR) -> bool:
        """Whether the solver's settings are those of this run."""
        return not solver.pruning.walks and not solver.threshold

    def __init__(self, solver: CFR, form: SequenceForm) -> None:
        self.form = form
        super().__init__(solver, int(form.offset[2]))
        self.spread = form.spread() if solver.minimiser == "hedge" else np.zeros(len(form.infoset))
        self.strategy[:] = form.strategy(form.infosets.uniform())
        self.learns = np.ones(2, dtype=np.bool_)
        self.treeplex, self.payoff = form.treeplex, form.payoff.rows
        self.models = self._bind()
        self.hand_weight, self.model_plan, self.bound, self.model = self.models
        ones = np.ones_like(self.strategy)
        self.plans = sequence_cfr.Plans(plan=ones, seen=ones.copy(), q=np.zeros_like(ones))
        self.plan, self.seen, self.q = self.plans
        self._refresh()

    def _bind(self) -> sequence_cfr.Models:
        """Opponent models: `hand_weight` and `model_plan` per hand, `bound` and `model` per infoset."""
        form = self.form
        nothing = np.zeros_like(self.strategy)
        models = sequence_cfr.Models(np.zeros(2), nothing, np.zeros(len(form.infoset)), nothing.copy())
        for binding in self.solver.bindings:
            p = binding.player
            if p not in (0, 1):
                raise ParameterError(f"A binding names player 0 or 1, but {p} was given.")
            own = slice(int(form.offset[p]), int(form.offset[p + 1]))
            behaviour = form.strategy(binding.table)
            if binding.mode == "per_hand":
                models.hand_weight[p] = float(binding.weight)
                models.model_plan[own] = form.plan(behaviour)[own]
            else:
                part = slice(int(form.first_infoset[p]), int(form.first_infoset[p + 1]))
                weight = np.asarray(binding.weight, dtype=np.float64)
                models.bound[part] = weight[form.infoset[part]] if weight.ndim else weight
                models.model[own] = behaviour[own]
        return models

    def _refresh(self) -> None:
        """Plans that follow from the present strategies."""
        form = self.form
        sequence_cfr.follow(
            0, len(form.infoset), form.first_sequence, form.actions, form.parent, self.strategy, self.bound, self.model,
            self.plan,
        )  # fmt: skip
        self._mix(self.plan, self.seen)

    def _mix(self, plan: Floats, seen: Floats) -> None:
        for p in range(2):
            begin, end = int(self.form.offset[p]), int(self.form.offset[p + 1])
            sequence_cfr.mix(begin, end, self.hand_weight[p], self.model_plan, plan, seen)

    def advance(self, iterations: int) -> None:
        sequence_cfr.run_cfr(
            self.iteration + 1, self.factors(iterations), self.codes, self.simultaneous, self.learns,
            self.treeplex, self.payoff, self.spread, self.models, self.tables, self.plans,
        )  # fmt: skip
        self.iteration += iterations

    def _start_tables(self, start: Substitute, regret: Floats, average: Floats) -> None:
        form, own = self.form, self.form.slot >= 0
        slots = form.slot[own]
        self.strategy[own], self.regret[own], self.average_sum[own] = (
            start.strategy()[slots],
            regret[slots],
            average[slots],
        )
        self._refresh()

    def _average_behaviour(self) -> Floats:
        form = self.form
        out = np.ones_like(self.strategy)
        sequence_cfr.average_strategy(0, len(form.infoset), form.first_sequence, form.actions, self.average_sum, out)
        return out

    def average(self) -> TabularPolicy:
        return self.form.policy(self._average_behaviour())

    def last(self) -> TabularPolicy:
        return self.form.policy(self.strategy)

    def evaluate(self) -> Evaluation:
        return self.measure(self._average_behaviour())

    def measure(self, behaviour: Floats) -> Evaluation:
        """A behaviour in the game as bound: the free part of a bound player is what could deviate."""
        form = self.form
        plan, seen, q = np.ones_like(behaviour), np.ones_like(behaviour), np.empty_like(behaviour)
        free = np.zeros_like(self.bound)  # averages already contain what was bound per infoset
        sequence_cfr.follow(
            0, len(form.infoset), form.first_sequence, form.actions, form.parent, behaviour, free, self.model, plan
        )
        self._mix(plan, seen)
        value, best = [], []
        for p in range(2):
            value.append(sequence_cfr.plan_value(p, self.treeplex, self.payoff, seen, seen, q))
            response = sequence_cfr.best_value(p, self.treeplex, self.payoff, seen, self.bound, self.model, q)
            if self.hand_weight[p]:
                forced = sequence_cfr.plan_value(p, self.treeplex, self.payoff, self.model_plan, seen, q)
                response = (1.0 - self.hand_weight[p]) * response + self.hand_weight[p] * forced
            best.append(response)
        from equilibrist.core.solution import Evaluation  # late: runs that are only looked at need none

        return Evaluation(tuple(map(float, value)), tuple(map(float, best)))

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(state)
        self._refresh()


class HistoryRun(RegretRun):
    """Any number of players, any payoffs, imperfect recall; values by history."""

    def __init__(self, solver: CFR, game: Compiled) -> None:
        from equilibrist.solvers.cfr._kernels.history_cfr import HistoryScratch

        self.game, tree = game, game.tree
        super().__init__(solver, tree.infosets.slots)
        self.strategy[:] = tree.infosets.uniform().probabilities
        self.returns = np.ascontiguousarray(tree.returns)
        self.spread = payoff_ranges(tree) if solver.minimiser == "hedge" else np.zeros(len(tree.infosets))
        self.histories = tree.nodes
        self.scratch = HistoryScratch(
            reach=np.empty((tree.histories, tree.players + 1)),
            value=np.empty(tree.histories),
            q=np.zeros_like(self.strategy),
        )

    def advance(self, iterations: int) -> None:
        from equilibrist.solvers.cfr._kernels import history_cfr

        history_cfr.run_history_cfr(
            self.iteration + 1, self.factors(iterations), self.codes, self.simultaneous,
            self.histories, self.returns, self.game.infosets.player, self.spread, self.tables, self.scratch,
        )  # fmt: skip
        self.iteration += iterations

    def _start_tables(self, start: Substitute, regret: Floats, average: Floats) -> None:
        histories = np.bincount(self.game.tree.infoset[self.game.tree.infoset >= 0], minlength=len(self.game.infosets))
        self.strategy[:], self.regret[:] = start.strategy(), regret
        self.average_sum[:] = average * np.repeat(
            histories, np.diff(self.game.infosets.first_slot)
        )  # each adds its own

    def average(self) -> TabularPolicy:
        return normalise(self.game.infosets, self.average_sum)

    def last(self) -> TabularPolicy:
        return TabularPolicy(self.game.infosets, self.strategy.copy())

    def evaluate(self) -> Evaluation:
        from equilibrist.solvers.responses.best_response import evaluate_policy

        return evaluate_policy(self.game, self.average())


class LayoutRun(RegretRun):
    """Vectors of infostates on (a part of) a public tree."""

    start: Floats  # [infostates] own reach at the roots
    leaf: Floats  # [infostates] counterfactual values where play stops early
    reach: Floats  # [infostates] own

    def __init__(self, solver: CFR, layout: PublicLayout, spread: Floats | None = None) -> None:
        """`spread`: range of payoffs below each row, which Hedge asks."""
        from equilibrist.solvers.cfr._kernels.public_cfr import PublicScratch, Stakes

        self.layout, self.infostates = layout, layout.infostates
        super().__init__(solver, layout.slots)
        widths = np.diff(layout.first_slot)
        self.strategy[:] = np.repeat(1.0 / np.maximum(widths, 1), widths)
        one = np.ones(int(layout.base[-1]))
        self.stakes = Stakes(
            payoff=layout.payoff,
            start=one,
            leaf=np.zeros_like(one),
            spread=np.zeros(len(layout.row_player)) if spread is None else spread,
        )
        self.scratch = PublicScratch(
            reach=one.copy(),
            value=np.zeros_like(one),
            choice_value=np.zeros(int(layout.first_choice[-1])),
            q=np.zeros(layout.slots),
        )
        self.start, self.leaf, self.reach = self.stakes.start, self.stakes.leaf, self.scratch.reach

    def lock(self, rows: npt.NDArray[np.bool_], policy: TabularPolicy) -> None:
        """Play `policy` at these rows of the layout and never learn there."""
        slots = np.repeat(rows, np.diff(self.layout.first_slot)) & (self.layout.slot >= 0)
        self.strategy[slots] = policy.probabilities[self.layout.slot[slots]]
        self.layout = replace(self.layout, row_player=np.where(rows, -1, self.layout.row_player).astype(np.int32))
        self.infostates = self.layout.infostates

    def advance(self, iterations: int) -> None:
        from equilibrist.solvers.cfr._kernels import public_cfr

        public_cfr.run_public_cfr(
            self.iteration + 1, self.factors(iterations), self.codes, self.simultaneous,
            self.infostates, self.stakes, self.tables, self.scratch,
        )  # fmt: skip
        self.iteration += iterations

    def average(self) -> TabularPolicy:
        """The average inside the part laid out; uniform elsewhere."""
        weights, inside = np.zeros(self.layout.tree.infosets.slots), self.layout.slot >= 0
        weights[self.layout.slot[inside]] = self.average_sum[inside]
        return normalise(self.layout.tree.infosets, weights)

    def last(self) -> TabularPolicy:
        policy, inside = self.layout.tree.infosets.uniform(), self.layout.slot >= 0
        policy.probabilities[self.layout.slot[inside]] = self.strategy[inside]
        return policy

    def evaluate(self) -> Evaluation:
        raise NotApplicableError("A part of a game has no exploitability of its own; measure the whole policy instead.")


class PublicRun(LayoutRun):
    """The whole public tree."""

    def __init__(self, solver: CFR, game: Compiled) -> None:
        from equilibrist.forms.public_tree.public_layout import lay_out

        spread = payoff_ranges(game.tree) if solver.minimiser == "hedge" else None
        super().__init__(solver, lay_out(game.public_tree), spread)
        self.game = game

    def _start_tables(self, start: Substitute, regret: Floats, average: Floats) -> None:
        layout = self.layout
        assert start.policy.infosets.keys == layout.tree.infosets.keys, "both trees number infosets alike"
        rows = layout.row[layout.row >= 0]
        infostates = np.bincount(rows, minlength=len(layout.row_player))  # each adds its own to the average
        self.strategy[:], self.regret[:] = start.strategy()[layout.slot], regret[layout.slot]
        self.average_sum[:] = average[layout.slot] * np.repeat(infostates, np.diff(layout.first_slot))

    def evaluate(self) -> Evaluation:
        from equilibrist.solvers.responses.best_response import evaluate_policy

        return evaluate_policy(self.game, self.average())
