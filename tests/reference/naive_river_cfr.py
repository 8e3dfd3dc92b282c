"""CFR on a river with whole matrices in double precision: every pair of hands is looked at, nothing is summed up in advance."""

from __future__ import annotations

import numpy as np

from equilibrist.cards.evaluator import board_strengths
from equilibrist.forms.boards.street_betting import FOLD, SHOWDOWN, street_forests


def cards_of(pair):
    high = next(h for h in range(52) if h * (h - 1) // 2 <= pair < h * (h + 1) // 2)
    return high, pair - high * (high - 1) // 2


class RiverCFR:
    """Alternating updates; each player averages the strategy that it has just played, before its own update."""

    def __init__(self, spot, schedule, dust=0.0):
        (self.forest,), self.schedule, self.dust = street_forests(spot), schedule, dust
        pairs = [np.flatnonzero(spot.weights(side)) for side in range(2)]
        hands = [[cards_of(p) for p in side] for side in pairs]
        board = set(spot.board)
        alive = [np.array([not board & {*hand} for hand in side]) for side in hands]
        hands = [[hand for hand, ok in zip(h, a, strict=True) if ok] for h, a in zip(hands, alive, strict=True)]
        self.weight = [spot.weights(side)[pairs[side][alive[side]]].astype(float) for side in range(2)]
        meets = np.array([[not {*a} & {*b} for b in hands[1]] for a in hands[0]], dtype=float)
        strength = [board_strengths(spot.board, side).astype(float) for side in hands]
        ahead = np.sign(strength[0][:, None] - strength[1][None, :]) * meets
        self.meets, self.ahead, self.total = meets, ahead, self.weight[0] @ meets @ self.weight[1]
        self.regret = [{}, {}]
        self.average = [{}, {}]
        self.iteration = 0

    def children(self, node):
        forest = self.forest
        return range(int(forest.first_child[node]), int(forest.first_child[node]) + len(forest.labels(node)))

    def strategy(self, node, table, p):
        positive = np.maximum(table[p].get(node, np.zeros((len(self.children(node)), len(self.weight[p])))), 0.0)
        total = positive.sum(axis=0)
        return np.where(total > 0, positive / np.where(total > 0, total, 1.0), 1.0 / len(positive))

    def terminal(self, node, me, reach):
        forest = self.forest
        win, lose = float(forest.win[node]), float(forest.lose[node])
        meets, ahead = (self.meets, self.ahead) if me == 0 else (self.meets.T, -self.ahead.T)
        if forest.kind[node] == FOLD:
            return (lose if int(forest.folder[node]) == me else win) * self.without_dust(meets @ reach, reach)
        return (win - lose) / 2 * self.without_dust(ahead @ reach, reach)  # no rake: a tie pays nothing

    def without_dust(self, met, reach):
        """What single precision cannot tell from rounding is left out where the caller asks for it."""
        return np.where(abs(met) > self.dust * reach.sum(), met, 0.0)

    def learn(self, node, me, own, reach, factors):
        """Values of my hands below a node; regrets and averages on the way."""
        forest = self.forest
        if forest.kind[node] in (FOLD, SHOWDOWN):
            return self.terminal(node, me, reach)
        actor, below = int(forest.kind[node]), self.children(node)
        sigma = self.strategy(node, self.regret, actor)
        if actor != me:
            return sum(self.learn(c, me, own, reach * s, factors) for c, s in zip(below, sigma, strict=True))
        found = np.array([self.learn(c, me, own * s, reach, factors) for c, s in zip(below, sigma, strict=True)])
        value = (sigma * found).sum(axis=0)
        positive, negative, keep = factors
        before = self.regret[me].get(node, np.zeros_like(found))
        self.average[me][node] = self.average[me].get(node, np.zeros_like(found)) * keep + own * sigma
        summed = before + found - value
        self.regret[me][node] = np.where(summed > 0, summed * positive, summed * negative)
        return value

    def advance(self, iterations):
        for _ in range(iterations):
            self.iteration += 1
            t, schedule = np.array([float(self.iteration)]), self.schedule
            factors = [float(found[0]) for found in (schedule.positive(t), schedule.negative(t), schedule.keep(t))]
            for me in range(2):
                self.learn(0, me, self.weight[me], self.weight[1 - me], factors)

    def best(self, node, me, reach):
        """Values of a best response against the average."""
        forest = self.forest
        if forest.kind[node] in (FOLD, SHOWDOWN):
            return self.terminal(node, me, reach)
        actor, below = int(forest.kind[node]), self.children(node)
        if actor == me:
            return np.max([self.best(c, me, reach) for c in below], axis=0)
        sigma = self.strategy(node, self.average, actor)
        return sum(self.best(c, me, reach * s) for c, s in zip(below, sigma, strict=True))

    def exploitability(self):
        found = [self.weight[me] @ self.best(0, me, self.weight[1 - me]) / self.total for me in range(2)]
        return sum(found) / 2
