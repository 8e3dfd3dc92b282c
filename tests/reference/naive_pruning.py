"""Regret-based and best-response pruning written down plainly: every past strategy is kept, every sum is computed anew.

Nothing here is lazy: intervals are evaluated iteration by iteration over all terminals, averages are sums of realisation
plans. Regrets weigh iteration t by `weight(t)` and are not discounted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from equilibrist.games.rules import CHANCE, TERMINAL, Game
from reference.naive_cfr import Key, NaivePolicy, Node, unfold

Sequence = tuple[Key, int] | None  # infoset and action; None before the first


@dataclass
class Terminal:
    chance: float
    returns: tuple[float, ...]
    paths: tuple[tuple[tuple[Key, int], ...], tuple[tuple[Key, int], ...]]  # own steps of each player


@dataclass
class Pruned:
    since: int  # last iteration before the interval
    bound: float
    base: float  # CV then


@dataclass
class NaivePruning:
    game: Game
    skip: float
    responses: bool = False  # best-response pruning
    simultaneous: bool = False
    plus: bool = False  # signed RM+
    weight: Callable[[int], float] = lambda t: 1.0
    t: int = 0
    strategy: NaivePolicy = field(default_factory=dict)
    regret: dict[Key, list[float]] = field(default_factory=dict)
    pruned: dict[tuple[Key, int], Pruned] = field(default_factory=dict)
    faced: tuple[list[NaivePolicy], list[NaivePolicy]] = field(default_factory=lambda: ([], []))
    values: dict[Key, float] = field(default_factory=dict)  # CV
    checked: dict[tuple[Key, int], int] = field(default_factory=dict)
    begun: int = 0
    ended: int = 0

    def __post_init__(self) -> None:
        self.terminals: list[Terminal] = []
        self.parent: dict[Key, Sequence] = {}
        self.width: dict[Key, int] = {}
        self.members: dict[
            Key, list[tuple[float, tuple[tuple[Key, int], ...]]]
        ] = {}  # histories: chance, opposing steps
        self._collect(unfold(self.game), 1.0, ((), ()))
        for key, n in self.width.items():
            self.strategy[key] = [1.0 / n] * n
            self.regret[key] = [0.0] * n
            self.values[key] = 0.0
        self.most = {
            (key, a): max(z.returns[key[0]] for z in self.terminals if (key, a) in z.paths[key[0]])
            for key, n in self.width.items()
            for a in range(n)
        }

    def _collect(self, node: Node, chance: float, paths) -> None:
        if node.player == TERMINAL:
            self.terminals.append(Terminal(chance, node.returns, paths))
            return
        if node.player != CHANCE:
            self.members.setdefault(node.key, []).append((chance, paths[1 - node.player]))
        for a, child in enumerate(node.children):
            if node.player == CHANCE:
                self._collect(child, chance * node.chance[a], paths)
                continue
            key, i = node.key, node.player
            self.parent[key] = paths[i][-1] if paths[i] else None
            self.width[key] = len(node.children)
            step = (*paths[i], (key, a))
            self._collect(child, chance, (step, paths[1]) if i == 0 else (paths[0], step))

    # -- what is below what

    def below(self, sequence: tuple[Key, int]) -> list[Key]:
        """Own infosets under a sequence, parents first."""
        found: list[Key] = []
        for key in self.parent:  # met parents first
            above = self.parent[key]
            if above == sequence or (above is not None and above[0] in found):
                found.append(key)
        return found

    def hidden(self, key: Key) -> bool:
        above = self.parent[key]
        while above is not None:
            if above in self.pruned:
                return True
            above = self.parent[above[0]]
        return False

    # -- values

    def reach(self, z: Terminal, player: int, policy: NaivePolicy) -> float:
        return z.chance * math.prod(policy[key][a] for key, a in z.paths[1 - player])

    def ends(self, player: int, policy: NaivePolicy) -> dict[Sequence, float]:
        """Value of the terminals directly behind each own sequence."""
        out: dict[Sequence, float] = {}
        for z in self.terminals:
            last = z.paths[player][-1] if z.paths[player] else None
            out[last] = out.get(last, 0.0) + self.reach(z, player, policy) * z.returns[player]
        return out

    def mass(self, key: Key, policy: NaivePolicy) -> float:
        """Reach of the others at an infoset."""
        return sum(chance * math.prod(policy[k][a] for k, a in steps) for chance, steps in self.members[key])

    # -- one iteration

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.t += 1
            if self.simultaneous:
                now = {key: list(row) for key, row in self.strategy.items()}
                for i in range(2):
                    self.faced[1 - i].append(now)
                for i in range(2):
                    self._turn(i, now)
            else:
                for i in range(2):
                    now = {key: list(row) for key, row in self.strategy.items()}
                    self.faced[1 - i].append(now)
                    self._turn(i, now)

    def _turn(self, i: int, policy: NaivePolicy) -> None:
        w = self.weight(self.t)
        ends = self.ends(i, policy)
        own = [key for key in self.parent if key[0] == i and not self.hidden(key)]
        value: dict[tuple[Key, int], float] = {}
        v: dict[Key, float] = {}
        due: list[tuple[Key, int]] = []
        wish: list[tuple[Key, int]] = []
        for key in reversed(own):
            for a in range(self.width[key]):
                q = (key, a)
                value[q] = 0.0 if q in self.pruned else ends.get(q, 0.0) + sum(v[k] for k in own if self.parent[k] == q)
            v[key] = sum(policy[key][a] * value[key, a] for a in range(self.width[key]))
            mass = self.mass(key, policy)
            if mass == 0.0:
                continue  # nobody comes here
            self.values[key] += w * v[key]
            for a in range(self.width[key]):
                if (key, a) not in self.pruned:
                    self._add(key, a, w * (value[key, a] - v[key]))
            self._match(key)
            due += self._move_bounds(key, mass, v[key], w)
            wish += self._candidates(key, w)
        for q in due:
            (self._check if self.responses else self._settle)(q)
        for q in sorted(wish, key=lambda q: self._depth(q[0])):
            if not self.hidden(q[0]):
                (self._try if self.responses else self._begin)(q)

    def _depth(self, key: Key) -> int:
        above = self.parent[key]
        return 0 if above is None else 1 + self._depth(above[0])

    def _add(self, key: Key, a: int, more: float) -> None:
        old = self.regret[key][a]
        self.regret[key][a] = more if self.plus and more > 0 and old <= 0 else old + more

    def _match(self, key: Key) -> None:
        free = [a for a in range(self.width[key]) if (key, a) not in self.pruned]
        positive = {a: max(self.regret[key][a], 0.0) for a in free}
        total = sum(positive.values())
        self.strategy[key] = [
            (positive[a] / total if total > 0 else 1.0 / len(free)) if a in positive else 0.0
            for a in range(self.width[key])
        ]

    def _move_bounds(self, key: Key, mass: float, v: float, w: float) -> list[tuple[Key, int]]:
        due = []
        for a in range(self.width[key]):
            entry = self.pruned.get((key, a))
            if entry is not None:
                entry.bound += w * (mass * self.most[key, a] - v)
                if entry.bound > 0:
                    due.append((key, a))
        return due

    def _candidates(self, key: Key, w: float) -> list[tuple[Key, int]]:
        if max(self.regret[key]) <= 0:
            return []
        found = []
        for a in range(self.width[key]):
            q = (key, a)
            if q in self.pruned or self.regret[key][a] >= 0:
                continue
            if self.responses and self.t - self.checked.get(q, -(10**9)) < max(self.skip, 0.1 * self.t):
                continue
            if self._estimate(q, -self.regret[key][a], w) >= self.skip:
                found.append(q)
        return found

    def _estimate(self, q: tuple[Key, int], distance: float, w: float) -> float:
        key = q[0]
        faced = self.faced[1 - key[0]]
        reached = sum(self.weight(s + 1) * self.mass(key, policy) for s, policy in enumerate(faced))
        growth = reached * self.most[q] - self.values[key]
        total = sum(self.weight(s) for s in range(1, self.t + 1))
        return math.inf if growth <= 0 else distance * total / (w * growth)

    # -- intervals

    def interval(self, q: tuple[Key, int], since: int) -> tuple[dict[tuple[Key, int], float], dict[Key, float]]:
        """Best responses below q to everything faced after iteration `since`: values of sequences and of infosets."""
        i = q[0][0]
        w: dict[tuple[Key, int], float] = {}
        block = self.below(q)
        inside = [q, *((key, a) for key in block for a in range(self.width[key]))]
        for sequence in inside:
            w[sequence] = 0.0
        for s in range(since, self.t):
            ends = self.ends(i, self.faced[1 - i][s])
            for sequence in inside:
                w[sequence] += self.weight(s + 1) * ends.get(sequence, 0.0)
        best: dict[Key, float] = {}
        for key in reversed(block):
            best[key] = max(w[key, a] for a in range(self.width[key]))
            above = self.parent[key]
            assert above is not None
            w[above] += best[key]
        return w, best

    def _settle(self, q: tuple[Key, int]) -> None:
        entry = self.pruned.pop(q)
        self.ended += 1
        self._prove(q, entry)
        w, best = self.interval(q, entry.since)
        for key in self.below(q):
            for a in range(self.width[key]):
                self._add(key, a, w[key, a] - best[key])
            self.values[key] += best[key]
            self._match(key)
        self._add(*q, w[q] - (self.values[q[0]] - entry.base))
        self._match(q[0])

    def _prove(self, q: tuple[Key, int], entry: Pruned) -> None:
        """Theorem 7: at no iteration but the last could the regret have been positive, whatever was played below."""
        if self.plus:
            return
        key, i = q[0], q[0][0]
        regret = self.regret[key][q[1]]
        for s in range(entry.since, self.t - 1):
            before = self.t
            self.t = s + 1
            gained = self.interval(q, entry.since)[0][q]  # the best in hindsight up to here, above what was settled
            self.t = before
            earned = sum(self.weight(u + 1) * self._earned(key, i, u) for u in range(entry.since, s + 1))
            assert regret + gained - earned <= 1e-9, (q, s)

    def _earned(self, key: Key, i: int, u: int) -> float:
        """v^u(I) with the strategies that both played in iteration u + 1."""
        own = self.faced[i][u] if self.simultaneous else self.played[i][u]
        policy = self.faced[1 - i][u]
        ends = self.ends(i, policy)

        def value(k: Key) -> float:
            return sum(
                own[k][a] * (ends.get((k, a), 0.0) + sum(value(c) for c in self.parent if self.parent[c] == (k, a)))
                for a in range(self.width[k])
                if own[k][a] > 0
            )

        return value(key)

    @property
    def played(self) -> tuple[list[NaivePolicy], list[NaivePolicy]]:
        """What each player played in its own turn: player 0 what nobody has faced yet, player 1 what was faced."""
        uniform = {key: [1.0 / n] * n for key, n in self.width.items()}
        return ([uniform, *self.faced[0]], self.faced[1])

    def _begin(self, q: tuple[Key, int]) -> None:
        for key in self.below(q):
            for a in range(self.width[key]):
                if (key, a) in self.pruned:
                    self._settle((key, a))
        self.begun += 1
        self.pruned[q] = Pruned(self.t, self.regret[q[0]][q[1]], self.values[q[0]])
        self._match(q[0])

    # -- best responses to averages

    def _check(self, q: tuple[Key, int]) -> None:
        w, best = self.interval(q, 0)
        lead = self.values[q[0]] - w[q]
        if lead >= 0:
            self.pruned[q].bound = -lead
            return
        del self.pruned[q]
        self.ended += 1
        self.checked[q] = self.t
        self.regret[q[0]][q[1]] = -lead
        for key in self.below(q):
            self.values[key] = best[key]
            self.regret[key] = [w[key, a] - best[key] for a in range(self.width[key])]
            self.checked |= {(key, a): self.t for a in range(self.width[key])}
            self._match(key)
        self._match(q[0])

    def _try(self, q: tuple[Key, int]) -> None:
        w, _ = self.interval(q, 0)
        lead = self.values[q[0]] - w[q]
        if lead < 0 or self._estimate(q, lead, self.weight(self.t)) < self.skip:
            self.checked[q] = self.t
            return
        for key in self.below(q):
            for a in range(self.width[key]):
                self.pruned.pop((key, a), None)
        self.begun += 1
        self.pruned[q] = Pruned(self.t, -lead, 0.0)
        self._match(q[0])

    # -- the answer

    def sums(self) -> dict[Key, list[float]]:
        """Realisation plans summed over everything faced."""
        out = {key: [0.0] * n for key, n in self.width.items()}
        for p in range(2):
            for s, policy in enumerate(self.faced[p]):
                plan: dict[Sequence, float] = {None: self.weight(s + 1)}
                for key in self.parent:
                    if key[0] == p:
                        for a in range(self.width[key]):
                            plan[key, a] = plan[self.parent[key]] * policy[key][a]
                            out[key][a] += plan[key, a]
        return out
