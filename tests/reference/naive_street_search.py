"""A betting round searched with solved leaves, written down plainly on histories and dictionaries; public actions, two private cards.

Every pass walks all histories that share a public line; policies, regrets and averages are lists by infoset text.
"""

from __future__ import annotations

from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from reference.naive_cfr import match

Cards = tuple[str, str]
Line = dict[Cards, State]  # the histories of one public line, by both private cards
Reach = dict[str, float]  # a player's own, by private card
Table = dict[str, list[float]]  # by infoset


def deals(game: Game) -> Line:
    """All first histories in which both hold their cards."""
    first = game.start()
    found = {label: first.child(i) for i, (label, _) in enumerate(first.chance())}
    return {(label.split()[0], label.split()[1]): state for label, state in found.items()}


class NaiveSearch:
    """One street by `algorithm`, leaves solved by `inside` iterations of CFR+ whose regrets are carried along."""

    def __init__(self, game: Game, weights: list[Reach], algorithm: str, inside: int, least: float) -> None:
        self.root, self.weights, self.algorithm, self.inside, self.least = (
            deals(game),
            weights,
            algorithm,
            inside,
            least,
        )
        self.regret: list[Table] = [{}, {}]
        self.sums: list[Table] = [{}, {}]
        self.last: list[Table] = [{}, {}]  # of fictitious play
        self.below: list[Table] = [{}, {}]  # regrets behind leaves
        self.answers: list[Table] = [{}, {}]  # averages behind leaves
        self.before: list[dict[str, dict[str, float]]] = [{}, {}]
        self.t = 0

    # strategies

    def now(self, p: int, state: State) -> list[float]:
        table = self.last if self.algorithm == "fp" else self.regret
        return match(table[p].get(state.infoset(p), [0.0] * len(state.actions())))

    def mean(self, p: int, state: State) -> list[float]:
        return match(self.sums[p].get(state.infoset(p), [0.0] * len(state.actions())))

    def answer(self, p: int, state: State) -> list[float]:
        return match(self.answers[p].get(state.infoset(p), [0.0] * len(state.actions())))

    # the trunk

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.t += 1
            for me in range(2):
                if self.algorithm == "fp":
                    self.respond(me)
                else:
                    self.learn(me)

    def learn(self, me: int) -> None:
        them, t = 1 - me, self.t
        self.add(them, self.root, self.weights[them], self.now, float(t), self.sums[them])
        held, asked = self.leaves(self.root, self.weights, (self.now, self.now)), (self.now, self.now)
        if self.algorithm != "cfr-d":
            asked = (self.mean, self.mean)
        beliefs = self.leaves(self.root, self.weights, asked)
        worth: dict[str, dict[str, float]] = {}
        for name, (line, reach) in beliefs.items():
            self.solve(line, reach)
            theirs = reach[them] if self.algorithm == "modified-cfr-avg" else held[name][1][them]
            worth[name] = self.follow(me, line, theirs, self.answer, None, None, self.answer)
        if self.algorithm == "modified-cfr-avg":
            old = self.before[me] or {name: dict.fromkeys(cards, 0.0) for name, cards in worth.items()}
            self.before[me] = worth
            worth = {
                name: {c: ((t + 1) * v - (t - 1) * old[name][c]) / 2 for c, v in cards.items()}
                for name, cards in worth.items()
            }
        gains: Table = {}
        self.follow(me, self.root, self.weights[them], self.now, worth, gains, self.now)
        for key, gain in gains.items():
            row = self.regret[me].setdefault(key, [0.0] * len(gain))
            self.regret[me][key] = [r + t * g for r, g in zip(row, gain, strict=True)]

    def respond(self, me: int) -> None:
        them = 1 - me
        n = self.t + me
        last: Table = {}
        self.add(them, self.root, self.weights[them], self.now, 1.0, last)
        mixed = dict(last)
        if n > 1:
            whole = n * (n - 1) / 2
            mixed = {
                key: [n / (n + 2) * s / whole + 2 / (n + 2) * x for s, x in zip(self.sums[them][key], row, strict=True)]
                for key, row in last.items()
            }

        def optimistic(p: int, state: State) -> list[float]:
            return match(mixed[state.infoset(p)])

        asked = (self.mean, optimistic) if me == 0 else (optimistic, self.mean)
        worth: dict[str, dict[str, float]] = {}
        for name, (line, reach) in self.leaves(self.root, self.weights, asked).items():
            self.solve(line, reach)
            worth[name] = self.follow(me, line, reach[them], self.answer, None, None, self.answer)
        self.best(me, self.root, self.weights[them], worth, optimistic)
        self.add(me, self.root, self.weights[me], self.now, float(self.t), self.sums[me])

    # behind a leaf

    def solve(self, line: Line, reach: list[Reach]) -> None:
        """CFR+ from beliefs; averages begin anew."""
        scaled = []
        for p in range(2):
            most = max(reach[p].values())
            scaled.append({c: max(x / most if most > 0 else 1.0, self.least) for c, x in reach[p].items()})
        for t in range(1, self.inside + 1):
            for me in range(2):
                them = 1 - me
                fresh: Table = {}
                self.add(them, line, scaled[them], self.free, 1.0, fresh)
                for key, row in fresh.items():
                    old = self.answers[them].get(key, [0.0] * len(row))
                    keep = (t - 1) / t
                    self.answers[them][key] = [keep * a + x for a, x in zip(old, row, strict=True)]
                gains: Table = {}
                self.follow(me, line, scaled[them], self.free, None, gains, self.free)
                for key, gain in gains.items():
                    row = self.below[me].setdefault(key, [0.0] * len(gain))
                    self.below[me][key] = [max(r + g, 0.0) for r, g in zip(row, gain, strict=True)]

    def free(self, p: int, state: State) -> list[float]:
        return match(self.below[p].get(state.infoset(p), [0.0] * len(state.actions())))

    # walks over public lines

    def follow(self, me, line, theirs, mine, leaf, gains, others):  # type: ignore[no-untyped-def]
        """My counterfactual values by private card; `leaf` has those of public lines where the street ends, None: go on."""
        state = next(iter(line.values()))
        own = sorted({cards[me] for cards in line})
        if state.player == TERMINAL:
            out = dict.fromkeys(own, 0.0)
            for cards, one in line.items():
                out[cards[me]] += theirs[cards[1 - me]] * one.returns()[me]
            return out
        if state.player == CHANCE:
            if leaf is not None:
                return leaf[state.public()]
            out = dict.fromkeys(own, 0.0)
            for chance, below in self.draws(line):
                for c, v in self.follow(me, below, theirs, mine, leaf, gains, others).items():
                    out[c] += chance * v
            return out
        number = len(state.actions())
        children = [{cards: one.child(a) for cards, one in line.items()} for a in range(number)]
        shown = {cards[state.player]: one for cards, one in line.items()}
        if state.player != me:
            play = {c: others(state.player, one) for c, one in shown.items()}
            parts = [
                self.follow(
                    me,
                    children[a],
                    {c: x * play[c][a] if c in play else 0.0 for c, x in theirs.items()},
                    mine,
                    leaf,
                    gains,
                    others,
                )
                for a in range(number)
            ]
            return {c: sum(part[c] for part in parts) for c in own}
        parts = [self.follow(me, child, theirs, mine, leaf, gains, others) for child in children]
        out = {}
        for c, one in shown.items():
            play = mine(me, one)
            out[c] = sum(play[a] * parts[a][c] for a in range(number))
            if gains is not None:
                gains[one.infoset(me)] = [part[c] - out[c] for part in parts]
        return out

    def best(self, me, line, theirs, leaf, others):  # type: ignore[no-untyped-def]
        """The same where I respond; what I play is kept."""
        state = next(iter(line.values()))
        if state.player != me:
            if state.player < 0:
                return self.follow(me, line, theirs, None, leaf, None, others)
            shown = {cards[state.player]: one for cards, one in line.items()}
            play = {c: others(state.player, one) for c, one in shown.items()}
            parts = [
                self.best(
                    me,
                    {k: one.child(a) for k, one in line.items()},
                    {c: x * play[c][a] for c, x in theirs.items()},
                    leaf,
                    others,
                )
                for a in range(len(state.actions()))
            ]
            return {c: sum(part[c] for part in parts) for c in parts[0]}
        number = len(state.actions())
        parts = [
            self.best(me, {k: one.child(a) for k, one in line.items()}, theirs, leaf, others) for a in range(number)
        ]
        out = {}
        for c, one in {cards[me]: one for cards, one in line.items()}.items():
            values = [part[c] for part in parts]
            out[c] = max(values)
            self.last[me][one.infoset(me)] = [float(a == values.index(out[c])) for a in range(number)]
        return out

    def add(self, p, line, reach, play, weight, sums) -> None:  # type: ignore[no-untyped-def]
        """Own reach behind each own action, added to sums by infoset; on this street, or on all behind a leaf."""
        state = next(iter(line.values()))
        if state.player == TERMINAL or (state.player == CHANCE and play != self.free):
            return
        if state.player == CHANCE:
            for _, below in self.draws(line):
                self.add(p, below, reach, play, weight, sums)
            return
        shown = {cards[p]: one for cards, one in line.items()}
        for a in range(len(state.actions())):
            onward = dict(reach)
            if state.player == p:
                for c, one in shown.items():
                    onward[c] = reach[c] * play(p, one)[a]
                    sums.setdefault(one.infoset(p), [0.0] * len(state.actions()))[a] += weight * onward[c]
            self.add(p, {k: one.child(a) for k, one in line.items()}, onward, play, weight, sums)

    def leaves(self, line, reach, plays):  # type: ignore[no-untyped-def]
        """Public lines where the street ends, with both players' own reach there."""
        state = next(iter(line.values()))
        if state.player == TERMINAL:
            return {}
        if state.player == CHANCE:
            return {state.public(): (line, list(reach))}
        p, out = state.player, {}
        shown = {cards[p]: one for cards, one in line.items()}
        for a in range(len(state.actions())):
            onward = list(reach)
            onward[p] = {c: x * plays[p](p, shown[c])[a] for c, x in reach[p].items()}
            out |= self.leaves({k: one.child(a) for k, one in line.items()}, onward, plays)
        return out

    def draws(self, line: Line) -> list[tuple[float, Line]]:
        """Each public card with its probability, and the histories in which it can come."""
        found: dict[str, tuple[float, Line]] = {}
        for cards, one in line.items():
            for i, (label, chance) in enumerate(one.chance()):
                found.setdefault(label, (chance, {}))[1][cards] = one.child(i)
        return list(found.values())
