"""Published results, run again: one small module each, by thesis.

Enters: an id such as `brown/bandit` and a setting (quick or full). Leaves: an `ExperimentResult` with published and
measured numbers, the checks between them, a status and, on request, a picture. Start reading in `registry.py`, then
`brown/bandit.py`; `equivalents.py` says how numbers are compared that rounding alone moves.
"""

from equilibrist.experiments.findings import Check, ExperimentResult
from equilibrist.experiments.registry import Experiment, find_experiment, list_experiments, run_experiment

__all__ = ["Check", "Experiment", "ExperimentResult", "find_experiment", "list_experiments", "run_experiment"]
