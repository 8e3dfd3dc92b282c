"""BettingTree: every public betting situation of a poker game as flat arrays, without cards.

Blueprints are trained on a betting tree and a table of buckets: an infoset is (decision node, bucket of the node's round), its slots
lie at `first_slot[node] + bucket * children[node] + action`. Deals are no nodes: what follows the last call of a round is the
first decision of the next one, and `round` tells which buckets count. Siblings stand together, parents before children.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.core.units import chip_text
from equilibrist.forms.betting_tree._kernels import betting_tree as kernels
from equilibrist.forms.betting_tree.growth import MOST_NODES, bytes_per_node, grow
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.size_estimate import memory_limit

DECISION, FOLD, SHOWDOWN, RUNOUT = kernels.DECISION, kernels.FOLD, kernels.SHOWDOWN, kernels.RUNOUT
FOLDED, CALLED, RAISED = kernels.FOLDED, kernels.CALLED, kernels.RAISED
TERMINAL = kernels.TERMINAL
FIRST_ROOM, MORE_ROOM = 1 << 14, 8  # nodes tried first, and how many times more after each failure


@dataclass(frozen=True)
class BettingTree:
    """N nodes of k players; node 0 is the first decision."""

    rules: PokerRules
    player: npt.NDArray[np.int8]  # [N] who acts, TERMINAL where the hand is over
    kind: npt.NDArray[np.int8]  # [N] DECISION, FOLD, SHOWDOWN, RUNOUT (betting over, cards still to come)
    round: npt.NDArray[np.int8]  # [N] of the decision; at the end, of the last action
    parent: Ints  # [N], -1 at the root
    first_child: Ints  # [N], -1 at the end; children are first_child .. first_child + children - 1
    children: Ints  # [N] number of actions: fold where there is a bet, check or call, raises by size
    step: npt.NDArray[np.int8]  # [N] kind of the action into n: FOLDED, CALLED (or checked), RAISED
    amount: Floats  # [N] chips put in by the action into n
    paid: Floats  # [N, k] chips in the pot from each player
    folded: Ints  # [N] bit p is set when player p has folded

    def __len__(self) -> int:
        return len(self.player)

    @property
    def players(self) -> int:
        return int(self.paid.shape[1])

    @property
    def rounds(self) -> int:
        return len(self.rules.board)

    @cached_property
    def decisions(self) -> Ints:
        """[D] nodes where somebody acts."""
        return np.flatnonzero(self.kind == DECISION).astype(np.int32)

    @cached_property
    def terminals(self) -> Ints:
        """[Z] nodes where the hand is over."""
        return np.flatnonzero(self.kind != DECISION).astype(np.int32)

    @cached_property
    def pot(self) -> Floats:
        """[N] chips in the middle."""
        return np.asarray(self.paid.sum(axis=1))

    @property
    def nbytes(self) -> int:
        """Bytes of the tree itself."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def first_slot(self, buckets: Sequence[int]) -> npt.NDArray[np.int64]:
        """[N + 1] where the slots of each node begin when round r has buckets[r] buckets; the last entry is their number."""
        if len(buckets) != self.rounds or min(buckets) < 1:
            raise ParameterError(
                f"There are {self.rounds} betting rounds: give a number of buckets for each, but {list(buckets)} was given."
            )
        width = self.children.astype(np.int64) * np.asarray(buckets, dtype=np.int64)[self.round]
        out = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(width, out=out[1:])
        return out

    def payoffs(self, node: int, strength: Sequence[int]) -> Floats:
        """[k] net chips at an end of the hand; larger strengths win, side pots are shared out."""
        if self.kind[node] == DECISION:
            raise ParameterError(f"Node {node} is a decision, but payoffs are asked for at the end of a hand.")
        net = np.empty(self.players)
        kernels.settle_pots(self.paid[node], self.folded[node], np.asarray(strength, dtype=np.int64), net)
        return net

    def actions(self, node: int) -> tuple[str, ...]:
        """Labels of a node's actions, as the game itself writes them: f, x, c, b6, r18."""
        first = int(self.first_child[node])
        return tuple(self._label(child) for child in range(first, first + int(self.children[node])))

    def line(self, node: int) -> str:
        """The betting up to a node: `b6:c:x:b12`."""
        words: list[str] = []
        while node > 0:
            words.append(self._label(node))
            node = int(self.parent[node])
        return ":".join(reversed(words))

    def find(self, line: str) -> int:
        """The node after this betting."""
        node = 0
        for word in line.split(":") if line else []:
            labels = self.actions(node)
            if word not in labels:
                options = ", ".join(labels) or "nothing, since the hand is over"
                raise ParameterError(f"'{word}' in '{line}' is not on offer there; expected {options}.")
            node = int(self.first_child[node]) + labels.index(word)
        return node

    def _label(self, child: int) -> str:
        above = int(self.parent[child])
        actor = int(self.player[above])
        highest = float(self.paid[above].max())
        if self.step[child] == FOLDED:
            return "f"
        if self.step[child] == CALLED:
            return "c" if highest - self.paid[above, actor] > kernels.TINY else "x"
        start = self._chips_before(above)
        letter = "r" if highest > start + kernels.TINY else "b"
        if self.rules.fixed_size(int(self.round[above])):
            return letter
        return f"{letter}{chip_text(float(self.paid[child, actor]) - start)}"

    def _chips_before(self, node: int) -> float:
        """The most that anybody had paid when the round of a decision began."""
        while node > 0 and self.round[self.parent[node]] == self.round[node]:
            node = int(self.parent[node])
        return self.rules.ante if self.round[node] == 0 else float(self.paid[node].max())


def betting_tree(rules: PokerRules, *, limit_bytes: int | None = None) -> BettingTree:
    """Grow the whole tree; refuses trees that would not fit in memory."""
    limit = memory_limit() if limit_bytes is None else limit_bytes
    if rules.menus_at:
        raise NotApplicableError(
            "Bets added at single lines have no place in a betting tree; put them into a MenuPlan."
        )
    most = min(limit // bytes_per_node(rules.players), MOST_NODES)
    room = min(most, FIRST_ROOM)
    while (grown := grow(rules, room)) is None:
        if room == most:
            raise TooLargeError(
                f"This betting tree has more than {most:,} nodes and does not fit in {limit / 1e9:.1f} GB; offer fewer sizes, "
                "fewer raises or shorter stacks, or count it first with count_betting."
            )
        room = min(most, room * MORE_ROOM)
    return BettingTree(rules, **grown)
