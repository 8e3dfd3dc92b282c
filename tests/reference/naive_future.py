"""Future-game simulation by plain recursion: every hand is walked situation by situation, solved by CFR+ on dictionaries, and averaged."""

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.cards.allins.pairs import pair_outcomes, removal
from equilibrist.games.tables.betting import NOBODY, first_situation
from equilibrist.games.tables.payoffs import weak_orders
from equilibrist.games.tables.pots import layers, settle
from equilibrist.games.tables.table import Table
from equilibrist.games.tournaments.icm import icm

HELD = combinations() / 1326.0


def naive_future(stacks, payouts, *, blinds, depth, ante=0.0, players=2, iterations=100):
    """[seat] prize money after `depth` further hands; stacks in the order of acting."""
    if len(stacks) == 1:
        return np.array([payouts[0]], float)
    if depth == 0:
        return icm(list(stacks), payouts, route="quadrature")
    table = Table(stacks=list(stacks), blinds=blinds, ante=ante, players_to_flop=min(players, len(stacks)))
    start = first_situation(table)
    pays = {
        end.line: [_paid(end, order, payouts, blinds=blinds, depth=depth - 1, ante=ante, players=players, iterations=iterations)
                   for order in weak_orders(len(end.staying))]
        for end in _ends(start)
    }  # fmt: skip
    hand = NaiveHand(table, pays)
    average = hand.solve(start, iterations)
    return hand.expected(start, average)


def _ends(here):
    if here.seat == NOBODY:
        yield here
    else:
        for action in range(len(here.actions)):
            yield from _ends(here.after(action))


def _paid(end, order, payouts, **further):
    """[seat] what one outcome is worth."""
    before, after = end.table.stacks, settle(end, layers(end), order).stacks
    alive = [seat for seat, chips in enumerate(after) if chips > 0.0]
    places = [*payouts, *[0.0] * len(before)][: len(before)]
    out = np.zeros(len(before))
    gone = sorted((seat for seat in range(len(before)) if seat not in alive), key=lambda seat: -before[seat])
    for seat in gone:
        alike = [place for place, other in enumerate(gone, len(alive)) if before[other] == before[seat]]
        out[seat] = np.mean([places[place] for place in alike])
    following = [*alive[1:], alive[0]]  # the first to act had the blinds behind it: the big blind is next
    out[following] = naive_future([after[seat] for seat in following], places[: len(alive)], **further)
    return out


class NaiveHand:
    """One hand of jam or fold."""

    def __init__(self, table, pays):
        self.table, self.pays = table, pays
        outcomes = pair_outcomes()
        self.met = removal()
        self.ways = {-1: self.met * outcomes.win, 0: self.met * outcomes.tie}
        self.ways[1] = self.met - self.ways[-1] - self.ways[0]

    def solve(self, start, iterations):
        regrets, sums = {}, {}

        def mix(line, actions, table):
            rows = np.maximum(table.get(line, np.zeros((actions, CLASSES))), 0.0)
            total = rows.sum(axis=0)
            return np.where(total > 0.0, rows / np.where(total > 0.0, total, 1.0), 1.0 / actions)

        def visit(here, seat, reach, time):
            if here.seat == NOBODY:
                return self._worth(here, seat, reach)
            now = mix(here.line, len(here.actions), regrets)
            values = []
            for action, row in enumerate(now):
                played = [r * row if p == here.seat else r for p, r in enumerate(reach)]
                values.append(visit(here.after(action), seat, played, time))
            if here.seat != seat:
                return np.sum(values, axis=0)
            value = np.sum([row * each for row, each in zip(now, values, strict=True)], axis=0)
            found = regrets.get(here.line, np.zeros_like(now)) + np.array(values) - value
            sums[here.line] = sums.get(here.line, np.zeros_like(now)) + time * reach[seat] * now
            regrets[here.line] = np.maximum(found, 0.0)
            return value

        for time in range(1, iterations + 1):
            for seat in range(self.table.seats):
                visit(start, seat, [np.ones(CLASSES)] * self.table.seats, time)
        return lambda here: mix(here.line, len(here.actions), sums)

    def _worth(self, end, seat, reach):
        """[class] payoff times the chance that the others play this way."""
        pays = [row[seat] for row in self.pays[end.line]]
        folded = [self.met @ reach[p] for p in range(self.table.seats) if p != seat and p not in end.staying]
        chance = np.prod([np.ones(CLASSES), *folded], axis=0)
        if seat in end.staying:
            parts = self._orders(end.staying.index(seat), [reach[p] for p in end.staying])
            return chance * np.sum([pay * part for pay, part in zip(pays, parts, strict=True)], axis=0)
        others = np.prod([self.met @ reach[p] for p in end.staying], axis=0)
        return chance * others * np.dot(pays, self._shares([reach[p] for p in end.staying]))

    def _orders(self, place, hands):
        """[order] of [own class] chances that the hands are met and rank in this order."""
        out = []
        for order in weak_orders(len(hands)):
            others = [p for p in range(len(hands)) if p != place]
            signs = [int(np.sign(order[place] - order[p])) for p in others]
            part = np.prod(
                [np.ones(CLASSES), *[self.ways[s] @ hands[p] for s, p in zip(signs, others, strict=True)]], axis=0
            )
            if len(others) == 2 and signs[0] == signs[1] != 0:
                j, k = others
                ways = [HELD * hands[j] @ (self.ways[s] @ hands[k]) for s in (-1, 0, 1)]
                stand = int(np.sign(order[j] - order[k]))
                part = part * (ways[stand + 1] / sum(ways) if sum(ways) > 0.0 else 0.5 * abs(stand))
            out.append(part)
        return out

    def _shares(self, hands):
        """[order] how likely each is, whoever looks."""
        if len(hands) == 1:
            return np.ones(1)
        found = np.array([HELD * hands[0] @ part for part in self._orders(0, hands)])
        return found / found.sum() if found.sum() > 0.0 else np.full(len(found), 1.0 / len(found))

    def expected(self, here, average, reach=None, chance=1.0):
        """[seat] one action after the other."""
        reach = [np.ones(CLASSES)] * self.table.seats if reach is None else reach
        if here.seat == NOBODY:
            return chance * self._shares([reach[p] for p in here.staying]) @ np.array(self.pays[here.line])
        beside = [self.met @ r for p, r in enumerate(reach) if p != here.seat]
        weight = HELD * reach[here.seat] * np.prod(beside, axis=0)
        out = np.zeros(self.table.seats)
        for action, row in enumerate(average(here)):
            played = [r * row if p == here.seat else r for p, r in enumerate(reach)]
            out += self.expected(here.after(action), average, played, chance * (weight @ row) / weight.sum())
        return out
