"""A river with every hand in both ranges and no flush possible, as a linear program over classes of hands.

Exchanging the suits of one rank among its cards off the board changes neither strengths nor which hands meet, so hands of the same
two ranks are alike and 91 classes do for 1,081 hands. Averaging an equilibrium over these exchanges gives one that plays classes;
whatever such equilibria are worth to a hand is therefore worth to it in some equilibrium of the whole game.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, vstack

from equilibrist.cards.strength import hand_strength
from equilibrist.forms.boards.street_betting import FOLD, IP, OOP, SHOWDOWN, street_forests

RANKS = "23456789TJQKA"


class RiverClasses:
    """Values that the optimal strategies of ip leave to the classes of oop, in chips as shares of the pot."""

    def __init__(self, spot):
        board = spot.board
        assert len(board) == 5
        assert max(np.bincount([card % 4 for card in board])) < 3, "no flush is possible"
        assert all((spot.weights(p) > 0).sum() == 1081 for p in range(2)), "every hand is held"
        self.spot, (self.forest,) = spot, street_forests(spot)
        left = [[4 * r + s for s in range(4) if 4 * r + s not in board] for r in range(13)]
        self.names = [(a, b) for a in range(13) for b in range(a + 1) if a != b or len(left[a]) > 1]
        hands = [[(c, d) for c in left[a] for d in left[b] if c != d and (a != b or c > d)] for a, b in self.names]
        self.size = np.array([len(combos) for combos in hands])
        assert self.size.sum() == 1081
        self.meets = np.array(
            [[sum(not set(combos[0]) & set(other) for other in there) for there in hands] for combos in hands]
        )
        strength = [
            hand_strength([c // 4 for c in (*combos[0], *board)], [c % 4 for c in (*combos[0], *board)])
            for combos in hands
        ]
        order = [sorted(set(strength)).index(each) for each in strength]
        self.ahead = np.sign(np.subtract.outer(order, order))
        self._build()

    def number(self, name):
        a, b = sorted((RANKS.index(name[0]), RANKS.index(name[2])), reverse=True)
        return self.names.index((a, b))

    def _build(self):
        """Columns: ip's plan [sequence, class], then oop's value [node, class]. Rows: value >= what each action is worth."""
        f, n = self.forest, len(self.names)
        last = {OOP: [-1] * len(f), IP: [-1] * len(f)}  # the slot each player chose last before a node
        for node in range(1, len(f)):
            parent = int(f.parent[node])
            for p in (OOP, IP):
                own = f.kind[parent] == p
                last[p][node] = int(f.slot[parent]) + node - int(f.first_child[parent]) if own else last[p][parent]
        own_nodes = np.flatnonzero(f.kind == OOP)
        value = {int(node): f.slots[IP] + k for k, node in enumerate(own_nodes)}
        self.root, self.columns = value[0] * n, (f.slots[IP] + len(own_nodes)) * n
        parts = []  # (row block, column block, matrix): rows say -value + worth <= 0
        for node in own_nodes:
            for a in range(int(f.children[node])):
                parts.append((int(f.slot[node]) + a, value[int(node)], -np.eye(n)))
        for node in range(len(f)):
            if node in value and last[OOP][node] >= 0:
                parts.append((last[OOP][node], value[node], np.eye(n)))
            elif f.kind[node] == FOLD:
                amount = f.lose[node] if f.folder[node] == OOP else f.win[node]
                parts.append((last[OOP][node], last[IP][node], amount * self.meets))
            elif f.kind[node] == SHOWDOWN:
                parts.append((last[OOP][node], last[IP][node], f.win[node] * self.ahead * self.meets))
        assert all(part[0] >= 0 for part in parts), "oop acts first"
        # a fold of oop before ip acted would have no plan of ip's; on this street ip always acted before
        self.worth = _blocks([(r, c, m) for r, c, m in parts if c >= 0], f.slots[OOP] * n, self.columns, n)
        flows, right = [], np.zeros((f.kind == IP).sum() * n)
        for k, node in enumerate(np.flatnonzero(f.kind == IP)):
            flows += [(k, int(f.slot[node]) + a, np.eye(n)) for a in range(int(f.children[node]))]
            before = last[IP][node]
            if before >= 0:
                flows.append((k, before, -np.eye(n)))
            else:
                right[k * n : (k + 1) * n] = 1.0
        self.flows, self.right = _blocks(flows, len(right), self.columns, n), right
        self.scale = self.size / (self.size @ self.meets @ np.ones(n))
        self.cost = np.zeros(self.columns)
        self.cost[self.root : self.root + n] = self.scale
        free = (None, None)
        self.bounds = [(0, None)] * (f.slots[IP] * n) + [free] * (self.columns - f.slots[IP] * n)

    def value(self):
        """Of the game to oop."""
        return self._solve(self.cost).fun + self.spot.pot / 2

    def interval(self, name, value, slack=0.0):
        """Least and largest value of a hand of oop over strategies of ip that give away at most `slack` chips."""
        i = self.number(name)
        goal = np.zeros(self.columns)
        goal[self.root + i] = 1 / self.meets[i].sum()
        limit = value - self.spot.pot / 2 + slack
        return tuple(sign * self._solve(sign * goal, limit).fun + self.spot.pot / 2 for sign in (1, -1))

    def nearest(self, wanted, value, slack=0.0):
        """Least possible distance between values of several hands at once and those wanted, over such strategies of ip."""
        rows = []
        right = []
        for name, share in wanted.items():
            i = self.number(name)
            for sign in (1, -1):
                row = np.zeros(self.columns + 1)
                row[self.root + i], row[-1] = sign / self.meets[i].sum(), -1
                rows.append(row)
                right.append(sign * (share - self.spot.pot / 2))
        cost = np.zeros(self.columns + 1)
        cost[-1] = 1
        return self._solve(cost, value - self.spot.pot / 2 + slack, np.array(rows), np.array(right)).fun

    def _solve(self, cost, limit=None, rows=None, right=None):
        extra = len(cost) - self.columns
        worth = _wider(self.worth, extra)
        above, most = [worth], [np.zeros(worth.shape[0])]
        if limit is not None:
            above.append(csr_matrix(np.append(self.cost, np.zeros(extra))[None]))
            most.append(np.array([limit]))
        if rows is not None:
            above.append(csr_matrix(rows))
            most.append(right)
        found = linprog(
            cost,
            A_ub=vstack(above).tocsr(),
            b_ub=np.concatenate(most),
            A_eq=_wider(self.flows, extra),
            b_eq=self.right,
            bounds=self.bounds + [(0, None)] * extra,
            method="highs-ds",
        )
        assert found.status == 0, found.message
        return found


def _blocks(parts, rows, columns, n):
    data, row, column = [], [], []
    for r, c, matrix in parts:
        i, j = np.nonzero(matrix)
        data.append(matrix[i, j])
        row.append(r * n + i)
        column.append(c * n + j)
    return coo_matrix((np.concatenate(data), (np.concatenate(row), np.concatenate(column))), (rows, columns)).tocsr()


def _wider(matrix, extra):
    return csr_matrix((matrix.data, matrix.indices, matrix.indptr), (matrix.shape[0], matrix.shape[1] + extra))
