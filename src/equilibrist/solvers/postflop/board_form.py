"""BoardForm: hold'em boards as a form, so that every solver that works on plans solves spots and poker games on their boards.

There is a sequence for every (street, board, node, action, hand). A gradient is the pass of vector CFR without its way back: the
opponent's plan goes into the tables of averages, which the kernels normalise at every node, its reach comes down, and what terminals
pay is added to the own sequences that end there. Own tables are neither read nor written.

Boards that differ by suits only are kept apart: merged, a river hand would follow several turn hands, and the sequences would be no tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Floats32, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.forms.form import trees_of
from equilibrist.solvers.postflop._kernels.layout import VALUE
from equilibrist.solvers.postflop._kernels.payouts import pay_out
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PayingLeaves:
    """Where the terminals of one street pay."""

    showdown: Ints  # [board, place, lane] own sequence, -1 where there is no showdown
    fold: Ints  # [board, place, lane] the same for folds
    scale: Floats  # [board, place] weight of the hand over that of all deals


class BoardForm:
    """The boards of a run at iteration 0, which lends its tables of averages."""

    precision = 2e-5  # the kernels work in single precision

    def __init__(self, run: BoardCFR, name: str) -> None:
        self.run, self.name = run, name
        _refuse_unsuitable(run, name)
        parts = [_Numbering(run, p) for p in range(2)]
        sizes = [part.sequences + 1 for part in parts]
        counts = [len(part.actions) for part in parts]
        self.offset = np.array([0, sizes[0], sum(sizes)], dtype=np.int32)
        self.first_infoset = np.array([0, counts[0], sum(counts)], dtype=np.int32)
        self.actions = np.concatenate([part.actions for part in parts])
        self.first_sequence, self.parent = (
            np.concatenate([array + self.offset[p] for p, array in enumerate(pair)]).astype(np.int32)
            for pair in ([part.first for part in parts], [part.parent for part in parts])
        )
        self.entries = [part.entries for part in parts]  # by player and street: (own sequences, places in the table)
        self._leaves = [part.leaves() for part in parts]
        self._spread = np.concatenate([part.spread for part in parts])

    def gradient(self, player: int, plan: Floats, out: Floats) -> None:
        self._put(1 - player, plan)
        out[:] = 0.0
        self._down(player, 0, 0, self.run.root_weights[1 - player], out)

    def _down(self, me: int, depth: int, board: int, reach: Floats32, out: Floats) -> None:
        """One board and everything below it."""
        run, worker, street = self.run, self.run.worker, self.run.streets[depth]
        worker.street_down(depth, board, VALUE, me, np.float32(1), reach, worker.nothing)
        worker.terminals(depth, board, me)
        leaves, scratch = self._leaves[me][depth], worker.scratch[depth][me]
        pay_out(leaves.showdown[board], leaves.scale[board], scratch.showdown_value, out)
        pay_out(leaves.fold[board], leaves.scale[board], scratch.fold_value, out)
        if depth + 1 < len(run.streets):
            below = worker.next_reach[depth][1 - me]
            for child in range(*street.boards.first_child[board : board + 2].tolist()):
                self._down(me, depth + 1, child, below, out)

    def _put(self, player: int, plan: Floats) -> None:
        for street, (own, place) in zip(self.run.streets, self.entries[player], strict=True):
            street.tables[player].average[place] = plan[own]

    def spread(self) -> Floats:
        """[I] most that can be at stake with a hand, times the chance of holding it there."""
        return self._spread

    def settle(self, plan: Floats, iteration: int) -> BoardCFR:
        """The run with these plans [S] as its average strategies: its values, best responses and files are theirs."""
        for p in range(2):
            self._put(p, plan[self.offset[p] : self.offset[p + 1]])
        self.run.iteration = iteration
        return self.run

    def policy(self, behaviour: Floats) -> BoardCFR:
        """The run with these behaviours [S] as its average strategies."""
        plan = np.ones(int(self.offset[2]))
        for p in range(2):
            follow_own(p, trees_of(self), behaviour, plan)
        return self.settle(plan, self.run.iteration)


def _refuse_unsuitable(run: BoardCFR, name: str) -> None:
    streets = run.streets
    if run.isomorphism:
        raise NotApplicableError(f"'{name}' was dealt with suits merged; a form needs every board by itself.")
    if any(street.payoff[p].raked for street in streets for p in range(2)):
        raise NotApplicableError(f"'{name}' is raked, so it is not zero-sum; use the CFR family with regret matching.")
    if any(street.tables[p].locked or street.tables[p].compressed for street in streets for p in range(2)):
        raise NotApplicableError(
            f"'{name}' has locks or 16-bit tables, which plans do not know; use the CFR family with regret matching."
        )


class _Numbering:
    """Numbers one player's sequences: by street, board, node and hand, actions side by side; the empty one is 0."""

    def __init__(self, run: BoardCFR, player: int) -> None:
        self.run, self.player, self.sequences = run, player, 0
        self.ids: list[Ints] = []  # by street [board, slot, place]
        self.entries: list[tuple[Ints, Places]] = []
        first, actions, parent, spread = list[Places](), list[Places](), list[Ints](), list[Floats]()
        for depth, street in enumerate(run.streets):
            own, forest, slots = street.boards.player[player], street.forest, street.tables[player].slots
            ids = np.full((len(own.count), slots, own.places), -1, dtype=np.int32)
            self.ids.append(ids)
            stake = self._stake(depth)
            for board in range(len(own.count)):
                hands = np.arange(own.count[board])
                for node in np.flatnonzero(forest.kind == player).tolist():
                    n, slot = int(forest.children[node]), int(forest.slot[node])
                    begin = self.sequences + 1 + n * hands
                    ids[board, slot : slot + n, hands] = begin[:, None] + np.arange(n)
                    self.sequences += n * len(hands)
                    first.append(begin)
                    actions.append(np.full(len(hands), n))
                    parent.append(self.above(depth, board, node)[hands])
                    spread.append(stake[board, hands])
            b, s, h = np.nonzero(ids >= 0)
            place = ((b * own.blocks + h // own.block) * slots + s) * own.block + h % own.block
            self.entries.append((ids[b, s, h], place))
        self.first, self.parent = np.concatenate(first).astype(np.int32), np.concatenate(parent).astype(np.int32)
        self.actions, self.spread = np.concatenate(actions).astype(np.int32), np.concatenate(spread)

    def above(self, depth: int, board: int, node: int) -> Ints:
        """[place] the own sequence that leads to a node."""
        street, betting = self.run.streets[depth], self.run.streets[depth].betting
        while betting.parent[node] >= 0:
            before = int(betting.parent[node])
            if betting.kind[before] == self.player:
                slot = int(betting.slot[before]) + node - int(betting.first_child[before])
                found: Ints = self.ids[depth][board, slot]
                return found
            node = before
        own = street.boards.player[self.player]
        if depth == 0:
            return np.where(np.arange(own.places) < own.count[board], 0, -1).astype(np.int32)
        deal = int(np.flatnonzero(self.run.streets[depth - 1].betting.next_root == node)[0])
        earlier = np.append(self.above(depth - 1, int(street.boards.parent[board]), deal), np.int32(-1))
        following: Ints = earlier[own.order[board]]
        return following

    def leaves(self) -> list[PayingLeaves]:
        out = []
        for depth, street in enumerate(self.run.streets):
            own, forest = street.boards.player[self.player], street.forest
            ends = forest.ends1 if self.player == 0 else forest.ends0
            showdown = self._targets(depth, ends.showdown[: ends.shown], len(own.count), own.places)
            fold = self._targets(depth, ends.fold[ends.unfolded :], len(own.count), own.places)
            out.append(PayingLeaves(showdown, fold, self._weight(depth)))
        return out

    def _targets(self, depth: int, nodes: Ints, boards: int, places: int) -> Ints:
        """[board, place, lane] the own sequence that leads to each terminal, -1 where there is none."""
        target = np.full((boards, places, len(nodes)), -1, dtype=np.int32)
        for board in range(boards):
            for t, node in enumerate(nodes.tolist()):
                if node < len(self.run.streets[depth].forest.kind):
                    target[board, :, t] = self.above(depth, board, node)
        return target

    def _weight(self, depth: int) -> Floats:
        own = self.run.streets[depth].boards.player[self.player]
        weight: Floats = np.where(own.pair >= 0, self.run.weights[self.player][own.pair], 0.0) / self.run.normaliser
        return weight

    def _stake(self, depth: int) -> Floats:
        """[board, place] twice the largest payoff, times the chance of a deal in which the hand is held there."""
        payoff = [street.largest_payoff(self.player) for street in self.run.streets]
        chance = np.prod([float(street.factor) for street in self.run.streets[: depth + 1]])
        return 2.0 * float(max(payoff) * chance * self.run.weights[1 - self.player].sum()) * self._weight(depth)
