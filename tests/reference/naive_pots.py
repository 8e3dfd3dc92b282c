"""Settling a hand unit by unit, with whole numbers only: the slow twin of games/poker/game.py (`settle`)."""

from fractions import Fraction


def naive_settlement(paid, folded, ranking, dead=(), whole=True):
    """Net units of each player: every unit of every player goes into the pot of those who matched it and have not folded.

    `paid` and `dead` are whole numbers of units. Ties leave odd units to the first winners in order, or share exactly (`whole` False).
    """
    live = [p for p in range(len(paid)) if not folded[p]]
    pots = []  # [eligible players, units]
    for unit in range(1, max(paid) + 1):
        matched = [p for p in live if paid[p] >= unit]
        eligible = matched or (pots[-1][0] if pots else live)
        if not pots or pots[-1][0] != eligible:
            pots.append([eligible, 0])
        pots[-1][1] += sum(1 for amount in paid if amount >= unit)
    pots[0][1] += sum(dead)
    net = [Fraction(-amount) for amount in paid]
    for p, amount in enumerate(dead):
        net[p] -= amount
    for eligible, amount in pots:
        best = max(ranking[p] for p in eligible)
        winners = [p for p in eligible if ranking[p] == best]
        if not whole:
            for p in winners:
                net[p] += Fraction(amount, len(winners))
            continue
        while amount:  # round the table, one unit at a time
            for p in winners[: min(amount, len(winners))]:
                net[p] += 1
                amount -= 1
    return net
