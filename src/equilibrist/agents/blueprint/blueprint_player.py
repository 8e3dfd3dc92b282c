"""BlueprintPlayer: a trained strategy at a table, put together from parts: blueprint, translation, post-processing, varied sizes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.bets.purification import Rule, find_rule
from equilibrist.abstraction.bets.translation import DEFAULT, MAPPINGS, Translation, find_mapping
from equilibrist.agents.blueprint.hand_reader import (
    HandReader,
    OwnSizes,
    Reading,
    action_chances,
    is_all_in,
    same_table,
    share_of,
)
from equilibrist.agents.blueprint.hand_to_spot import street_words
from equilibrist.agents.simple import SimplePlayer
from equilibrist.cards.evaluator import all_hands
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.player import Strategy, View
from equilibrist.forms.betting_tree.betting_tree import CALLED, FOLDED
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

SPARED = ("", "first", "preflop")


@dataclass(frozen=True)
class Parts:
    """What a blueprint player is put together from."""

    mapping: Translation = MAPPINGS[DEFAULT]
    rule: Rule | None = None  # post-processing
    vary: float = 0.0  # own sizes are multiplied by up to 1 +- this, drawn once per hand ([Brown20, §6.4]: 0.08)
    spare: str = ""  # what post-processing leaves alone: nothing, the `first` action of a hand, or the `preflop`

    def __post_init__(self) -> None:
        if self.spare not in SPARED:
            raise ParameterError(
                f"Post-processing spares nothing, 'first' (action) or 'preflop', but spare={self.spare} was given."
            )
        if not 0.0 <= self.vary < 0.5:
            raise ParameterError(f"'vary' is a share from 0 to 0.5 such as 0.08, but {self.vary} was given.")


def parts_of(mapping: str = DEFAULT, post: str = "", vary: float = 0.0, spare: str = "") -> Parts:
    """Parts by name."""
    return Parts(find_mapping(mapping), find_rule(post) if post else None, float(vary), str(spare))


class BlueprintPlayer(SimplePlayer):
    """Reads the hand as one of its betting tree and plays the blueprint's strategy there, in shares of the real pot."""

    def __init__(self, blueprint: PokerBlueprint, parts: Parts | None = None) -> None:
        self.blueprint, self.parts = blueprint, parts or Parts()
        self.game = blueprint.plan.game_name
        self._reader: HandReader | None = None
        self._table = ""
        self._salt, self._factor, self._own = "", 1.0, OwnSizes()
        self._hands = all_hands(blueprint.abstract.rules.deck, blueprint.abstract.rules.hole).astype(np.int8)

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        if not isinstance(rules, Poker) or not same_table(self.blueprint.abstract.rules, rules.rules):
            raise NotApplicableError(
                f"This player was trained for '{self.game}', but the table plays '{rules.name}'; play with the same stacks and blinds."
            )
        super().reset(seat, rules, rng)
        if self._table != rules.name:
            self._table, self._reader = rules.name, self._reader_at(rules.rules)
        self._salt = f"{rng.random():.17g}"
        self._factor = 1.0 + self.parts.vary * (2.0 * random.Random(self._salt).random() - 1.0)
        self._own = OwnSizes(seat, self._factor)

    def _reader_at(self, table: PokerRules) -> HandReader:
        return HandReader(self.blueprint.abstract.tree, table, self.parts.mapping)

    def reading(self, view: View) -> Reading:
        assert self._reader is not None
        return self._reader.read(view.public_state, self._salt, self._own)

    def read_as(self, view: View, action: str) -> int | None:
        """Which action of its tree a real action is read as; None where the tree knows no decision."""
        assert self._reader is not None
        line = f"{view.public_state}:{action}" if view.public_state else action
        step = self._reader.read(line, self._salt, self._own).steps[-1]
        return step.action if step.node >= 0 else None

    def paid_before(self, view: View, number: int) -> float:
        """What each player had in the pot when a betting round began."""
        assert self._reader is not None
        words = [word for street in range(number) for word in street_words(view, street)]
        return float(max(self._reader.read(":".join(words), self._salt, self._own).real.paid))

    def probabilities(self, view: View) -> Mapping[str, float]:
        assert view.chips is not None
        cards = np.array([[*view.chips.hole, *view.chips.board]], dtype=np.int8)
        labels, table = self.stated(view, cards)
        return {label: chance for label, chance in zip(labels, table[0].tolist(), strict=True) if chance > 0.0}

    def strategy(self, view: View) -> Strategy | None:
        assert view.chips is not None
        board = np.array(view.chips.board, dtype=np.int8)
        free = ~np.isin(self._hands, board).any(axis=1)
        cards = np.concatenate([self._hands[free], np.broadcast_to(board, (int(free.sum()), len(board)))], axis=1)
        labels, table = self.stated(view, cards)
        whole = np.full((len(self._hands), len(labels)), 1.0 / len(labels))
        whole[free] = table
        return Strategy(labels, whole)

    def stated(self, view: View, cards: npt.NDArray[np.int8]) -> tuple[tuple[str, ...], Floats]:
        """Real labels and [hand, label] for hands with the board."""
        node = self.reading(view).node
        if node < 0:
            return self.beyond(view), np.ones((len(cards), 1))
        tree = self.blueprint.abstract.tree
        buckets = self.blueprint.abstract.buckets.bucket(int(tree.round[node]), cards)
        rows = self.blueprint.strategies(node, buckets)
        if self.parts.rule is not None and not self._spared(node):
            words = tree.actions(node)
            rows = np.stack([self.parts.rule.row(words, row) for row in rows])
        return merged(self.labels(view, node), rows)

    def ranges(self, view: View, number: int) -> list[Floats]:
        """By player [hand]: how likely the blueprint does what was done with each hand before a betting round."""
        assert view.chips is not None
        out = [np.ones(len(self._hands)) for _ in range(self.blueprint.abstract.rules.players)]
        for step in self.reading(view).steps:
            if step.round < number and step.node >= 0:
                out[step.player] *= action_chances(self.blueprint, step, view.chips.board)
        return out

    def _spared(self, node: int) -> bool:
        """Whether post-processing leaves a place as it is."""
        if self.parts.spare == "preflop":
            return int(self.blueprint.abstract.tree.round[node]) == 0
        return self.parts.spare == "first" and node == 0

    def beyond(self, view: View) -> tuple[str]:
        """Where the tree knows nothing more it has seen an all-in: check or call."""
        return (view.passive(),)

    def labels(self, view: View, node: int) -> list[str]:
        """The tree's actions as they are done at the table: bets keep their share of the pot."""
        tree, out = self.blueprint.abstract.tree, []
        first = int(tree.first_child[node])
        for child in range(first, first + int(tree.children[node])):
            if tree.step[child] == FOLDED:
                out.append(view.fold())
            elif tree.step[child] == CALLED:
                out.append(view.passive())
            elif is_all_in(tree, child):
                out.append(all_in(view))
            else:
                out.append(view.raise_by(share_of(tree, child) * self._factor))
        return out


def all_in(view: View) -> str:
    """Everything in; check or call where nothing can be raised."""
    if view.chips is None or view.chips.raise_bounds is None:
        return view.passive()
    return view.nearest_raise(view.chips.raise_bounds[1])


def merged(labels: list[str], rows: Floats) -> tuple[tuple[str, ...], Floats]:
    """Actions that come to the same at the table are one."""
    names = tuple(dict.fromkeys(labels))
    out = np.zeros((len(rows), len(names)))
    for column, label in enumerate(labels):
        out[:, names.index(label)] += rows[:, column]
    return names, out
