"""Commands about tournaments: icm."""
