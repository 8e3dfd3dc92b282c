"""Blueprints in buckets on the boards of the last street: these boards one by one or streamed, and the betting before them."""
