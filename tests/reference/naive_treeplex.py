"""First-order methods word by word from the text ([Gilpin09, §8.3 to §8.5]): dense matrices, recursion, gradients of prox functions."""

from __future__ import annotations

import math

import numpy as np

from equilibrist.solvers.linear_programs.sequence_lp import PlanProgram


class Treeplex:
    """One player's infosets as lists; plans are vectors over its own sequences, the empty one first."""

    def __init__(self, form, player):
        begin, end = form.first_infoset[player], form.first_infoset[player + 1]
        shift = form.offset[player]
        self.sequences = form.sequences[player]
        self.infosets = [
            (
                int(form.parent[i] - shift),
                list(range(form.first_sequence[i] - shift, form.first_sequence[i] - shift + form.actions[i])),
            )
            for i in range(begin, end)
        ]
        self.after = {
            s: [u for u, (parent, _) in enumerate(self.infosets) if parent == s] for s in range(self.sequences)
        }

    def best(self, g):
        """max over plans of <g, x>."""

        def worth(s):
            return g[s] + sum(max(worth(c) for c in self.infosets[u][1]) for u in self.after[s])

        return worth(0)

    def behaviour(self, x):
        return [np.array([x[c] / x[parent] for c in actions]) for parent, actions in self.infosets]


def nearest_in_simplex(point):
    """Sort, then the largest prefix whose threshold is below its last entry."""
    ordered = np.sort(point)[::-1]
    thresholds = (np.cumsum(ordered) - 1) / np.arange(1, len(point) + 1)
    last = max(k for k in range(len(point)) if ordered[k] > thresholds[k])
    return np.maximum(point - thresholds[last], 0)


class Prox:
    """d(x) = sum of weight_u x(before u) psi(b_u)."""

    def __init__(self, tree, kind, weight=None):
        self.tree, self.kind = tree, kind
        self.weight = [1.0] * len(tree.infosets) if weight is None else weight

    def psi(self, b):
        n = len(b)
        if self.kind == "entropy":
            return math.log(n) + sum(p * math.log(p) for p in b if p > 0)
        return 0.5 * float(np.sum((b - 1 / n) ** 2))

    def slope(self, b):
        n = len(b)
        return 1 + np.log(b) if self.kind == "entropy" else b - 1 / n

    def value(self, x):
        return sum(
            w * x[parent] * self.psi(b)
            for w, (parent, _), b in zip(self.weight, self.tree.infosets, self.tree.behaviour(x), strict=True)
        )

    def gradient(self, x):
        """The derivative with respect to each sequence, its own infoset and those after it."""
        out = np.zeros(self.tree.sequences)
        for w, (parent, actions), b in zip(self.weight, self.tree.infosets, self.tree.behaviour(x), strict=True):
            out[actions] += w * self.slope(b)
            out[parent] += w * (self.psi(b) - float(self.slope(b) @ b))
        return out

    def response(self, g):
        """(sargmax, smax)."""
        tree, chosen = self.tree, {}

        def worth(s):
            total = g[s]
            for u in tree.after[s]:
                h, w = np.array([worth(c) for c in tree.infosets[u][1]]), self.weight[u]
                n = len(h)
                if self.kind == "entropy":
                    shifted = np.exp(h / w - max(h / w))
                    chosen[u] = shifted / shifted.sum()
                    total += w * (max(h / w) + math.log(shifted.sum()) - math.log(n))
                else:
                    b = chosen[u] = nearest_in_simplex(1 / n + h / w)
                    total += float(h @ b) - w * self.psi(b)
            return total

        top = worth(0)
        x = np.zeros(tree.sequences)
        x[0] = 1.0
        for u, (parent, actions) in enumerate(tree.infosets):
            x[actions] = x[parent] * chosen[u]
        return x, top


class NaiveEGT:
    """[Gilpin09, Algorithms 5 to 10], signs corrected; player 1 maximises x'A y."""

    def __init__(self, form, kind="entropy", balance=100):
        self.A = PlanProgram(form, 0).payoff.toarray()
        self.d = [Prox(Treeplex(form, p), kind) for p in range(2)]
        self.tau, self.k, self.interval = 0.5, 0, balance
        mu = float(np.abs(self.A).max())
        while True:
            self.mu = [mu, mu]
            centre, _ = self.d[1].response(np.zeros(self.A.shape[1]))
            x, _ = self.d[0].response(self.A @ centre / mu)
            y, _ = self.d[1].response(self.d[1].gradient(centre) - self.A.T @ x / mu)
            if self.holds(self.mu, x, y):
                break
            mu *= 2
        self.z = [x, y]

    def holds(self, mu, x, y):
        f = -mu[1] * self.d[1].response(-self.A.T @ x / mu[1])[1]
        phi = mu[0] * self.d[0].response(self.A @ y / mu[0])[1]
        return f >= phi - 1e-11 * float(np.abs(self.A).max())

    def shrink(self, player, tau):
        """Reduce mu of `player`, whom A is turned towards."""
        A = self.A if player == 1 else -self.A.T
        d1, d2 = self.d[1 - player], self.d[player]
        mu1, mu2 = self.mu[1 - player], self.mu[player]
        x, y = self.z[1 - player], self.z[player]
        yb, _ = d2.response(-A.T @ x / mu2)
        xb, _ = d1.response(A @ ((1 - tau) * y + tau * yb) / mu1)
        yt, _ = d2.response(d2.gradient(yb) - tau / ((1 - tau) * mu2) * (A.T @ xb))
        z, mu = list(self.z), list(self.mu)
        z[1 - player], z[player] = (1 - tau) * x + tau * xb, (1 - tau) * y + tau * yt
        mu[player] = (1 - tau) * mu2
        return z, mu

    def decrease(self, player):
        z, mu = self.shrink(player, self.tau)
        while not self.holds(mu, *z):
            self.tau /= 2
            z, mu = self.shrink(player, self.tau)
        self.z, self.mu = z, mu

    def step(self):
        self.decrease(1 - self.k % 2)
        if self.interval and self.k % self.interval == 0:
            while self.mu[1] > 1.5 * self.mu[0]:
                self.decrease(1)
            while self.mu[0] > 1.5 * self.mu[1]:
                self.decrease(0)
            while self.holds([0.9 * m for m in self.mu], *self.z):
                self.mu = [0.9 * m for m in self.mu]
        self.k += 1

    def gap(self):
        x, y = self.z
        return self.d[0].tree.best(self.A @ y) + self.d[1].tree.best(-self.A.T @ x)


def nearest_plan(form, player, target):
    """The Euclidean projection as a quadratic program, by HiGHS."""
    import highspy

    matrix = PlanProgram(form, player).own.tocsc()
    rows, columns = matrix.shape
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("primal_feasibility_tolerance", 1e-10)
    highs.setOptionValue("dual_feasibility_tolerance", 1e-10)
    highs.setOptionValue("qp_regularization_value", 0.0)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = rows, columns
    model.col_cost_ = -target
    model.col_lower_, model.col_upper_ = np.zeros(columns), np.full(columns, np.inf)
    model.row_lower_ = model.row_upper_ = np.eye(1, rows)[0]
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    highs.passModel(model)
    hessian = highspy.HighsHessian()
    hessian.dim_, hessian.format_ = columns, highspy.HessianFormat.kTriangular
    hessian.start_, hessian.index_, hessian.value_ = np.arange(columns + 1), np.arange(columns), np.ones(columns)
    highs.passHessian(hessian)
    highs.run()
    assert highs.modelStatusToString(highs.getModelStatus()) == "Optimal"
    return np.array(highs.getSolution().col_value)
