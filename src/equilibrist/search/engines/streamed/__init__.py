"""Blueprints in buckets with one deal of board cards: their boards one by one or streamed, and the betting before them."""
