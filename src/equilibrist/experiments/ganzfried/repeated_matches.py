"""Many matches of a small game: safe rules on the same deals ([Ganzfried15, §13.7]), DBBR in blocks of hands ([Ganzfried15, §12.2])."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.ganzfried._kernels import repeated_matches as kernel
from equilibrist.exploit.repeated_play.safe_exploitation import RULES, Rule
from equilibrist.exploit.response_functions._kernels.responders import SampledTree, probe_counts
from equilibrist.exploit.responses.dbbr import DeviationModel
from equilibrist.exploit.responses.safe_plans import TABLEAU_ENTRIES, TABLEAU_SLACK, Tableau
from equilibrist.exploit.seat import Seat, known_policy
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree.game_tree import GameTree

Opponents = Literal["random", "sophisticated", "dynamic", "equilibrium"]

OPPONENTS: tuple[Opponents, ...] = ("random", "sophisticated", "dynamic", "equilibrium")
CALM = 100  # hands after which a dynamic opponent turns into a nemesis
NEAR = 0.2  # how far a sophisticated opponent strays from equilibrium


def random_state(*seed: int) -> npt.NDArray[np.uint64]:
    """Where a kernel's random numbers begin."""
    state: npt.NDArray[np.uint64] = np.random.SeedSequence(seed).generate_state(4, np.uint64).astype(np.uint64)
    return state


@dataclass(frozen=True)
class RepeatedMatchResult:
    """Expected payoff of every hand and the k before it, [hands]."""

    earned: Floats
    given: Floats


class MatchTable:
    """A seat, a prior and the arrays of both, ready for matches."""

    def __init__(
        self,
        game: Compiled,
        side: Seat,
        equilibrium: TabularPolicy,
        *,
        strength: float = 5.0,
        bonus: Floats | None = None,
        beta: float = 1.0,
    ) -> None:
        if sum(side.form.sequences) ** 2 * 2 > TABLEAU_ENTRIES:
            raise NotApplicableError(f"Whole matches are for games as small as Kuhn, but '{side.name}' is larger.")
        if not strength > 0.0:
            raise ParameterError(f"The prior is worth a positive number of hands, but {strength} was given.")
        self.game, self.side, self.beta = game, side, beta
        self.equilibrium = side.form.strategy(known_policy(equilibrium, side.form))[side.theirs]
        self.prior = strength * self.equilibrium
        self.bonus = np.zeros(side.form.sequences[side.player]) if bonus is None else bonus

    @cached_property
    def tableau(self) -> Tableau:
        return Tableau(self.side)

    @cached_property
    def _entries(self) -> kernel.Entries:
        return kernel.Entries(*self.side.form.payoff.coordinates(self.side.player))

    @cached_property
    def _deals(self) -> kernel.Deals:
        """The tree, with each decision's place among the sequences and infosets of whoever acts."""
        form, tree = self.side.form, self.game.tree
        sequence = np.empty(form.infosets.slots, dtype=np.int32)
        own = form.slot >= 0
        sequence[form.slot[own]] = np.flatnonzero(own)
        number = np.empty(len(form.infoset), dtype=np.int32)
        number[form.infoset] = np.arange(len(form.infoset), dtype=np.int32)
        row, place = np.zeros(tree.histories, dtype=np.int32), np.zeros(tree.histories, dtype=np.int32)
        acts = np.flatnonzero(tree.player >= 0)
        who, infoset = tree.player[acts], tree.infoset[acts]
        row[acts] = sequence[form.infosets.first_slot[infoset]] - form.offset[who]
        place[acts] = number[infoset] - form.first_infoset[who]
        return kernel.Deals(
            tree.player,
            tree.first_child,
            tree.children,
            tree.chance_probability,
            tree.terminal,
            row,
            place,
            np.ascontiguousarray(tree.returns),
        )

    def opponent(self, kind: Opponents, rng: np.random.Generator) -> Floats:
        """Behaviour of one opponent of a class [its sequences]; two actions at every infoset."""
        if kind not in OPPONENTS:
            raise ParameterError(f"Opponents are {', '.join(OPPONENTS)}, not '{kind}'.")
        out, form, side = self.equilibrium.copy(), self.side.form, self.side
        part, base = side.infosets_of(side.opponent), int(form.offset[side.opponent])
        for i in range(part.start, part.stop):
            first, n = int(form.first_sequence[i]) - base, int(form.actions[i])
            row = out[first : first + n]
            if kind in ("random", "dynamic"):  # a point drawn evenly from the simplex; U[0, 1] for two actions
                row[:] = rng.dirichlet(np.ones(n))
            elif kind == "sophisticated":  # uniform on the part of the interval that is a probability
                low, high = np.maximum(row - NEAR, 0.0), np.minimum(row + NEAR, 1.0)
                row[:] = low + (high - low) * rng.random(n)
                row[-1] = 1.0 - row[:-1].sum() if n == 2 else row[-1]
                row /= row.sum()
        return out

    def play(
        self, rule: Rule, behaviour: Floats, hands: int, seed: int, *, dynamic: bool = False
    ) -> RepeatedMatchResult:
        """One match; equal seeds give equal deals whatever the rule."""
        side, earned, given = self.side, np.zeros(hands), np.zeros(hands)
        kind = kernel.NEMESIS if dynamic else kernel.STATIC
        terms = kernel.Terms(RULES.index(rule), hands, kind, CALM, side.player, side.value, TABLEAU_SLACK, self.beta)
        done = kernel.play_match(
            terms,
            side.form.treeplex,
            self._entries,
            self._deals,
            self.tableau.arrays,
            self.bonus,
            self.prior,
            behaviour,
            random_state(seed),
            earned,
            given,
        )
        if not done:
            raise EquilibristError(f"The safe plans of '{side.name}' could not be computed in double precision.")
        return RepeatedMatchResult(earned, given)

    def average(self, rule: Rule, kind: Opponents, opponents: int, hands: int = 1000, seed: int = 0) -> Floats:
        """Mean payoff per hand against each opponent of a class [opponents]."""
        out = np.empty(opponents)
        for j in range(opponents):
            rng = np.random.default_rng([seed, j])
            behaviour = self.opponent(kind, rng)
            out[j] = self.play(
                rule, behaviour, hands, 1 + j + 1_000_003 * seed, dynamic=kind == "dynamic"
            ).earned.mean()
        return out


