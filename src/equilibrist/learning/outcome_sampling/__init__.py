"""Outcome sampling: regrets from single plays of the game, with learned values of histories (DREAM, ESCHER, VR-DeepDCFR+).

Enters: a game that fits in memory. Leaves: learners that have no need to walk more than one action at a time. Start reading in
`sampled_learner.py`; what the methods share in plays is in `plays.py`, values of histories are in `history_values.py`.
"""
