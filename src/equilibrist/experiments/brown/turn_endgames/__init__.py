"""[Brown20, §5.3.5 and §5.3.9]: turn endgame hold'em on one board, with an oracle and with networks."""
