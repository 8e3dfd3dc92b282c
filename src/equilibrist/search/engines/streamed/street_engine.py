"""The betting before the boards of a blueprint in buckets, searched hand by hand ([Brown20, §5.1, §5.2]).

`StreetEngine` stands above another engine, whose roots are the lines to the boards: `StreamEngine` learns the boards in buckets, and
`ContinuationEngine` follows the blueprint there, each hand by one of several continuations (a depth limit).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import IP
from equilibrist.forms.boards.subforest import forests_below
from equilibrist.forms.engine import Engine
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.board_subgame import matching_nodes
from equilibrist.search.engines.boards import SINGLE
from equilibrist.search.engines.streamed.bucket_engine import GadgetOutcome, StreamEngine, trunk_inputs
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.off_tree.unknown_bet import forests_after
from equilibrist.search.techniques import Technique
from equilibrist.solvers.cfr.matching import discounted
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors, factors_of
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.depth_limited.continuation_values import Preference
from equilibrist.solvers.postflop.depth_limited.leaf_choices import LeafChoices
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame
from equilibrist.solvers.postflop.streamed_buckets.followed_stream import FollowedStream


class ContinuationEngine:
    """An `Engine` at the lines to the boards: rows in buckets are followed, and each hand chooses with which preference."""

    xp: Any = np
    precision = SINGLE
    simultaneous = False

    def __init__(
        self,
        stream: BoardStream,
        rows: Sequence[Floats],
        preferences: Sequence[Sequence[Preference]],
        schedule: Schedule,
    ) -> None:
        """`rows` of both players [slot, bucket]; `preferences` of both: factors on fold, call and raise."""
        self.followed, self.schedule, self.iteration = FollowedStream(stream, rows, preferences), schedule, 0
        shape = stream.abstract.roots, stream.abstract.first.hands
        self.choices = [LeafChoices(shape[0], len(own), shape[1]) for own in preferences]

    def keep(self, t: int) -> float:
        return float(factors_of(self.schedule, np.array([float(t)])).keep[0])

    def learn(self, player: int, reach: Floats) -> Floats:
        factors = discount_factors(self.schedule, self.iteration)[0].astype(np.float32)
        return self._pass(kernels.LEARN, player, reach, kernels.Weights(*factors))

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        mode, choices = kernels.RESPOND if respond else kernels.VALUE, self.choices[1 - player]
        met = np.ones(choices.shape[0] * choices.shape[2]) if reach is None else reach
        return self._pass(mode, player, met, kernels.Weights(*np.ones(3, dtype=np.float32)))

    def _pass(self, mode: int, player: int, reach: Floats, weights: Any) -> Floats:
        theirs = self.choices[1 - player]
        held = reach.reshape(theirs.shape[0], theirs.shape[2]).astype(np.float32)
        found = self.followed.values(player, theirs.down(mode, held, float(weights.keep)))
        return self.choices[player].up(mode, found.astype(np.float32), weights).astype(np.float64).ravel()


class StreetEngine:
    """An `Engine` on the betting of the first street, above one for the boards; averages are counted when the opponent meets them."""

    xp: Any = np
    precision = SINGLE
    simultaneous = False

    def __init__(self, abstract: BucketedGame, below: Engine, schedule: Schedule) -> None:
        self.first, self.below, self.schedule = abstract.first, below, schedule
        self.regret = [np.zeros((slots, self.first.hands)) for slots in self.first.forest.slots]
        self.average = [np.zeros_like(each) for each in self.regret]

    @property
    def iteration(self) -> int:
        return self.below.iteration

    @iteration.setter
    def iteration(self, t: int) -> None:
        self.below.iteration = t

    def keep(self, t: int) -> float:
        return float(factors_of(self.schedule, np.array([float(t)])).keep[0])

    def learn(self, player: int, reach: Floats) -> Floats:
        first, them = self.first, 1 - player
        positive, negative, keep = discount_factors(self.schedule, self.iteration)[0].tolist()
        mine, theirs = (first.matched(p, np.maximum(self.regret[p], 0.0)) for p in (player, them))
        met = first.down(them, theirs, self._by_root(reach))
        values = first.up(player, met, self._deals(self.below.learn(player, met[first.deals].ravel())), mine)
        self.average[them] = keep * self.average[them] + first.by_slot(them, met)
        regret = self.regret[player] + first.by_slot(player, values) - first.by_node(player, values)
        self.regret[player] = discounted(regret, positive, negative)
        return values[: first.forest.roots].ravel()

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        first, rows = self.first, self.rows()
        met = first.down(1 - player, rows[1 - player], None if reach is None else self._by_root(reach))
        below = self.below.values(player, respond=respond, reach=met[first.deals].ravel())
        values = first.up(player, met, self._deals(below), None if respond else rows[player])
        return values[: first.forest.roots].ravel()

    def rows(self) -> tuple[Floats, Floats]:
        """Per player [slot, hand] average strategy."""
        first, second = (self.first.matched(p, self.average[p]) for p in range(2))
        return first, second

    def _by_root(self, reach: Floats) -> Floats:
        return reach.reshape(self.first.forest.roots, self.first.hands)

    def _deals(self, values: Floats) -> Floats:
        return values.reshape(len(self.first.deals), self.first.hands)


@dataclass(frozen=True)
class StreetSubgame:
    """What follows a line that ends before the boards."""

    trunk: Trunk
    node: int  # of the trunk's first street: where ranges and values are read
    abstract: BucketedGame  # the betting to be searched, with the trunk's boards and buckets
    line: str
    off_tree: bool = False  # it begins after an action that the blueprint does not know

    @classmethod
    def of(cls, trunk: Trunk, node: int) -> StreetSubgame:
        """The line as the blueprint knows it."""
        forests = trunk.abstract.forests
        if forests[0].kind[node] > IP:
            raise NotApplicableError("A subgame begins where a player acts; give a line to such a decision.")
        first, second = forests_below(forests, 0, node)
        return cls(trunk, node, replace(trunk.abstract, forests=(first, second)), forests[0].line(node))

    @classmethod
    def after(cls, trunk: Trunk, node: int, bet: str) -> StreetSubgame:
        """What follows a bet that the blueprint does not know."""
        line = trunk.abstract.forests[0].line(node)
        (first, second), game, label = forests_after(trunk.abstract.game, trunk.abstract.forests[0], node, line, bet)
        whole = f"{line}:{label}" if line else label
        return cls(trunk, node, replace(trunk.abstract, game=game, forests=(first, second)), whole, off_tree=True)

    @property
    def player(self) -> int:
        """Who acts first."""
        return int(self.abstract.forests[0].kind[0])

    def inputs(self, technique: Technique, opponent: int) -> GadgetInputs:
        if self.off_tree:
            technique.check_off_tree()
        return trunk_inputs(self.trunk, np.array([self.node]), technique, opponent)

    def rows(self) -> tuple[Floats, Floats]:
        """Per player [slot, bucket]: the blueprint on the boards below."""
        firsts, seconds = zip(self.abstract.forests, self.trunk.abstract.forests, strict=True)
        above = matching_nodes(*firsts, np.array([self.node]))
        roots = [firsts[1].next_root[above[node]] for node in self.abstract.first.deals.tolist()]
        pairs = matching_nodes(*seconds, np.array(roots, dtype=np.int64))
        out = []
        for player, rows in enumerate(self.trunk.profile.rows):
            nodes = [pairs[node] for node in np.flatnonzero(seconds[0].kind == player).tolist()]
            spans = [np.arange(seconds[1].children[node]) + seconds[1].slot[node] for node in nodes]
            out.append(rows[np.concatenate([np.zeros(0, dtype=np.int64), *spans])])
        return out[0], out[1]


@dataclass(frozen=True)
class StreetSearch(GadgetOutcome):
    """New strategies before the boards, hand by hand."""

    subgame: StreetSubgame
    engine: StreetEngine

    def strategy(self) -> Floats:
        """[hand, action] of the player who acts first."""
        return self.engine.rows()[self.subgame.player][: int(self.engine.first.forest.children[0])].T


def search_street(
    subgame: StreetSubgame,
    searcher: int,
    technique: Technique,
    schedule: Schedule,
    iterations: int,
    *,
    continuations: Continuations | None = None,
    threads: int = 1,
) -> StreetSearch:
    """Solve what follows a line before the boards for one player: to the end in buckets, or this street alone with `continuations`."""
    inputs, ranges = subgame.inputs(technique, 1 - searcher), [reach[subgame.node] for reach in subgame.trunk.reach]
    believed = (searcher,) if technique.gadget.needs_values else (0, 1)
    for player in believed:
        if not ranges[player].any():
            raise NotApplicableError(
                f"Player {player + 1} never gets to '{subgame.line}' in this blueprint; search a line that it plays."
            )
    stream = BoardStream(subgame.abstract, threads)
    below: Engine = StreamEngine(stream, schedule)
    if continuations is not None:
        continuations.check_own_blueprint()
        if not len(subgame.abstract.first.deals):
            raise NotApplicableError("No card comes after this line, so there is no depth to limit; search to the end.")
        rows = _learned(stream, ranges, schedule, continuations.iterations) if subgame.off_tree else subgame.rows()
        below = ContinuationEngine(stream, rows, continuations.preferences(searcher), schedule)
    engine = StreetEngine(subgame.abstract, below, schedule)
    run = GadgetRun(engine, searcher, technique.gadget, inputs, ranges[searcher])
    run.advance(iterations)
    return StreetSearch(subgame=subgame, engine=engine, **GadgetOutcome.facts(run))


def _learned(
    stream: BoardStream, ranges: Sequence[Floats], schedule: Schedule, iterations: int
) -> tuple[Floats, Floats]:
    """Rows below an action that the blueprint does not know, found from both ranges before it."""
    boards = StreamEngine(stream, schedule)
    engine = StreetEngine(stream.abstract, boards, schedule)
    for _ in range(iterations):
        for player in range(2):
            engine.learn(player, ranges[1 - player])
        engine.iteration += 1
    return boards.rows()
