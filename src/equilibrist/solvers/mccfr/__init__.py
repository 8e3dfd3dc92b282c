"""Monte Carlo CFR: external, outcome, chance and public chance sampling, Pure CFR."""
