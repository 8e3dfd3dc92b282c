"""Situations of a betting tree by kind: the pot that a street begins with, the bet that is faced, and what is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from equilibrist.core.arrays import Longs
from equilibrist.forms.boards.street_betting import WORDS, StreetForest

LARGEST_SHARES = (0.4, 0.8, 1.2, 2.5)  # of the pot: where one size of a bet ends and the next begins
TINY = 1e-9


@dataclass(frozen=True)
class Kinds:
    """Everything of one street sorted into kinds: the name of each kind, and the kind of each thing."""

    names: tuple[str, ...]
    of: Longs


def sorted_kinds(names: Sequence[str], order: Sequence[str] = ()) -> Kinds:
    """Kinds in the given order, others as they are met."""
    met = dict.fromkeys(names)
    kinds = [name for name in order if name in met] + [name for name in met if name not in order]
    place = {name: n for n, name in enumerate(kinds)}
    return Kinds(tuple(kinds), np.array([place[name] for name in names], dtype=np.int64))


def pot_kinds(forest: StreetForest, blinds: bool) -> Kinds:
    """[root] how often was raised before the board came."""
    raises = [sum(word[:1] in ("b", "r") for word in line.split("/")[0].split(":")) for line in forest.before]
    return sorted_kinds([_raised(n, blinds) for n in raises], [_raised(n, blinds) for n in range(max(raises) + 1)])


def _raised(times: int, blinds: bool) -> str:
    if blinds:  # posted blinds count as the first bet
        return ("limped", "raised")[times] if times < 2 else f"{times + 1}-bet"
    return ("checked", "one bet")[times] if times < 2 else f"{times} bets"


def pot_sizes(forest: StreetForest, big_blind: float | None) -> Kinds:
    """[root] chips in the pot when the street begins, in big blinds (in chips where there are none), by powers of two."""
    unit, name = (big_blind, "bb") if big_blind else (1.0, "chips")
    pots = forest.paid[: forest.roots].sum(axis=1) / unit
    power = np.ceil(np.log2(np.maximum(pots, TINY)) - TINY).astype(np.int64).clip(1)
    names = {n: f"{2 ** (n - 1) if n > 1 else 0}–{2**n} {name}" for n in range(1, int(power.max()) + 1)}
    return sorted_kinds([names[n] for n in power.tolist()], list(names.values()))


def bets_faced(forest: StreetForest, player: int) -> Kinds:
    """[slot] of a player the bet that it faces there."""
    return sorted_kinds(_of_slots(forest, player, lambda node, child: _faced(forest, node, player)), FACED)


def answers(forest: StreetForest, player: int) -> Kinds:
    """[slot] of a player its action, with the size of a bet or raise."""
    return sorted_kinds(_of_slots(forest, player, lambda node, child: _answer(forest, node, child, player)), ANSWERS)


def _of_slots(forest: StreetForest, player: int, name: Callable[[int, int], str]) -> list[str]:
    """[slot] what `name` makes of its node and of the node that its action leads to."""
    return [
        name(node, int(forest.first_child[node]) + place)
        for node in np.flatnonzero(forest.kind == player).tolist()
        for place in range(int(forest.children[node]))
    ]


def _faced(forest: StreetForest, node: int, player: int) -> str:
    mine, theirs = float(forest.paid[node, player]), float(forest.paid[node, 1 - player])
    if theirs <= mine + TINY:
        return NO_BET
    size = _size((theirs - mine) / max(2.0 * mine, TINY), theirs, forest.stack)
    return AN_ALL_IN if size == ALL_IN else f"a bet {size}"


def _answer(forest: StreetForest, node: int, child: int, player: int) -> str:
    word = WORDS[forest.action[child][0]]
    if word not in ("bet", "raise"):
        return word
    theirs, paid = float(forest.paid[node, 1 - player]), float(forest.paid[child, player])
    size = _size((paid - theirs) / max(2.0 * theirs, TINY), paid, forest.stack)
    return size if size == ALL_IN else f"bet or raise {size}"


def _size(share: float, paid: float, stack: float) -> str:
    """A bet as a share of the pot after a call of whatever was bet before; an all-in whatever it is."""
    if paid >= stack - TINY:
        return ALL_IN
    return SIZES[int(np.searchsorted(LARGEST_SHARES, share - TINY))]


def _size_names() -> tuple[str, ...]:
    ends = [f"{100 * share:.0f}" for share in LARGEST_SHARES]
    between = [f"of {first}–{last} %" for first, last in pairwise(ends)]
    return (f"of at most {ends[0]} %", *between, f"of more than {ends[-1]} %")


NO_BET, AN_ALL_IN, ALL_IN, SIZES = "no bet", "an all-in", "all-in", _size_names()
FACED = (NO_BET, *(f"a bet {size}" for size in SIZES), AN_ALL_IN)
ANSWERS = ("check", "fold", "call", *(f"bet or raise {size}" for size in SIZES), ALL_IN)


def roots_of(forest: StreetForest) -> Longs:
    """[node] the root above it."""
    out = np.arange(len(forest), dtype=np.int64)
    for node in range(forest.roots, len(forest)):
        out[node] = out[forest.parent[node]]
    return out


def roots_of_slots(forest: StreetForest, player: int) -> Longs:
    """[slot] of a player the root above its node."""
    above, out = roots_of(forest), np.zeros(forest.slots[player], dtype=np.int64)
    for node in np.flatnonzero(forest.kind == player).tolist():
        first = int(forest.slot[node])
        out[first : first + int(forest.children[node])] = above[node]
    return out


def line_of_slot(forest: StreetForest, player: int, slot: int) -> str:
    """The betting up to an action of a player, and the action."""
    acting = np.flatnonzero(forest.kind == player)
    node = int(acting[np.searchsorted(forest.slot[acting], slot, side="right") - 1])
    return forest.line(int(forest.first_child[node]) + slot - int(forest.slot[node]))
