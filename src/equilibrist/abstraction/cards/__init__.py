"""Card abstraction: hands that are hard to tell apart share a bucket.

Enters: `Streets` (a deck and what is dealt when) and a `Recipe` (method, sizes, recall, seed). Leaves: a `CardAbstraction`, tables from
canonical hands to buckets. Read `deals.py`, `features.py`, `methods.py`, then `build.py`.
"""
