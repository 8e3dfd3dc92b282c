"""What a policy or a player is worth.

Enters: a solution, or a policy and the rules of its game; players at a table. Leaves: reports. Start with `verification/tabular.py`,
which recomputes values and best responses from the rules alone; `play/referee.py` plays a hand.
"""

from equilibrist import publish

publish(__name__)
