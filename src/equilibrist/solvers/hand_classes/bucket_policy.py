"""BucketPolicy: strategies of a game of buckets, looked up by betting line; a table of all infosets would have millions of rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import UnknownNameError
from equilibrist.forms.hand_classes.betting_walk import columns_by_line
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.bucket_game import DEALT, BucketPoker
from equilibrist.games.rules import CHANCE
from equilibrist.solvers.hand_classes.passes import RoundStrategy


class BucketPolicy:
    """Both players' strategies; a place is a betting situation."""

    has_grid = False

    def __init__(self, game: BucketPoker, strategy: RoundStrategy) -> None:
        self.game, self.strategy = game, strategy

    def on_form(self, form: KroneckerForm) -> Floats:
        """[S] behaviour of both players on the form of the same game."""
        return self.strategy.on_form(form)

    def __getitem__(self, key: str) -> dict[str, float]:
        """At an infoset such as `31:c:x:/:b`: bucket 3 before the flop and 1 on it."""
        seen, _, line = key.partition(":")
        place = self.find(line)
        player = self._acting(place, line)
        labels = self.labels(place, player)
        if seen not in labels:
            raise UnknownNameError(
                f"There are no buckets '{seen}' after '{line}'; they are {labels[0]} to {labels[-1]}."
            )
        return dict(zip(self.actions(place), self.table(place, player)[labels.index(seen)].tolist(), strict=True))

    def at(self, public_state: str, player: int) -> Floats:
        """[bucket sequence, action]."""
        place = self.find(public_state)
        if self._acting(place, public_state) != player:
            raise UnknownNameError(f"Player {player + 1} does not act at the public state '{public_state}'.")
        return self.table(place, player)

    def table(self, place: BettingNode, player: int) -> Floats:
        """[bucket sequence, action] at a place where the player acts."""
        columns = self._columns[place.round][player][place.line]
        rows: Floats = np.maximum(self.strategy.weights[player][place.round][:, columns].astype(np.float64), 0.0)
        total = rows.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, rows / np.where(total > 0.0, total, 1.0), 1.0 / len(columns))

    def labels(self, place: BettingNode, player: int) -> list[str]:
        """Bucket sequences as they are written."""
        return [self.game.label(s, place.round) for s in range(self.game.deals.counts[place.round])]

    def frequencies(self, place: BettingNode, player: int) -> Floats:
        """[action] over all buckets by how often the player's own play brings them here."""
        weights = self.reach(place, player)
        mean: Floats = np.average(self.table(place, player), axis=0, weights=weights if weights.any() else None)
        return mean

    def reach(self, place: BettingNode, player: int) -> Floats:
        """[bucket sequence] probability to hold it times the player's own actions on the way."""
        node, reach = self.game.first, np.ones(1)
        k = self.game.recipe.buckets
        reach = np.repeat(reach, k)
        for label in filter(None, place.line.split(":")):
            while node.player == CHANCE:
                node, reach = node.after_deal, np.repeat(reach, k)
            action = list(node.labels).index(label)
            if node.player == player:
                reach = reach * self.table(node, player)[:, action]
            node = node.after(action)
        while node.player == CHANCE:
            node, reach = node.after_deal, np.repeat(reach, k)
        deals = self.game.deals.matrices[place.round][0].sum(axis=1)
        shared: Floats = reach * deals / deals.sum()
        return shared

    def find(self, line: str) -> BettingNode:
        """The situation after a line such as `c:x:/:b`; the slashes of new streets may be left out."""
        node = self.game.first
        for token in (token for token in line.strip().split(":") if token and token != DEALT):
            while node.player == CHANCE:
                node = node.after_deal
            if node.player < 0 or token not in node.labels:
                options = (
                    f"the actions there are {', '.join(node.labels)}" if node.player >= 0 else "the hand is over there"
                )
                raise UnknownNameError(f"'{token}' in the line '{line}' is not possible; {options}.")
            node = node.after(list(node.labels).index(token))
        while node.player == CHANCE:
            node = node.after_deal
        return node

    def actions(self, place: BettingNode) -> tuple[str, ...]:
        return tuple(place.labels)

    def names(self, place: BettingNode) -> tuple[str, ...]:
        return self.actions(place)

    def player(self, place: BettingNode) -> int:
        """Who acts, or -1 where nobody does."""
        return max(place.player, -1)

    def board(self, place: BettingNode) -> str:
        """Buckets take the place of cards."""
        return ""

    def coming(self, place: BettingNode) -> tuple[int, tuple[str, ...]]:
        """Streets are dealt on the way."""
        return 0, ()

    def what_follows(self, place: BettingNode) -> str:
        """What to do where nobody acts."""
        return "the hand is over there, take a shorter line"

    def _acting(self, place: BettingNode, line: str) -> int:
        if place.player < 0:
            raise UnknownNameError(f"Nobody acts after '{line}' in '{self.game.name}'; {self.what_follows(place)}.")
        return place.player

    @cached_property
    def _columns(self) -> list[list[dict[str, list[int]]]]:
        form = self.strategy.form
        return [[columns_by_line(form, round, p) for p in range(2)] for round in range(len(form.rounds))]
