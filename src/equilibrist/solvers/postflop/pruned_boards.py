"""Regret-based pruning on boards: actions of the first street that no hand plays are cut off for a while ([Brown20, §3.3]).

An action whose regrets are far below zero with every hand, at the pace they last changed, is cut, with everything behind it on all boards,
for `skip` iterations; the fused passes of `vector_cfr.py` run on what is left. Then the interval is settled at once: behind an action that
its player does not play the opponent learns nothing, so it plays the same all the time, and the sum of what it brought there over the
interval says exactly what the action was worth, what the opponent's average has to gain, and what regrets lie behind it. If a regret turns
out to have risen above zero, so that some hand should have played the action, the interval is undone and played with all actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.lanes import aligned
from equilibrist.core.arrays import Floats, Floats32
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.cut_betting import CutBetting, descendants, without_actions
from equilibrist.forms.boards.street_betting import DEAL
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.matching import match_slots
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.tables import Street
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

ONES = kernels.Weights(*np.ones(3, dtype=np.float32))
PACES = 4.0  # intervals that regrets must be away from zero, at the pace of the last one
PATIENCE = 4  # intervals that an action is left alone after one that had to be undone; twice as many after the next


class PrunedBoards(BoardCFR):
    """CFR without discounts; `skip` is the number of iterations that an action is cut for."""

    def __init__(self, solver: CFR, *, threads: int = 1, bits: int = 32, **parts: Any) -> None:
        """`parts` as `BoardCFR` names what it is made of."""
        pruning = solver.pruning
        plain = (pruning.method, pruning.bound, pruning.zero_reach) == (
            "rbp",
            "infoset",
            "play",
        ) and not solver.threshold
        usual = (solver.minimiser, solver.updates, solver.when_nonpositive) == ("rm", "alternating", "uniform")
        if not plain or not usual or solver.schedule != VANILLA or solver.bindings:
            raise NotApplicableError(
                f"On spots and boards pruning is offered as cfr(pruning=rbp), with regret matching and without discounts, not as "
                f"'{solver.name}'."
            )
        if bits != 32 or parts.get("locks"):
            raise NotApplicableError("Pruned boards have tables of 32 bits and no locks; leave 'bits' and locks out.")
        super().__init__(schedule=VANILLA, threads=threads, **parts)
        if self._raked:
            raise NotApplicableError(
                "Bounds on regrets are for zero-sum games, which rake breaks; leave out the pruning."
            )
        self.solver, self.skip = solver, max(1, int(pruning.skip))
        self._parts, self._threads, self.skipped = parts, threads, 0  # `skipped`: iterations x actions cut off
        self._regrets: tuple[int, list[Floats]] | None = None  # of the first street, where an interval began
        self._barred: dict[
            int, tuple[int, int]
        ] = {}  # by node: until which iteration, and how many intervals that were
        self._cut: tuple[frozenset[int], CutBetting, BoardCFR] | None = None

    def advance(self, iterations: int) -> None:
        end = self.iteration + iterations
        while self.iteration < end:
            length = min(self.skip, end - self.iteration)
            dropped = self._unplayed()
            if not dropped or not self._interval(dropped, length):
                super().advance(length)

    def _unplayed(self) -> frozenset[int]:
        """The first nodes behind actions that no hand will play soon."""
        forest, known = self.streets[0].betting, self._regrets
        found = np.zeros(len(forest), dtype=np.bool_)
        self._regrets = self.iteration, [street_rows(self.streets[0], p, "regret") for p in range(2)]
        if known is None or known[0] == self.iteration:
            return frozenset()
        for player in range(2):
            count = int(self.streets[0].boards.player[player].count[0])
            now, before = self._regrets[1][player][:, :count], known[1][player][:, :count]
            pace = np.abs(now - before) * self.skip / (self.iteration - known[0])
            most = (now + PACES * pace).max(axis=1)
            for node in np.flatnonzero(forest.kind == player).tolist():
                first, slot, n = int(forest.first_child[node]), int(forest.slot[node]), int(forest.children[node])
                regretted = most[slot : slot + n] < 0.0
                if regretted.all():
                    regretted[int(most[slot : slot + n].argmax())] = False  # one of them has to be played
                alone = [self._barred.get(first + a, (0, 0))[0] > self.iteration for a in range(n)]
                found[first : first + n] = regretted & ~np.array(alone)
        inside = descendants(forest, found, alive=True)
        return frozenset(node for node in np.flatnonzero(found).tolist() if not inside[forest.parent[node]])

    def _interval(self, dropped: frozenset[int], iterations: int) -> bool:
        """Some iterations without the actions that lead to these nodes, and what they come to; not if one should have been played."""
        saved = {name: table.copy() for name, table in self.state().items()}
        if self._cut is None or self._cut[0] != dropped:
            cut = without_actions(self.forests, dropped)
            self._cut = (
                dropped,
                cut,
                BoardCFR(**(self._parts | {"forests": cut.forests}), schedule=VANILLA, threads=self._threads),
            )
        _, cut, run = self._cut
        self._exchange(run, cut, back=False)
        before = [street_rows(self.streets[0], p, "average") for p in range(2)]
        worth = [np.zeros((len(cut.nodes[0]), run.streets[0].hands[p].places)) for p in range(2)]
        for _ in range(iterations):
            for me in range(2):
                worth[me] += _learn_and_look(run, me)
        self._exchange(run, cut, back=True)
        self.iteration += iterations
        played = [
            _matched(self.streets[0], p, np.maximum(street_rows(self.streets[0], p, "regret"), 0.0)) for p in range(2)
        ]
        brought = [street_rows(self.streets[0], p, "average") - before[p] for p in range(2)]
        for me in range(2):
            own = [node for node in dropped if self.forests[0].kind[self.forests[0].parent[node]] == me]
            if own:
                values = dict(zip(cut.nodes[0].tolist(), worth[me], strict=True))
                self._settle(me, own, iterations, played, brought[1 - me], values)
        wrong = [node for node in dropped if self._should_be_played(node)]
        if wrong:
            self.restore(saved)
            for node in wrong:
                waited = 2 * self._barred.get(node, (0, PATIENCE // 2))[1]
                self._barred[node] = self.iteration + waited * self.skip, waited
            return False
        self.skipped += iterations * len(dropped)
        return True

    def _should_be_played(self, node: int) -> bool:
        """Whether some hand does not regret the action that leads to a node."""
        forest = self.forests[0]
        before = int(forest.parent[node])
        player = int(forest.kind[before])
        slot = int(forest.slot[before]) + node - int(forest.first_child[before])
        return bool(street_rows(self.streets[0], player, "regret")[slot].max() > 0.0)

    def _exchange(self, run: BoardCFR, cut: CutBetting, *, back: bool) -> None:
        """Regrets and averages to the run on what is left, or back from it."""
        for whole, part, slots in zip(self.streets, run.streets, cut.slots, strict=True):
            for p in range(2):
                for name in ("regret", "average"):
                    mine = getattr(whole.tables[p], name).reshape(whole.shape(p))
                    theirs = getattr(part.tables[p], name).reshape(part.shape(p))
                    if back:
                        mine[:, :, slots[p]] = theirs
                    else:
                        theirs[:] = mine[:, :, slots[p]]

    def _settle(
        self,
        me: int,
        dropped: list[int],
        iterations: int,
        played: list[Floats],
        brought: Floats,
        worth: Mapping[int, Floats],
    ) -> None:
        """What an interval would have brought behind my actions that were cut: my regrets there, and the opponent's averages.

        `played` [slot, place] are both players' strategies, `brought` what was added to the opponent's average, `worth` my values by node.
        """
        street, forest, them, worker = self.streets[0], self.streets[0].betting, 1 - me, self.worker
        region = descendants(forest, np.isin(np.arange(len(forest)), dropped), alive=True)
        behind = np.zeros(forest.slots[them], dtype=np.bool_)
        for node in np.flatnonzero(region & (forest.kind == them)).tolist():
            behind[int(forest.slot[node]) : int(forest.slot[node]) + int(forest.children[node])] = True
        theirs = np.where(behind[:, None], played[them], brought)
        kept = street.tables
        street.tables = _playing(street, (played[0], theirs) if me == 0 else (theirs, played[1]))
        reach, value = (np.zeros(len(forest) * street.hands[p].places, dtype=np.float32) for p in (them, me))
        unused = np.zeros_like(self.root_weights[me])
        arriving = np.float32(iterations) * self.root_weights[them]
        worker.street_down(0, 0, kernels.VALUE, me, np.float32(1), arriving, reach)
        if len(self.streets) > 1:
            following = worker.next_reach[0][them].reshape(self.forests[1].roots, -1)
            deals = forest.kind == DEAL
            following[forest.next_root[deals & ~region]] = 0.0
            _below(self, me)
        worker.street_up(0, 0, kernels.VALUE, me, ONES, unused, value)
        street.tables = kept
        self._write(me, dropped, region, reach.reshape(len(forest), -1), value.reshape(len(forest), -1), worth)

    def _write(
        self,
        me: int,
        dropped: list[int],
        region: npt.NDArray[np.bool_],
        reach: Floats32,
        value: Floats32,
        worth: Mapping[int, Floats],
    ) -> None:
        street, forest, them = self.streets[0], self.streets[0].betting, 1 - me
        regret, average = street_rows(street, me, "regret"), street_rows(street, them, "average")
        for node in dropped:
            before = int(forest.parent[node])
            regret[int(forest.slot[before]) + node - int(forest.first_child[before])] += value[node] - worth[before]
        for node in np.flatnonzero(region & (forest.kind < 2)).tolist():
            first, slot, n = int(forest.first_child[node]), int(forest.slot[node]), int(forest.children[node])
            if forest.kind[node] == me:
                regret[slot : slot + n] += value[first : first + n] - value[node]
            else:
                average[slot : slot + n] += reach[first : first + n]
        street.tables[me].regret[:] = _flat(street, me, regret)
        street.tables[them].average[:] = _flat(street, them, average)

    def details(self) -> dict[str, float]:
        return {"cut_actions_per_iteration": self.skipped / max(self.iteration, 1)}

    def learn(self, me: int, reach: Floats) -> Floats:
        raise NotApplicableError("Pruning looks at whole iterations, not at weights at a root; search without it.")


def _learn_and_look(run: BoardCFR, me: int) -> Floats:
    """One learning pass, and my counterfactual values [node, place] on the first street."""
    worker = run.worker
    seen = np.zeros(len(run.streets[0].forest.kind) * run.streets[0].hands[me].places, dtype=np.float32)
    worker.street_down(0, 0, kernels.LEARN, me, ONES.keep, run.root_weights[1 - me], worker.nothing)
    if len(run.streets) > 1:
        _below(run, me)
    worker.street_up(0, 0, kernels.LEARN, me, ONES, np.zeros_like(run.root_weights[me]), seen)
    return seen.reshape(len(run.streets[0].forest.kind), -1).astype(np.float64)


def _below(run: BoardCFR, me: int) -> None:
    """Learn on all later boards, from the opponent's reach where the first street ends."""
    run.worker.next_value[0][me][:] = run._below(kernels.LEARN, me, ONES)
    run.worker.symmetrise(0, 0, me)


def street_rows(street: Street, player: int, name: str) -> Floats:
    """[slot, place] a copy of a table of the first street, which has one board."""
    return _rows(street, player, getattr(street.tables[player], name)).astype(np.float64)


def _rows(street: Street, player: int, table: Floats32) -> Floats32:
    _, blocks, slots, size = street.shape(player)
    rows: Floats32 = np.moveaxis(table.reshape(blocks, slots, size), 1, 0).reshape(slots, blocks * size)
    return rows


def _flat(street: Street, player: int, rows: Floats) -> Floats32:
    _, blocks, slots, size = street.shape(player)
    out: Floats32 = aligned(rows.size)
    out.reshape(blocks, slots, size)[:] = np.moveaxis(rows.reshape(slots, blocks, size), 1, 0)
    return out


def _matched(street: Street, player: int, weights: Floats) -> Floats:
    acting = street.betting.kind == player
    found: Floats = match_slots(weights, street.betting.slot[acting], street.betting.children[acting])
    return found


def _playing(street: Street, rows: tuple[Floats, Floats]) -> tuple[Any, Any]:
    """The tables of a street with other averages."""
    first, second = (street.tables[p]._replace(average=_flat(street, p, np.maximum(rows[p], 0.0))) for p in range(2))
    return first, second
