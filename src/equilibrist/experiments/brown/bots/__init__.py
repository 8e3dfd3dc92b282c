"""[Brown20, chapter 6]: the agents."""
