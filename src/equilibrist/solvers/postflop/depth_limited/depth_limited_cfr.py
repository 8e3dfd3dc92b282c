"""DepthLimitedCFR: CFR on the first street of a spot; at its frontier each player chooses a continuation ([Brown20, §5.2.2]).

The boards below may be a sample. Unless a blueprint is given, all streets are learned for a while first; then the streets below are
followed, and the first one is learned on, together with the choices. A choice is made separately by each hand where a card is about to
come, and neither player sees the other's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Floats32
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.boards.street_betting import DEAL, StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.depth_limited.continuation_values import ContinuationValues, Preference, street_ways
from equilibrist.solvers.postflop.depth_limited.leaf_choices import LeafChoices
from equilibrist.solvers.postflop.depth_limited.showdown_odds import exact_odds, sampled_odds
from equilibrist.solvers.postflop.double_precision.exact_depth_limited import ExactDepthLimited
from equilibrist.solvers.postflop.double_precision.exact_passes import ExactPasses
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

BLUEPRINT: Preference = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Later:
    """A schedule that has been at work for some iterations already."""

    schedule: Schedule
    iterations: int

    def positive(self, t: Floats) -> Floats:
        return self.schedule.positive(t + self.iterations)

    def negative(self, t: Floats) -> Floats:
        return self.schedule.negative(t + self.iterations)

    def keep(self, t: Floats) -> Floats:
        return self.schedule.keep(t + self.iterations)


class DepthLimitedCFR(BoardCFR):
    """Learns all streets until `follow` is called, then the first street and the choices at its frontier."""

    first_check = 20  # a check costs about an iteration
    check_growth = 1.1

    def __init__(
        self,
        forests: Sequence[StreetForest],
        deal: Deal,
        weights: Sequence[Floats],
        schedule: Schedule,
        *,
        boards: Sequence[StreetBoards],
        preferences: Sequence[Sequence[Preference]] = ((BLUEPRINT,), (BLUEPRINT,)),
        corrected: bool = True,
        predictive: bool = False,
        threads: int = 1,
        isomorphism: bool = True,
    ) -> None:
        """`preferences` of each player: its continuations, as factors on the blueprint's actions."""
        if len(forests) < 2:
            raise NotApplicableError("A river spot has no street below it, so a search of it ends with the hand.")
        if not all(len(own) for own in preferences) or not all(f > 0.0 for own in preferences for p in own for f in p):
            raise ParameterError(
                "Each player needs at least one continuation, and continuations prefer actions by positive factors."
            )
        super().__init__(
            forests, deal, weights, schedule, predictive=predictive, threads=threads, isomorphism=isomorphism, boards=boards
        )  # fmt: skip
        self.following = False
        self.ways = [
            [street_ways(forest, street, p, preferences[p]) for p in range(2)]
            for forest, street in zip(forests, self.streets, strict=True)
        ]
        self._followers = [ContinuationValues(worker, self.ways) for worker in self._workers]
        deals = np.flatnonzero(forests[0].kind == DEAL)
        widths = [self._workers[0].width(1, p) for p in range(2)]
        self.choices = [LeafChoices(len(deals), len(preferences[p]), widths[p]) for p in range(2)]
        self._stake = forests[0].stake[deals].astype(np.float32)[:, None]
        self._odds = self._missing_odds(boards, deal) if corrected else None

    def _missing_odds(self, boards: Sequence[StreetBoards], deal: Deal) -> Floats32:
        """[place of oop, place of ip] odds over all boards, less those over the boards that are here."""
        own = boards[0].player
        oop, ip = (player.pair[0, : player.count[0]].astype(np.int64) for player in own)
        out = np.zeros((own[0].places + 1, own[1].places + 1), dtype=np.float32)
        missing = exact_odds(deal.board_cards, oop, ip) - sampled_odds(boards, deal.chances, oop, ip)
        out[: len(oop), : len(ip)] = missing
        return out

    def follow(self) -> None:
        """From now on nothing is learned below the frontier. Above it averages begin anew, and regrets go on from where they are."""
        self.schedule, self.following, self.iteration = Later(self.schedule, self.iteration), True, 0
        for tables in self.streets[0].tables:
            tables.average[:] = 0.0

    @property
    def exact(self) -> bool:
        """Whether what is stated is found in double precision."""
        return self.precision.needs_double

    @property
    def error(self) -> float:
        """Chips that stated values may be off in the game that is searched: its boards, choices and continuations."""
        return self.precision.followed if self.exact else self.precision.single

    def _exact_passes(self) -> ExactPasses:
        return ExactDepthLimited(self)

    def value_at(
        self, path: Sequence[int], me: int, *, below: Floats32 | None = None, respond: bool = False
    ) -> Floats32 | Floats:
        """Values on the first board; below the frontier as the continuations say."""
        if path:
            raise NotApplicableError("A depth-limited search has values on its own street only.")
        mode = kernels.RESPOND if respond else kernels.VALUE
        if self.exact and below is None:
            return self._exact_passes().value_at(path, mode, me, self._exact_weights(1 - me))
        worker = self._workers[0]
        self._look_down(worker, path, 1 - me)
        if below is None:
            below = self._under(mode, me, kernels.Weights(*np.ones(3, dtype=np.float32)))
        return self._look_up(worker, path, me, below, mode)

    def _pass(self, mode: int, me: int, weights: Any, given: Floats32 | None = None) -> Floats32:
        worker = self._workers[0]
        value = np.zeros_like(self.root_weights[me])
        reach = self.root_weights[1 - me] if given is None else given
        worker.street_down(0, 0, mode, me, weights.keep, reach, worker.nothing)
        worker.next_value[0][me][:] = self._under(mode, me, weights).ravel()
        worker.street_up(0, 0, mode, me, weights, value, worker.nothing)
        return value

    def _under(self, mode: int, me: int, weights: Any) -> Floats32:
        """My values [leaf, place] at the frontier, after the opponent's reach came down to it."""
        them, root = 1 - me, self._workers[0]
        reach = root.next_reach[0][them].reshape(len(self._stake), -1)
        if self.following:
            first = self._followers[0]
            link = first.link(them, self.choices[them].down(mode, reach, float(weights.keep)))
            got = self._over_boards(lambda n, part: self._followers[n].boards(part, me, link))
            first.symmetrise(0, 0, me, got)
            values = self.choices[me].up(mode, first.unlink(me, got, len(self._stake)), weights)
        else:
            root.next_value[0][me][:] = self._below(mode, me, weights)
            root.symmetrise(0, 0, me)
            values = root.next_value[0][me].reshape(len(self._stake), -1)
        return values + self.correction(me, reach)

    def _over_boards(self, work: Callable[[int, Sequence[int]], Floats32]) -> Floats32:
        """Sum over the boards of the second street; every thread has its fixed part, so that results can be repeated."""
        boards, threads = len(self.streets[1].boards.cards), len(self._workers)
        if self._pool is None:
            return work(0, range(boards))
        parts = [range(n, boards, threads) for n in range(threads)]
        total: Floats32 = np.sum(list(self._pool.map(work, range(threads), parts)), axis=0)
        return total

    def correction(self, me: int, reach: Floats32 | Floats) -> Floats32 | Floats | float:
        """What the sample gets wrong where everybody only checks, for the chips at stake at each leaf."""
        if self._odds is None:
            return 0.0
        odds = self._odds.T if me == 0 else -self._odds
        return (reach @ odds) * self._stake
