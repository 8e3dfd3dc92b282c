"""Ranges and values of the hands of a batch: G games, H hands of the cards `cards` [H, 2], P places of a player on the first boards."""

import numpy as np

from equilibrist.compute.kernel import kernel

CARDS = 52


@kernel
def add_up_cards(weights, cards, by_card):
    """Total of one game's weights [H], and of those that hold each card: by_card [CARDS]."""
    total = 0.0
    by_card[:] = 0.0
    for h in range(len(weights)):
        if weights[h] > 0.0:
            total += weights[h]
            by_card[cards[h, 0]] += weights[h]
            by_card[cards[h, 1]] += weights[h]
    return total


@kernel
def weigh_games(mine, theirs, cards, normaliser):
    """normaliser [G]: weight of all pairs of hands that share no card, from the weights [G, H] of both players."""
    by_card = np.zeros(CARDS)
    for g in range(len(normaliser)):
        total = add_up_cards(theirs[g], cards, by_card)
        summed = 0.0
        for h in range(mine.shape[1]):
            if mine[g, h] > 0.0:
                summed += mine[g, h] * (total - by_card[cards[h, 0]] - by_card[cards[h, 1]] + theirs[g, h])
        normaliser[g] = summed


@kernel
def order_weights(weights, count, pair, rows):
    """rows [G, P]: weights [G, H] of the hands at their places `pair` [G, P]; the padding weighs nothing."""
    for g in range(len(count)):
        for i in range(count[g]):
            rows[g, i] = weights[g, pair[g, i]]
        rows[g, count[g] :] = 0.0


@kernel
def values_of_hands(found, theirs, cards, count, pair, values):
    """values [G, H] a hand is worth against the hands that it can meet, from what was `found` [G, P] against the opponent's weights [G, H].

    Not a number where a hand is not held, or meets none.
    """
    by_card = np.zeros(CARDS)
    for g in range(len(count)):
        total = add_up_cards(theirs[g], cards, by_card)
        values[g] = np.nan
        for i in range(count[g]):
            hand = pair[g, i]
            met = total - by_card[cards[hand, 0]] - by_card[cards[hand, 1]] + theirs[g, hand]
            values[g, hand] = np.float64(found[g, i]) / met if met > 1e-12 * total else np.nan
