"""Published results, run again: one small module each, by thesis.

Enters: an id such as `brown/bandit` and a setting (quick or full). Leaves: an `ExperimentResult` with published and
measured numbers, the checks between them, a status and, on request, a picture. Start reading in `registry.py`, then
`brown/bandit.py`; `rounding_replicas.py` says how numbers are compared that rounding alone moves.
"""

from equilibrist import publish

publish(__name__)