@dataclass(frozen=True)
class DeviationMatch:
    """Equilibrium first, then best responses to a model that is built again every `rebuild` hands."""

    warmup: int = 1000
    rebuild: int = 50
    hands: int = 3000
    threshold: float | None = None  # exploit only while the mean payoff since the warm-up exceeds it

    def __post_init__(self) -> None:
        if min(self.warmup, self.rebuild, self.hands) < 1 or self.warmup > self.hands:
            raise ParameterError(
                "A match has a warm-up of at least 1 hand, not longer than itself, and rebuilds after 1 or more."
            )

    def play(
        self,
        side: Seat,
        tree: GameTree,
        model: DeviationModel,
        equilibrium: TabularPolicy,
        opponent: TabularPolicy,
        seed: int,
    ) -> Floats:
        """Expected payoff of every hand [hands]; what is observed is drawn."""
        random = random_state(seed)
        plan, theirs = side.my_plan(equilibrium), side.their_plan(opponent)
        base, earned, at = side.payoff(plan, theirs), np.empty(self.hands), 0
        value = base
        while at < self.hands:
            block = self.warmup if at == 0 else min(self.rebuild, self.hands - at)
            earned[at : at + block] = value
            observe_slots(model, self._draw(side, tree, plan, opponent, block, random))
            at += block
            if self.threshold is not None and at > self.warmup and earned[self.warmup : at].mean() < self.threshold:
                plan = side.my_plan(equilibrium)
            else:
                plan = side.best(side.their_plan(model.policy()))[1]
            value = side.payoff(plan, theirs)
        return earned

    def _draw(
        self,
        side: Seat,
        tree: GameTree,
        plan: Floats,
        opponent: TabularPolicy,
        hands: int,
        random: npt.NDArray[np.uint64],
    ) -> Floats:
        """Counts [slots] of the opponent's actions in some hands."""
        counts = np.zeros(tree.infosets.slots)
        ours = side.policy(plan, side.their_plan(opponent)).probabilities
        sampled = SampledTree(
            tree.player,
            tree.first_child,
            tree.children,
            tree.infoset,
            np.zeros(tree.histories, dtype=np.bool_),
            tree.chance_probability,
            tree.terminal,
            tree.infosets.first_slot,
        )
        probe_counts(hands, side.player, random, sampled, opponent.probabilities, ours, counts)
        return counts


def observe_slots(model: DeviationModel, counts: Floats) -> None:
    """Counts by slot of the game's index, of many hands at once."""
    form = model.side.form
    for n, history in enumerate(model.histories):
        for i in history.infosets:
            first = int(form.slot[int(form.first_sequence[i])])
            model.counts[n] += counts[first : first + len(history.actions)]
