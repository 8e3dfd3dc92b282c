"""Card abstraction: hands that are hard to tell apart share a bucket.

In: `Streets` (a deck and what is dealt when) and a `Recipe` (method, sizes, recall, seed). Out: a `CardAbstraction`, tables from
canonical hands to buckets. Read `streets.py`, `features.py`, `methods.py` (what a method is), then `build.py`.
"""

from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.card_abstraction import CardAbstraction, load_card_abstraction
from equilibrist.abstraction.cards.deals import HOLDEM, Streets
from equilibrist.abstraction.cards.recipe import PRESETS, Recipe, find_preset, make_recipe
from equilibrist.abstraction.cards.report import report_on

__all__ = [
    "HOLDEM",
    "PRESETS",
    "CardAbstraction",
    "Recipe",
    "Streets",
    "build_abstraction",
    "find_preset",
    "load_card_abstraction",
    "make_recipe",
    "report_on",
]
