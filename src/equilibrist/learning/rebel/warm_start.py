"""Searches that begin from a policy, as if it had been played for some iterations ([Brown20, §3.2, §5.3.3])."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.learning.rebel._kernels.subgame import SearchTables, reach_of
from equilibrist.learning.rebel.templates import Template

ITERATIONS = 15  # of the text


class Policies(Protocol):
    """Who knows how searches may come out."""

    def strategies(self, template: Template, start: Floats) -> Floats:
        """[B, S, N] of all nodes of searches from own reach [B, 2, N]."""


@dataclass(frozen=True)
class PolicyStart:
    """Regrets are those of best responses that are not weakened, as in the text: none is positive."""

    policies: Policies
    iterations: int = ITERATIONS

    def play(self, template: Template, tables: SearchTables) -> None:
        """The policy, and where it leads."""
        tables.strategy[:] = self.policies.strategies(template, tables.start)
        reach_of(template.shape, np.ascontiguousarray(tables.strategy), tables.start, tables.reach)
