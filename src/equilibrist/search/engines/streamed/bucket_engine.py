"""StreamEngine: rows by bucket below the first street of a poker game; every pass streams over all boards.

Roots are the lines that lead to the boards, hands those of the first street. A subgame begins before the cards, so one search answers
all boards at once, inside the abstraction; `board_subgames.py` searches one board with all its hands told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.search.alternatives import expected
from equilibrist.search.engines.boards import SINGLE
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.techniques import Technique
from equilibrist.solvers.cfr.matching import discounted
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors, factors_of
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream


class StreamEngine:
    """An `Engine` on the boards of a bucketed game; averages are counted when the opponent meets them."""

    xp: Any = np
    precision = SINGLE
    simultaneous = False

    def __init__(self, stream: BoardStream, schedule: Schedule) -> None:
        self.stream, self.schedule, self.iteration = stream, schedule, 0
        rows = [np.zeros((stream.abstract.forests[1].slots[p], stream.abstract.buckets)) for p in range(2)]
        self.regret = rows
        self.average = [np.zeros_like(each) for each in rows]

    def keep(self, t: int) -> float:
        return float(factors_of(self.schedule, np.array([float(t)])).keep[0])

    def learn(self, player: int, reach: Floats) -> Floats:
        abstract, them = self.stream.abstract, 1 - player
        positive, negative, keep = discount_factors(self.schedule, self.iteration)[0].tolist()
        rows = [abstract.rows_matched(p, np.maximum(self.regret[p], 0.0)) for p in range(2)]
        below, gained, entered = self.stream.pass_over(kernels.LEARN, player, self._by_root(reach), rows)
        self.average[them] = keep * self.average[them] + entered
        self.regret[player] = discounted(self.regret[player] + gained, positive, negative)
        return abstract.first.over_suits(below).ravel()

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        """A response tells all hands apart; only strategies are kept by bucket."""
        abstract = self.stream.abstract
        met = np.ones((abstract.roots, abstract.first.hands)) if reach is None else self._by_root(reach)
        mode = kernels.RESPOND if respond else kernels.VALUE
        below, _, _ = self.stream.pass_over(mode, player, met, self.rows())
        return abstract.first.over_suits(below).ravel()

    def rows(self) -> tuple[Floats, Floats]:
        """Per player [slot, bucket] average strategy."""
        first, second = (self.stream.abstract.rows_matched(p, self.average[p]) for p in range(2))
        return first, second

    def _by_root(self, reach: Floats) -> Floats:
        out: Floats = reach.reshape(self.stream.abstract.roots, -1)
        return out


def trunk_inputs(trunk: Trunk, nodes: Longs, technique: Technique, opponent: int) -> GadgetInputs:
    """What a gadget needs to know about the opponent's hands at some nodes of the first street."""
    first = trunk.abstract.first
    mass = trunk.met_at(opponent, nodes).ravel()
    group = np.repeat(np.arange(len(nodes), dtype=np.int32), first.hands)
    plain = GadgetInputs(mass, group, trunk.reach[opponent][nodes].ravel())
    if not technique.gadget.needs_values:
        return plain
    gifts = [trunk.gifts_at(opponent, node) for node in nodes.tolist()] if technique.gift_scale else None
    worth, deviation = technique.alternatives(
        expected(trunk.best[opponent].nodes[nodes].ravel(), mass),
        expected(trunk.believed[opponent].nodes[nodes].ravel(), mass) if technique.estimated else None,
        np.concatenate(gifts) if gifts is not None else None,
    )
    return GadgetInputs(mass, group, plain.reach, worth, deviation)


@dataclass(frozen=True)
class GadgetOutcome:
    """What the opponent's hands can get against a search that began before the boards."""

    inputs: GadgetInputs
    values: Floats  # [root * hand] expected chips
    gap: float  # exploitability of the gadget game, summed over all deals

    @classmethod
    def facts(cls, run: GadgetRun) -> dict[str, Any]:
        """All this after some iterations."""
        values = expected(run.answer(), run.inputs.mass)
        return {"inputs": run.inputs, "values": values, "gap": run.evaluate().exploitability}

    @property
    def margins(self) -> Floats:
        """[root] smallest amount by which a hand gets less than its alternative."""
        alternative, group, held = self.inputs.alternatives("A margin"), self.inputs.group, self.inputs.mass > 0
        out = np.full(self.inputs.groups, np.inf)
        np.minimum.at(out, group[held], (alternative - self.values)[held])
        return out

    @property
    def tolerances(self) -> Floats:
        """[root] what the opponent may have gained, summed over all deals."""
        assert self.inputs.alternative is not None
        over = np.maximum(self.values - self.inputs.alternative, 0.0) * self.inputs.mass
        return np.bincount(self.inputs.group, over, minlength=self.inputs.groups).astype(np.float64)


@dataclass(frozen=True)
class BucketSearch(GadgetOutcome):
    """New strategies in buckets on all boards."""

    engine: StreamEngine  # its `rows` are the strategies


def search_in_buckets(
    trunk: Trunk, stream: BoardStream, searcher: int, technique: Technique, schedule: Schedule, iterations: int
) -> BucketSearch:
    """Solve what follows the first street again for one player, on all boards at once."""
    deals = trunk.abstract.first.deals
    engine, inputs = StreamEngine(stream, schedule), trunk_inputs(trunk, deals, technique, 1 - searcher)
    run = GadgetRun(engine, searcher, technique.gadget, inputs, trunk.reach[searcher][deals].ravel())
    run.advance(iterations)
    return BucketSearch(engine=engine, **GadgetOutcome.facts(run))
