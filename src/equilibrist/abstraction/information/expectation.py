"""Expectation-based abstraction: siblings are clustered by how often they win ([Gilpin09, §6.4])."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.abstraction.clustering.line_clusters import LineClusters, check_error, line_clusters
from equilibrist.abstraction.information.hand_strength import HandStrength
from equilibrist.abstraction.information.siblings import Family, Sizes, grow
from equilibrist.core.errors import ParameterError
from equilibrist.forms.hand_classes.classes import HandClasses


@dataclass(frozen=True)
class ExpectationBased:
    """EB (power 1) and EB² (power 2): v = (w + d/2)^power, optimal clusters on a line, totals shared out by the 0-1 program."""

    power: int = 1
    error: str = "absolute"  # what the 0-1 program adds up: distances from the mean, or squared ones

    def __post_init__(self) -> None:
        if self.power not in (1, 2):
            raise ParameterError(f"The power of the winning probability is 1 or 2, but {self.power} was given.")
        check_error(self.error)

    @property
    def name(self) -> str:
        return "eb" if self.power == 1 else "eb2"

    def classes(self, strength: HandStrength, sizes: Sizes = None) -> HandClasses:
        """At most `sizes` classes a round; fewer where strengths coincide."""

        def cluster(family: Family) -> LineClusters:
            values = strength.equity(family.deal)[family.hands] ** self.power
            weights = strength.weight[family.deal][family.hands]
            return line_clusters(values, weights, most=family.most, error=self.error)

        return grow(strength, sizes, cluster)
