"""Commands about tournaments: icm, tournament."""
