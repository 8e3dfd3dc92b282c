"""Standings of a tournament: names, stacks, payouts and bounties, as people write them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equilibrist.core.errors import FormatError, ParameterError, suggest
from equilibrist.core.numbers import finite_number
from equilibrist.core.reading import read_toml
from equilibrist.games.tournaments.fields import MOST_PLAYERS, check_bounties, check_payouts, check_stacks

EXPECTED = "standings have stacks = [5000, 3000, 2000] or a table [stacks] of names, and payouts = [50, 30, 20]"
KEYS = ("stacks", "payouts", "names", "bounties", "progressive")
LONGEST_NAME = 60


@dataclass(frozen=True)
class Standings:
    """Who has how much, and what is paid."""

    names: tuple[str, ...]
    stacks: tuple[float, ...]
    payouts: tuple[float, ...]
    bounties: tuple[float, ...] = ()  # on each head; none: no knockout tournament
    progressive: float = 0.0  # share of a bounty that is added to the taker's own

    def player(self, given: str) -> int:
        """Who is meant by a name, or by a number from 1."""
        if given in self.names:
            return self.names.index(given)
        if given.isascii() and given.isdigit() and len(given) < 9 and 1 <= int(given) <= len(self.names):
            return int(given) - 1
        raise ParameterError(
            f"There is no player '{given[:LONGEST_NAME]}'; give a name or a number from 1 to {len(self.names)}."
            f"{suggest(given[:LONGEST_NAME], self.names)}"
        )

    def moved(self, giver: int, taker: int, chips: float | None = None) -> tuple[Standings, tuple[float, ...]]:
        """Standings after chips have moved (default: all that the smaller stack can cover), and the bounty cash of each player."""
        if giver == taker:
            raise ParameterError(f"Chips move between two players, but '{self.names[giver]}' was given twice.")
        most = self.stacks[giver]
        amount = min(most, self.stacks[taker]) if chips is None else finite_number("chips", chips)
        if not 0.0 < amount <= most:
            raise ParameterError(
                f"'{self.names[giver]}' has {most:g} chips, so that {amount:g} cannot move to '{self.names[taker]}'; "
                "give more than zero and no more than that."
            )
        stacks, heads, cash = list(self.stacks), list(self.bounties), [0.0] * len(self.stacks)
        stacks[giver] -= amount
        stacks[taker] += amount
        if heads and not stacks[giver]:
            cash[taker] = (1.0 - self.progressive) * heads[giver]
            heads[taker] += self.progressive * heads[giver]
            heads[giver] = 0.0
        return replace(self, stacks=tuple(stacks), bounties=tuple(heads)), tuple(cash)


def make_standings(
    stacks: Sequence[float] | Mapping[str, float],
    payouts: Sequence[float],
    names: Sequence[str] = (),
    bounties: Sequence[float] | Mapping[str, float] = (),
    progressive: float = 0.0,
) -> Standings:
    """Standings, checked; players without names are numbered from 1."""
    if isinstance(stacks, Mapping):
        if names:
            raise ParameterError("The stacks have names already; leave the other names out.")
        names, stacks = tuple(stacks), tuple(stacks.values())
    chips = check_stacks(stacks)
    called = tuple(names) or tuple(str(number + 1) for number in range(chips.size))
    _check_names(called, chips.size)
    if isinstance(bounties, Mapping):
        unknown = [name for name in bounties if name not in called]
        if unknown:
            raise ParameterError(f"There is a bounty on '{unknown[0]}', who has no stack.{suggest(unknown[0], called)}")
        bounties = [bounties.get(name, 0.0) for name in called]
    heads = tuple(map(float, check_bounties(bounties, chips))) if np.size(bounties) else ()
    kept = finite_number("progressive", progressive)
    if kept > 1.0:
        raise ParameterError(f"'progressive' is a share from 0 to 1, but {kept:g} was given; half is written 0.5.")
    return Standings(called, tuple(map(float, chips)), tuple(map(float, check_payouts(payouts))), heads, kept)


def read_standings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a TOML file says, for `make_standings`; unknown keys are refused."""
    table = read_toml(path, "Standings", EXPECTED)
    for key in table:
        if key not in KEYS:
            raise FormatError(f"Standings '{path}' have no '{key}'; {EXPECTED}.{suggest(key, KEYS)}")
    for key, kind in (("stacks", list | dict), ("payouts", list), ("names", list), ("bounties", list | dict)):
        if key in table and not isinstance(table[key], kind):
            raise FormatError(f"'{key}' of standings '{path}' is no list; {EXPECTED}.")
    return table


def parse_amounts(what: str, text: str) -> list[float]:
    """`5000,3000,2000`; `100x20` is 100 twenty times."""
    out: list[float] = []
    for part in text.replace(";", ",").replace(" ", ",").split(","):
        if not part:
            continue
        amount, times, count = part.partition("x")
        try:
            value = float(amount)
            number = int(count) if times else 1
        except ValueError:
            raise ParameterError(
                f"'{part[:LONGEST_NAME]}' of the {what} is no number; write them as 5000,3000,2000, or 100x20 for 100 twenty times."
            ) from None
        if not 1 <= number <= MOST_PLAYERS - len(out):
            raise ParameterError(f"'{part[:LONGEST_NAME]}' makes no {what}; give 1 to {MOST_PLAYERS:,} of them in all.")
        out += [value] * number
    return out


def _check_names(names: tuple[str, ...], players: int) -> None:
    if len(names) != players:
        raise ParameterError(f"{len(names):,} names were given for {players:,} stacks; give one for each.")
    for name in names:
        if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise ParameterError(
                f"A name is up to {LONGEST_NAME} printable letters, but {str(name)[:LONGEST_NAME]!r} was given."
            )
    if len(set(names)) != players:
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise ParameterError(f"Two players are called '{twice}'; give each a name of its own.")
