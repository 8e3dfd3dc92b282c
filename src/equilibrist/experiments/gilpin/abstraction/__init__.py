"""[Gilpin09]: GameShrink, information and action abstraction, Rhode Island hold'em."""
