"""Play under networks, and the steps of small networks beside it."""
