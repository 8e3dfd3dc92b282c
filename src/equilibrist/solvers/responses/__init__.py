"""Best responses: on trees, on public trees, to translated strategies, with any bet size."""
