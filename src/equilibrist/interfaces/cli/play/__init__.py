"""Commands about players: match, play, evaluate, agents, serve, the ACPC protocol."""
