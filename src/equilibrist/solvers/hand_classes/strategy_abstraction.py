"""From a solved game to a strategy-based abstraction: what each first-round hand does, a vector ([Gilpin09, §6.6])."""

from __future__ import annotations

import numpy as np

from equilibrist.abstraction.information.hand_strength import HandStrength
from equilibrist.abstraction.information.potential_aware import HistogramPotential
from equilibrist.abstraction.information.siblings import Sizes
from equilibrist.abstraction.information.strategy_based import StrategyBased
from equilibrist.core.arrays import Floats
from equilibrist.forms.hand_classes.kronecker import kronecker_form
from equilibrist.solvers.hand_classes.passes import RoundStrategy
from equilibrist.solvers.hand_classes.solve_classes import solve_rounds
from equilibrist.solvers.iteration_loop import ProgressCallback


def strategy_vectors(strategy: RoundStrategy) -> Floats:
    """[first-round hands up to suits, columns of both seats]: probability of every action in the first round."""
    sides = [
        strategy.behaviour(player)[0][strategy.form.hand_classes(player).table[strategy.form.rounds[0].number]]
        for player in range(2)
    ]
    return np.concatenate(sides, axis=1)


def strategy_method(
    strength: HandStrength,
    sizes: Sizes,
    *,
    until: float,
    later: HistogramPotential | None = None,
    threads: int = 1,
    progress: ProgressCallback | None = None,
) -> StrategyBased:
    """Solve a game that tells all first-round hands apart (later rounds by potential, of the same sizes), and read it off."""
    potential = later or HistogramPotential()
    hands = strength.indexer.sizes[strength.seen[0]]
    first = None if sizes is None else [hands, *(size and max(size, hands) for size in list(sizes)[1:])]
    rules = strength.game.rules
    form = kronecker_form(rules, potential.classes(strength, first), name="for strategy vectors", threads=threads)
    solution = solve_rounds(form, until=until, progress=progress)
    return StrategyBased(strategy_vectors(solution.strategy), potential)
