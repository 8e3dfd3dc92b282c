"""A flop that self-play comes to, searched by CFR-D ([Brown20, §5.3.3]): an example of values before the flop, and turns to go on to.

What a class of hands is worth before the flop is a mean over flops. One flop says by how much its hands are worth more there than if nobody
bet any more; the luck of the flop that checking down tells is left out (a control variate), and hands that the flop takes count nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from equilibrist.cards.range_text import STANDARD
from equilibrist.cards.ranges import Range
from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.games.spots.spot import Spot
from equilibrist.learning.hand_values.belief_states import HANDS, LEAST_WEIGHT, BeliefStates, as_stored, possible_hands
from equilibrist.learning.hand_values.value_file import SavedValues
from equilibrist.learning.rebel_holdem.preflop_game import FLOP_BETS, PreflopGame
from equilibrist.learning.rebel_holdem.sampled_ends import SampledStreetEnds
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.depth_limited.spots import start_street
from equilibrist.solvers.postflop.depth_limited.valued_street import ValuedStreetCFR

FLOPS_LEFT = comb(50, 3) / comb(48, 3)  # flops that leave one hand, for each that leaves two
SOLVER = "lcfr"
DIGITS = 3  # of depths: what is solved in one batch has few of them


@dataclass(frozen=True)
class FlopSearch:
    """How a flop is searched and how many turns come of it."""

    inside: int = 20  # iterations of both players
    cards: int = 4  # that are asked about in a pass; 0: all
    states: int = 2  # turns
    exploration: float = 0.25  # chance that a line is drawn evenly


@dataclass(frozen=True, eq=False)
class ClassExamples:
    """N public belief states at the start of a flop, and what one flop said of each."""

    weights: Floats32  # [N, 2, class] of single hands
    depth: Floats  # [N] stacks as shares of the pot
    added: Floats32  # [N, 2, class] on top of checking down, shares of the pot
    share: Floats32  # [N, class] of the hands that the flop leaves

    def __len__(self) -> int:
        return len(self.depth)


class FlopTable:
    """One flop, on which several lines are played; what does not depend on the line is found once."""

    def __init__(
        self, game: PreflopGame, flop: Sequence[int], values: SavedValues, search: FlopSearch, **where: Any
    ) -> None:
        """`where`: `device` and `threads` of the search."""
        self.game, self.flop, self.values, self.search, self.where = game, tuple(flop), values, search, where
        self._after: Any = None

    def play(self, leaf: int, weights: Floats, random: np.random.Generator) -> tuple[ClassExamples, BeliefStates]:
        """One line of the round before, where both players hold classes with these weights [2, class]."""
        weights = np.maximum(weights / np.maximum(weights.max(axis=1, keepdims=True), 1e-300), LEAST_WEIGHT)
        run, ends = self._start(leaf, weights, random)
        worth, drawn = self._searched(run, ends, random)
        states = [self._turn(run, ends, reach, random) for reach in drawn]
        return self._example(leaf, weights, ends, worth), _together(states)

    def _start(
        self, leaf: int, weights: Floats, random: np.random.Generator
    ) -> tuple[ValuedStreetCFR, SampledStreetEnds]:
        first, second = (Range(self.game.by_hand(each)) for each in weights)
        spot = Spot(
            board="".join(map(STANDARD.label, self.flop)), pot=float(self.game.pots[leaf]), stack=float(self.game.behind[leaf]),
            range={"oop": first, "ip": second}, bets=FLOP_BETS,
        )  # fmt: skip
        run = start_street(spot, SOLVER, Continuations(values=_Bound(self, random)), 0, **self.where)
        assert isinstance(run, ValuedStreetCFR)
        assert isinstance(run.edge, SampledStreetEnds)
        return run, run.edge

    def ends(self, spot: CompiledSpot, random: np.random.Generator, threads: int, device: str) -> SampledStreetEnds:
        """Values at the ends of the flop."""
        made = SampledStreetEnds(
            self.values, spot, self.search.cards, random, threads=threads, device=device, after=self._after
        )
        self._after = made.after
        return made

    def _searched(
        self, run: ValuedStreetCFR, ends: SampledStreetEnds, random: np.random.Generator
    ) -> tuple[list[Floats], list[tuple[Floats32, Floats32]]]:
        """Counterfactual values of both players' hands under the averages; reach at leaves of iterates drawn by their numbers."""
        inside = self.search.inside
        chances = np.arange(1.0, inside + 1.0)
        wanted = random.choice(inside, size=self.search.states, p=chances / chances.sum())
        drawn = list[tuple[Floats32, Floats32]]()
        for t in range(inside):
            run.advance(1)
            assert ends.reach is not None
            drawn += [(ends.reach[0].copy(), ends.reach[1].copy())] * int((wanted == t).sum())
        return [run.values(me) for me in range(2)], drawn

    def _example(self, leaf: int, weights: Floats, ends: SampledStreetEnds, worth: list[Floats]) -> ClassExamples:
        """What this flop says about the line that leads to it."""
        game, pot = self.game, float(self.game.pots[leaf])
        start = tuple(game.by_hand(weights[p])[ends.hands[p]].astype(np.float32)[None] for p in range(2))
        added, share = np.zeros((2, len(game.cell))), np.zeros(len(game.cell))
        for me in range(2):
            down = ends.checked_down(me, (start[0], start[1]))[0].astype(np.float64)
            met = game.by_hand(game.meets @ weights[1 - me])[ends.hands[me]]
            more = FLOPS_LEFT * (worth[me] / pot - down) / met
            added[me], share = game.by_class(more, ends.hands[me])
        return ClassExamples(
            weights[None].astype(np.float32),
            game.depths[[leaf]],
            added[None].astype(np.float32),
            share[None].astype(np.float32),
        )

    def _turn(
        self,
        run: ValuedStreetCFR,
        ends: SampledStreetEnds,
        reach: tuple[Floats32, Floats32],
        random: np.random.Generator,
    ) -> BeliefStates:
        """A line to the next card and that card, drawn by their chances; now and then all lines are equally likely."""
        held = np.zeros((2, len(ends.pots), HANDS.count))
        for p in range(2):
            held[p][:, ends.hands[p]] = reach[p]
        open_ = np.flatnonzero(ends.asked)
        lines = (held[0] * run.deal.met(held[1])).sum(axis=1)[open_]
        even = random.random() < self.search.exploration or not lines.sum() > 0.0
        leaf = int(random.choice(open_, p=None if even else lines / lines.sum()))
        left = np.setdiff1d(np.arange(STANDARD.size), self.flop)
        boards = np.concatenate([np.broadcast_to(self.flop, (len(left), 3)), left[:, None]], axis=1).astype(np.int64)
        live = possible_hands(boards)
        cards = ((held[0, leaf] * live) * run.deal.met(held[1, leaf] * live)).sum(axis=1)
        board = boards[[int(random.choice(len(left), p=cards / cards.sum() if cards.sum() > 0.0 else None))]]
        ranges = as_stored(held[None, :, leaf], possible_hands(board)[:, None])
        return BeliefStates(board, ranges, np.round(ends.depths[[leaf]], DIGITS), np.full(1, -1))


@dataclass(frozen=True)
class _Bound:
    """Fulfils `StreetValues`."""

    table: FlopTable
    random: np.random.Generator

    def bind(self, spot: CompiledSpot, threads: int = 1, device: str = "cpu") -> SampledStreetEnds:
        return self.table.ends(spot, self.random, threads, device)


def _together(states: Sequence[BeliefStates]) -> BeliefStates:
    from equilibrist.learning.hand_values.belief_states import joined_states

    return joined_states(states)


def random_flop(random: np.random.Generator) -> Longs:
    """Every flop is equally likely, whatever both players hold: hands count as far as they are left."""
    return np.sort(random.choice(STANDARD.size, 3, replace=False)).astype(np.int64)
