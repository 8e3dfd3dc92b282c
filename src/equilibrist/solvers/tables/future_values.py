"""Future-game simulation: stacks after a hand are worth what ICM says after one to four further hands of jam or fold.

V_0(stacks) is ICM. V_d(stacks) is the mean of V_{d-1} over the outcomes of one hand: everybody jams or folds, the big blind having moved
on, and the hand is solved with V_{d-1} as its payoffs. Equal stacks in equal seats are valued once for each depth. Outcomes of a hand
have chances that sum to one, so that prize money is conserved at every depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import FormatError, ParameterError, TooLargeError
from equilibrist.core.numbers import whole_number
from equilibrist.forms.table_tree.table_tree import TableTree, grow_table
from equilibrist.games.tables.next_hand import next_order
from equilibrist.games.tables.table import MOST_DEPTH, MOST_IN_FUTURES, MOST_SEATS, Table, read_ante, read_blinds
from equilibrist.games.tournaments._kernels.icm import subset_equities
from equilibrist.games.tournaments.fields import check_payouts, check_stacks, prizes_for
from equilibrist.games.tournaments.icm import icm
from equilibrist.solvers.tables._kernels.future_hands import pay_eliminated
from equilibrist.solvers.tables.future_hands import HandGroup, HandRules, Stacks, group_hands, solve_hands

MOST_HANDS = 1_000_000
GAIN = 1e-4  # of the prizes: hands are solved until nobody gains more
HANDS_OF_A_STEP = 2048  # at the last depth, whose outcomes are many

Report = Callable[[str, float | None], None]


@dataclass
class Level:
    """All hands with so many further ones to come."""

    depth: int
    hands: list[Stacks]
    groups: list[HandGroup]  # none at depth 1, where they are made as they are solved
    not_played: list[int]  # valued by ICM
    after: list[Longs]  # [group][hand, outcome] number of the next hand, -1 where one seat is left


@dataclass
class FutureValues:
    """Values of stacks at one table, remembered; `largest_gain` is what is left to a seat in any hand that was solved."""

    rules: HandRules
    payouts: Floats
    depth: int
    threads: int = 1
    report: Report = lambda text, share: None
    largest_gain: float = 0.0
    hands: int = 0  # that were solved
    known: dict[Stacks, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, threads: int = 1, report: Report = lambda text, share: None) -> FutureValues:
        """Those of a table's own rules."""
        rules = HandRules(table.blinds, table.ante, table.fgs.players)
        return cls(rules, np.array(table.payouts), table.fgs.depth, threads, report)

    def __call__(self, stacks: Floats, before: Sequence[float]) -> Floats:
        """[row, seat] prize money of stacks after a hand that began with stacks `before`."""
        orders = [next_order(row) for row in stacks]
        hands = [tuple(row[list(order)].tolist()) for row, order in zip(stacks, orders, strict=True)]
        self._learn([hand for hand in dict.fromkeys(hands) if len(hand) > 1 and hand not in self.known])
        prizes = prizes_for(self.payouts, stacks.shape[1])
        out = np.empty(stacks.shape)
        for row, order, hand in zip(out, orders, hands, strict=True):
            row[list(order)] = self.known[hand] if len(hand) > 1 else prizes[0]
        pay_eliminated(np.array(before), np.ascontiguousarray(stacks), prizes, out)
        return out

    def _learn(self, hands: list[Stacks]) -> None:
        if not hands:
            return
        levels = self._plan(hands)
        total = sum(len(level.hands) for level in levels)
        self.report(f"future hands, depth {self.depth}: {total:,} to solve", 0.0)
        team, values, done = Team(self.threads), list[Floats](), 0
        with HeldInterrupts() as held:
            for level in reversed(levels):
                found: list[Floats | None] = [None] * len(level.hands)
                for group, pays in self._steps(level, values):
                    worth, gain = solve_hands(group, pays, GAIN * self._pool(group.stacks.shape[1]), team)
                    self.largest_gain = max(self.largest_gain, gain)
                    for number, row in zip(group.which.tolist(), worth, strict=True):
                        found[number] = row
                    done += len(worth)
                    self.report(f"future hands: {done:,} of {total:,} solved", done / total)
                    held.checkpoint()
                for number in level.not_played:
                    found[number] = self._icm(np.array([level.hands[number]]))[0]
                values = [row for row in found if row is not None]
                assert len(values) == len(found), "every hand has a value"
        self.hands += total
        self.known |= dict(zip(hands, values, strict=True))

    def _plan(self, hands: list[Stacks]) -> list[Level]:
        """Hands of all depths, the deepest first, before any of them is solved."""
        levels, total = list[Level](), len(hands)
        for depth in range(self.depth, 1, -1):
            groups, not_played = group_hands(self.rules, hands, range(len(hands)))
            numbers: dict[Stacks, int] = {}
            after = [self._number(group, numbers, total) for group in groups]
            levels.append(Level(depth, hands, groups, not_played, after))
            hands = list(numbers)
            total += len(hands)
        return [*levels, Level(1, hands, [], [], [])]

    def _number(self, group: HandGroup, numbers: dict[Stacks, int], total: int) -> Longs:
        """[hand, outcome] which hand comes next."""
        out = np.full(group.after.shape[:2], -1)
        for place, rows in enumerate(group.after.tolist()):
            for outcome, row in enumerate(rows):
                hand = tuple([row[seat] for seat in next_order(row)])
                if len(hand) > 1:
                    out[place, outcome] = numbers.setdefault(hand, len(numbers))
            if total + len(numbers) > MOST_HANDS:
                raise TooLargeError(
                    f"Depth {self.depth} has more than {MOST_HANDS:,} hands to solve; give a smaller depth, or fewer 'players' of a hand."
                )
        return out

    def _steps(self, level: Level, values: list[Floats]) -> Iterator[tuple[HandGroup, Floats]]:
        """Groups of hands and what their outcomes pay; those of depth 1 in portions, which are made when their turn comes."""
        for group, after in zip(level.groups, level.after, strict=True):
            yield group, self._pays(group, after, values)
        for begin in range(0, len(level.hands) if level.depth == 1 else 0, HANDS_OF_A_STEP):
            numbers = range(begin, min(begin + HANDS_OF_A_STEP, len(level.hands)))
            groups, not_played = group_hands(self.rules, level.hands, numbers)
            level.not_played += not_played
            for group in groups:
                yield group, self._by_icm(group)

    def _pays(self, group: HandGroup, after: Longs, values: list[Floats]) -> Floats:
        """[hand, outcome, seat] from the values of the next hands."""
        prizes = prizes_for(self.payouts, group.stacks.shape[1])
        out = np.empty(group.after.shape)
        for place, rows in enumerate(group.after.tolist()):
            for outcome, row in enumerate(rows):
                following = after[place, outcome]
                out[place, outcome, list(next_order(row))] = values[following] if following >= 0 else prizes[0]
            pay_eliminated(group.stacks[place], group.after[place], prizes, out[place])
        return out

    def _by_icm(self, group: HandGroup) -> Floats:
        """[hand, outcome, seat] where no further hand is played."""
        prizes = prizes_for(self.payouts, group.stacks.shape[1])
        out = self._icm(group.after.reshape(-1, group.stacks.shape[1])).reshape(group.after.shape)
        for place, before in enumerate(group.stacks):
            pay_eliminated(before, group.after[place], prizes, out[place])
        return out

    def _icm(self, stacks: Floats) -> Floats:
        """[row, seat]; those of seats without chips are not meant."""
        prizes = prizes_for(self.payouts, stacks.shape[1])
        out = np.empty(stacks.shape)
        subset_equities(np.ascontiguousarray(stacks), prizes - prizes[-1], out)
        whole: Floats = out + prizes[-1]
        return whole

    def _pool(self, seats: int) -> float:
        return float(prizes_for(self.payouts, seats).sum())


