"""DistributedRun: a head and workers, in this process or on a Ray cluster, with the same results ([Ganzfried15, §6.2]).

Workers are asked in batches: all entries of a block of deals and one walking player. Random numbers belong to blocks, so the same blocks
from the same tables give the same bits. When a worker is lost, head and workers all go back to the last checkpoint and walk the blocks
since then again: the result is that of a run in which nothing was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from equilibrist.compute.workers import connect, require_ray
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError
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
MOST_LOSSES = 5  # in a row without getting further
State = dict[str, npt.NDArray[Any]]
T = TypeVar("T")


class WorkerLostError(Exception):
    """A worker is missing: lost with what it had learned since the last checkpoint, or not started yet; `restore` starts a new one."""


class ClusterError(EquilibristError):
    """A cluster that cannot go on: no core is free for a worker, or workers are lost again and again."""


class WorkerTeam(Protocol):
    """Workers, wherever they are; every method may find that one is lost. States of None are those of the beginning."""

    def walk(
        self, block: int, me: int, hands: Any, deal: Any, node: Any, weight: Any
    ) -> list[npt.NDArray[np.float64]]: ...
    def discount(self, factor: float) -> None: ...
    def states(self) -> list[State]: ...
    def restore(self, states: Sequence[State | None]) -> None: ...


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

    def restore(self, states: Sequence[State | None]) -> None:
        for worker, state in zip(self.workers, states, strict=True):
            worker.restore(state)


class RayTeam:
    """One Ray actor per share; each builds the game from its plan, so that no tables travel but values."""

    patience = 120.0  # seconds that a new worker may wait for a core

    def __init__(
        self, address: str, plan: BlueprintPlan, beside: str, clusters: Sequence[tuple[int, ...]], training: Training
    ) -> None:
        require_ray()
        self.address, self._made = address, (plan, beside, training)
        self.clusters, self.lost = list(clusters), 0
        self.actors: list[Any] = [None] * len(self.clusters)  # None: lost, or not started yet

    def __enter__(self) -> Self:
        self._ray = connect(self.address, len(self.clusters))
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        if cores < len(self.clusters):
            self._ray.shutdown()
            raise ClusterError(
                f"{len(self.clusters)} workers take a core each, but the cluster has {cores}; ask for fewer with --workers."
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ray.shutdown()

    def _start(self) -> None:
        """Workers in place of those that are missing; refused when no core becomes free for one."""
        missing = [number for number, actor in enumerate(self.actors) if actor is None]
        make = self._ray.remote(num_cpus=1)(_Actor)
        made = {number: make.remote() for number in missing}
        for number, actor in made.items():
            try:
                self._ray.get(actor.ready.remote(), timeout=self.patience)
            except self._ray.exceptions.GetTimeoutError:
                raise ClusterError(
                    f"No core of the cluster became free within {self.patience:g} seconds for worker {number + 1} of {len(self.clusters)}; "
                    "the last checkpoint is whole: free a core, or add a node, and resume the training."
                ) from None
            except self._ray.exceptions.RayActorError:
                self.lost += 1
                raise WorkerLostError from None
            self.actors[number] = actor
        self._ask([(number, "build", (*self._made, self.clusters[number], number)) for number in missing])

    def _ask(self, questions: Sequence[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        """Answers of workers to a method and its arguments each; all are waited for, also where one is lost."""
        waiting = [(number, getattr(self.actors[number], name).remote(*given)) for number, name, given in questions]
        out: list[Any] = []
        for number, reference in waiting:
            try:
                out.append(self._ray.get(reference))
            except self._ray.exceptions.RayActorError:
                self.actors[number] = None
                self.lost += 1
        if None in self.actors:
            raise WorkerLostError
        return out

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        if None in self.actors:
            raise WorkerLostError  # only `restore` knows what a new one has to begin from
        return self._ask([(number, method, arguments) for number in range(len(self.actors))])

    def walk(self, block: int, me: int, hands: Any, deal: Any, node: Any, weight: Any) -> list[npt.NDArray[np.float64]]:
        return self._all("walk", block, me, hands, deal, node, weight)

    def discount(self, factor: float) -> None:
        self._all("discount", factor)

    def states(self) -> list[State]:
        return self._all("state")

    def restore(self, states: Sequence[State | None]) -> None:
        if None in self.actors:
            self._start()
        self._ask([(number, "restore", (state,)) for number, state in enumerate(states)])


class _Actor:
    """A worker on a cluster; it answers as soon as it has a core, and then builds its game."""

    worker: ShareWorker

    def ready(self) -> None:
        """Answered once a core is free."""

    def build(
        self, plan: BlueprintPlan, beside: str, training: Training, clusters: tuple[int, ...], number: int
    ) -> None:
        self.worker = ShareWorker(FlopShare(plan.game(beside=beside), clusters), training, number)

    def walk(self, block: int, me: int, hands: Any, deal: Any, node: Any, weight: Any) -> Any:
        return self.worker.walk(block, me, hands, deal, node, weight)

    def discount(self, factor: float) -> None:
        self.worker.discount(factor)

    def state(self) -> State:
        return self.worker.state()

    def restore(self, state: State | None) -> None:
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
        self._mark([None] * len(shares))

    def _mark(self, states: Sequence[State | None]) -> None:
        """Where everybody goes back to when a worker is lost."""
        self._anchor = self.blocks, self.regret.copy(), self.average.copy(), states

    def _surely(self, work: Callable[[], T]) -> T:
        """Have something done by all workers; where one is lost, all go back and walk the blocks since the last checkpoint again."""
        here, lost, losses, furthest = self.blocks, False, 0, -1
        while True:
            try:
                if lost:
                    self._go_back()
                    lost = False
                while self.blocks < here:
                    self._step()
                return work()
            except WorkerLostError:
                lost, losses = True, 1 if self.blocks > furthest else losses + 1
                furthest = max(furthest, self.blocks)
                if losses > MOST_LOSSES:
                    raise ClusterError(
                        f"A worker was lost {losses} times in a row at the same deals; the last checkpoint is whole: see what ends "
                        "processes on the cluster, and resume the training."
                    ) from None

    def _go_back(self) -> None:
        self.blocks, self.regret[:], self.average[:], states = self._anchor
        self.team.restore(states)

    @property
    def iteration(self) -> int:
        return self.blocks * BATCH

    @property
    def period(self) -> int:
        wanted = self.training.period or self.planned // max(self.training.discounts, 1)
        return max(1, wanted // BATCH)

    def advance(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            self._surely(self._step)

    def _step(self) -> None:
        """One block, and the discount after it."""
        self._block(self.blocks)
        done = (self.blocks + 1) // self.period
        ends = (self.blocks + 1) % self.period == 0 and done <= self.training.discounts
        if self.training.weighting == "linear" and ends:
            factor = done / (done + 1.0)
            kernels.scale(self.regret, np.float32(factor))
            kernels.scale(self.average, np.float32(factor))
            self.team.discount(factor)
        self.blocks += 1

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
        states = self._surely(self.team.states)
        return gather(self.game, {"regret": self.regret, "average": self.average}, self.shares, states)

    def packed(self) -> npt.NDArray[np.uint8]:
        """As `BlueprintRun.packed`."""
        tables, out = self.whole(), np.zeros(self.game.slots, dtype=np.uint8)
        widths = np.asarray(self.game.buckets.sizes, dtype=np.int64)[self.game.tree.round[self.game.tree.decisions]]
        kernels.pack(self.tree, self.game.tree.decisions, widths, tables["average"], tables["regret"], out)
        return out

    def save(self, folder: Path) -> None:
        """One file for each worker, then the head's, which names them; what it no longer names is removed after it."""
        states = self._surely(self.team.states)
        self._mark([{name: array.copy() for name, array in state.items()} for state in states])
        names = [f"share-{number}-{self.blocks}.eqb" for number in range(len(states))]
        for name, state in zip(names, states, strict=True):
            save_artifact(folder / name, Artifact(KIND, {"block": self.blocks}, state))
        head = {"regret": self.regret, "average": self.average}
        header = {"block": self.blocks, "workers": len(self.shares), "shares": names}
        save_artifact(folder / HEAD, Artifact(KIND, header, head))
        for path in folder.glob("share-*.eqb"):
            if path.name not in names:
                path.unlink(missing_ok=True)

    def load(self, folder: Path) -> None:
        head = load_artifact(folder / HEAD, KIND)
        if head.header["workers"] != len(self.shares):
            raise ParameterError(
                f"This training has {head.header['workers']} workers, but {len(self.shares)} were asked for."
            )
        self.regret[:], self.average[:] = head.arrays["regret"], head.arrays["average"]
        self.blocks = int(head.header["block"])
        names = head.header.get("shares") or [f"share-{n}.eqb" for n in range(len(self.shares))]  # earlier versions
        saved = [load_artifact(folder / name, KIND) for name in names]
        for name, share in zip(names, saved, strict=True):
            if share.header.get("block") != self.blocks:
                raise FormatError(
                    f"'{folder / name}' was written at another moment than '{folder / HEAD}'; start the training again."
                )
        states = [dict(share.arrays) for share in saved]
        self._mark(states)
        self._surely(lambda: self.team.restore(states))


def local_run(game: AbstractPoker, training: Training, workers: int, *, planned: int) -> DistributedRun:
    """The same without a cluster."""
    shares = split(game, workers)
    return DistributedRun(game, training, LocalTeam(shares, training), shares, planned=planned)
