"""Hold'em played with buckets instead of cards: `bucket-holdem` is the five-bucket limit game of [Davis15, §5.2.2].

Each player sees the percentile bucket of its hand on every street, nothing else of the cards; betting is that of limit hold'em.
What the buckets are and how often they meet is counted once (`bucket_deals.py`) and kept; after that the game is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from equilibrist.compute.machine import cores
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.bucket_deals import BucketDeals, BucketRecipe, Report, bucket_deals
from equilibrist.games.poker.family import HOLDEM, flop_holdem, limit_holdem
from equilibrist.games.poker.game import settle
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL, Game, GameEntry, State

DEALT = "/"  # in lines: the next street was dealt

Pair = tuple[int, int]


class BucketState(State):
    """A betting situation and both players' bucket sequences; `pair` is None before the deal."""

    __slots__ = ("game", "line", "node", "pair", "player")

    def __init__(self, game: BucketPoker, node: BettingNode, pair: Pair | None, line: str) -> None:
        self.game, self.node, self.pair, self.line = game, node, pair, line
        self.player = CHANCE if pair is None else node.player

    def actions(self) -> Sequence[str]:
        return self.node.labels

    def chance(self) -> Sequence[tuple[str, float]]:
        return [(f"{a + 1}|{b + 1}", probability) for (a, b), probability in self._coming()]

    def child(self, index: int) -> BucketState:
        if self.player >= 0:
            label = self.node.labels[index]
            return BucketState(
                self.game, self.node.after(index), self.pair, f"{self.line}:{label}" if self.line else label
            )
        (a, b), _ = self._coming()[index]
        if self.pair is None:
            return BucketState(self.game, self.node, (a, b), "")
        k = self.game.recipe.buckets
        pair = self.pair[0] * k + a, self.pair[1] * k + b
        return BucketState(self.game, self.node.after_deal, pair, f"{self.line}:{DEALT}")

    def infoset(self, player: int) -> str:
        if self.pair is None:
            return "deal"
        seen = self.game.label(self.pair[player], self._street)
        return f"{seen}:{self.line}" if self.line else seen

    def public(self) -> str:
        return "deal" if self.pair is None else self.line

    def returns(self) -> tuple[float, ...]:
        assert self.pair is not None
        if any(self.node.folded):
            return settle(self.node, (0, 0))
        deals, balance = self.game.deals.matrices[-1]
        won = settle(self.node, (1, 0))[0] * float(balance[self.pair] / deals[self.pair])
        return won, 0.0 - won

    @property
    def _street(self) -> int:
        """Of the buckets seen so far."""
        return self.line.count(DEALT)

    def _coming(self) -> list[tuple[Pair, float]]:
        """The next buckets of both players, with their probabilities."""
        k = self.game.recipe.buckets
        street = 0 if self.pair is None else self._street + 1
        a, b = (0, 0) if self.pair is None else self.pair
        deals = self.game.deals.matrices[street][0][a * k : a * k + k, b * k : b * k + k]
        total = int(deals.sum())
        return [((i, j), int(deals[i, j]) / total) for i, j in np.argwhere(deals).tolist()]


class BucketPoker(Game):
    """Two-player poker of `rules` whose cards are the deals of a recipe."""

    def __init__(self, name: str, rules: PokerRules, recipe: BucketRecipe) -> None:
        self.name, self.rules, self.recipe, self.players = name, rules, recipe, 2
        self.first = first_node(rules)
        self.pot = sum(self.first.paid)
        self.big_blind = max(rules.blinds)

    def start(self) -> BucketState:
        return BucketState(self, self.first, None, "")

    @cached_property
    def deals(self) -> BucketDeals:
        """How often buckets meet; made at first use."""
        return bucket_deals(self.recipe, threads=cores())

    def prepare(self, report: Report, threads: int | None = None) -> BucketPoker:
        """Makes the deals now, telling how far it is."""
        if "deals" not in self.__dict__:
            self.__dict__["deals"] = bucket_deals(
                self.recipe, threads=cores() if threads is None else threads, report=report
            )
        return self

    def label(self, sequence: int, street: int) -> str:
        """`314`: bucket 3 before the flop, 1 on the flop, 4 on the turn; 1 is the weakest."""
        digits = []
        for _ in range(street + 1):
            sequence, bucket = divmod(sequence, self.recipe.buckets)
            digits.append(str(bucket + 1))
        return "".join(reversed(digits))

    @property
    def solved_on(self) -> tuple[str, ...]:
        return ("buckets",)

    def histories(self) -> float:
        """Betting situations of each street times the pairs of bucket sequences."""
        pairs = [float(self.recipe.buckets ** (2 * street + 2)) for street in range(len(self.rules.board))]
        total, stack = 1.0, [self.first]
        while stack:
            node = stack.pop()
            total += pairs[node.round]
            if node.player == CHANCE:
                stack.append(node.after_deal)
            elif node.player != TERMINAL:
                stack.extend(following for _, following in node.options)
        return total


BUCKET_HOLDEM = {"buckets": 5, "boards": 20_000, "rounds": 4, "ranks": 13, "suits": 4, "seed": 0}


def bucket_holdem(
    buckets: int = 5, boards: int = 20_000, rounds: int = 4, ranks: int = 13, suits: int = 4, seed: int = 0
) -> BucketPoker:
    """Limit hold'em (4 rounds) or flop hold'em (2) with nested percentile buckets of E[HS²] on every street."""
    if rounds not in (2, 4):
        raise ParameterError(f"'bucket-holdem' has 4 rounds, or 2 and ends on the flop, but {rounds} were given.")
    rules = (limit_holdem if rounds == 4 else flop_holdem)(ranks=ranks, suits=suits).rules
    given = {"buckets": buckets, "boards": boards, "rounds": rounds, "ranks": ranks, "suits": suits, "seed": seed}
    name = str(Name("bucket-holdem", {key: value for key, value in given.items() if value != BUCKET_HOLDEM[key]}))
    return BucketPoker(name, rules, BucketRecipe(rules.deck, rules.board, buckets, boards, seed))


ENTRIES = [
    GameEntry(
        "bucket-holdem",
        "limit hold'em with percentile buckets for cards",
        bucket_holdem,
        BUCKET_HOLDEM,
        source="[Davis15, §5.2.2]",
        bounds={**HOLDEM, "buckets": (1, 9), "boards": (0, 10**7), "rounds": (2, 4), "seed": (0, 2**63 - 1)},
    ),
]
