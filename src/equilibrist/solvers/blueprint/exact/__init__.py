"""What a best response wins from a blueprint on its own betting tree, exactly: over all boards flop by flop, or from a street on."""
