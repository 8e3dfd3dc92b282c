"""Reports: abstractions, runouts, hand categories, two solutions compared, strength."""
