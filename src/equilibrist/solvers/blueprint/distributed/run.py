"""DistributedRun: a head and workers, in this process or on a Ray cluster, with the same results ([Ganzfried15, §6.2]).

Workers are asked in batches: all entries of a block of deals and one walking player. A worker that is lost is started again from its last
checkpoint; the others go on, which loses no more than what that worker had learned since.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from equilibrist.compute.workers import connect, require_ray
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import ParameterError
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.distributed.shares import FlopShare, ShareWorker, gather, split
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import make_frames, no_entries
from equilibrist.solvers.blueprint.training import Training

BATCH = 512  # deals walked before workers are asked
ENTRIES = 64  # places where one walk may leave the first round, at most on average
KIND = "blueprint-share"
HEAD = "head.eqb"
State = dict[str, npt.NDArray[Any]]


class WorkerTeam(Protocol):
    """Workers, wherever they are."""

    def walk(
        self, block: int, me: int, hands: Any, deal: Any, node: Any, weight: Any
    ) -> list[npt.NDArray[np.float64]]: ...
    def discount(self, factor: float) -> None: ...
    def states(self) -> list[State]: ...
    def restore(self, states: Sequence[State]) -> None: ...


class LocalTeam:
    """Workers of this process, one after the other."""

    def __init__(self, shares: Sequence[FlopShare], training: Training) -> None:
        self.workers = [ShareWorker(share, training, number) for number, share in enumerate(shares)]

    def walk(self, block: int, me: int, hands: Any, deal: Any, node: Any, weight: Any) -> list[npt.NDArray[np.float64]]:
        return [worker.walk(block, me, hands, deal, node, weight) for worker in self.workers]

    def discount(self, factor: float) -> None:
        for worker in self.workers:
            worker.discount(factor)

    def states(self) -> list[State]:
        return [worker.state() for worker in self.workers]

    def restore(self, states: Sequence[State]) -> None:
        for worker, state in zip(self.workers, states, strict=True):
            worker.restore(state)


class RayTeam:
    """One Ray actor per share; each builds the game from its plan, so that no tables travel but values."""

    def __init__(
        self, address: str, plan: BlueprintPlan, beside: str, clusters: Sequence[tuple[int, ...]], training: Training
    ) -> None:
        require_ray()
        self.address, self._made = address, (plan, beside, training)
        self.clusters, self.actors, self.lost = list(clusters), list[Any](), 0
        self._kept: list[State | None] = [None] * len(self.clusters)

    def __enter__(self) -> Self:
        self._ray = connect(self.address, len(self.clusters))
        self.actors = [self._start(number) for number in range(len(self.clusters))]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ray.shutdown()

    def _start(self, number: int) -> Any:
        make = self._ray.remote(num_cpus=1)(_Actor)
        return make.remote(*self._made, self.clusters[number], number, self._kept[number])

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        """Ask all workers; one that is gone is started again from what is known of it, and asked again."""
        waiting = [getattr(actor, method).remote(*arguments) for actor in self.actors]
        out = []
        for number, reference in enumerate(waiting):
            try:
                out.append(self._ray.get(reference))
            except self._ray.exceptions.RayActorError:
                self.lost += 1
                self.actors[number] = self._start(number)
                out.append(self._ray.get(getattr(self.actors[number], method).remote(*arguments)))
        return out

    def walk(self, block: int, me: int, hands: Any, deal: Any, node: Any, weight: Any) -> list[npt.NDArray[np.float64]]:
        return self._all("walk", block, me, hands, deal, node, weight)

    def discount(self, factor: float) -> None:
        self._all("discount", factor)

    def states(self) -> list[State]:
        states: list[State] = self._all("state")
        self._kept = list(states)
        return states

    def restore(self, states: Sequence[State]) -> None:
        self._kept = list(states)
        for actor, state in zip(self.actors, states, strict=True):
            self._ray.get(actor.restore.remote(state))


class _Actor:
    """A worker on a cluster."""

    def __init__(
        self,
        plan: BlueprintPlan,
        beside: str,
        training: Training,
        clusters: tuple[int, ...],
        number: int,
        state: State | None,
    ) -> None:
        self.worker = ShareWorker(FlopShare(plan.game(beside=beside), clusters), training, number)
        if state is not None:
            self.worker.restore(state)

    def walk(self, block: int, me: int, hands: Any, deal: Any, node: Any, weight: Any) -> Any:
        return self.worker.walk(block, me, hands, deal, node, weight)

    def discount(self, factor: float) -> None:
        self.worker.discount(factor)

    def state(self) -> State:
        return self.worker.state()

    def restore(self, state: State) -> None:
        self.worker.restore(state)


class DistributedRun:
    """The head: tables of the first round, and the walks through it."""

    def __init__(
        self, game: AbstractPoker, training: Training, team: WorkerTeam, shares: Sequence[FlopShare], *, planned: int
    ) -> None:
        if training.storage != "float32":
            raise ParameterError("Training on a cluster stores regrets as float32.")
        self.game, self.training, self.team, self.shares, self.planned = game, training, team, shares, planned
        self.blocks = 0
        tree = game.tree
        self.tree = kernels.Tree(
            tree.player, tree.kind, tree.round, tree.first_child, tree.children, tree.folded, tree.paid, game.first_slot, tree.rounds
        )  # fmt: skip
        self.regret = np.zeros(game.slots, dtype=np.float32)  # only the first round's are used
        self.average = np.zeros(game.slots, dtype=np.float32)
        self.frames = make_frames(game)

    @property
    def iteration(self) -> int:
        return self.blocks * BATCH

    @property
    def period(self) -> int:
        wanted = self.training.period or self.planned // max(self.training.discounts, 1)
        return max(1, wanted // BATCH)

    def advance(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            self._block(self.blocks)
            self.blocks += 1
            done = self.blocks // self.period
            if (
                self.training.weighting == "linear"
                and self.blocks % self.period == 0
                and done <= self.training.discounts
            ):
                factor = done / (done + 1.0)
                kernels.scale(self.regret, np.float32(factor))
                kernels.scale(self.average, np.float32(factor))
                self.team.discount(factor)

    def _block(self, number: int) -> None:
        random = np.random.SeedSequence([self.training.seed, number]).generate_state(4, np.uint64)
        cards = np.empty((BATCH, self.game.cards), dtype=np.int8)
        kernels.shuffle(random, self.game.rules.deck.size, cards)
        bucket, strength = self.game.deal(cards)
        hands = cards[:, : self.game.tree.players * self.game.rules.hole]
        pruning = self.training.prune.packed(self.game.rules.stack, False, False)
        shape = (self.tree, bucket, strength, self.regret, self.average, pruning)
        weights = np.stack([share.compatible(hands) for share in self.shares]).astype(np.float64)
        weights /= weights.sum(axis=0)
        for me in range(self.game.tree.players):
            entries, again = no_entries(ENTRIES * BATCH), random.copy()
            kernels.train_top(kernels.COLLECT, me, *shape, random, self.frames, entries)
            count = int(entries.count[0])
            deal, node, weight = (part[:count].copy() for part in (entries.deal, entries.node, entries.weight))
            if count:
                values = self.team.walk(number, me, hands, deal, node, weight)
                entries.value[:count] = sum(w[deal] * v for w, v in zip(weights, values, strict=True))
            kernels.train_top(kernels.FINISH, me, *shape, again, self.frames, entries)

    def whole(self) -> State:
        """Regrets and averages of the whole abstract game."""
        return gather(self.game, {"regret": self.regret, "average": self.average}, self.shares, self.team.states())

    def packed(self) -> npt.NDArray[np.uint8]:
        """As `BlueprintRun.packed`."""
        tables, out = self.whole(), np.zeros(self.game.slots, dtype=np.uint8)
        widths = np.asarray(self.game.buckets.sizes, dtype=np.int64)[self.game.tree.round[self.game.tree.decisions]]
        kernels.pack(self.tree, self.game.tree.decisions, widths, tables["average"], tables["regret"], out)
        return out

    def save(self, folder: Path) -> None:
        """One file for each worker, then the head's, which says which block they belong to."""
        for number, state in enumerate(self.team.states()):
            save_artifact(folder / f"share-{number}.eqb", Artifact(KIND, {"block": self.blocks}, state))
        head = {"regret": self.regret, "average": self.average}
        save_artifact(folder / HEAD, Artifact(KIND, {"block": self.blocks, "workers": len(self.shares)}, head))

    def load(self, folder: Path) -> None:
        head = load_artifact(folder / HEAD, KIND)
        if head.header["workers"] != len(self.shares):
            raise ParameterError(
                f"This training has {head.header['workers']} workers, but {len(self.shares)} were asked for."
            )
        self.regret[:], self.average[:] = head.arrays["regret"], head.arrays["average"]
        self.blocks = int(head.header["block"])
        self.team.restore(
            [dict(load_artifact(folder / f"share-{n}.eqb", KIND).arrays) for n in range(len(self.shares))]
        )


def local_run(game: AbstractPoker, training: Training, workers: int, *, planned: int) -> DistributedRun:
    """The same without a cluster."""
    shares = split(game, workers)
    return DistributedRun(game, training, LocalTeam(shares, training), shares, planned=planned)
