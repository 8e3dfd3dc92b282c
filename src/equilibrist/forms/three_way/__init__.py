"""Three-way spots: the betting of three seats by street, what ends pay, and the hands of every seat on every board."""
