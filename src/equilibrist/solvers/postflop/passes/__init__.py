"""Passes over boards: kernel calls of one thread, and passes that many threads share."""
