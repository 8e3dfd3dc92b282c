"""Commands that say how strong players are: ladders, and where a blueprint leaks."""
