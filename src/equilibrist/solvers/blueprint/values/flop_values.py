"""Exact values and best responses of blueprints in games whose betting ends with the flop (for [Ganzfried15, §5.3.1]).

Turn and river are dealt and nobody bets on them, so a showdown is worth its average over all of them. One walk over all flops, up to suits,
gives the value of every pair of strategies and what best responses of all hands get. Hands of a kind (169 in hold'em) play alike
before the flop, by symmetry best responses do so too, and a flop stands for its suit-copies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.cards.deals import indexer_of
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import all_hands, boards_strengths
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.lanes import LANES
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.betting_tree.betting_tree import FOLD, TERMINAL, BettingTree
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.postflop.depth_limited._kernels.followed import add_signs

Report = Callable[[str, float | None], None]
FLOP = 1  # round


@dataclass(frozen=True)
class FlopValues:
    """Chips a hand of S strategies of one betting tree."""

    value: Floats  # [S, S] of the first seat, when strategy a sits there and b in the second
    response: Floats  # [2, S] what a best response in a seat gets against a strategy in the other

    def exploitability(self, strategy: int) -> float:
        """Half of what best responses in both seats get."""
        return float(self.response[:, strategy].mean())

    def gain(self, first: int, second: int) -> float:
        """What one strategy wins from another, seats averaged."""
        return float(self.value[first, second] - self.value[second, first]) / 2.0


@dataclass(frozen=True, eq=False)
class FlopBetting:
    """A betting tree up to the end of the flop's betting."""

    tree: BettingTree

    def __post_init__(self) -> None:
        rules = self.tree.rules
        if self.tree.players != 2 or rules.hole != 2 or rules.deck.merged or rules.board[:2] != (0, 3):
            raise NotApplicableError("Values over flops are for two players with two cards each and a flop of three.")
        if (self.tree.children[(self.tree.round > FLOP) & (self.tree.player != TERMINAL)] != 1).any():
            raise NotApplicableError("Betting goes on after the flop; leave the menus of later streets empty.")

    @cached_property
    def nodes(self) -> list[int]:
        """Decisions before and on the flop and what ends them, parents first; later streets are checked through."""
        kept, out = {0}, [0]
        for node in range(1, len(self.tree)):
            parent = int(self.tree.parent[node])
            if parent in kept and parent not in self.ended:
                kept.add(node)
                out.append(node)
        return out

    @cached_property
    def ended(self) -> set[int]:
        over = (self.tree.player == TERMINAL) | (self.tree.round > FLOP)
        return set(np.flatnonzero(over).tolist())

    @cached_property
    def ends(self) -> list[int]:
        return [node for node in self.nodes if node in self.ended]

    @cached_property
    def early_folds(self) -> list[int]:
        """Ends that need no flop."""
        return [node for node in self.ends if self.folds(node) and not self.tree.round[node]]

    @cached_property
    def on_flops(self) -> list[int]:
        """Ends whose values depend on the flop."""
        return [node for node in self.ends if node not in self.early_folds]

    @cached_property
    def doors(self) -> list[int]:
        """Where flops begin to matter: first decisions on the flop, and all-ins before it."""
        return [
            node
            for node in self.nodes
            if node and not self.tree.round[self.tree.parent[node]] and (self.tree.round[node] or node in self.on_flops)
        ]

    def folds(self, node: int) -> bool:
        return bool(self.tree.kind[node] == FOLD)

    def stake(self, node: int, me: int) -> float:
        """Chips that the better hand wins at an end, or that I win or lose where somebody folded."""
        chips = float(self.tree.paid[node].min())
        if not self.folds(node):
            return chips
        return -chips if (int(self.tree.folded[node]) >> me) & 1 else chips

    def below(self, node: int) -> range:
        first = int(self.tree.first_child[node])
        return range(first, first + int(self.tree.children[node]))


