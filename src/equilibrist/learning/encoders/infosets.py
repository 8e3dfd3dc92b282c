"""Infosets of a game that fits in memory as rows of numbers, read off their keys: `Kd:b:r:c:Jc:x`, `3:1x2,1x4`.

Infosets with equal numbers share a row, and so their answer: suits where no flush can be made. Outputs are actions by name; check and
call are one, and so are bet and raise, as in [Brown20, §4.1.2]. Outputs that are no action of a row are masked, and no loss sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Ints
from equilibrist.forms.compiled import Compiled
from equilibrist.games.poker.game import Poker

RANKS, SUITS = "23456789TJQKA", "cdhs"
MOST_OUTPUTS = 128  # where actions have more names, an output is the place of an action in its list
_CARDS = re.compile(rf"(?:[{RANKS}][{SUITS}]?)+")
_CARD = re.compile(rf"([{RANKS}])([{SUITS}]?)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LIKE = {"x": "c", "b": "r"}  # a check is a call of nothing, a bet a raise of nothing


@dataclass(frozen=True, repr=False)
class Encoding:
    """R rows with F numbers and A outputs, for I infosets with S slots of k players."""

    features: npt.NDArray[np.float32]  # [R, F]
    legal: npt.NDArray[np.bool_]  # [R, A]
    row: Ints  # [I] row of an infoset
    output: Ints  # [S] output of a slot
    player: Ints  # [R]
    first_slot: Ints  # [I + 1]

    def __repr__(self) -> str:
        return (
            f"<Encoding: {len(self.row):,} infosets in {len(self.features):,} rows of {self.features.shape[1]} numbers>"
        )

    @property
    def rows(self) -> int:
        return len(self.features)

    @property
    def width(self) -> int:
        return int(self.legal.shape[1])

    @cached_property
    def slot_row(self) -> Ints:
        """[S] row of a slot."""
        return np.repeat(self.row, np.diff(self.first_slot)).astype(np.int32)

    def rows_of(self, player: int) -> Ints:
        """Rows at which a player acts."""
        return np.flatnonzero(self.player == player).astype(np.int32)

    def by_slot(self, table: npt.NDArray[np.floating]) -> Floats:
        """[S] from [R, A]."""
        return np.asarray(table[self.slot_row, self.output], dtype=np.float64)

    def by_row(self, slots: Floats) -> Floats:
        """[R, A] sums of [S]."""
        out = np.zeros(self.legal.shape)
        np.add.at(out, (self.slot_row, self.output), slots)
        return out

    def sums_of_infosets(self, values: Floats) -> Floats:
        """[R] sums of [I]."""
        sums: Floats = np.bincount(self.row, weights=values, minlength=self.rows).astype(np.float64)
        return sums


def encode(game: Compiled) -> Encoding:
    """Rows for every infoset."""
    infosets = game.infosets
    suits = _suits_matter(game)
    keys = [key.split("|", 1)[-1] for key in infosets.keys]
    output = _outputs(infosets.actions)
    width = int(output.max(initial=0)) + 1
    legal = np.zeros((len(infosets), width), dtype=np.bool_)
    legal[np.repeat(np.arange(len(infosets)), np.diff(infosets.first_slot)), output] = True
    whose = np.eye(game.game.players)[infosets.player]
    told = len({(who, _suitless(key) if not suits else key) for who, key in zip(infosets.player, keys, strict=True)})
    for parts in (_read(keys, suits, _ranks_alone(game)), [_places(keys)]):
        features = np.concatenate([*parts, whose], axis=1).astype(np.float32)
        _, first, row = np.unique(features, axis=0, return_index=True, return_inverse=True)
        if len(first) == told:  # what a player can tell apart has numbers of its own
            break
    return Encoding(
        features[first],
        legal[first],
        row.reshape(-1).astype(np.int32),
        output,
        infosets.player[first].astype(np.int32),
        infosets.first_slot,
    )


def _read(keys: Sequence[str], suits: bool, ranks_alone: bool) -> list[Floats]:
    """Numbers of keys in the way of poker and of bids."""
    seen = [_observed(key, ranks_alone) for key in keys]
    return [_cards(seen, suits), _privates(seen), _steps(seen)]


def _places(keys: Sequence[str]) -> Floats:
    """Which word stands at which place of a key: for games that are written in some other way."""
    split = [re.split(r"[:, ]", key) for key in keys]
    words = {word: i for i, word in enumerate(sorted({word for each in split for word in each}))}
    out = np.zeros((len(keys), max(map(len, split)), len(words)))
    for i, each in enumerate(split):
        for p, word in enumerate(each):
            out[i, p, words[word]] = 1.0
    return _varied(out.reshape(len(keys), -1))


def _suitless(key: str) -> str:
    return _CARD.sub(r"\1", key)


@dataclass(frozen=True)
class Observed:
    """A key in its parts: what only its player knows, cards by group (own, then as they come), other steps by round."""

    private: str
    cards: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]


def _observed(key: str, ranks_alone: bool) -> Observed:
    """`ranks_alone`: `7` is a seven, and no number."""
    private, *rest = re.split(r"[:, ]", key)

    def is_card(token: str) -> bool:
        return bool(_CARDS.fullmatch(token)) and (ranks_alone or not token.isdigit())

    cards, steps = [private], [list[str]()]
    for token in rest:
        if not token:
            continue
        if is_card(token):
            cards.append(token)
            steps.append([])
        else:
            steps[-1].append(token)
    dealt = is_card(private)
    return Observed("" if dealt else private, tuple(cards if dealt else cards[1:]), tuple(map(tuple, steps)))


def _ranks_alone(game: Compiled) -> bool:
    """Where suits are merged, cards are written without them."""
    return isinstance(game.game, Poker) and (game.game.rules.deck.merged or game.game.rules.deck.suits == 1)


def _suits_matter(game: Compiled) -> bool:
    """Not where hands are too small for flushes."""
    rules = getattr(game.game, "rules", None)
    return not (isinstance(game.game, Poker) and rules is not None and rules.hole == 1 and len(rules.board) <= 2)


def _cards(seen: Sequence[Observed], suits: bool) -> Floats:
    """Ranks, and suits where they matter, of each group of cards, added up."""
    groups = max(len(each.cards) for each in seen)
    out = np.zeros((len(seen), groups, len(RANKS) + (len(SUITS) + len(RANKS) * len(SUITS) if suits else 0)))
    for i, each in enumerate(seen):
        for g, cards in enumerate(each.cards):
            for rank, suit in _CARD.findall(cards):
                r = RANKS.index(rank)
                out[i, g, r] += 1.0
                if suits and suit:
                    s = SUITS.index(suit)
                    out[i, g, len(RANKS) + s] += 1.0
                    out[i, g, len(RANKS) + len(SUITS) + len(SUITS) * r + s] += 1.0
    return _varied(out.reshape(len(seen), -1))


def _privates(seen: Sequence[Observed]) -> Floats:
    """Which private state it is, and what its parts are (`2-3`: a two and a three), where it is no card."""
    names = sorted({each.private for each in seen if each.private})
    parts = sorted({part for name in names for part in name.split("-") if part})
    out = np.zeros((len(seen), len(names) + len(parts)))
    for i, each in enumerate(seen):
        if each.private:
            out[i, names.index(each.private)] = 1.0
            for part in filter(None, each.private.split("-")):
                out[i, len(names) + parts.index(part)] += 1.0
    return _varied(out)


def _steps(seen: Sequence[Observed]) -> Floats:
    """What was done: which steps at all, where their order follows (bids only rise), else which at which place of its round."""
    words = _in_order({token for each in seen for steps in each.steps for token in steps})
    if words is not None and all(_rising(each, words) for each in seen):
        out = np.zeros((len(seen), len(words)))
        for i, each in enumerate(seen):
            out[i, [words[token] for steps in each.steps for token in steps]] = 1.0
        return _varied(out)
    kinds = sorted({_kind(token) for each in seen for steps in each.steps for token in steps})
    largest = max((_amount(token) for each in seen for steps in each.steps for token in steps), default=0.0) or 1.0
    rounds = max(len(each.steps) for each in seen)
    places = max((len(steps) for each in seen for steps in each.steps), default=0)
    table = np.zeros((len(seen), rounds, places, len(kinds) + 1))
    for i, each in enumerate(seen):
        for r, steps in enumerate(each.steps):
            for p, token in enumerate(steps):
                table[i, r, p, kinds.index(_kind(token))] = 1.0
                table[i, r, p, -1] = _amount(token) / largest
    return _varied(table.reshape(len(seen), -1))


def _in_order(words: Iterable[str]) -> dict[str, int] | None:
    """Numbers of words with amounts, such as bids, in the order of their amounts; none where a word has no amount."""
    found = {word: tuple(float(number) for number in _NUMBER.findall(word)) for word in words}
    if not found or any(not numbers for numbers in found.values()):
        return None
    return {word: i for i, word in enumerate(sorted(found, key=lambda word: found[word]))}


def _rising(each: Observed, words: dict[str, int]) -> bool:
    numbers = [words[token] for steps in each.steps for token in steps]
    return numbers == sorted(set(numbers))


def _kind(token: str) -> str:
    return _NUMBER.sub("", token)


def _amount(token: str) -> float:
    found = _NUMBER.search(token)
    return float(found.group()) if found else 0.0


def _outputs(actions: Sequence[tuple[str, ...]]) -> Ints:
    """[S] output of every slot."""
    alike = [tuple(_LIKE.get(name, name) for name in names) for names in actions]
    words = sorted({name for names in alike for name in names})
    if len(words) > MOST_OUTPUTS or any(len(set(names)) < len(names) for names in alike):
        return np.concatenate([np.arange(len(names)) for names in actions]).astype(np.int32)
    number = {word: i for i, word in enumerate(words)}
    return np.array([number[name] for names in alike for name in names], dtype=np.int32)


def _varied(table: Floats) -> Floats:
    """Without columns that are always the same."""
    return table[:, np.ptp(table, axis=0) > 0.0] if table.size else table
