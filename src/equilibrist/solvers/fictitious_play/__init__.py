"""Fictitious play and CFR-BR: learning against best responses."""
