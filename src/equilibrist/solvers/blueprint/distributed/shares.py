"""Shares of an abstract game: a head trains the first round, workers the rest, each on flops of its own ([Ganzfried15, §6.2]).

Buckets that never forget their public cluster never cross workers, so a hand touches one worker after the flop. The head walks the first
round; wherever a walk leaves it, every worker continues on one of its flops, and the values are weighed by how many flops each has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import all_hands
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker, FittedBuckets
from equilibrist.solvers.blueprint.run import make_frames, no_entries
from equilibrist.solvers.blueprint.training import Training

Cards = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class FlopShare:
    """Public clusters of one worker, and the flops that belong to them."""

    game: AbstractPoker
    clusters: tuple[int, ...]

    @cached_property
    def flops(self) -> Cards:
        """[F, cards] all flops of the clusters, card by card."""
        buckets = _public_buckets(self.game)
        every = all_hands(self.game.rules.deck, self.game.rules.board[1]).astype(np.int8)
        return every[np.isin(buckets.cards.public_cluster(every), self.clusters)]

    def sizes(self) -> tuple[int, ...]:
        """Buckets of each round that this share holds; the first round is the head's."""
        recipe = _public_buckets(self.game).cards.recipe
        inner = [recipe.inner_size(street) for street in range(1, self.game.tree.rounds)]
        return (1, *(len(self.clusters) * size for size in inner))

    def compatible(self, known: Cards) -> npt.NDArray[np.int64]:
        """[N] how many of the flops share no card with known cards [N, k]: inclusion and exclusion."""
        one, two, three = self._counts
        cards = known.astype(np.int64).T
        out = np.full(len(known), len(self.flops), dtype=np.int64)
        out -= sum(one[a] for a in cards)
        out += sum(two[a, b] for a, b in combinations(cards, 2))
        out -= sum(three[a, b, c] for a, b, c in combinations(cards, 3))
        return out

    @cached_property
    def _counts(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Flops that hold a card, two cards, three cards."""
        deck = self.game.rules.deck.size
        tables = tuple(np.zeros((deck,) * size, dtype=np.int64) for size in (1, 2, 3))
        for table in tables:
            for chosen in permutations(self.flops.astype(np.int64).T, table.ndim):
                np.add.at(table, tuple(chosen), 1)
        return tables


def _public_buckets(game: AbstractPoker) -> FittedBuckets:
    buckets = game.buckets
    if not isinstance(buckets, FittedBuckets) or buckets.cards.public is None or game.rules.board[1:2] != (3,):
        raise NotApplicableError(
            "Training on a cluster needs buckets that never forget the public flop; make them with 'equilibrist cluster --public K'."
        )
    return buckets


def split(game: AbstractPoker, workers: int) -> list[FlopShare]:
    """Clusters dealt out so that workers have about as many flops each."""
    buckets = _public_buckets(game)
    every = all_hands(game.rules.deck, game.rules.board[1]).astype(np.int8)
    sizes = np.bincount(buckets.cards.public_cluster(every), minlength=buckets.cards.recipe.public)
    if not 1 <= workers <= len(sizes):
        raise ParameterError(
            f"There are {len(sizes)} public clusters, so 1 to {len(sizes)} workers, but {workers} were asked for."
        )
    own: list[list[int]] = [[] for _ in range(workers)]
    load = np.zeros(workers)
    for cluster in np.argsort(-sizes, kind="stable").tolist():
        least = int(np.argmin(load))
        own[least].append(int(cluster))
        load[least] += sizes[cluster]
    return [FlopShare(game, tuple(sorted(clusters))) for clusters in own]


class ShareWorker:
    """Tables of one share; the same whether it lives in this process or on a cluster."""

    def __init__(self, share: FlopShare, training: Training, number: int) -> None:
        game = share.game
        self.share, self.training, self.number = share, training, number
        self.first_slot = game.tree.first_slot(share.sizes())
        slots = int(self.first_slot[-1])
        self.regret: npt.NDArray[Any] = np.zeros(slots, dtype=np.float32)
        self.average = np.zeros(slots, dtype=np.float32)
        tree = game.tree
        self.tree = kernels.Tree(
            tree.player, tree.kind, tree.round, tree.first_child, tree.children, tree.folded, tree.paid, self.first_slot, tree.rounds
        )  # fmt: skip
        self.frames = make_frames(game)
        self._local = np.full(_public_buckets(game).cards.recipe.public, -1, dtype=np.int64)
        self._local[list(share.clusters)] = np.arange(len(share.clusters))
        self.nodes_touched = 0

    def walk(
        self,
        block: int,
        me: int,
        hands: Cards,
        deal: npt.NDArray[np.int32],
        node: npt.NDArray[np.int32],
        weight: Floats,
    ) -> Floats:
        """Values of entries (a deal's hands and a node) on flops of this share, one drawn for each; with a weight: for the average."""
        random = np.random.default_rng([self.training.seed, 1 + self.number, block, me])
        out = np.zeros(len(node))
        able = self.share.compatible(hands)[deal] > 0  # hands may block all flops of a share, which then has no weight
        bucket, strength = self._buckets(self._complete(hands[deal[able]], random))
        entries = no_entries(int(able.sum()))
        entries.node[:], entries.weight[:] = node[able], weight[able]
        state = np.random.SeedSequence([self.training.seed, 7919 + self.number, block, me]).generate_state(4, np.uint64)
        pruning = self.training.prune.packed(self.share.game.rules.stack, True, False)
        self.nodes_touched += int(
            kernels.train_below(
                me, self.tree, bucket, strength, self.regret, self.average, pruning, state, self.frames, entries
            )
        )  # fmt: skip
        out[able] = entries.value
        return out

    def _complete(self, held: Cards, random: np.random.Generator) -> Cards:
        """A flop of this share for every row, and later cards, none of them held."""
        rules, flops = self.share.game.rules, self.share.flops
        chosen = random.integers(len(flops), size=len(held))
        while True:
            clash = (held[:, :, None] == flops[chosen][:, None, :]).any(axis=(1, 2))
            if not clash.any():
                break
            chosen[clash] = random.integers(len(flops), size=int(clash.sum()))
        known = np.concatenate([held, flops[chosen]], axis=1)
        later = sum(rules.board[2:])
        for _ in range(later):
            card = random.integers(rules.deck.size, size=len(known))
            while (taken := (known == card[:, None]).any(axis=1)).any():
                card[taken] = random.integers(rules.deck.size, size=int(taken.sum()))
            known = np.concatenate([known, card[:, None].astype(np.int8)], axis=1)
        return known

    def _buckets(self, cards: Cards) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """As the game deals them, with buckets numbered inside the share."""
        bucket, strength = self.share.game.deal(cards)
        recipe = _public_buckets(self.share.game).cards.recipe
        bucket[:, :, 0] = 0
        for street in range(1, bucket.shape[2]):
            inner = recipe.inner_size(street)
            case, rest = np.divmod(bucket[:, :, street], inner)
            bucket[:, :, street] = self._local[case] * inner + rest
        return bucket, strength

    def discount(self, factor: float) -> None:
        kernels.scale(self.regret, np.float32(factor))
        kernels.scale(self.average, np.float32(factor))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {"regret": self.regret, "average": self.average}

    def restore(self, state: dict[str, npt.NDArray[Any]] | None) -> None:
        """Tables of a checkpoint; None: of the beginning."""
        self.regret[:], self.average[:] = (0.0, 0.0) if state is None else (state["regret"], state["average"])


def gather(
    game: AbstractPoker, head: Any, shares: Sequence[FlopShare], states: Sequence[dict[str, npt.NDArray[Any]]]
) -> dict[str, Any]:
    """Whole tables of the abstract game from those of the head and of all shares."""
    whole = {name: np.zeros(game.slots, dtype=np.float32) for name in ("regret", "average")}
    recipe = _public_buckets(game).cards.recipe
    tree, first = game.tree, game.first_slot
    begins = [tree.first_slot(share.sizes()) for share in shares]
    for node in tree.decisions.tolist():
        street, width = int(tree.round[node]), int(tree.children[node])
        span = slice(int(first[node]), int(first[node + 1]))
        if street == 0:
            for name, table in whole.items():
                table[span] = head[name][span]
            continue
        block = recipe.inner_size(street) * width
        for share, state, local in zip(shares, states, begins, strict=True):
            begin = int(local[node])
            for name, table in whole.items():
                rows = table[span].reshape(-1, block)
                rows[list(share.clusters)] = state[name][begin : begin + len(share.clusters) * block].reshape(-1, block)
    return whole
