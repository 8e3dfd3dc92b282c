"""Learning: networks in the place of tables, trained by self-play.

Enters: a game, as a `Compiled`, and a method by name. Leaves: a policy (Deep CFR and its successors, NFSP, PPO) or values of beliefs
(ReBeL), with a curve of its exact exploitability. A method makes a `Learner` (`learner.py`); `trainings/` runs any learner in a folder,
where it can be stopped at any moment and goes on. `hand_values/` learns what hold'em hands are worth, from exact solutions. Start reading
in `learner.py`. PyTorch comes with the extra 'deep'.
"""

from equilibrist import publish

publish(__name__)
