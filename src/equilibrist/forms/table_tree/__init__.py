"""Table trees: the betting of a table before the flop as arrays, every seat with vectors over the 169 classes of hands."""
