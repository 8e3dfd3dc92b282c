"""Where a blueprint leaks, by exact best responses on sampled boards, and whether it passes tests of common sense."""
