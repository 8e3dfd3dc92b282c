"""Small games other than poker: matrix games, dice, Goofspiel, coin toss, repeated games."""
