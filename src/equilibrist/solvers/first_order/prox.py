"""Dilated prox functions: a distance to a behaviour at every infoset, weighted by how often the plan comes there ([Gilpin09, §8.3.1]).

    d(x) = sum over infosets u of weight_u x(before u) D(b_u, centre_u)

with D the Kullback-Leibler divergence (entropy) or half the squared distance (Euclidean). With a uniform centre and weights of one it
is the function of the text. `growing` weights, 2 plus the most that any action has below it, make it more evenly convex in deep
trees ([Kroer20]).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.solvers.first_order._kernels import prox as kernels
from equilibrist.solvers.first_order.run import one_of
from equilibrist.solvers.plan_space.field import Field

KINDS: Mapping[str, int] = {"entropy": kernels.ENTROPY, "euclidean": kernels.EUCLIDEAN}
WEIGHTS = ("one", "growing")
LEAST = 1e-300  # a probability below it would have no logarithm


def check_prox(prox: str, weights: str) -> None:
    one_of("prox", prox, tuple(KINDS))
    one_of("weights", weights, WEIGHTS)


class Prox:
    """A prox function on both players' treeplexes, with the steps it defines."""

    def __init__(self, field: Field, kind: str, weights: str, centre: Floats | None = None) -> None:
        self.field, self.kind = field, KINDS[kind]
        self.weight = np.ones(field.infosets)
        if weights == "growing":
            kernels.growing_weights(field.trees, self.weight, np.zeros(field.sequences))
        self.home = field.uniform() if centre is None else centre.copy()  # [S] the behaviour where d is 0
        self.centre = self.coordinate(self.home)

    def recentre(self, behaviour: Floats) -> None:
        """Measure distances from this behaviour."""
        self.home[:] = behaviour
        self.centre[:] = self.coordinate(behaviour)

    def coordinate(self, behaviour: Floats) -> Floats:
        """Behaviours in the coordinates in which steps are taken."""
        return np.log(np.maximum(behaviour, LEAST)) if self.kind == kernels.ENTROPY else behaviour.copy()

    @property
    def arrays(self) -> tuple[int, Floats, Floats]:
        """As kernels take them."""
        return self.kind, self.weight, self.centre

    def largest(self) -> tuple[float, float]:
        """D_i: the largest value of each player's prox function."""
        trees = self.field.trees
        first, second = (
            kernels.largest_distance(p, trees, self.arrays, np.zeros(self.field.sequences)) for p in range(2)
        )
        return float(first), float(second)

    def response(
        self, player: int, gradient: Floats, scale: float = 1.0, centre: Floats | None = None
    ) -> SmoothedResponse:
        """sargmax and smax: the plan that maximises <gradient, x> - scale d(x), and the maximum."""
        q, coordinate, behaviour = gradient.copy(), np.zeros_like(gradient), np.ones_like(gradient)
        from_here = self.centre if centre is None else centre
        value = kernels.prox_own(player, scale, self.field.trees, self.arrays, from_here, q, coordinate, behaviour)
        plan = np.zeros_like(gradient)
        follow_own(player, self.field.trees, behaviour, plan)
        return SmoothedResponse(plan, behaviour, coordinate, float(value))


class SmoothedResponse:
    """A smoothed best response of one player; [S] arrays of which only its own part means anything."""

    def __init__(self, plan: Floats, behaviour: Floats, coordinate: Floats, value: float) -> None:
        self.plan, self.behaviour, self.coordinate, self.value = plan, behaviour, coordinate, value
