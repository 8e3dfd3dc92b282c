"""Locks: what a player does at one place of a spot, for all its hands or some, wholly or in part; the rest is solved around it.

Three ways to say what: one strategy for all hands (`{x = 0.7, b120 = 0.3}`), a range of hands for every action
(`{x = "AA:0.3,KK", b120 = "AA:0.7,QQ"}`), or how often the range as a whole takes an action (`frequency = {b120 = 0.3}`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, hand_name, parse_range
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.core.reading import read_toml
from equilibrist.games.spots.street_menus import check_keys, read_number

EVERY_HAND = "random"
HANDS = hands_of(STANDARD).count
DIGITS = 6  # of a probability that is written down
_KEYS = ("line", "hands", "strategy", "frequency", "weight")
_ROUGHLY_ONE = 2e-3  # what the probabilities of one hand may miss, each being rounded


@dataclass(frozen=True)
class Lock:
    """After `line` (actions and cards, `x:b120:c:8h`) hands play `strategy` with probability `weight` and are free otherwise.

    `frequency` asks how often the range takes an action; the strategy is then made from one that was found without the lock
    (`scaled_to`) and stands beside it. Until that has been done `strategy` is empty.
    """

    line: str
    strategy: Mapping[str, float | str]  # by label: a probability, or the hands with their probabilities
    hands: str = EVERY_HAND
    weight: float = 1.0
    frequency: Mapping[str, float] | None = None  # by label

    @property
    def settled(self) -> bool:
        """Whether it says what every hand does."""
        return bool(self.strategy)

    @property
    def asked(self) -> Lock:
        """As it was asked for: without the strategy that was made for a frequency."""
        return self if self.frequency is None else replace(self, strategy={})

    def table(self) -> dict[str, Any]:
        """The keys of a `[[lock]]` and their values; what is as by default is left out."""
        entries = {
            "line": self.line,
            "hands": self.hands,
            "weight": self.weight if self.weight != 1.0 else None,
            "frequency": None if self.frequency is None else dict(self.frequency),
            "strategy": dict(self.strategy),
        }
        return {key: value for key, value in entries.items() if value is not None and value != {}}

    @cached_property
    def by_hand(self) -> dict[str, Floats]:
        """Probability [1326] of each action that is named; 0 in all of them where a hand is free."""
        meant = parse_range(self.hands).weights > 0.0
        if not any(isinstance(share, str) for share in self.strategy.values()):
            return {label: np.where(meant, float(share), 0.0) for label, share in self.strategy.items()}
        shares = {label: parse_range(str(text)).weights * meant for label, text in self.strategy.items()}
        total = np.sum(list(shares.values()), axis=0)
        return {label: share / np.where(total > 0.0, total, 1.0) for label, share in shares.items()}

    def rows(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """Probabilities [action, 1326] for the actions at its place, and how far each hand [1326] is bound."""
        unknown = [label for label in (*self.strategy, *(self.frequency or {})) if label not in labels]
        if unknown:
            raise ParameterError(
                f"A lock after '{self.line}' names {unknown[0]!r}, but the actions there are {', '.join(labels)}."
            )
        shares = np.stack([self.by_hand.get(label, np.zeros(HANDS)) for label in labels])
        return shares, np.where(shares.sum(axis=0) > 0.0, self.weight, 0.0)


def strategy_text(hands: Sequence[int], labels: Sequence[str], strategy: Floats) -> dict[str, str]:
    """A strategy [hand, action] as a range of hands for every action."""
    weights = np.zeros((len(labels), HANDS))
    weights[:, list(hands)] = np.round(strategy, DIGITS).T
    return {label: str(Range(row)) for label, row in zip(labels, weights, strict=True) if row.any()}


def scaled_to(strategy: Floats, weights: Floats, asked: Floats) -> Floats:
    """A strategy [hand, action] changed as little as possible so that hands of these weights take actions as often as asked.

    Actions that become rarer keep the same share of their probability in every hand; what a hand loses goes to the actions that
    become more frequent, in proportion to what each of them gains overall. `asked` is nan where nothing is said: such actions
    share what is left in the old proportions.
    """
    now = weights @ strategy / weights.sum()
    goal = _completed(asked, now)
    kept = np.divide(goal, now, out=np.ones_like(now), where=now > goal)
    gains = np.maximum(goal - now, 0.0)
    lost = strategy @ (1.0 - kept)
    total = gains.sum()
    given = np.outer(lost, gains / total if total > 0.0 else gains)
    scaled: Floats = strategy * kept + given
    return scaled


def _completed(asked: Floats, now: Floats) -> Floats:
    """Frequencies that sum to one."""
    silent = np.isnan(asked)
    left = 1.0 - asked[~silent].sum()
    if not silent.any():
        if abs(left) > _ROUGHLY_ONE:
            raise ParameterError(
                f"The frequencies of a lock that names every action sum to 1, not to {asked.sum():g}; leave one of them out."
            )
        whole: Floats = asked / asked.sum()
        return whole
    rest = now[silent].sum()
    shares = now[silent] / rest if rest > 0.0 else np.full(int(silent.sum()), 1.0 / silent.sum())
    goal = asked.copy()
    goal[silent] = max(left, 0.0) * shares
    return goal


def load_locks(path: str | Path) -> tuple[Lock, ...]:
    """Locks from a TOML file of `[[lock]]` tables."""
    table = read_toml(path, "The lock file", "expected [[lock]] tables")
    check_keys(table, ("lock",), "lock file")
    return read_locks(table.get("lock", []))


def read_locks(tables: object) -> tuple[Lock, ...]:
    """Locks of a spot file: `[[lock]]` tables, or `Lock`s."""
    if not isinstance(tables, list | tuple):
        raise ParameterError("'lock' is a list of locks; write each below a line [[lock]].")
    return tuple(_read(table.table() if isinstance(table, Lock) else table) for table in tables)


def _read(table: Any) -> Lock:
    if not isinstance(table, Mapping):
        raise ParameterError("A lock is a table with line, hands and strategy.")
    check_keys(table, _KEYS, "lock")
    strategy, frequency = table.get("strategy", {}), table.get("frequency")
    for given in (strategy, frequency):
        if given is not None and not isinstance(given, Mapping):
            raise ParameterError(f"In a lock an action has a name and a share, as in {{ x = 0.7 }}, not {given!r}.")
    if not strategy and not frequency:
        raise ParameterError(
            "A lock needs a 'strategy' such as { x = 0.7, b120 = 0.3 }, or a 'frequency' such as { b120 = 0.3 }."
        )
    weight = read_number(table.get("weight", 1.0), "lock.weight", above=0.0, top=1.0)
    lock = Lock(
        line=str(table.get("line", "")),
        strategy=_read_strategy(strategy),
        hands=_read_hands(str(table.get("hands", EVERY_HAND)), "lock.hands"),
        weight=weight,
        frequency=_read_frequency(frequency),
    )
    _check_sums(lock)
    return lock


def _read_strategy(strategy: Mapping[str, Any]) -> dict[str, float | str]:
    if any(isinstance(share, str) for share in strategy.values()):
        return {str(label): _read_hands(share, f"lock.strategy.{label}") for label, share in strategy.items()}
    return {str(label): read_number(share, f"lock.strategy.{label}") for label, share in strategy.items()}


def _read_hands(text: Any, where: str) -> str:
    """A range text that can be read."""
    if not isinstance(text, str):
        raise ParameterError(
            f"'{where}' must be hands such as \"AA:0.3,KK\", as in the other actions, but {text!r} was given."
        )
    try:
        parse_range(text)
    except EquilibristError as error:
        raise ParameterError(f"In '{where}': {error}") from None
    return text


def _read_frequency(frequency: Mapping[str, Any] | None) -> dict[str, float] | None:
    if not frequency:
        return None
    shares = {str(label): read_number(share, f"lock.frequency.{label}", top=1.0) for label, share in frequency.items()}
    if sum(shares.values()) > 1.0 + _ROUGHLY_ONE:
        raise ParameterError(
            f"The frequencies of a lock sum to at most 1, but {shares} sums to {sum(shares.values()):g}."
        )
    return shares


def _check_sums(lock: Lock) -> None:
    """What a hand does sums to one."""
    numbers = [share for share in lock.strategy.values() if not isinstance(share, str)]
    if numbers and abs(sum(numbers) - 1.0) > 1e-6:
        raise ParameterError(
            f"The probabilities of a lock sum to 1, but {dict(lock.strategy)} sums to {sum(numbers):g}."
        )
    if lock.strategy and not numbers:
        total = np.sum([parse_range(str(text)).weights for text in lock.strategy.values()], axis=0)
        wrong = np.flatnonzero((total > 0.0) & (np.abs(total - 1.0) > _ROUGHLY_ONE))
        if len(wrong):
            raise ParameterError(
                f"The probabilities of a hand sum to 1, but in the lock after '{lock.line}' those of {hand_name(int(wrong[0]))} "
                f"sum to {total[wrong[0]]:g}."
            )
