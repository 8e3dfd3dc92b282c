"""What a policy or a player is worth.

In goes a `Solution` (or a policy and the rules of its game), out comes a report. `verification.py` recomputes values
and best responses from the rules alone, a second opinion on what a solver says about itself; start reading there.
`spot_verification.py` does the same for postflop spots, with explicit payoff matrices. `runouts.py` and `comparison.py`
look at solved spots card by card, and at two of them side by side; `repeated_play.py` plays repeated games out.
`table.py` seats players and plays a hand under a referee; `statistics.py`, `aivat.py` and `local_best_response.py` say what results mean.
"""

from equilibrist.evaluation.verification.tabular import Verification, verify_solution

__all__ = ["Verification", "verify_solution"]
