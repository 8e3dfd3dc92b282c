"""Pots of a hand that is over: side pots, split pots, rake, bounties; who has how many chips afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equilibrist.games.tables.betting import Situation

_TINY = 1e-9


@dataclass(frozen=True)
class Layer:
    """A main or side pot."""

    chips: float  # less rake
    level: float  # what a seat must have put in to win it
    seats: tuple[int, ...]  # who can win it


@dataclass(frozen=True)
class Settled:
    """Chips after a hand, and what was taken from heads."""

    stacks: tuple[float, ...]
    takers: dict[int, tuple[int, ...]]  # who knocked out each eliminated seat; equal shares


def layers(end: Situation) -> tuple[Layer, ...]:
    """The pots that are played for; chips that nobody matched are a layer of one seat and are not raked."""
    table, staying = end.table, end.staying
    each = table.ante.kind == "each"
    paid = [bet + (dead if each else 0.0) for bet, dead in zip(end.bets, end.dead, strict=True)]
    loose = 0.0 if each else sum(end.dead)
    found: list[tuple[float, float, tuple[int, ...]]] = []
    before = 0.0
    for level in sorted({paid[seat] for seat in staying}):
        chips = sum(min(amount, level) - min(amount, before) for amount in paid)
        found.append((chips + (0.0 if found else loose), level, tuple(p for p in staying if paid[p] >= level - _TINY)))
        before = level
    matched = sorted(paid)[-2] if len(paid) > 1 else 0.0
    back = max(0.0, max(paid) - matched)  # nobody called it
    raked = sum(chips for chips, _, _ in found) - back
    flop = len(staying) > 1
    taken = min(table.rake.rate * raked, table.rake.cap) if flop or not table.no_flop_no_drop else 0.0
    kept = 1.0 - taken / raked if raked > _TINY else 1.0
    top = max(level for _, level, _ in found)
    return tuple(
        Layer((chips - (back if level == top else 0.0)) * kept + (back if level == top else 0.0), level, seats)
        for chips, level, seats in found
    )


def last_pots(end: Situation, pots: Sequence[Layer]) -> tuple[int, ...]:
    """[place] the last pot that each hand which shows can win."""
    return tuple(max(number for number, pot in enumerate(pots) if seat in pot.seats) for seat in end.staying)


def settle(end: Situation, pots: Sequence[Layer], order: Sequence[int]) -> Settled:
    """Stacks once cards are shown; `pots` are its layers, `order` ranks the seats that stay, 0 the best, equal ones tie."""
    rank = dict(zip(end.staying, order, strict=True))
    stacks, won_last = (
        list(end.behind),
        dict[int, tuple[int, ...]](),
    )  # who won the last pot that each seat could have won
    for layer in pots:
        best = min([rank[seat] for seat in layer.seats])
        winners = tuple([seat for seat in layer.seats if rank[seat] == best])
        for seat in winners:
            stacks[seat] = round(stacks[seat] + layer.chips / len(winners), 9)
        won_last |= dict.fromkeys(layer.seats, winners)
    gone = [seat for seat in end.staying if stacks[seat] <= _TINY]
    for seat in gone:
        stacks[seat] = 0.0
    return Settled(tuple(stacks), {seat: won_last[seat] for seat in gone})
