"""The queue of solves: what waits, what runs, what is told meanwhile."""
