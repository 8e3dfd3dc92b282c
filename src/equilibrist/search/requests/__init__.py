"""Requests: one search as people ask for it, and how each kind of solution answers it.

Enters: a `SearchRequest` and whatever was solved. Leaves: a `SpotSearch`, or a `GameAnswer` for games. Start with `request.py`.
"""
