"""What an end of the betting pays where several hands show, by listing every order of them ([Harville73], with odds of two)."""

from itertools import permutations

import numpy as np

from equilibrist.cards.allins.classes import combinations, disjoint_pairs
from equilibrist.cards.allins.pairs import pair_outcomes
from equilibrist.games.tables.payoffs import Payoffs


def odds_against(own, reach):
    """How many times as likely a range wins against one class of hands as that class does, a split being half a win."""
    deals = disjoint_pairs()[own] / combinations()[own] * reach
    mine = float(deals @ pair_outcomes().equity[own])
    return (float(deals.sum()) - mine) / mine


def naive_worth(table, end, seat, reach):
    """[class] expected payoff of a seat, given that it meets the hands of those who show; the same for all classes if it has folded.

    `reach` [seat][class]. The best hand is drawn in proportion to the odds, then the best of the others, and so on.
    """
    orders, payoffs = list(permutations(range(len(end.staying)))), Payoffs(table)
    for order in orders:
        payoffs.add(end, order)
    pays = payoffs.values()[:, seat]
    if seat in end.staying:
        return np.array([_by_orders(own, end, seat, reach, orders, pays) for own in range(169)])
    means = []
    for looks in end.staying:
        weights = np.array([_weight(own, end, looks, reach) for own in range(169)])
        seen = [_by_orders(own, end, looks, reach, orders, pays) if weights[own] else 0.0 for own in range(169)]
        means.append(weights @ seen / weights.sum())
    return np.full(169, np.mean(means))


def _weight(own, end, looks, reach):
    """How likely a seat that stays holds a class, and meets all others who stay."""
    out = combinations()[own] * reach[looks][own]
    for other in end.staying:
        if other != looks:
            out *= disjoint_pairs()[own] / combinations()[own] / 1225.0 @ reach[other]
    return out


def _by_orders(own, end, looks, reach, orders, pays):
    odds = [1.0 if other == looks else odds_against(own, reach[other]) for other in end.staying]
    total = 0.0
    for order, pay in zip(orders, pays, strict=True):
        chance, left = 1.0, sum(odds)
        for place in np.argsort(order):
            chance *= odds[place] / left
            left -= odds[place]
        total += chance * pay
    return total
