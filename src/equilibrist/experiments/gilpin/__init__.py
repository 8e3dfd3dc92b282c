"""Results of Gilpin 2009."""
