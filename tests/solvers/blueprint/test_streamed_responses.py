"""Responses to strategies in buckets, all boards in one pass: against plain recursion over deals, flop by flop, and what is refused."""

from __future__ import annotations

from equilibrist.solvers.blueprint.plan import BlueprintPlan

SMALL = BlueprintPlan("flop-holdem(ranks=4,suits=2)", {}, "ehs-equal(sizes=all/5, sample=1000)")
