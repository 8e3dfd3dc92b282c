"""Results of Davis 2015."""
