"""Subgames solved again in real time, from a blueprint and beliefs.

Enters: a `Blueprint` (a policy and all its values, computed once) and a `Subgame` (public states and ranges). Leaves: a
`SubgameSolution`. `techniques.py` names the techniques, `gadgets.py` holds what stands at the roots, `engines/` what runs below it.
Start reading in `subgame_solving.py`.
"""
