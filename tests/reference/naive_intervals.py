"""Best responses that may bet any share of the pot, by trying shares of a fine grid in the rules themselves.

The responder translates a bet by the pseudo-harmonic mapping; payoffs after a bet are scaled to the bet that was really made.
"""

from __future__ import annotations

from collections.abc import Sequence

from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import CHANCE, TERMINAL

Weighted = list[
    tuple[PokerState, float]
]  # histories that the responder cannot tell apart, with chance times the other's reach


class NaiveIntervals:
    """`policy[key]` gives the other player's probabilities by action; payoffs at `state` count `scale` times."""

    def __init__(self, game: Poker, policy, player: int, grid: Sequence[float]) -> None:
        self.game, self.policy, self.player, self.grid = game, policy, player, grid

    def value(self) -> float:
        return self._answer([(self.game.start(), 1.0)], 1.0)

    def _answer(self, histories: Weighted, scale: float) -> float:
        """Play on until the responder decides, then take the best action."""
        total, open_places = 0.0, {}
        stack = list(histories)
        while stack:
            state, weight = stack.pop()
            if state.player == TERMINAL:
                total += weight * scale * state.returns()[self.player]
            elif state.player == self.player:
                open_places.setdefault(state.infoset(self.player), []).append((state, weight))
            elif state.player == CHANCE:
                for index, (_, probability) in enumerate(state.chance()):
                    stack.append((state.child(index), weight * probability))
            else:
                row = self.policy[state.infoset(state.player)]
                for index, name in enumerate(state.actions()):
                    if row[name] > 0.0:
                        stack.append((state.child(index), weight * row[name]))
        return total + sum(self._best(place, scale) for place in open_places.values())

    def _best(self, place: Weighted, scale: float) -> float:
        first = place[0][0]
        shares = first.node.shares
        values = [
            self._answer([(s.child(a), w) for s, w in place], scale) for a, share in enumerate(shares) if share == 0.0
        ]
        bets = [a for a, share in enumerate(shares) if share > 0.0]
        if bets:
            parts = {a: self._parts([(s.child(a), w) for s, w in place], scale, shares[a]) for a in bets}
            values += [self._bet(x, [(shares[a], parts[a]) for a in bets]) for x in self.grid]
        return max(values)

    def _parts(self, histories: Weighted, scale: float, share: float) -> tuple[float, float]:
        """What a bet earns by folds at once, and what the rest earns per unit of pot."""
        folds, rest = 0.0, []
        for state, weight in histories:
            row = self.policy[state.infoset(state.player)]
            for index, name in enumerate(state.actions()):
                child = state.child(index)
                if name == "f":
                    folds += weight * row[name] * scale * child.returns()[self.player]
                elif row[name] > 0.0:
                    rest.append((child, weight * row[name]))
        return folds, self._answer(rest, scale / (1.0 + 2.0 * share)) if rest else 0.0

    @staticmethod
    def _bet(x: float, sizes: list[tuple[float, tuple[float, float]]]) -> float:
        def branch(k: int) -> float:
            folds, rest = sizes[k][1]
            return folds + (1.0 + 2.0 * x) * rest

        for k in range(len(sizes) - 1):
            low, high = sizes[k][0], sizes[k + 1][0]
            if low <= x <= high:
                chance = (high - x) * (1.0 + low) / ((high - low) * (1.0 + x))
                return chance * branch(k) + (1.0 - chance) * branch(k + 1)
        return branch(0 if x < sizes[0][0] else len(sizes) - 1)
