"""Off-tree actions: nested search, and translation as the alternative."""
