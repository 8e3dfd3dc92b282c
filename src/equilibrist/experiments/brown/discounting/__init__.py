"""[Brown20, chapters 2 and 3]: discounted CFR, Monte Carlo CFR, warm starts."""
