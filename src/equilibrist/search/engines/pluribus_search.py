"""RoundSearch: the rest of a hand trained again from beliefs, by sampling; any number of players ([Brown20, §6.6], Pluribus).

The search begins where the betting round began. Hands are told apart one by one in this round and share the blueprint's buckets in later
ones; deals are drawn from what everybody is believed to hold. It is unsafe, and goes to the end of the hand: there are no depth limits.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import all_hands, hand_index
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.betting_tree.betting_tree import BettingTree
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker, Buckets
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun, Cards, Seed
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.cfr.matching import in_proportion

MOST_TRIES = 200  # draws of a block; beliefs that hardly ever fit together are refused


@dataclass(frozen=True)
class FineBuckets:
    """Every hand by itself in one round, the blueprint's buckets in later ones."""

    base: Buckets
    round: int
    hands: int

    @property
    def sizes(self) -> tuple[int, ...]:
        later = self.base.sizes[self.round + 1 :]
        return (*(1,) * self.round, self.hands, *later)

    @property
    def hash(self) -> str:
        return f"{self.base.hash} from round {self.round}"

    def bucket(self, round: int, cards: Cards) -> npt.NDArray[np.int64]:
        if round < self.round:
            return np.zeros(len(cards), dtype=np.int64)
        return hand_index(cards[:, :2]) if round == self.round else self.base.bucket(round, cards)

    def strength(self, cards: Cards) -> npt.NDArray[np.integer]:
        return self.base.strength(cards)


class RoundSearch:
    """One search; `advance` trains, `strategy` reads."""

    def __init__(
        self, game: AbstractPoker, root: int, board: Sequence[int], ranges: Sequence[Floats], seed: int = 0
    ) -> None:
        """`root`: the first decision of a betting round; `ranges`: by player [hand], of those who have not folded."""
        if game.rules.hole != 2:
            raise NotApplicableError("Rounds are searched in games with two private cards.")
        self.board, self.round = np.array(board, dtype=np.int8), int(game.tree.round[root])
        tree, self.nodes = subtree(game.tree, root)
        self.hands = all_hands(game.rules.deck, 2).astype(np.int8)
        self.game = AbstractPoker(tree, FineBuckets(game.buckets, self.round, len(self.hands)))
        free = ~np.isin(self.hands, self.board).any(axis=1)
        weights = [np.where(free, held, 0.0) for held in ranges]
        self.chances = [held / held.sum() if held.sum() > 0 else free / free.sum() for held in weights]
        self.run = BlueprintRun(
            self.game, Training(seed=seed, weighting="linear", period=BLOCK), planned=BLOCK, draw=self.draw
        )

    def advance(self, blocks: int, until: float | None = None) -> int:
        """Train on blocks of deals, until a `time.monotonic()` moment at the latest but for one block; gives the blocks done."""
        done = 0
        while done < blocks and (until is None or not done or time.monotonic() < until):
            self.run.advance(1)
            done += 1
        self.__dict__.pop("_packed", None)
        return done

    def strategy(self, node: int, *, final: bool = False) -> Floats:
        """[hand, action] at a node of the blueprint's tree in this round: the average, or the last iterate."""
        at = self.nodes[node]
        width, first = int(self.game.tree.children[at]), int(self.game.first_slot[at])
        span = slice(first, first + width * len(self.hands))
        if not final:
            return np.asarray(self._packed[span].reshape(-1, width) / 255.0)
        positive = np.maximum(self.run.regret[span].reshape(-1, width), 0.0)
        return np.asarray(in_proportion(positive, positive.sum(axis=1, keepdims=True), 1.0 / width), dtype=np.float64)

    @cached_property
    def _packed(self) -> npt.NDArray[np.uint8]:
        return self.run.packed()

    def draw(self, seed: Seed) -> Cards:
        """Deals from beliefs: hands that share no card, then what is left of the board."""
        rng = np.random.default_rng(seed)
        deck, left = self.game.rules.deck.size, sum(self.game.rules.board) - len(self.board)
        kept: list[Cards] = []
        count = 0
        for _ in range(MOST_TRIES):
            held = [self.hands[rng.choice(len(self.hands), 2 * BLOCK, p=chance)] for chance in self.chances]
            cards = np.concatenate(held, axis=1)
            ordered = np.sort(cards, axis=1)
            cards = cards[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
            kept.append(cards)
            count += len(cards)
            if count >= BLOCK:
                break
        else:
            raise NotApplicableError("The beliefs about the players' hands hardly ever fit together.")
        hands = np.concatenate(kept)[:BLOCK]
        keys = rng.random((BLOCK, deck))
        np.put_along_axis(keys, hands.astype(np.int64), 2.0, axis=1)
        keys[:, self.board] = 2.0
        coming = np.argsort(keys, axis=1)[:, :left].astype(np.int8)
        return np.concatenate([hands, np.broadcast_to(self.board, (BLOCK, len(self.board))), coming], axis=1)


def subtree(tree: BettingTree, root: int) -> tuple[BettingTree, dict[int, int]]:
    """The part of a betting tree from a node on, and where its nodes are found there."""
    order, at = [root], 0
    while at < len(order):
        first = int(tree.first_child[order[at]])
        order += range(first, first + int(tree.children[order[at]]))
        at += 1
    index = np.array(order)
    place = {node: number for number, node in enumerate(order)}
    parent = np.array([-1, *(place[int(tree.parent[node])] for node in order[1:])], dtype=tree.parent.dtype)
    begin = [place[int(tree.first_child[node])] if tree.children[node] else -1 for node in order]
    kept = {
        name: getattr(tree, name)[index]
        for name in ("player", "kind", "round", "children", "step", "amount", "paid", "folded")
    }
    return BettingTree(
        tree.rules, parent=parent, first_child=np.array(begin, dtype=tree.first_child.dtype), **kept
    ), place
