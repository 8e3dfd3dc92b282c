"""Linear programs: exact equilibria of sequence forms and matrices, refinements, dominance."""
