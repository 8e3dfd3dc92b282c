"""[Brown20, §5.1]: safe and nested subgame solving."""
