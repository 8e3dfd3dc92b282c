"""History trees: every history of a game as flat arrays, for any number of players and any payoffs."""
