"""ICM as it is printed: sums over ordered finishers, in fractions ([Ganzfried15, §9.8.2])."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations


def naive_icm(stacks: Sequence[float], payouts: Sequence[float]) -> list[Fraction]:
    """Exact equities of positive stacks: every order of all players, its probability, its prizes."""
    chips = [Fraction(stack) for stack in stacks]
    prizes = [Fraction(prize) for prize in payouts[: len(chips)]]
    out = [Fraction(0)] * len(chips)
    for order, chance in finish_orders(chips):
        for player, prize in zip(order, prizes, strict=False):
            out[player] += chance * prize
    return out


def finish_orders(chips: Sequence[Fraction]) -> list[tuple[tuple[int, ...], Fraction]]:
    """Every order with its probability: each place goes to one of those left with probability stack over their chips."""
    out = []
    for order in permutations(range(len(chips))):
        chance, left = Fraction(1), sum(chips, Fraction(0))
        for player in order:
            chance *= chips[player] / left
            left -= chips[player]
        out.append((order, chance))
    return out


def naive_places(stacks: Sequence[float]) -> list[list[Fraction]]:
    """[player][place] exact probabilities."""
    chips = [Fraction(stack) for stack in stacks]
    out = [[Fraction(0)] * len(chips) for _ in chips]
    for order, chance in finish_orders(chips):
        for place, player in enumerate(order):
            out[player][place] += chance
    return out


def naive_knockouts(stacks: Sequence[float], bounties: Sequence[float], kept: Fraction) -> list[Fraction]:
    """Expected bounty money: from the last place up, each head goes to a player above with probability by stack.

    `kept` is the share of it that is added to the taker's own head; the winner is paid what is on its head.
    """
    chips = [Fraction(stack) for stack in stacks]
    out = [Fraction(0)] * len(chips)
    for order, chance in finish_orders(chips):
        _pay(order, chance, [Fraction(bounty) for bounty in bounties], chips, kept, out)
    return out


def _pay(
    order: tuple[int, ...],
    chance: Fraction,
    heads: list[Fraction],
    chips: list[Fraction],
    kept: Fraction,
    out: list[Fraction],
) -> None:
    *above, last = order
    if not above:
        out[last] += chance * heads[last]
        return
    total = sum((chips[player] for player in above), Fraction(0))
    for taker in above:
        part = chance * chips[taker] / total
        out[taker] += part * (1 - kept) * heads[last]
        later = list(heads)
        later[taker] += kept * heads[last]
        _pay(tuple(above), part, later, chips, kept, out)
