"""FinerFlops: a game with one deal of board cards that has actions its blueprint does not know, on all boards at once.

Strategies are tables: before the flop [slot, hand], on it [board, slot, place] of engines whose roots are lines to each board, on the CPU
or on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from equilibrist.core.arrays import Bools, Floats, Longs
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.subforest import forests_below, slots_of_cut
from equilibrist.games.poker.game import Poker
from equilibrist.search.engines.streamed.flop_engines import flop_averages, flop_engine
from equilibrist.search.gadget_run import on_host
from equilibrist.search.off_tree.off_tree_lines import OffTreeLines
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.gpu.device_cfr import DeviceCFR
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.solve_game import deal_game
from equilibrist.solvers.postflop.streamed_buckets.preflop import PreflopStreet
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

KEPT = 8e9  # bytes of tables: larger engines are made anew each time


@dataclass(frozen=True)
class SeatStrategy:
    """How one player plays in the finer game, as far as it knows."""

    first: Floats  # [slot, hand]
    flops: Any  # [board, slot, place] probabilities; nothing where it knows of nothing


class FinerFlops:
    """A finer game, and a blueprint of the one without off-tree actions."""

    def __init__(
        self,
        game: Poker,
        unknown: Callable[[str, str], bool],
        schedule: Schedule,
        *,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        """`unknown`: as `OffTreeLines.where` has it."""
        dealt = deal_game(game)
        self.schedule, self.threads, self.gpu = schedule, threads, wants_gpu(device, None, streets=2)
        self.lines = OffTreeLines.where((dealt.forests[0], dealt.forests[1]), unknown)
        self.deal, self.boards, self.weights = dealt.deal, dealt.boards, dealt.weights
        images = self.boards[0].player[0].images[:, : len(self.deal.hands)].astype(np.int64)
        self.first = PreflopStreet(self.lines.forests[0], self.deal, images)
        own = self.boards[1].player[0]
        self.hands: Longs = own.pair[:, : int(own.count[0])].astype(np.int64)  # [board, hand]
        self._engines: dict[tuple[Any, ...], Any] = {}

    def run_below(self, node: int, hidden: Sequence[Bools]) -> BoardCFR:
        """A run of both streets after a line of the first, without some actions."""
        kind = DeviceCFR if self.gpu else BoardCFR
        cut = forests_below(self.lines.forests, 0, node, hidden)
        return kind(cut, self.deal, self.weights, self.schedule, threads=self.threads, boards=self.boards)

    def engine(self, nodes: Sequence[int], hidden: Bools) -> tuple[StreetForest, Any]:
        """All boards with the betting after some nodes of the second street."""
        key = (*nodes, hidden.tobytes())
        if key in self._engines:
            found: tuple[StreetForest, Any] = self._engines[key]
            return found
        (forest,) = forests_below(self.lines.forests[1:], 0, nodes, [hidden])
        how: dict[str, Any] = {"gpu": self.gpu, "threads": self.threads}
        made = forest, flop_engine(forest, self.boards[1], self.deal, self.schedule, **how)
        if 8 * sum(forest.slots) * self.hands.size <= KEPT:
            self._engines[key] = made
        return made

    def forget_engines(self) -> None:
        self._engines.clear()

    def blueprint(self, run: BoardCFR) -> tuple[SeatStrategy, SeatStrategy]:
        """The averages of a run of the game without off-tree actions, for each player of the finer game."""
        found = []
        for player in range(2):
            empty = SeatStrategy(np.zeros((self.lines.forests[0].slots[player], self.first.hands)), None)
            found.append(self.adopted(empty, player, run, 0, self.lines.after))
        return found[0], found[1]

    def adopted(
        self, strategy: SeatStrategy, player: int, run: BoardCFR, node: int, hidden: Sequence[Bools]
    ) -> SeatStrategy:
        """A strategy with the averages of a run below a node of the first street."""
        forests = self.lines.forests
        first, slots = strategy.first.copy(), slots_of_cut(forests[0], [node], player, hidden[0])
        pair = self.boards[0].player[player].pair[0, : self.first.hands]
        if len(slots):
            first[slots] = run.streets[0].strategies(0, player)[:, np.argsort(pair)]
        below = forests_below(forests, 0, node, hidden)
        nodes = self.roots_below(node, hidden[0])
        rows = normalised(below[1], player, self.xp.asarray(flop_averages(run, player)))
        return SeatStrategy(first, self.placed(strategy.flops, player, nodes, hidden[1], rows))

    def roots_below(self, node: int, hidden: Bools) -> list[int]:
        """Lines of the second street that come after a node of the first, in the order of what is cut out."""
        forest, found, level = self.lines.forests[0], list[int](), [node]
        while level:
            found += [int(forest.next_root[n]) for n in level if forest.next_root[n] >= 0]
            below = [range(int(forest.first_child[n]), int(forest.first_child[n] + forest.children[n])) for n in level]
            level = [child for span in below for child in span if not hidden[child]]
        return found

    def placed(self, table: Any, player: int, nodes: Sequence[int], hidden: Bools, rows: Any) -> Any:
        """A table of the whole with rows of what follows some nodes of the second street."""
        forest = self.lines.forests[1]
        if table is None:
            out = self.xp.zeros((rows.shape[0], forest.slots[player], rows.shape[2]), rows.dtype)
        else:
            out = table.copy()
        for own, row in zip(slots_of_cut(forest, nodes, player, hidden).tolist(), range(rows.shape[1]), strict=True):
            out[:, own] = rows[:, row]
        return out

    @cached_property
    def xp(self) -> Any:
        if not self.gpu:
            return np
        from equilibrist.solvers.postflop.gpu.cuda_device import cupy

        return cupy()

    @cached_property
    def holds(self) -> Any:
        """[board, hand, card] 1 where a hand has a card."""
        out = np.zeros((*self.hands.shape, self.deal.deck.size))
        np.put_along_axis(out, self.deal.hands.astype(np.int64)[self.hands], 1.0, axis=2)
        return self.xp.asarray(out)

    @cached_property
    def place(self) -> Any:
        """[board, hand of the deal] where a hand lies on a board; one behind the last if it does not."""
        boards, hands = self.hands.shape
        out = np.full((boards, self.first.hands), hands)
        np.put_along_axis(out, self.hands, np.broadcast_to(np.arange(hands), self.hands.shape), axis=1)
        return self.xp.asarray(out)

    def gathered(self, values: Any) -> Floats:
        """[line, hand] before the flop, from values [board, line, hand] on all boards."""
        xp, (boards, roots, hands) = self.xp, values.shape
        weight = xp.asarray(self.boards[1].share * self.deal.chances[1])[:, None]
        every, rows = xp.arange(boards)[:, None], []
        for root in range(roots):
            padded = xp.zeros((boards, hands + 1))
            padded[:, :hands] = values[:, root] * weight
            rows.append(padded[every, self.place].sum(axis=0))
        return self.first.over_suits(on_host(xp.stack(rows)))


def normalised(forest: StreetForest, player: int, table: Any) -> Any:
    """[board, slot, place] probabilities, from weights; even where there are none."""
    out = table.copy()
    for node in np.flatnonzero(forest.kind == player).tolist():
        there = slice(int(forest.slot[node]), int(forest.slot[node] + forest.children[node]))
        out[:, there] = in_proportion(table[:, there])
    return out


def in_proportion(weights: Any) -> Any:
    """[..., action, hand] even where all weights are nothing."""
    total = weights.sum(axis=-2, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / weights.shape[-2])
