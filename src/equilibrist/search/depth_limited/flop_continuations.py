"""FlopContinuations: how both players may play on after the flop, and what that is worth at the end of the first betting round.

Strategies are tables [board, slot, place] of an engine of boards apart: on the CPU or on a GPU, all flops in one call. Rows of the first
round are [root, class of hands] (`hand_classes.py`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import StreetBoards
from equilibrist.forms.engine import Engine
from equilibrist.search.alternatives import expected
from equilibrist.search.depth_limited.hand_classes import ClassStreet
from equilibrist.search.depth_limited.multi_valued_states import poker_action
from equilibrist.search.engines.board_subgame import NOBODY
from equilibrist.search.gadget_run import GadgetRun, on_host
from equilibrist.search.gadgets import Gadget, GadgetInputs


class TabledFlops(Engine, Protocol):
    """Boards apart whose tables can be read and replaced."""

    def clear(self) -> None:
        """Forget everything that was learned."""

    def table(self, name: str, player: int) -> Any:
        """[board, slot, place] a copy of a player's `regret` or `average`."""

    def put(self, name: str, player: int, table: Any) -> None:
        """Replace it."""

    def search(self, searcher: int, gadget: Gadget, inputs: GadgetInputs, held: Any, iterations: int) -> Any:
        """Solve all boards again; the counterfactual values of the opponent's best response."""


