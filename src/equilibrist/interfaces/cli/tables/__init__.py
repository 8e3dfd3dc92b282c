"""Tables before the flop on the screen: what was solved, grids by seat and line, comparisons."""
