"""Hand classes: two-player poker in which each player sees classes of hands; the payoff matrix is a Kronecker product."""
