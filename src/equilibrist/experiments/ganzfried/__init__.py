"""Results of Ganzfried 2015."""