def grow_with_futures(table: Table, *, threads: int = 1, report: Report = lambda text, share: None) -> TableTree:
    """The tree of a table whose ends pay what its `fgs` says: after hands to come, or at once."""
    if not table.fgs.depth:
        return grow_table(table)
    values = FutureValues.of(table, threads, report)
    return replace(grow_table(table, values), depth=table.fgs.depth, future_gain=values.largest_gain)


def kept_futures(table: Table, pays: Floats, gain: float) -> TableTree:
    """The same from what a file holds; refuses payoffs that cannot be."""
    tree = grow_table(table)
    prizes = prizes_for(np.array(table.payouts), table.seats)
    fits = pays.shape == tree.pays.shape and np.isfinite(pays).all() and gain >= 0.0
    if (
        not fits
        or (np.abs(pays.sum(axis=1) - prizes.sum()) > 1e-6 * prizes.sum()).any()
        or pays.min() < prizes[-1] - 1e-6
    ):
        raise FormatError("its prizes after hands to come do not fit its table")
    return replace(tree, pays=pays, depth=table.fgs.depth, future_gain=gain)


def future_values(
    stacks: ArrayLike, payouts: ArrayLike, *, blinds: Sequence[float], depth: int = 1, ante: float | Mapping[str, float] = 0.0,
    players: int = 2, threads: int = 1, report: Report = lambda text, share: None,
) -> Floats:  # fmt: skip
    """Prize money that stacks are worth after `depth` (0 to 4) further hands of jam or fold; depth 0 is ICM.

    `stacks` are in the order of acting in the first of these hands, the blinds last; at most `players` (2 or 3) are all-in in a hand.
    """
    chips = check_stacks(stacks)
    if chips.size > MOST_SEATS or not chips.size >= 2 or not chips.all():
        raise ParameterError(
            f"Future hands are played by 2 to {MOST_SEATS} players with chips, but {chips.size} stacks were given."
        )
    prizes = check_payouts(payouts)
    if whole_number("depth", depth, least=0, most=MOST_DEPTH) == 0:
        return icm(chips, prizes)
    rules = HandRules(
        read_blinds(blinds), read_ante(ante), whole_number("players", players, least=2, most=MOST_IN_FUTURES)
    )
    values = FutureValues(rules, prizes, depth, threads, report)
    seat = [chips.size - 1, *range(chips.size - 1)]  # as if the hand before had just ended
    worth: Floats = values(chips[seat][None], chips[seat].tolist())[0][np.argsort(seat)]
    return worth
