"""Plays of a game that fits in memory: the tree laid out for them, the steps that they took, and values passed up by one step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.outcome_sampling._kernels.plays import SampledSums, exact_values, play_outcomes
from equilibrist.solvers.mccfr._kernels.mccfr import PackedTree
from equilibrist.solvers.mccfr._kernels.packing import depth, random_state
from equilibrist.solvers.mccfr.run import fitting, pack_tree

Array = npt.NDArray[Any]
TERMINAL = -2


class Plays:
    """Plays of two players; payoffs are shares of the largest one, and `landed` remembers the newest steps."""

    def __init__(self, game: Compiled, memory: int, seed: int) -> None:
        tree = game.tree
        self.game = game
        refuse_other_games(game)
        packed = pack_tree(tree, 1)
        self.scale = float(np.abs(packed.payoffs).max(initial=0.0)) or 1.0
        self.tree = PackedTree(packed.nodes, packed.outcomes, packed.cumulative, packed.payoffs / self.scale)
        first = game.infosets.first_slot
        self.infoset_of = np.repeat(np.arange(len(game.infosets), dtype=np.int32), np.diff(first))
        self.random = random_state(seed)
        self.tally = np.zeros(2, dtype=np.int64)  # nodes, plays
        self.landed = np.zeros(memory, dtype=np.int32)
        self.steps = 0
        above = tree.parent
        self.child: Ints = np.flatnonzero((above >= 0) & (tree.player[above] >= 0)).astype(np.int32)  # steps of players
        self.above: Ints = above[self.child]
        self.slot: Ints = first[tree.infoset[self.above]] + self.child - tree.first_child[self.above]
        self.entry = _entries(tree.player, above)
        self.own_payoff: Floats = np.where(
            tree.player == TERMINAL, self.tree.payoffs[np.maximum(self.tree.nodes[:, 1], 0) * (tree.player == TERMINAL), 0], 0.0
        )  # fmt: skip
        self._depth = depth(above, tree.terminal >= 0) + 1

    @property
    def histories(self) -> int:
        return len(self.own_payoff)

    def play(
        self,
        player: int,
        plays: int,
        *,
        strategy: Floats,
        q: Floats,
        exploration: float,
        weight: float = 1.0,
        importance: bool = False,
        meetings: bool = False,
    ) -> SampledSums:
        """Plays in which one player explores, all against the same strategies [S]."""
        infosets, room = self.game.infosets, plays * self._depth if meetings else 0
        found = SampledSums(
            np.zeros(infosets.slots),
            np.zeros(len(infosets)),
            np.zeros(self.histories, dtype=np.int64),
            self.landed,
            np.zeros(room, dtype=np.int32),
            np.zeros(room),
            np.array([self.steps, 0], dtype=np.int64),
        )
        path = np.zeros((self._depth, 2), dtype=np.int32)
        with np.errstate(over="ignore"):  # random numbers wrap around; kernels left as Python would warn
            play_outcomes(
                self.tree, self.infoset_of, q, player, plays, float(exploration), float(weight), importance, strategy, found,
                self.random, self.tally, path, np.zeros((self._depth, 2)),
            )  # fmt: skip
        self.steps = int(found.count[0])
        return found

    def steps_taken(self) -> Array:
        """[N] how often the steps that are remembered led to each history."""
        kept = self.landed[: min(self.steps, len(self.landed))]
        return np.bincount(kept, minlength=self.histories)

    def expected(self, strategy: Floats, q: Floats) -> Floats:
        """[N] what player 0 expects at each history: its payoff, or the mean of `q` over the actions there."""
        means = np.bincount(self.above, weights=strategy[self.slot] * q[self.child], minlength=self.histories)
        values: Floats = self.own_payoff + means
        return values

    def exact(self, strategy: Floats) -> Floats:
        """[N] the same without any learning."""
        out = np.zeros(self.histories)
        exact_values(self.tree, self.game.tree.chance_probability, self.game.tree.parent, strategy, out)
        return out

    def arrays(self) -> dict[str, Array]:
        """Small state; the steps remembered are `landed`."""
        return {
            "plays.random": self.random.copy(),
            "plays.tally": np.array([*self.tally, self.steps], dtype=np.int64),
        }

    def restore(self, small: Mapping[str, Array], landed: Array | None) -> None:
        self.random[:] = fitting(small["plays.random"], 4, "plays.random")
        *tally, steps = fitting(small["plays.tally"], 3, "plays.tally").tolist()
        self.tally[:] = tally
        self.landed[:] = 0
        self.steps = 0
        if landed is not None:
            kept = min(steps, len(self.landed))
            self.landed[:kept] = fitting(landed, kept, "landed")
            self.steps = steps


def refuse_other_games(game: Compiled) -> None:
    """Values of histories are those of one player, whose loss is the other one's gain."""
    if game.game.players != 2 or np.abs(game.tree.returns.sum(axis=1)).max(initial=0.0) > 1e-9:
        raise NotApplicableError(
            f"Outcome sampling with learned values is for two players who win what the other loses, which '{game.game.name}' is not; "
            "use sd-cfr."
        )


def _entries(player: Array, parent: Array) -> Ints:
    """[N] the history right below the last decision before each one, which chance may have passed since; -1 where there was none."""
    entry = np.full(len(parent), -1, dtype=np.int32)
    for n in range(1, len(parent)):
        above = parent[n]
        entry[n] = n if player[above] >= 0 else entry[above]
    return entry
