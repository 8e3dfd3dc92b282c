"""Exact leaves: everything below is solved at the beliefs that are asked about ([Brown20, §5.3.9])."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.learning.rebel._kernels.subgame import worth
from equilibrist.learning.rebel.belief_game import BeliefGame
from equilibrist.learning.rebel.solving import SolvedSearches, SubgameSolver, normalised
from equilibrist.learning.rebel.templates import Template, Templates

TO_THE_END = 10_000  # moves
LEAST = 1e-12  # belief of any hand, so that hands which are never held have a strategy, too


class ExactLeaves:
    """Fulfils `EdgePolicies` by linear CFR on all that is below."""

    def __init__(self, game: BeliefGame, iterations: int) -> None:
        self.templates = Templates(game, TO_THE_END)
        self.solver = SubgameSolver(self, iterations)
        self._solved: dict[int, SolvedSearches] = {}

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        self.ask_at(template, player, reach, reach, out)

    def ask_at(self, template: Template, player: int, beliefs: Floats, reach: Floats, out: Floats) -> None:
        for future in np.unique(template.leaf_future).tolist():
            numbers = np.flatnonzero(template.leaf_future == future)
            turned = template.leaf_swapped[numbers]
            below, held = self.templates.of(future), [self._at(template, numbers, each) for each in (beliefs, reach)]
            found = self._solution(below, held[0])
            start, expected = normalised(below.prior, held[1]), np.empty((2, *held[1][:, 0].shape))
            for seat in range(2):
                expected[seat] = expected_values(below, seat, found.average, start)
            both = expected.reshape(2, len(out), len(numbers), -1)
            out[:, numbers] = np.where(turned[None, :, None], both[1 - player], both[player])

    def _at(self, template: Template, numbers: npt.NDArray[np.intp], reach: Floats) -> Floats:
        """[B x leaves, 2, N] in the order of players of the leaves' class."""
        held = reach[:, template.leaves[numbers]]
        held = np.where(template.leaf_swapped[numbers][:, None, None], held[:, :, ::-1], held)
        return np.ascontiguousarray(held.reshape(-1, *held.shape[2:]))

    def _solution(self, below: Template, held: Floats) -> SolvedSearches:
        """The last one is kept: both players ask at the same beliefs where they are updated at once."""
        held, last = np.maximum(normalised(below.prior, held), LEAST), self._solved.get(below.future)
        if last is None or not np.array_equal(last.start, normalised(below.prior, held)):
            none = np.zeros((len(held), 0), dtype=np.int32)
            last = self._solved[below.future] = self.solver.solve(below, held, none)
        return last


def expected_values(template: Template, player: int, strategy: Floats, start: Floats) -> Floats:
    """[B, N] expected values at the root where both play [B, S, N] from [B, 2, N]."""
    many, hands = len(start), start.shape[-1]
    reach, value = np.zeros((len(template.nodes), 2, hands)), np.zeros((len(template.nodes), hands))
    out = np.empty((many, hands))
    worth(player, template.shape, strategy, start, reach, value, out)
    weight = template.shape.chance[0] if player == 0 else template.shape.chance[0].T
    mass = start[:, 1 - player] @ weight.T
    found: Floats = out / np.where(mass > 0.0, mass, 1.0)
    return found
