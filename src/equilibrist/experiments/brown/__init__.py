"""Results of Brown 2020."""
