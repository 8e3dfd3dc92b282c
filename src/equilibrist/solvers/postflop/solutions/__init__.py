"""Solved spots and games on boards: their files, their nodes, their policies."""
