"""CFR on games of hand classes, and what their solutions are worth in the game of cards."""
