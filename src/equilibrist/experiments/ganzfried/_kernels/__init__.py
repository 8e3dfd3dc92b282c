"""Compiled loops of the experiments of Ganzfried 2015."""
