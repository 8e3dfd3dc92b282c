"""Encoders: infosets as numbers for a network, cards, bets and bids."""