@dataclass(frozen=True, eq=False)
class Flop:
    """One flop: the hands that it allows, and how they compare over all later cards."""

    deck: Deck
    cards: tuple[int, ...]
    board: int  # cards of a complete board

    @cached_property
    def live(self) -> Longs:
        """[H] numbers of the hands."""
        return np.flatnonzero(~np.isin(all_hands(self.deck, 2), self.cards).any(axis=1))

    @cached_property
    def hands(self) -> npt.NDArray[np.int8]:
        """[H, 5] their cards and the flop."""
        own = all_hands(self.deck, 2)[self.live]
        return np.concatenate([own, np.broadcast_to(self.cards, (len(own), 3))], axis=1).astype(np.int8)

    @cached_property
    def apart(self) -> Floats32:
        """[H, H] 1 where two hands share no card."""
        return apart(self.hands[:, :2])

    @cached_property
    def odds(self) -> Floats32:
        """[H, H] chance of winning less chance of losing; 0 where two hands share a card."""
        free = [card for card in range(self.deck.size) if card not in self.cards]
        missing = self.board - len(self.cards)
        boards = np.array([(*self.cards, *rest) for rest in combinations(free, missing)])
        strengths = boards_strengths(boards.astype(np.uint8), self.deck)[:, self.live].astype(np.float32)
        padded = np.zeros((len(boards), -(-len(self.live) // LANES) * LANES), np.float32)
        padded[:, : len(self.live)] = strengths
        out = np.zeros((len(self.live), padded.shape[1]), np.float32)
        add_signs(strengths, padded, np.full(len(boards), 1.0 / comb(len(free) - 4, missing), np.float32), out)
        return np.asarray(out[:, : len(self.live)] * self.apart)


def apart(hands: npt.NDArray[np.integer]) -> Floats32:
    """[H, H] 1 where two hands [H, 2] share no card."""
    shared = (hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    return np.asarray(~shared, dtype=np.float32)


class FlopWalk:
    """Sums over flops; `values` reads the result."""

    def __init__(self, strategies: Sequence[PokerBlueprint]) -> None:
        if not strategies:
            raise ParameterError("Give one or more strategies.")
        trees = [blueprint.abstract.tree for blueprint in strategies]
        if any(not np.array_equal(tree.paid, trees[0].paid) for tree in trees):
            raise NotApplicableError(
                "Strategies are compared on one betting tree; train them with the same game and menu."
            )
        self.strategies, self.betting = list(strategies), FlopBetting(trees[0])
        self.tree, self.deck = trees[0], trees[0].rules.deck
        self.indexer = indexer_of((3,), self.deck)
        self.hands = all_hands(self.deck, 2).astype(np.int8)
        self.kind = indexer_of((2,), self.deck).index(self.hands)  # [hand]
        self.kinds = np.bincount(self.kind)
        count = len(strategies)
        self.value = np.zeros((count, count))
        self.doors = np.zeros((2, count, len(self.betting.doors), len(self.kinds)))  # sums over hands of a kind
        self.done = 0

    @property
    def flops(self) -> int:
        return self.indexer.size

    def advance(self, team: Team, upto: int) -> None:
        """Flops self.done .. upto-1, by several threads; their sums are added in order."""
        while self.done < upto:
            numbers = range(self.done, min(upto, self.done + team.threads))
            for value, doors in team.run([lambda n=number: self._flop(n) for number in numbers]):  # type: ignore[misc]
                self.value += value
                self.doors += doors
            self.done = numbers.stop

    def _flop(self, number: int) -> tuple[Floats, Floats]:
        cards = tuple(self.indexer.unindex([number])[0].tolist())
        flop = Flop(self.deck, cards, sum(self.tree.rules.board))
        weight = float(self.indexer.multiplicity([number])[0]) / comb(self.deck.size - 4, 3)
        reach = [[self.reach(blueprint, p, flop) for blueprint in self.strategies] for p in range(2)]
        ends, count = self.betting.on_flops, len(self.strategies)
        value, doors = np.zeros_like(self.value), np.zeros_like(self.doors)
        for me in range(2):
            for b in range(count):
                met = self._met(flop, me, reach[1 - me][b])
                doors[me, b] = weight * self._doors(flop, me, met)
                for a in range(count if me == 0 else 0):
                    value[a, b] = weight * sum(float(reach[0][a][node] @ met[node]) for node in ends)
        return value, doors

    def reach(self, blueprint: PokerBlueprint, player: int, flop: Flop) -> dict[int, Floats32]:
        """[H] by node: how likely a player's own actions lead there with each hand."""
        buckets = [
            blueprint.abstract.buckets.bucket(0, flop.hands[:, :2]),
            blueprint.abstract.buckets.bucket(FLOP, flop.hands),
        ]
        return self._reach(blueprint, player, buckets, self.betting.nodes)

    def _reach(
        self, blueprint: PokerBlueprint, player: int, buckets: list[Longs], nodes: Sequence[int]
    ) -> dict[int, Floats32]:
        out = {0: np.ones(len(buckets[0]), np.float32)}
        for node in nodes:
            if node in self.betting.ended or (len(buckets) == 1 and self.tree.round[node]):
                continue
            mine = int(self.tree.player[node]) == player
            rows = blueprint.strategies(node, buckets[int(self.tree.round[node])]) if mine else None
            for column, child in enumerate(self.betting.below(node)):
                out[child] = out[node] if rows is None else out[node] * rows[:, column].astype(np.float32)
        return out

    def _met(self, flop: Flop, me: int, theirs: dict[int, Floats32]) -> dict[int, Floats]:
        """[H] by end: what each of my hands wins there, by how likely the opponent comes there."""
        ends = self.betting.on_flops
        folded = [node for node in ends if self.betting.folds(node)]
        shown = [node for node in ends if not self.betting.folds(node)]
        out: dict[int, Floats] = {}
        for nodes, table in ((folded, flop.apart), (shown, flop.odds)):
            if nodes:
                rows = np.stack([theirs[node] for node in nodes]) @ table.T
                out |= {
                    n: self.betting.stake(n, me) * row.astype(np.float64) for n, row in zip(nodes, rows, strict=True)
                }
        return out

    def _doors(self, flop: Flop, me: int, met: dict[int, Floats]) -> Floats:
        """[door, kind] what my best response gets from there on, added up over the hands of each kind."""
        known = dict(met)
        for node in reversed(self.betting.nodes):
            if self.tree.round[node] == FLOP and node not in self.betting.ended:
                below = [known[child] for child in self.betting.below(node)]
                known[node] = np.maximum.reduce(below) if self.tree.player[node] == me else np.sum(below, axis=0)
        kinds = self.kind[flop.live]
        return np.stack([np.bincount(kinds, known[door], len(self.kinds)) for door in self.betting.doors])

    def values(self) -> FlopValues:
        """Of all flops."""
        if self.done < self.flops:
            raise ParameterError(f"Only {self.done:,} of {self.flops:,} flops have been walked over.")
        table = apart(self.hands)
        total, count = float(table.sum()), len(self.strategies)
        value, response = self.value.copy(), np.zeros((2, count))
        early = [[self._early(blueprint, p) for blueprint in self.strategies] for p in range(2)]
        for me in range(2):
            for b in range(count):
                met = {
                    n: self.betting.stake(n, me) * (table @ early[1 - me][b][n]).astype(np.float64)
                    for n in self.betting.early_folds
                }
                response[me, b] = self._preflop(me, met, self.doors[me, b])
                for a in range(count if me == 0 else 0):
                    value[a, b] += sum(float(early[0][a][node] @ won) for node, won in met.items())
        return FlopValues(value / total, response / total)

    def _early(self, blueprint: PokerBlueprint, player: int) -> dict[int, Floats32]:
        """[hand] by node before the flop."""
        return self._reach(blueprint, player, [blueprint.abstract.buckets.bucket(0, self.hands)], self.betting.nodes)

    def _preflop(self, me: int, folds: dict[int, Floats], doors: Floats) -> float:
        """What a best response gets, chips times pairs of hands; hands of a kind decide as one."""
        known = {node: np.bincount(self.kind, won) for node, won in folds.items()}
        known |= dict(zip(self.betting.doors, doors, strict=True))
        for node in reversed(self.betting.nodes):
            if node not in known and not self.tree.round[node]:
                below = [known[child] for child in self.betting.below(node)]
                known[node] = np.maximum.reduce(below) if self.tree.player[node] == me else np.sum(below, axis=0)
        return float(known[0].sum())

    def state(self) -> dict[str, npt.NDArray[np.float64]]:
        return {"value": self.value, "doors": self.doors, "done": np.array([float(self.done)])}

    def restore(self, state: dict[str, npt.NDArray[np.float64]]) -> None:
        self.value, self.doors, self.done = state["value"].copy(), state["doors"].copy(), int(state["done"][0])


def flop_values(
    strategies: Sequence[PokerBlueprint],
    *,
    threads: int = 1,
    checkpoints: Checkpoints | None = None,
    report: Report = lambda text, share: None,
) -> FlopValues:
    """Walk over all flops; with checkpoints, interrupted work goes on where it was."""
    walk, team = FlopWalk(strategies), Team(threads)
    kept = checkpoints or Checkpoints(None, "")
    found = kept.load("flops")
    if found is not None:
        walk.restore(found)
    try:
        while walk.done < walk.flops:
            walk.advance(team, min(walk.flops, walk.done + 4 * threads))
            report(f"flops {walk.done:,} of {walk.flops:,}", walk.done / walk.flops)
            kept.save_now_and_then("flops", walk.state)
    finally:
        kept.save("flops", walk.state())
    return walk.values()
