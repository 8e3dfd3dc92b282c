"""Blueprints trained by a head and workers, in one process or on a Ray cluster."""
