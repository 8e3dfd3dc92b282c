"""Vector CFR over boards: postflop spots and full poker games, exactly."""
