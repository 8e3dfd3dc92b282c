"""[Brown20, §5.2 and §5.3]: depth-limited search and values of beliefs."""
