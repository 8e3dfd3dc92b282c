"""Hands of a game by walking up from their ends, with all cards shown or none: a second route to `TableView`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.exploit.repeated_play.gifts import Seen, observed_payoff, unseen_payoff
from equilibrist.exploit.seat import Seat
from equilibrist.forms.history_tree.game_tree import GameTree


@dataclass(frozen=True)
class ObservedHands:
    """How the hands of a game look: what the opponent did on each, and which look alike to us when no cards are shown."""

    side: Seat
    tree: GameTree
    seen: tuple[Seen, ...]  # [Z] the opponent's infosets and actions on the way to each terminal
    alike: tuple[tuple[int, ...], ...]  # [Z] terminals that we cannot tell from it

    @classmethod
    def of(cls, side: Seat, tree: GameTree) -> ObservedHands:
        number = {int(index): i for i, index in enumerate(side.form.infoset)}
        ends = np.flatnonzero(tree.terminal >= 0)
        ends = ends[np.argsort(tree.terminal[ends])]
        seen, looks = list[Seen](), list[tuple[object, ...]]()
        for end in ends:
            path, look, n = dict[int, int](), list[tuple[object, int]](), int(end)
            while tree.parent[n] >= 0:
                above = int(tree.parent[n])
                if tree.player[above] == side.opponent:
                    path[number[int(tree.infoset[above])]] = n - int(tree.first_child[above])
                    look.append(("opponent", int(tree.label[n])))
                elif tree.player[above] == side.player:
                    look.append((int(tree.infoset[above]), int(tree.label[n])))
                n = above
            seen.append(path)
            looks.append(tuple(look))
        groups: dict[tuple[object, ...], list[int]] = {}
        for z, shown in enumerate(looks):
            groups.setdefault(shown, []).append(z)
        alike = tuple(tuple(groups[shown]) for shown in looks)
        return cls(side, tree, tuple(seen), alike)

    def payoff(self, terminal: int) -> float:
        """What the hand paid us."""
        return float(self.tree.returns[terminal, self.side.player])

    def credit(self, plan: Floats, terminal: int, *, cards_shown: bool = True) -> float:
        """u(π, τ) after a hand."""
        if cards_shown:
            return observed_payoff(self.side, plan, self.seen[terminal])
        return unseen_payoff(self.side, plan, (self.seen[z] for z in self.alike[terminal]))
