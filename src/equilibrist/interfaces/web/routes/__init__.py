"""Handlers, one file per resource; they translate between HTTP and the package and hold no game logic."""
