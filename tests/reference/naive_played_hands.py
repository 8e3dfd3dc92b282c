"""Hands between best responses and average strategies written down plainly: a list of moves for each player, means by going through it.

Random numbers are those of the kernels (`Stream`), so that memories must come out equal, move by move.
"""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import Encoding
from reference.naive_mccfr import Stream

CHANCE, TERMINAL = -1, -2
Move = tuple[int, int, float, int]  # row, output, reward, row of the next move or -1


class NaiveHands:
    """Two players on a game whose chance outcomes are equally likely; nothing is ever forgotten."""

    def __init__(self, game: Compiled, encoding: Encoding, words: list[int]) -> None:
        self.game, self.encoding, self.stream = game, encoding, Stream(words)
        self.moves: list[list[Move]] = [[], []]
        self.best_moves: list[tuple[int, int, float]] = []  # row, output, weight
        self.decisions = 0

    def play(self, average: Floats, response: Floats, decisions: int, anticipation: float, weight: float = 1.0) -> None:
        while self.decisions < decisions:
            self.hand(average, response, anticipation, weight)

    def hand(self, average: Floats, response: Floats, anticipation: float, weight: float) -> None:
        tree, encoding = self.game.tree, self.encoding
        best = [self.stream.uniform() < anticipation for _ in range(2)]
        made: list[list[tuple[int, int]]] = [[], []]
        n = 0
        while tree.player[n] != TERMINAL:
            player = int(tree.player[n])
            if player == CHANCE:
                outcomes = self.below_chance(n)
                n = outcomes[int(self.stream.uniform() * len(outcomes))]
                continue
            slot, width = int(tree.infosets.first_slot[tree.infoset[n]]), int(tree.children[n])
            table = response if best[player] else average
            a = self.stream.action(table[slot : slot + width].tolist())
            move = int(encoding.slot_row[slot]), int(encoding.output[slot + a])
            made[player].append(move)
            if best[player]:
                self.best_moves.append((*move, weight))
            self.decisions += 1
            n = int(tree.first_child[n]) + a
        for player in range(2):
            won = float(tree.returns[tree.terminal[n], player] / abs(tree.returns).max())
            after = [row for row, _ in made[player][1:]] + [-1]
            for (row, output), later in zip(made[player], after, strict=True):
                self.moves[player].append((row, output, won if later < 0 else 0.0, later))

    def below_chance(self, n: int) -> list[int]:
        """What comes after chance, in the order of the tree."""
        tree = self.game.tree
        children = range(int(tree.first_child[n]), int(tree.first_child[n] + tree.children[n]))
        found = [
            m for child in children for m in ([child] if tree.player[child] != CHANCE else self.below_chance(child))
        ]
        return sorted(found)

    def counted(self, ring: int) -> Floats:
        """[R, A] the newest `ring` moves of each player."""
        out = np.zeros(self.encoding.legal.shape)
        for moves in self.moves:
            for row, output, *_ in moves[-ring:]:
                out[row, output] += 1
        return out

    def wanted(self, ring: int, q: Floats) -> Floats:
        """[R, A] the mean over these moves of reward + the largest legal value where the player moved next."""
        total = np.zeros(self.encoding.legal.shape)
        for moves in self.moves:
            for row, output, reward, after in moves[-ring:]:
                total[row, output] += reward + (q[after][self.encoding.legal[after]].max() if after >= 0 else 0.0)
        return np.asarray(total / np.maximum(self.counted(ring), 1.0))

    def imitated(self) -> Floats:
        out = np.zeros(self.encoding.legal.shape)
        for row, output, weight in self.best_moves:
            out[row, output] += weight
        return out
