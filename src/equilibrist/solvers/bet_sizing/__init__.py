"""Bet sizes found while solving: regret transfer, parameter optimisation, SAEF ([Brown20, chapter 4])."""
