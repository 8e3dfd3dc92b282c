"""Review: what the decisions of a hand were worth."""
