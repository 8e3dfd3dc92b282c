"""Responses to strategies in buckets, all boards in one pass: against plain recursion over deals, flop by flop, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import SolveRecord
from equilibrist.solvers.blueprint.exact.exact_exploitability import exact_exploitability
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BlueprintRun
from equilibrist.solvers.blueprint.strategy import SOLVER, PokerBlueprint
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.streamed_responses import StreamedResponses

SMALL = BlueprintPlan("flop-holdem(ranks=4,suits=2)", {}, "ehs-equal(sizes=all/5, sample=1000)")
