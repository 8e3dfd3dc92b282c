"""Information abstraction: GameShrink, expectation-based, potential-aware and strategy-based classes of hands ([Gilpin09])."""
