"""Commands about strategies: solve, show, verify, search, exploit, equity."""
