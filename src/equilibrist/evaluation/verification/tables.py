"""A second opinion on tables: the betting walked situation by situation, hands as whole matrices, plain float64.

Of the solver nothing enters but the strategies that it answers with: ends are valued outcome by outcome from the rules of pots, prizes
and all-ins.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, class_weights, combinations, disjoint_pairs
from equilibrist.cards.allins.pairs import pair_outcomes
from equilibrist.core.arrays import Floats
from equilibrist.evaluation.verification.claims import Claims
from equilibrist.evaluation.verification.tabular import Verification
from equilibrist.forms.table_tree.table_tree import grow_table
from equilibrist.games.tables.betting import NOBODY, Situation, first_situation, play_line
from equilibrist.games.tables.flop_leaves import REALISED
from equilibrist.games.tables.payoffs import Payoffs, weak_orders
from equilibrist.games.tables.pots import layers
from equilibrist.games.tables.realised_equity import pair_effects
from equilibrist.games.tables.table import THREE_BY_ODDS, THREE_BY_TABLE
from equilibrist.solvers.seat_evaluation import SeatEvaluation
from equilibrist.solvers.tables.future_values import FutureValues
from equilibrist.solvers.tables.showdowns.three_hands import showdown_cube
from equilibrist.solvers.tables.table_solution import TableSolution

if TYPE_CHECKING:
    from equilibrist.evaluation.verification.played_flops import PlayedFlops

TOLERANCE = 1e-9  # of the largest payoff
LEAST = 1e-9  # odds of two hands are between this and its reciprocal
SINGLE = 1e-5  # the same where three hands are looked up in a table of single precision, or flops are played

Report = Callable[[float | None, str], None]


def verify_saved(solution: TableSolution, full: bool, report: Report) -> Verification:
    """The route of tables."""
    begun = time.perf_counter()
    walk = SeatWalk(solution, report)
    found = walk.evaluate()
    scale = max(1.0, *map(abs, found.best_response_value or ()))
    return Verification(
        game=solution.title,
        stated=solution.evaluation,
        recomputed=found,
        tolerance=(SINGLE if walk.single else TOLERANCE) * scale,
        problems=(*_state_problems(solution), *walk.problems),
        histories=walk.walked,
        seconds=time.perf_counter() - begun,
        walked="betting situations",
        route="the rules say, flops as the file states them" if solution.without_flops else "the rules say",
        claims=Claims(stated={"regrets": "to go on from"} if solution.state else {}),
    )


def _state_problems(solution: TableSolution) -> list[str]:
    """The average to go on from is the strategy that is answered with; regrets follow from all iterations and are not made again."""
    if "total" not in solution.state:
        return []
    tree, total = solution.tree, solution.state["total"]
    if total.shape != solution.strategy.shape:
        return ["the average to go on from does not fit the table"]
    for decision in range(tree.decisions):
        rows = tree.slots_of(decision)
        sums = total[rows].sum(axis=0)
        known = sums > 0.0
        if (np.abs(total[rows][:, known] / sums[known] - solution.strategy[rows][:, known]) > TOLERANCE).any():
            return [f"the average to go on from is not the strategy after '{tree.lines[decision]}'"]
    return []


def _ranked(reach: list[Floats]) -> tuple[list[Floats], Floats]:
    """[place] of [outcome, class] and [outcome] shares of all ranks of three hands of these ranges."""
    cube = showdown_cube().reshape(-1, CLASSES)
    first, second, third = (row.astype(np.float32) for row in reach)
    outcomes = len(weak_orders(3))
    without_third = (cube @ third).reshape(outcomes, CLASSES, CLASSES)  # [outcome, first hand, second hand]
    without_first = (first @ cube.reshape(outcomes, CLASSES, -1)).reshape(outcomes, CLASSES, CLASSES)
    sums = [without_third @ second, first @ without_third, second @ without_first]
    shares = []
    for each in sums:
        total = each.sum(axis=0, dtype=np.float64)
        shares.append(np.divide(each, total, out=np.zeros(each.shape), where=total > 0.0))
    whole = (sums[0] @ first).astype(np.float64)
    return shares, whole / whole.sum() if whole.sum() > 0.0 else whole


def _won_pots(pots: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """All ways to win pots: a seat of the first one wins all that it is in, and so on with the pots that are left."""
    if not pots:
        return [()]
    return [(p, *rest) for p in pots[0] for rest in _won_pots([each for each in pots if p not in each])]


def _chance_of(won: tuple[int, ...], pots: list[tuple[int, ...]], odds: dict[int, Floats]) -> Floats:
    """[own class] chance of one of these ways."""
    out, left = np.ones(CLASSES), pots
    for winner in won:
        out = out * odds[winner] / np.sum([odds[p] for p in left[0]], axis=0)
        left = [each for each in left if winner not in each]
    return out


class SeatWalk:
    """Values of a policy by class of hands, once for each seat."""

    def __init__(self, solution: TableSolution, report: Report = lambda share, text: None) -> None:
        self.table, self.policy, self.report, self.walked = solution.table, solution.policy, report, 0
        self.start = first_situation(self.table)
        pairs = pair_outcomes()
        self.apart = disjoint_pairs() / (combinations()[:, None] * 1225.0)  # [own class, other's class]
        lose = 1.0 - pairs.win - pairs.tie
        self.ways = {-1: self.apart * pairs.win, 0: self.apart * pairs.tie, 1: self.apart * lose}  # own rank - other's
        self.locked = {":".join(play_line(self.table, lock.line).line): lock for lock in self.table.locks}
        self.total = solution.tree.decisions + solution.tree.ends
        self.by_table = self.table.three_way == THREE_BY_TABLE
        self.flops: PlayedFlops | None = None
        if len(solution.flop_ends):
            from equilibrist.evaluation.verification.played_flops import PlayedFlops  # late: most tables play no flops

            self.flops = PlayedFlops(solution)
        self._three: dict[tuple[str, ...], tuple[list[Floats], Floats]] = {}
        self.problems: list[str] = []
        self._worth: FutureValues | None = None
        if self.table.fgs.depth:  # hands to come are solved again, all at once
            self._worth = FutureValues.of(self.table, report=lambda text, share: report(share, text))
            again = grow_table(self.table, self._worth).pays
            if np.abs(again - solution.tree.pays).max() > TOLERANCE * self.table.prize_pool:
                self.problems.append("what stacks are worth after hands to come is not what the file says")

    @property
    def single(self) -> bool:
        """Whether what is compared was found in single precision."""
        return self.by_table or self.flops is not None

    def evaluate(self) -> SeatEvaluation:
        seats = range(self.table.seats)
        begin = [self.table.weights(seat) for seat in seats]
        value, best = [], []
        for seat in seats:
            weight = combinations() * begin[seat]
            met: Floats = np.prod([self.apart @ begin[other] for other in seats if other != seat], axis=0)
            dealt = weight @ met
            played, top = self._visit(self.start, seat, begin, met)
            value.append(float(weight @ played / dealt))
            best.append(float(weight @ top / dealt))
        return SeatEvaluation(tuple(value), tuple(best))

    def _visit(self, here: Situation, seat: int, reach: list[Floats], chance: Floats) -> tuple[Floats, Floats]:
        """[own class] what own play and best play are worth, times the chance that the others play this way.

        `reach` [seat] is what each has played; that of the seat itself is not used. `chance` [own class] is that of the others' actions.
        """
        self.walked += 1
        if self.walked % 256 == 0:
            done = self.walked / (self.table.seats * self.total)
            self.report(min(1.0, done), f"{self.walked:,} betting situations")
        if here.seat == NOBODY:
            worth = self._end(here, seat, reach)
            value, best = self._after_flop(here, seat, reach)
            return chance * (worth + value), chance * (worth + best)
        line = ":".join(here.line)
        mix = self.policy.at(line, here.seat)
        parts = []
        for action in range(mix.shape[1]):
            played = [row * mix[:, action] if p == here.seat else row for p, row in enumerate(reach)]
            after = chance if here.seat == seat else self._chance(here.seat, seat, reach, mix[:, action], chance)
            parts.append(self._visit(here.after(action), seat, played, after))
        if here.seat != seat:
            return np.sum([value for value, _ in parts], axis=0), np.sum([top for _, top in parts], axis=0)
        value = np.sum([mix[:, action] * part[0] for action, part in enumerate(parts)], axis=0)
        top = np.max([best for _, best in parts], axis=0)
        if line in self.locked:
            shares, bound = self.locked[line].rows(here.labels)
            fixed = np.stack([class_weights(bound * row) for row in shares])
            held = np.sum([share * part[1] for share, part in zip(fixed, parts, strict=True)], axis=0)
            top = held + (1.0 - fixed.sum(axis=0)) * top
        return value, top

    def _end(self, end: Situation, seat: int, reach: list[Floats]) -> Floats:
        staying = end.staying
        if len(staying) > (2 if self.table.three_way == THREE_BY_ODDS else 3):
            return self._end_by_odds(end, seat, [self._beside(p, seat, reach) for p in staying])
        payoffs = Payoffs(self.table, self._worth)
        payoffs.add(end)
        pays = payoffs.values()[:, seat]
        if self.by_table and len(staying) == 3:
            return self._end_by_table(end, seat, reach, pays)
        hands = [self._beside(p, seat, reach) for p in staying]
        if seat not in staying:
            return np.full(CLASSES, self._seen_from_outside(pays, hands))
        orders, place = zip(pays, weak_orders(len(staying)), strict=True), staying.index(seat)
        sums = np.sum([pay * self._standing(place, order, hands) for pay, order in orders], axis=0)
        met = [self.apart @ hand for number, hand in enumerate(hands) if number != place]
        whole: Floats = np.prod([np.ones(CLASSES), *met], axis=0)
        worth: Floats = np.divide(sums, whole, out=np.zeros(CLASSES), where=whole > 0.0)
        return worth

    def _after_flop(self, end: Situation, seat: int, reach: list[Floats]) -> tuple[Floats, Floats]:
        """[own class] what betting on the flop adds to showing cards, by own play and by best play; nothing where it is checked down."""
        if self.table.leaves == REALISED:
            won = self._realised(end, seat, reach)
            return won, won
        if self.flops is None or end.line not in self.flops.number or seat not in end.staying:
            return np.zeros(CLASSES), np.zeros(CLASSES)
        other = next(p for p in end.staying if p != seat)
        met = self.apart @ reach[other]
        value, best = (
            np.divide(found, met, out=np.zeros(CLASSES), where=met > 0.0)
            for found in self.flops.worth(end, seat, reach[other])
        )
        return value, best

    def _realised(self, end: Situation, seat: int, reach: list[Floats]) -> Floats:
        """[own class] what own effects win and those of the others lose, given that their hands are met."""
        out = np.zeros(CLASSES)
        for pair in pair_effects(end):
            if seat in pair.seats:
                me = pair.seats.index(seat)
                own, theirs = (pair.alpha, pair.beta) if me == 0 else (pair.beta, pair.alpha)
                met = self.apart * reach[pair.seats[1 - me]]
                won = pair.chips / self.table.big_blind * (own[:, None] - theirs[None, :])
                total = met.sum(axis=1)
                out += np.divide((met * won).sum(axis=1), total, out=np.zeros(CLASSES), where=total > 0.0)
        return out

    def _beside(self, actor: int, seat: int, reach: list[Floats]) -> Floats:
        """[class] what a seat has played; with bunching times the chance of what the others have done beside each hand."""
        others = [p for p in range(self.table.seats) if p not in (actor, seat)]
        met = [self.apart @ reach[p] for p in others] if self.table.bunching else []
        weighed: Floats = reach[actor] * np.prod([np.ones(CLASSES), *met], axis=0)
        return weighed

    def _chance(self, actor: int, seat: int, reach: list[Floats], played: Floats, before: Floats) -> Floats:
        """The chance of one more action, seen by each class of a seat."""
        held = self._beside(actor, seat, reach)
        whole, part = self.apart @ held, self.apart @ (held * played)
        share: Floats = np.divide(part, whole, out=np.zeros(CLASSES), where=whole > 0.0)
        return before * share

    def _end_by_table(self, end: Situation, seat: int, reach: list[Floats], pays: Floats) -> Floats:
        """Three hands that show: how they rank, given all three ranges, from the cube of all triples."""
        if end.line not in self._three:
            folded = [p for p in range(self.table.seats) if p not in end.staying]
            beside = [self.apart @ reach[p] for p in folded] if self.table.bunching else []
            weight = np.prod([np.ones(CLASSES), *beside], axis=0)
            self._three[end.line] = _ranked([reach[p] * weight for p in end.staying])
        by_hand, by_all = self._three[end.line]
        if seat not in end.staying:
            return np.full(CLASSES, float(pays @ by_all))
        worth: Floats = pays @ by_hand[end.staying.index(seat)]
        return worth

    def _end_by_odds(self, end: Situation, seat: int, reach: list[Floats]) -> Floats:
        """Several hands that show: pots one after the other, each won in proportion to odds; `reach` [place] of those who stay."""
        ways = _won_pots([layer.seats for layer in layers(end)])
        payoffs = Payoffs(self.table, self._worth)
        for won in ways:
            payoffs.add(end, tuple(won.index(p) if p in won else len(won) for p in end.staying))
        pays, seen = payoffs.values()[:, seat], []
        for place in [end.staying.index(seat)] if seat in end.staying else range(len(reach)):
            odds = {p: self._odds(hand) for p, hand in zip(end.staying, reach, strict=True)}
            odds[end.staying[place]] = np.ones(CLASSES)
            worth = np.zeros(CLASSES)
            for won, pay in zip(ways, pays, strict=True):
                worth += pay * _chance_of(won, [layer.seats for layer in layers(end)], odds)
            if seat in end.staying:
                return worth
            met = np.prod([self.apart @ hand for number, hand in enumerate(reach) if number != place], axis=0)
            weight = combinations() * reach[place] * met
            seen.append(float(weight @ worth / weight.sum()) if weight.sum() > 0.0 else 0.0)
        return np.full(CLASSES, float(np.mean(seen)))

    def _odds(self, other: Floats) -> Floats:
        """[own class] how many times as likely another's range wins as the own hand, if these two were alone."""
        mine = (self.ways[-1] + 0.5 * self.ways[0]) @ other
        theirs = (self.ways[1] + 0.5 * self.ways[0]) @ other
        met = mine + theirs > 0.0
        found = np.divide(theirs, mine, out=np.full(CLASSES, np.inf), where=mine > 0.0)
        out: Floats = np.where(met, np.clip(found, LEAST, 1.0 / LEAST), 1.0)
        return out

    def _standing(self, place: int, order: tuple[int, ...], reach: list[Floats]) -> Floats:
        """[own class] chance to meet the other hands and that all rank in this order, seen by the hand in a place."""
        others = [p for p in range(len(order)) if p != place]
        out = np.ones(CLASSES)
        for p in others:
            out = out * (self.ways[int(np.sign(order[place] - order[p]))] @ reach[p])
        if len(others) == 2 and len({int(np.sign(order[place] - order[p])) for p in others}) == 1:
            j, k = others
            if order[place] != order[j]:  # both are above or both below: how they stand to each other is another matter
                out = out * self._against(reach[j], reach[k], int(np.sign(order[j] - order[k])))
        return out

    def _against(self, one: Floats, other: Floats, way: int) -> float:
        """Chance that the ranks of two hands differ in a direction."""
        meets = float((combinations() * one) @ (self.apart @ other))
        if not meets > 0.0:
            return 0.0 if way == 0 else 0.5
        return float((combinations() * one) @ (self.ways[way] @ other)) / meets

    def _seen_from_outside(self, pays: Floats, reach: list[Floats]) -> float:
        """Expected payoff of a seat that has folded."""
        if len(reach) == 1:
            return float(pays[0])
        orders = weak_orders(len(reach))
        weight = combinations() * reach[0]
        meets = weight @ np.prod([self.apart @ row for row in reach[1:]], axis=0)
        if not meets > 0.0:
            return 0.5 * float(pays[1] + pays[2]) if len(reach) == 2 else 0.0
        chances = [weight @ self._standing(0, order, reach) / meets for order in orders]
        return float(np.dot(pays, chances))
