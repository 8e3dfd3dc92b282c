"""Pictures: strategies, ranges, runouts, buckets, strength curves, and the palette they share."""
