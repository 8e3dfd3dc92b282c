"""Card abstraction: hands that are hard to tell apart share a bucket."""
