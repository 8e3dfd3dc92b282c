"""[Brown20, §4.1 and §5.3]: learning with networks."""
