"""VectorRun: a blueprint trained without sampling, by vector CFR over all boards; for games with one or two deals of board cards.

Before the last street every hand plays for itself, on it all hands of a bucket play alike (`postflop/streamed_buckets/bucketed_cfr.py`).
Boards of the last street pass one by one, so memory is that of the buckets; an iteration is one pass over all of them for each player.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker, FittedBuckets
from equilibrist.solvers.blueprint.run import Health
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame
from equilibrist.solvers.postflop.streamed_buckets.bucketed_responses import respond_fully
from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import on_host
from equilibrist.solvers.registry import make_solver

MOST_DEALS = 2  # hands are told apart on the boards of all but the last of them


def check_method(method: str, rules: PokerRules) -> CFR:
    """The solver, or a refusal before anything is built or written."""
    solver = make_solver(method)
    if not isinstance(solver, CFR) or solver.bindings or solver.pruning.walks or solver.threshold:
        raise ParameterError(
            f"Blueprints are trained by mccfr or the CFR family without pruning (cfr, cfr+, lcfr, dcfr, pcfr+ …), but '{method}' was given."
        )
    if rules.players != 2 or rules.hole != 2 or not 1 <= sum(1 for cards in rules.board if cards) <= MOST_DEALS:
        raise NotApplicableError(
            f"'{method}' trains games for two players with two cards each and one or two deals of board cards, such as flop-holdem; "
            "leave --method out for others."
        )
    return solver


class VectorRun:
    """A training as `BlueprintRun` is one; `method` is a name of the CFR family such as `dcfr`."""

    block = 1  # iterations that are done at once

    def __init__(self, game: AbstractPoker, method: str, *, threads: int = 1, device: str = "cpu") -> None:
        solver = check_method(method, game.rules)
        if not isinstance(game.buckets, FittedBuckets):
            raise NotApplicableError(
                f"'{method}' passes over boards up to suits, which exact cards tell apart; give --cards a recipe such as "
                "'ehs-equal(sizes=all/50)'."
            )
        self.game, self.nodes_touched = game, 0
        abstract = BucketedGame.of(Poker("blueprint", game.rules), game.buckets)
        self.run = BucketedCFR(abstract, solver, threads=threads, device=device)
        self._bucket = [abstract.hand_buckets(game.buckets, d) for d in range(len(abstract.forests) - 1)]
        for street in range(len(self._bucket)):
            self._check_round(street)

    def _check_round(self, street: int) -> None:
        """Hands that share a bucket before the last street must be alike: there the run tells all hands apart."""
        earlier, bucket = self.run.abstract.earlier, self._bucket[street]
        low = earlier.between[street - 1].low if street else earlier.first.classes[None]
        classes = (np.arange(len(low))[:, None] * low.shape[1] + low)[bucket >= 0]
        pairs = np.unique(np.stack([bucket[bucket >= 0], classes]), axis=1)
        if len(np.unique(pairs[0])) < pairs.shape[1]:
            raise NotApplicableError(
                "Without sampling all hands are told apart before the last street; give the streets before it 'all' buckets, as in "
                f"--cards 'ehs-equal(sizes={'all/' * len(self._bucket)}50)'."
            )

    @property
    def blocks(self) -> int:
        return self.run.iteration

    @property
    def iteration(self) -> int:
        return self.run.iteration

    @property
    def memory_bytes(self) -> int:
        return sum(array.nbytes for array in self.run.state().values())

    def advance(self, blocks: int = 1) -> None:
        self.run.advance(blocks)
        streets = zip(self.run.abstract.forests, self.run.abstract.boards, strict=True)
        self.nodes_touched += 2 * blocks * sum(len(forest) * len(boards.cards) for forest, boards in streets)

    def health(self) -> Health:
        """Exploitability is exact, against best responses that see all cards."""
        profile = self.run.profile()
        best = [respond_fully(self.run.stream, profile, player).average for player in range(2)]
        return Health(self.game.infosets, None, sum(best) / 2.0)

    def packed(self) -> npt.NDArray[np.uint8]:
        """[slots] the average strategy in bytes that sum to 255 in every infoset."""
        tree, first_slot = self.game.tree, self.game.first_slot
        average = np.zeros(self.game.slots, dtype=np.float32)
        for node, rows in self._rows():
            begin = int(first_slot[node])
            average[begin : begin + rows.size] = (
                rows / max(float(rows.max()), 1e-300)
            ).ravel()  # of use where it is small
        packed_tree = kernels.Tree(
            tree.player, tree.kind, tree.round, tree.first_child, tree.children, tree.folded, tree.paid, first_slot, tree.rounds
        )  # fmt: skip
        widths = np.asarray(self.game.buckets.sizes, dtype=np.int64)[tree.round[tree.decisions]]
        out = np.zeros(self.game.slots, dtype=np.uint8)
        kernels.pack(packed_tree, tree.decisions, widths, average, np.zeros_like(average), out)
        return out

    def _rows(self) -> Iterator[tuple[int, Floats]]:
        """Every decision of the betting tree with its sums [bucket, action]."""
        abstract = self.run.abstract
        columns = [*(self._holders(street) for street in range(len(self._bucket))), np.arange(abstract.buckets)]
        for forest, tables, column in zip(abstract.forests, self.run.tables, columns, strict=True):
            average = [on_host(each) for each in tables.average]
            for node in np.flatnonzero(forest.kind <= 1).tolist():
                place = self.game.tree.find(forest.line(node).replace("/", ":").strip(":"))
                assert self.game.tree.actions(place) == forest.labels(node), "both lay out the same betting"
                first, n = int(forest.slot[node]), int(forest.children[node])
                rows = average[int(forest.kind[node])][first : first + n].reshape(n, -1)
                yield place, np.ascontiguousarray(rows[:, column].T)

    def _holders(self, street: int) -> Longs:
        """[bucket] some hand of each, among those of all boards end to end: they are alike."""
        bucket = self._bucket[street].ravel()
        out = np.zeros(self.game.buckets.sizes[street], dtype=np.int64)
        out[bucket[bucket >= 0]] = np.flatnonzero(bucket >= 0)
        return out

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.run.state(), "done": np.array([self.nodes_touched])}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        kept = self.run.state()
        for name, array in kept.items():
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has the shape {state[name].shape} instead of {array.shape}")
        self.run.restore({name: np.array(state[name]) for name in kept})
        self.nodes_touched = int(state["done"][0])
