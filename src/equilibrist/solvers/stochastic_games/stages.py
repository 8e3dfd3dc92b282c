"""`Stages`: what the algorithms ask of a stochastic game, all states at once; and `Ends`, how stages hang together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sparse

from equilibrist.core.arrays import Floats, Longs

Watch = Callable[[int, int], None]  # states done, of how many


def unwatched(done: int, states: int) -> None:
    """Nobody is told."""


@dataclass(frozen=True)
class Ends:
    """All ends of all stages in one list."""

    first: Longs  # [state + 1] where the ends of each state begin
    rewards: Floats  # [end, role]
    following: Any  # sparse [end * role, state * role] probabilities: who has which role in which state next

    @property
    def states(self) -> int:
        return len(self.first) - 1

    @property
    def roles(self) -> int:
        return int(self.rewards.shape[1])

    def payoffs(self, values: Floats) -> Floats:
        """[end, role] what each end is worth when `values` [state, role] go on from there."""
        later = self.following @ values.reshape(-1)
        payoffs: Floats = self.rewards + later.reshape(self.rewards.shape)
        return payoffs

    @cached_property
    def state(self) -> Longs:
        """[end] the state it belongs to."""
        return np.repeat(np.arange(self.states), np.diff(self.first))


class Others(Protocol):
    """All other roles are fixed, whichever role is asked about; for some states (rows)."""

    def probabilities(self, own: Floats) -> Floats:
        """[end of these states, role] how likely each end is for a role that plays `own` [row, width]."""

    def answer(self, payoffs: Floats, keep: Floats | None = None, bonus: Floats | None = None) -> tuple[Floats, Floats]:
        """A best response of every role [row, width] and its value [row, role]; where `keep` is as good it is kept."""

    def values(self, own: Floats, payoffs: Floats, bonus: Floats | None = None) -> Floats:
        """[row, role] what `own` is worth."""


class Stages(Protocol):
    """A stochastic game as arrays; a profile is [state, width], and averages of profiles are averages of play."""

    ends: Ends
    watch: Watch  # told how many states of a pass are done; what it raises leaves the pass undone

    def start(self) -> Floats:
        """Every action alike."""

    def against(self, plan: Floats, rows: Longs | None = None, *, exact: bool = False) -> Others:
        """Fix a profile (of all states) at some states; `exact`: in double precision."""

    def noise(self, rng: np.random.Generator) -> Floats:
        """[state, width] a random reward for each use of an action, of scale one."""


@dataclass(frozen=True)
class Chain:
    """The Markov chain of (state, role) that fixed strategies make."""

    step: Any  # sparse [state * role, state * role]
    reward: Floats  # [state * role] expected in one stage


def chain(ends: Ends, probabilities: Floats, bonus: Floats | None = None) -> Chain:
    """How one stage moves a role, from `probabilities` [end, role]; `bonus` [state, role] is paid besides."""
    size, roles = ends.states * ends.roles, ends.roles
    row = (ends.state[:, None] * roles + np.arange(roles)).reshape(-1)
    pick = sparse.csr_matrix((probabilities.reshape(-1), (row, np.arange(row.size))), (size, row.size))
    reward: Floats = np.asarray(pick @ ends.rewards.reshape(-1))
    return Chain((pick @ ends.following).tocsr(), reward if bonus is None else reward + bonus.reshape(-1))
