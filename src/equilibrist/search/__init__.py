"""Subgames solved again in real time, from a blueprint and beliefs.

In goes a `Blueprint` (a policy on a public tree and all its values, computed once) and a `Subgame` (public states and ranges);
`search` solves it with a technique (`techniques.py`: unsafe, resolve, maxmargin, reach …) and gives a `SubgameSolution`.
`entry.py` holds the gadgets at the roots, `subgame_run.py` the solver. Start reading in `resolving.py`.
"""

from equilibrist.search.beliefs import Beliefs
from equilibrist.search.blueprint import Blueprint
from equilibrist.search.subgame import Subgame, after_chance
from equilibrist.search.subgame_solving import SubgameSolution, search, search_everywhere
from equilibrist.search.techniques import TECHNIQUES, Technique, find_technique

__all__ = [
    "TECHNIQUES",
    "Beliefs",
    "Blueprint",
    "Subgame",
    "SubgameSolution",
    "Technique",
    "after_chance",
    "find_technique",
    "search",
    "search_everywhere",
]
