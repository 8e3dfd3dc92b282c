"""Play: the referee of a hand, statistics of matches, AIVAT, local best response, the trainer."""