class FlopContinuations:
    """All flops below some lines of the first round."""

    def __init__(self, street: ClassStreet, forest: StreetForest, boards: StreetBoards, engine: TabledFlops) -> None:
        """`forest`: the betting on the flop; `street`: any betting before it with the same cards."""
        self.street, self.forest, self.engine, self.xp = street, forest, engine, engine.xp
        own = boards.player[0]
        self.hands = own.pair[:, : int(own.count[0])].astype(np.int64)  # [board, hand]
        self._class = self.xp.asarray(street.class_of[self.hands])
        self._chance = self.xp.asarray(boards.share * street.deal.chances[1])

    @property
    def shape(self) -> tuple[int, int, int]:
        boards, hands = self.hands.shape
        return boards, self.forest.roots, hands

    def reach(self, rows: Floats) -> Any:
        """[board, root, hand] end to end, as the engine takes it, from [root, class]."""
        xp = self.xp
        return xp.ascontiguousarray(xp.asarray(rows)[:, self._class].transpose(1, 0, 2)).ravel()

    @cached_property
    def _members(self) -> Any:
        """[class, entry] where the hands of a class lie among [board, hand]; the padding points behind the last."""
        flat = self.street.class_of[self.hands].ravel()
        order, counts = np.argsort(flat, kind="stable"), np.bincount(flat, minlength=self.street.hands)
        out, begin = np.full((len(counts), int(counts.max())), len(flat)), 0
        for number, count in enumerate(counts.tolist()):
            out[number, :count] = order[begin : begin + count]
            begin += count
        return self.xp.asarray(out)

    def gathered(self, values: Any) -> Floats:
        """[root, class] before the flop, from values on all boards; sums have a fixed order on every device."""
        xp, (boards, roots, hands) = self.xp, self.shape
        weighed = values.reshape(self.shape) * self._chance[:, None, None]
        rows = []
        for root in range(roots):
            padded = xp.zeros(boards * hands + 1)
            padded[:-1] = weighed[:, root].ravel()
            rows.append(padded[self._members].sum(axis=1))
        return on_host(xp.stack(rows)) * (self.street.relabellings / self.street.size)

    def best(self, player: int, rows: Floats) -> Floats:
        """[root, class] of a best response to the other player's average, which comes with `rows`."""
        return self.gathered(self.engine.values(player, respond=True, reach=self.reach(rows)))

    def followed(self, player: int, rows: Floats) -> Floats:
        """[root, class] of the player's own average."""
        return self.gathered(self.engine.values(player, reach=self.reach(rows)))

    def worth(self, chooser: int) -> Floats:
        """[root, class of the other player, class of the chooser]: what the averages are worth to it, for each class it meets."""
        classes, out = self.street.hands, []
        for number in range(classes):
            rows = np.zeros((self.forest.roots, classes))
            rows[:, number] = 1.0
            out.append(self.followed(chooser, rows))
        return np.stack(out, axis=1)

    def strategy(self, player: int, table: Any) -> Any:
        """[board, slot, place] probabilities, from weights; even where there are none."""
        xp, out = self.xp, self.xp.empty_like(table)
        for first, n in self._decisions(player):
            weights = table[:, first : first + n]
            total = weights.sum(axis=1, keepdims=True)
            out[:, first : first + n] = xp.where(total > 0, weights / xp.where(total > 0, total, 1.0), 1.0 / n)
        return out

    def _decisions(self, player: int) -> list[tuple[int, int]]:
        """First slot and number of actions of a player's nodes."""
        acting = np.flatnonzero(self.forest.kind == player)
        return [(int(self.forest.slot[node]), int(self.forest.children[node])) for node in acting]

    def biased(self, player: int, strategy: Any, towards: str, factor: float) -> Any:
        """Weights that take one kind of action (fold, call or raise) `factor` times as readily."""
        forest, out = self.forest, strategy.copy()
        for node in np.flatnonzero(forest.kind == player).tolist():
            for action, label in enumerate(forest.labels(node)):
                if poker_action(label) == towards:
                    out[:, int(forest.slot[node]) + action] *= factor
        return out

    def best_reply(self, player: int, rows: Floats, strategy: Any) -> Any:
        """Probabilities of a best response to the other player's average, which comes with `rows`; `strategy` where actions tie.

        Policy iteration from the last decisions up: what an action gains is right once everything below it is, so there are as many
        passes as a player can have decisions in a row.
        """
        engine, them, reach = self.engine, 1 - player, self.reach(rows)
        theirs, policy = engine.table("average", them), strategy
        engine.put("regret", them, theirs)  # what is played while learning follows from regrets
        for _ in range(self._decisions_in_a_row(player)):
            engine.put("regret", player, policy)
            engine.learn(player, reach)
            policy = self._greedy(player, engine.table("regret", player) - policy, strategy)
        engine.put("average", them, theirs)  # learning adds to it
        return policy

    def _greedy(self, player: int, gains: Any, strategy: Any) -> Any:
        xp, out = self.xp, strategy.copy()
        for first, n in self._decisions(player):
            here = gains[:, first : first + n]
            pick = xp.arange(n)[None, :, None] == here.argmax(axis=1)[:, None]
            tied = (here.max(axis=1) == here.min(axis=1))[:, None]
            out[:, first : first + n] = xp.where(tied, strategy[:, first : first + n], pick)
        return out

    def _decisions_in_a_row(self, player: int) -> int:
        forest, depth = self.forest, np.zeros(len(self.forest), dtype=np.int64)
        for node in range(len(forest)):
            above = int(forest.parent[node])
            depth[node] = (depth[above] if above >= 0 else 0) + (forest.kind[node] == player)
        return int(depth.max())

    def sequences(self, player: int, strategy: Any, rows: Floats) -> Any:
        """[board, slot, place] own reach of each action, for a player that comes with `rows`: weights that may be mixed."""
        xp, forest, (boards, roots, hands) = self.xp, self.forest, self.shape
        out, here = xp.zeros_like(strategy), dict[int, Any]()
        start = xp.zeros((boards, roots, strategy.shape[2]), strategy.dtype)
        start[:, :, :hands] = self.reach(rows).reshape(self.shape)
        for node in range(len(forest)):
            above = int(forest.parent[node])
            if above < 0:
                here[node] = start[:, node]
            elif forest.kind[above] == player:
                here[node] = out[:, int(forest.slot[above]) + node - int(forest.first_child[above])]
            else:
                here[node] = here[above]
            if forest.kind[node] == player:
                first, n = int(forest.slot[node]), int(forest.children[node])
                out[:, first : first + n] = here[node][:, None] * strategy[:, first : first + n]
        return out

    def mass(self, rows: Floats) -> Floats:
        """[board, root, hand] reach of the hands coming with `rows` that a hand can meet there; less than rounding is nothing."""
        by_hand, at = self.street.by_hand, self.hands[:, None, :]
        held = np.zeros((*self.shape[:2], by_hand.hands))
        np.put_along_axis(held, at, rows[:, self.street.class_of[self.hands]].transpose(1, 0, 2), axis=2)
        met = np.take_along_axis(by_hand.met(held), at, axis=2)
        return np.where(met > NOBODY * held.sum(axis=2, keepdims=True), met, 0.0)

    def bounds(self, player: int, rows: Floats) -> Floats:
        """[board, root, hand] expected value of a best response to the other player's average, which comes with `rows`."""
        found = on_host(self.engine.values(player, respond=True, reach=self.reach(rows)))
        return expected(found.reshape(self.shape), self.mass(rows))

    def search(self, searcher: int, gadget: Gadget, rows: Floats, alternative: Floats, iterations: int) -> Floats:
        """[root, class] what the opponent can still get where all flops are solved again; `alternative` [board, root, hand]."""
        boards, roots, hands = self.shape
        mass = self.mass(rows).ravel()
        inputs = GadgetInputs(
            mass=mass,
            group=np.repeat(np.arange(boards * roots, dtype=np.int32), hands),
            reach=np.ones(len(mass)),
            alternative=alternative.ravel(),
        )
        return self.gathered(self.engine.search(searcher, gadget, inputs, self.reach(rows), iterations))

    def search_together(
        self, searcher: int, gadget: Gadget, rows: Floats, alternative: Floats, iterations: int
    ) -> Floats:
        """The same with gadgets before the flop is dealt: `alternative` [root, class] of lines, over all flops."""
        engine = BeforeTheFlop(self)
        self.engine.clear()
        inputs = GadgetInputs(
            mass=(self.street.met(rows) * self.street.size).ravel(),
            group=np.repeat(np.arange(len(rows), dtype=np.int32), self.street.hands),
            reach=np.ones(rows.size),
            alternative=alternative.ravel(),
        )
        run = GadgetRun(engine, searcher, gadget, inputs, rows.ravel())
        run.advance(iterations)
        return np.asarray(run.answer().reshape(rows.shape) / self.street.size)


class BeforeTheFlop:
    """All flops below some lines as one engine; vectors are by line and class of hands."""

    simultaneous = False
    xp: Any = np

    def __init__(self, flops: FlopContinuations) -> None:
        self.flops, self.precision = flops, flops.engine.precision

    @property
    def iteration(self) -> int:
        return self.flops.engine.iteration

    @iteration.setter
    def iteration(self, t: int) -> None:
        self.flops.engine.iteration = t

    def keep(self, t: int) -> float:
        return self.flops.engine.keep(t)

    def learn(self, player: int, reach: Floats) -> Floats:
        return self._gathered(self.flops.engine.learn(player, self.flops.reach(self._rows(reach))))

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        rows = np.ones((self.flops.forest.roots, self.flops.street.hands)) if reach is None else self._rows(reach)
        return self._gathered(self.flops.engine.values(player, respond=respond, reach=self.flops.reach(rows)))

    def _rows(self, reach: Floats) -> Floats:
        return reach.reshape(self.flops.forest.roots, self.flops.street.hands)

    def _gathered(self, values: Any) -> Floats:
        """Of a class, all its hands together."""
        return (self.flops.gathered(values) * self.flops.street.size).ravel()
