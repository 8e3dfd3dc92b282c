"""Policies: what each player does where. `InfosetIndex` names the places, `TabularPolicy` fills them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import ParameterError, UnknownNameError, suggest

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats

_SUITED = re.compile(r"([2-9TJQKA])[cdhs]")


@runtime_checkable
class Policy(Protocol):
    """Behaviour of all players; kinds beyond tabular (lifted, translated, drawn) fulfil the same protocol."""

    def __getitem__(self, key: str) -> Mapping[str, float]:
        """Probability of each action at the infoset with this readable key."""

    def at(self, public_state: str, player: int) -> Floats:
        """[private state, action] at a public state, rows in the order of its infosets."""


class PublicPolicy(Policy, Protocol):
    """A policy that is looked up by public state, because a table of all its infosets would be too large."""

    @property
    def has_grid(self) -> bool:
        """Two private cards of the full deck, as the 13×13 grid shows them."""

    def find(self, line: str) -> Any:
        """The public state after a line; what it is, is known to the policy alone."""

    def player(self, place: Any) -> int:
        """Who acts, or -1 where nobody does."""

    def actions(self, place: Any) -> tuple[str, ...]:
        """Labels of the actions."""

    def names(self, place: Any) -> tuple[str, ...]:
        """The same in words."""

    def labels(self, place: Any, player: int) -> list[str]:
        """Hands that the player can hold, as people write them."""

    def table(self, place: Any, player: int) -> Floats:
        """[hand, action] of the player who acts."""

    def frequencies(self, place: Any, player: int) -> Floats:
        """[action] over all hands."""

    def reach(self, place: Any, player: int) -> Floats:
        """[hand] how likely the player's own actions lead there, by hand as in `labels`."""

    def board(self, place: Any) -> str:
        """Cards that lie open; empty where there are none, or none are told apart."""

    def coming(self, place: Any) -> tuple[int, tuple[str, ...]]:
        """How many cards are dealt there before anybody acts, and which they can be; 0 where none are."""

    def what_follows(self, place: Any) -> str:
        """What to do where nobody acts."""


@dataclass(frozen=True, repr=False)
class InfosetIndex:
    """All infosets of a game in a fixed order; slot = first_slot[infoset] + action."""

    keys: tuple[str, ...]
    player: npt.NDArray[np.int32]  # [I]
    actions: tuple[tuple[str, ...], ...]  # [I]
    public: tuple[str, ...] = ()  # [I] public state of each infoset

    @cached_property
    def first_slot(self) -> npt.NDArray[np.int32]:
        """[I + 1], the last entry is the number of slots."""
        out = np.zeros(len(self.keys) + 1, dtype=np.int32)
        np.cumsum([len(names) for names in self.actions], out=out[1:])
        return out

    @property
    def slots(self) -> int:
        return int(self.first_slot[-1])

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"<InfosetIndex: {len(self):,} infosets, {self.slots:,} actions>"

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {key: i for i, key in enumerate(self.keys)}

    @cached_property
    def _by_rank(self) -> dict[str, list[int]]:
        groups: dict[str, list[int]] = {}
        for i, key in enumerate(self.keys):
            groups.setdefault(_SUITED.sub(r"\1", key), []).append(i)
        return groups

    @cached_property
    def _by_public(self) -> dict[tuple[str, int], list[int]]:
        groups: dict[tuple[str, int], list[int]] = {}
        for i, public in enumerate(self.public):
            groups.setdefault((public, int(self.player[i])), []).append(i)
        return groups

    def number(self, key: str) -> int:
        """The infoset with this key."""
        try:
            return self._numbers[key]
        except KeyError:
            raise UnknownNameError(f"There is no infoset '{key}' in this game.{suggest(key, self.keys)}") from None

    def matching(self, key: str) -> list[int]:
        """The infoset with this key, or all that differ from it only in suits (`K:b` for `Kc:b` and `Kd:b`)."""
        if key in self._numbers:
            return [self._numbers[key]]
        return self._by_rank.get(key) or [self.number(key)]

    def at(self, public_state: str, player: int) -> list[int]:
        """Infosets of a player at a public state."""
        try:
            return self._by_public[(public_state, player)]
        except KeyError:
            known = [public for public, who in self._by_public if who == player]
            raise UnknownNameError(
                f"Player {player + 1} never acts at the public state '{public_state}'.{suggest(public_state, known)}"
            ) from None

    def uniform(self) -> TabularPolicy:
        """Every action equally likely everywhere."""
        widths = np.diff(self.first_slot)
        return TabularPolicy(self, np.repeat(1.0 / np.maximum(widths, 1), widths))


@dataclass(frozen=True, repr=False)
class TabularPolicy:
    """Probabilities for every slot of an index."""

    infosets: InfosetIndex
    probabilities: Floats  # [slots]

    def __post_init__(self) -> None:
        if self.probabilities.shape != (self.infosets.slots,):
            raise ParameterError(
                f"A policy for these infosets has {self.infosets.slots} entries, but {self.probabilities.size} were given."
            )

    def __repr__(self) -> str:
        some = ", ".join(repr(key) for key in self.infosets.keys[:3])
        return f"<TabularPolicy: {len(self.infosets):,} infosets, such as {some}>"

    def __getitem__(self, key: str) -> dict[str, float]:
        matches = self.infosets.matching(key)
        actions = self.infosets.actions[matches[0]]
        rows = [self.row(i) for i in matches if self.infosets.actions[i] == actions]
        return dict(zip(actions, np.mean(rows, axis=0).tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.infosets.keys)

    def __len__(self) -> int:
        return len(self.infosets)

    def row(self, infoset: int) -> Floats:
        """Probabilities of the actions of one infoset."""
        first = self.infosets.first_slot
        return self.probabilities[first[infoset] : first[infoset + 1]]

    def at(self, public_state: str, player: int) -> Floats:
        return np.stack([self.row(i) for i in self.infosets.at(public_state, player)])

    def with_row(self, key: str, probabilities: Sequence[float]) -> TabularPolicy:
        """A copy that plays differently at one infoset."""
        i = self.infosets.number(key)
        row = np.asarray(probabilities, dtype=np.float64)
        if row.shape != (len(self.infosets.actions[i]),) or (row < 0).any() or abs(row.sum() - 1.0) > 1e-9:
            raise ParameterError(
                f"The infoset '{key}' has the actions {', '.join(self.infosets.actions[i])}; give one non-negative "
                f"probability for each, summing to 1, instead of {list(probabilities)}."
            )
        out = self.probabilities.copy()
        out[self.infosets.first_slot[i] : self.infosets.first_slot[i + 1]] = row
        return TabularPolicy(self.infosets, out)


def normalise(infosets: InfosetIndex, weights: Floats) -> TabularPolicy:
    """Divide by the sum at each infoset; where nothing was ever played, uniform."""
    first = infosets.first_slot[:-1]
    widths = np.diff(infosets.first_slot)
    if not len(first):
        return TabularPolicy(infosets, weights.copy())
    totals = np.add.reduceat(weights, first)
    spread = np.repeat(totals, widths)
    uniform = np.repeat(1.0 / widths, widths)
    return TabularPolicy(infosets, np.where(spread > 0, weights / np.where(spread > 0, spread, 1.0), uniform))
