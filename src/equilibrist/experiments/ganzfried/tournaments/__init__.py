"""[Ganzfried15, chapter 9]: jam/fold tournaments, stochastic games, the Independent Chip Model."""
