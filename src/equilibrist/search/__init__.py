"""Subgames solved again in real time, from a blueprint and beliefs.

Enters: whatever was solved (a `TreeProfile` on a public tree, a node of a spot, boards of a game) and ranges. Leaves: strategies with the
opponent's values. `techniques.py` names the techniques, `gadgets.py`, `resolve.py` and `maxmargin.py` hold what stands at the
roots, `gadget_run.py` runs it on any of the `engines/`. Start reading in `gadget_run.py`; `requests.py` is what commands ask for.
"""

from equilibrist import publish

publish(__name__)
