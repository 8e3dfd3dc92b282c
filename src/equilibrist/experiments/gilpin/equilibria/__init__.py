"""[Gilpin09, chapters 8 to 11]: first-order methods, sampling, repeated games."""
