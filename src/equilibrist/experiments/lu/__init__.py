"""Results of Lu 2016."""
