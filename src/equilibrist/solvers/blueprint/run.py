"""BlueprintRun: external sampling on an abstract game, on all cores, without locks ([Brown20, chapter 6]).

An iteration is one deal walked by every player in turn. Threads work on deals of their own and on the same tables; two of them sometimes
change the same number at once, which loses an update now and then and nothing else. With one thread a run repeats from its seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.compute.lanes import aligned
from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.games.size_estimate import memory_limit
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.training import Training

Seed = npt.NDArray[np.uint64]  # [4] random numbers of a block
Cards = npt.NDArray[np.int8]
BLOCK = 4096  # deals drawn at once; random numbers are set anew for each block, so that a run can be cut between blocks
PARTS = 8  # of a block, where several threads share it


class DealtPiece(NamedTuple):
    """What a thread does at a time: a block of deals, or a part of one, which has random numbers of its own."""

    block: int
    part: int = 0
    parts: int = 1


@dataclass(frozen=True)
class Health:
    """How far training has come."""

    infosets: int  # learned at so far
    average_regret: float | None  # chips, mean of the largest positive regret of each of them, over its iterations
    exploitability: float | None = None  # chips, where it can be measured


class TrainingRun(Protocol):
    """What a training folder asks of a run, by sampled deals or over all boards."""

    game: AbstractPoker
    block: int  # iterations that are done at once
    nodes_touched: int

    @property
    def blocks(self) -> int: ...

    @property
    def iteration(self) -> int: ...

    @property
    def memory_bytes(self) -> int: ...

    def advance(self, blocks: int = 1) -> None: ...

    def health(self) -> Health: ...

    def packed(self) -> npt.NDArray[np.uint8]:
        """[slots] the average strategy; 255 in all at every infoset."""

    def state(self) -> dict[str, npt.NDArray[Any]]: ...

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None: ...


class BlueprintRun:
    """Regrets and averages of one abstract game."""

    block = BLOCK  # iterations that are done at once

    def __init__(
        self,
        game: AbstractPoker,
        training: Training,
        *,
        planned: int,
        threads: int = 1,
        draw: Callable[[Seed], Cards] | None = None,
    ) -> None:
        """`planned`: iterations asked for in all; they set the pace of discounts and when pruning begins.

        `draw` gives the deals of a block [BLOCK, everybody's cards and the board] from its random numbers; without one all are alike.
        """
        if threads < 1 or planned < 1:
            raise ParameterError(f"Threads and iterations are at least 1, but {threads} and {planned} were given.")
        check_memory(game, training)
        self.game, self.training, self.planned = game, training, planned
        self._draw = draw or self._shuffled
        self.blocks, self.nodes_touched = 0, 0
        self.stack = min(game.rules.stack, float(game.tree.paid.max()))  # with limit betting, the most one can lose
        self.unit = training.unit(self.stack)
        self.regret: npt.NDArray[Any] = np.zeros(game.slots, dtype=training.dtype())
        self.average = np.zeros(game.slots, dtype=np.float32)
        tree = game.tree
        self.tree = kernels.Tree(
            tree.player, tree.kind, tree.round, tree.first_child, tree.children, tree.folded, tree.paid / self.unit,
            game.first_slot, tree.rounds,
        )  # fmt: skip
        self._widths = np.asarray(game.buckets.sizes, dtype=np.int64)[tree.round[tree.decisions]]
        self._frames = [make_frames(game) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    @property
    def iteration(self) -> int:
        return self.blocks * BLOCK

    @property
    def memory_bytes(self) -> int:
        return int(self.regret.nbytes + self.average.nbytes)

    @property
    def period(self) -> int:
        """Blocks between discounts."""
        wanted = self.training.period or self.planned // max(self.training.discounts, 1)
        return max(1, wanted // BLOCK)

    def advance(self, blocks: int = 1) -> None:
        """Work through whole blocks of deals; discounts fall between blocks."""
        end = self.blocks + blocks
        while self.blocks < end:
            linear = self.training.weighting == "linear"
            stop = min(end, (self.blocks // self.period + 1) * self.period) if linear else end
            self._walk(range(self.blocks, stop))
            self.blocks = stop
            done = self.blocks // self.period
            if linear and self.blocks % self.period == 0 and done <= self.training.discounts:
                self._discount(done / (done + 1.0))

    def _walk(self, blocks: range) -> None:
        pieces = iter(self._pieces(blocks))  # next() on one iterator is atomic

        def work(frames: Any) -> int:
            return sum(self._piece(piece, frames) for piece in pieces)

        if self._pool is None:
            self.nodes_touched += work(self._frames[0])
        else:
            self.nodes_touched += sum(self._pool.map(work, self._frames))

    def _pieces(self, blocks: range) -> list[DealtPiece]:
        """Whole blocks; those that would leave threads without work at the end are shared out in parts."""
        over = len(blocks) % len(self._frames) if self._draw == self._shuffled else 0
        whole = len(blocks) - over
        parts = [DealtPiece(block, part, PARTS) for block in blocks[whole:] for part in range(PARTS)]
        return [DealtPiece(block) for block in blocks[:whole]] + parts

    def _piece(self, piece: DealtPiece, frames: Any) -> int:
        key = [self.training.seed, piece.block] + ([piece.part + 1] if piece.parts > 1 else [])
        random = np.random.SeedSequence(key).generate_state(4, np.uint64).astype(np.uint64)
        deals = BLOCK // piece.parts
        bucket, strength = self.game.deal(self._draw(random) if piece.parts == 1 else self._shuffled(random, deals))
        begun = piece.block * BLOCK >= self.training.prune.begin * self.planned
        whole = self.training.storage == "int32"
        pruning = self.training.prune.packed(self.stack / self.unit, begun, whole)
        return int(
            kernels.train(
                0, deals, self.tree, bucket, strength, self.regret, self.average, pruning, random, frames, NO_ENTRIES
            )
        )  # fmt: skip

    def _shuffled(self, random: Seed, deals: int = BLOCK) -> Cards:
        cards = np.empty((deals, self.game.cards), dtype=np.int8)
        kernels.shuffle(random, self.game.rules.deck.size, cards)
        return cards

    def _discount(self, factor: float) -> None:
        kernels.scale(self.regret, np.float32(factor))
        kernels.scale(self.average, np.float32(factor))

    def health(self) -> Health:
        """Reads all regrets: for a look now and then."""
        infosets, total = kernels.tally(self.tree, self.game.tree.decisions, self._widths, self.regret)
        weight = self.weighted_iterations()
        return Health(int(infosets), float(total) * self.unit / max(infosets, 1) / max(weight, 1.0))

    def weighted_iterations(self) -> float:
        """Iterations as they count after discounts."""
        if self.training.weighting == "none":
            return float(self.iteration)
        discounted = min(self.blocks // self.period, self.training.discounts)
        whole = self.period * BLOCK * discounted / 2.0  # the k-th of n periods weighs k / (n + 1)
        return whole + (self.blocks - discounted * self.period) * BLOCK

    def packed(self) -> npt.NDArray[np.uint8]:
        """[slots] the average strategy in bytes that sum to 255 in every infoset."""
        out = np.zeros(self.game.slots, dtype=np.uint8)
        kernels.pack(self.tree, self.game.tree.decisions, self._widths, self.average, self.regret, out)
        return out

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "regret": self.regret,
            "average": self.average,
            "done": np.array([self.blocks, self.nodes_touched], dtype=np.int64),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for name, array in (("regret", self.regret), ("average", self.average)):
            if state[name].shape != array.shape or state[name].dtype != array.dtype:
                raise ValueError(f"{name} has the shape {state[name].shape} instead of {array.shape}")
            array[:] = state[name]
        self.blocks, self.nodes_touched = (int(number) for number in state["done"])


def check_memory(game: AbstractPoker, training: Training) -> int:
    """Bytes that tables will take; refused where they do not fit."""
    need = training.bytes_for(game.slots)
    if need > memory_limit():
        raise TooLargeError(
            f"This blueprint needs {need / 1e9:.1f} GB for {game.slots:,} infoset-actions, but {memory_limit() / 1e9:.1f} GB are "
            "available; use fewer buckets or fewer bet sizes."
        )
    return need


def no_entries(size: int = 1) -> Any:
    """Room for so many places where walks leave the first round."""
    return kernels.Entries(
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.int32),
        np.zeros(size),
        np.zeros(size),
        np.zeros(1, dtype=np.int64),
    )


NO_ENTRIES = no_entries()


def make_frames(game: AbstractPoker) -> Any:
    tree = game.tree
    widest = int(tree.children.max(initial=1))
    if widest > kernels.MOST_ACTIONS:
        raise ParameterError(
            f"A decision has {widest} actions, but blueprints are trained with at most {kernels.MOST_ACTIONS}; offer fewer sizes."
        )
    depth = int(kernels.deepest(tree.parent)) + 2
    # on cache lines of their own: frames of two threads that share a line would take it from each other at every step
    return kernels.Frames(
        aligned(depth * 4, np.int64).reshape(depth, 4),
        aligned(depth * widest, np.float64).reshape(depth, widest),
        aligned(depth * widest).reshape(depth, widest),
    )
