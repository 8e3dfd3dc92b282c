"""Endgames solved by linear programs over buckets of hands ([Lu16, chapter 4]; [Gilpin09, chapter 7])."""
