"""Augmented subgames written out as rules, so that any solver of the package (the linear program above all) can solve them.

The vector solver never builds these games; they are the second route to the same answers, for small games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.subgame import Subgame

Kind = Literal["unsafe", "resolve", "maxmargin"]
Place = Literal["before", "door", "inside", "out"]
STAY, ENTER = "stay", "enter"


class GadgetState(State):
    """Where the opponent stands (before the deal, at the door, inside, out), its hand, and the game's own history."""

    __slots__ = ("game", "hand", "inner", "place", "player")

    def __init__(self, game: GadgetGame, player: int, place: Place, inner: State | None = None, hand: str = "") -> None:
        self.game, self.player, self.place, self.inner, self.hand = game, player, place, inner, hand

    def actions(self) -> Sequence[str]:
        if self.place == "door":
            return STAY, ENTER
        return list(self.game.mass) if self.inner is None else self.inner.actions()

    def chance(self) -> Sequence[tuple[str, float]]:
        if self.inner is not None:
            return self.inner.chance()
        return [(str(i), probability) for i, (_, probability) in enumerate(self.game.draws(self.hand))]

    def child(self, index: int) -> GadgetState:
        game = self.game
        if self.inner is None:
            if self.player == CHANCE:
                return game.dealt(game.draws(self.hand)[index][0], self.hand)
            return GadgetState(game, CHANCE, "before", hand=list(game.mass)[index])
        if self.place == "door":
            if index == 0:
                return GadgetState(game, TERMINAL, "out", self.inner, self.hand)
            return GadgetState(game, self.inner.player, "inside", self.inner, self.hand)
        following = self.inner.child(index)
        return GadgetState(game, following.player, "inside", following, self.hand)

    def infoset(self, player: int) -> str:
        if self.inner is None:
            return f"choose {self.hand}" if player == self.game.opponent else "before the subgame"
        if self.place == "door":
            return f"{self.inner.infoset(player)} at the door"
        return self.inner.infoset(player)

    def public(self) -> str:
        return "before the subgame" if self.inner is None else self.inner.public()

    def returns(self) -> tuple[float, ...]:
        game = self.game
        assert self.inner is not None
        if self.place == "out":
            amount = game.alternative[self.hand]
        else:
            amount = self.inner.returns()[game.opponent]
            if game.kind == "maxmargin":
                amount -= game.alternative[self.hand]
        return (amount, -amount) if game.opponent == 0 else (-amount, amount)


class GadgetGame(Game):
    """One subgame with its entry; the value to the opponent is what the gadget minimises, chance normalised to one."""

    players = 2
    observations = False

    def __init__(self, subgame: Subgame, searcher: int, kind: Kind, inputs: GadgetInputs) -> None:
        if len(subgame.roots) != 1:
            raise ParameterError(
                f"A gadget game has one root, but {len(subgame.roots)} were given; take them one by one."
            )
        if kind != "unsafe" and inputs.alternative is None:
            raise NotApplicableError(
                f"The {kind} gadget needs alternative payoffs; give a inputs with blueprint values."
            )
        tree, self.kind, self.opponent = subgame.tree, kind, 1 - searcher
        self.name = f"{tree.game.name} below '{tree.states[subgame.roots[0]]}' ({kind})"
        keys = [_keys(tree, subgame.roots[0], p) for p in range(2)]
        ranges = [dict(zip(keys[p], subgame.ranges[p].tolist(), strict=True)) for p in range(2)]
        alternative = np.zeros(len(inputs.mass)) if inputs.alternative is None else inputs.alternative
        self.alternative = dict(zip(keys[self.opponent], alternative.tolist(), strict=True))
        self.mass: dict[str, float] = {}  # hands that can be held
        self._tops: list[tuple[State, float]] = []
        for state, weight in histories_at(tree, subgame.roots[0]):
            hand = state.infoset(self.opponent)
            weight *= ranges[searcher][state.infoset(searcher)]
            if kind == "unsafe":
                weight *= ranges[self.opponent][hand]
            if weight > 0:
                self._tops.append((state, weight))
                self.mass[hand] = self.mass.get(hand, 0.0) + weight
        if not self.mass:
            raise NotApplicableError(f"The beliefs at '{tree.states[subgame.roots[0]]}' sum to zero.")

    def start(self) -> GadgetState:
        return GadgetState(self, self.opponent if self.kind == "maxmargin" else CHANCE, "before")

    def draws(self, hand: str) -> list[tuple[State, float]]:
        """Histories at the root and their probability, all of them or those of one of the opponent's hands."""
        tops = [(s, w) for s, w in self._tops if not hand or s.infoset(self.opponent) == hand]
        total = sum(weight for _, weight in tops)
        return [(state, weight / total) for state, weight in tops]

    def dealt(self, inner: State, hand: str) -> GadgetState:
        held = hand or inner.infoset(self.opponent)
        if self.kind == "resolve":
            return GadgetState(self, self.opponent, "door", inner, held)
        return GadgetState(self, inner.player, "inside", inner, held)


def _keys(tree: PublicTree, state: int, player: int) -> list[str]:
    span = tree.privates(state, player)
    return list(tree.private[player].keys[span])


def histories_at(tree: PublicTree, root: int) -> Iterator[tuple[State, float]]:
    """Histories of a public state with their chance probability, found along its own line."""
    line, s = set(), root
    while s >= 0:
        line.add(tree.states[s])
        s = int(tree.parent[s])
    stack: list[tuple[State, float]] = [(tree.game.start(), 1.0)]
    while stack:
        state, weight = stack.pop()
        if state.public() not in line:
            continue
        if state.public() == tree.states[root]:
            yield state, weight
        elif state.player == CHANCE:
            stack.extend((state.child(i), weight * p) for i, (_, p) in enumerate(state.chance()))
        elif state.player != TERMINAL:
            stack.extend((state.child(i), weight) for i in range(len(state.actions())))
