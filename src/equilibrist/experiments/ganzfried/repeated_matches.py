"""Many matches of a small game: rules of `safe_exploitation.py` against classes of opponents, on the same deals ([Ganzfried15, §13.7])."""

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
from equilibrist.exploit.responses.safe_plans import TABLEAU_ENTRIES, TABLEAU_SLACK, Tableau
from equilibrist.exploit.seat import Seat, known_policy
from equilibrist.forms.compiled import Compiled

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
