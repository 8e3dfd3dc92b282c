"""Vector CFR that stops after the first street; below it each player chooses a continuation."""
