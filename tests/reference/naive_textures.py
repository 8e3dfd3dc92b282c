"""Textures of boards, counted card by card."""

from collections import Counter


def naive_texture(board, deck):
    """Cards of one suit, equal ranks, ranks that stand close together: 0 to 2 each, as one number."""
    ranks, suits = [deck.rank(card) for card in board], [deck.suit(card) for card in board]
    fewest = -(-len(board) // deck.suits)  # of the suit that has most
    suited = min(max(Counter(suits).values()) - fewest, 2)
    equal = min(len(board) - len(set(ranks)), 2)
    places = set(ranks) | ({-1} if deck.ranks - 1 in ranks else set())
    close = max(len(places & set(range(low, low + 5))) for low in range(-1, deck.ranks - 4))
    return 9 * suited + 3 * equal + min(max(close - 2, 0), 2)
