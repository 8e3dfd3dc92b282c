"""Rivers and turns for three players, exactly: vector CFR whose showdowns count all pairs of opposing hands."""
