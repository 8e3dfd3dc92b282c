"""A second opinion on a saved three-way spot: every pair of opposing hands is listed, for every hand and every river.

For each hand of a seat a matrix [hand, hand] says which pairs of the other two it can meet, and others what share of a pot it wins from
them; payoffs at the end of a line are settled chip layer by chip layer. Of the solver nothing is used but the tables in the file and the
betting. Its sums over cards (`solvers/three_way/_kernels/meetings.py`) are not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from equilibrist.cards.evaluator import board_strengths
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import TooLargeError
from equilibrist.evaluation.verification.claims import NO_CLAIMS, Claims
from equilibrist.forms.three_way.seat_forest import DEAL, OVER, SeatForest, seat_forests
from equilibrist.games.spots.three_way_spot import SEATS

if TYPE_CHECKING:
    from equilibrist.games.spots.three_way_spot import ThreeWaySpot
    from equilibrist.solvers.three_way.three_way_solution import ThreeWaySolution

QUICK = 1e11  # products of three reaches that are added up without being asked for with `full`
TOLERANCE = 1e-9  # of the largest pot; both routes count in double precision
_HANDS = hands_of(STANDARD)

Report = Callable[[float | None, str], None]
Three = tuple[Floats, ...]  # one array per seat


@dataclass(frozen=True)
class ThreeWayNumbers:
    """What can be compared, seat by seat: shares of the pot."""

    ev: tuple[float, ...]
    best_response_ev: tuple[float, ...]

    @property
    def exploitability(self) -> float:
        """The largest gain of a seat."""
        return max(b - v for b, v in zip(self.best_response_ev, self.ev, strict=True))


@dataclass(frozen=True)
class ThreeWayVerification:
    """What the file says beside what listing says."""

    seats: tuple[str, ...]
    stated: ThreeWayNumbers
    recomputed: ThreeWayNumbers
    tolerance: float  # chips
    histories: int  # final boards
    seconds: float
    claims: Claims = NO_CLAIMS

    game: ClassVar[str] = "chips"
    route: ClassVar[str] = "listing says"
    walked: ClassVar[str] = "final boards"
    problems: ClassVar[tuple[str, ...]] = ()

    @property
    def difference(self) -> float:
        """Largest distance between a stated and a recomputed number, in chips."""
        pairs = [both for _, *both in self.rows]
        return max(abs(a - b) if a is not None and b is not None and math.isfinite(a) else math.inf for a, b in pairs)

    @property
    def agrees(self) -> bool:
        return self.difference <= self.tolerance and not self.claims.wrong

    @property
    def rows(self) -> list[tuple[str, float | None, float | None]]:
        """What is compared: a name, what the file says, what listing says."""
        rows: list[tuple[str, float | None, float | None]] = []
        for name, values in (("EV", "ev"), ("best response", "best_response_ev")):
            both = zip(self.seats, getattr(self.stated, values), getattr(self.recomputed, values), strict=True)
            rows += [(f"{name} of {seat}", first, second) for seat, first, second in both]
        return [*rows, ("largest gain", self.stated.exploitability, self.recomputed.exploitability)]

    def to_json(self) -> dict[str, Any]:
        """What `verify --json` prints."""
        return {
            "kind": "three-way spot",
            "agrees": self.agrees,
            "stated": asdict(self.stated),
            "recomputed": asdict(self.recomputed),
            "difference": self.difference,
            "tolerance": self.tolerance,
            "boards": self.histories,
            "seconds": self.seconds,
            "problems": list(self.claims.wrong),
            "right": list(self.claims.right),
            "stated_only": self.claims.stated,
        }


def verify_saved(solution: ThreeWaySolution, full: bool, report: Report) -> ThreeWayVerification:
    """Recompute what a solution says about itself; what takes long is refused unless `full`."""
    spot, begun = solution.spot, time.perf_counter()
    walk = _Walk(spot, solution.state, report)
    if walk.products > QUICK and not full:
        raise TooLargeError(
            f"Listing all pairs of hands takes {walk.products:.1e} products here, minutes or more; give --full to wait for it, or verify a "
            "river or narrower ranges."
        )
    stated = ThreeWayNumbers(solution.evaluation.value, solution.evaluation.best_response_value or ())
    largest = max(spot.pot + float(forest.paid.sum(axis=1).max()) for forest in walk.forests)
    found = walk.numbers()
    seconds = time.perf_counter() - begun
    return ThreeWayVerification(spot.seats, stated, found, TOLERANCE * largest, walk.done, seconds)


class _Walk:
    """All lines on all boards; hands are places in the three ranges from beginning to end."""

    def __init__(self, spot: ThreeWaySpot, tables: Any, report: Report) -> None:
        self.spot, self.tables, self.report = spot, tables, report
        self.forests = seat_forests(spot)
        whole = [spot.weights(seat) for seat in range(SEATS)]
        self.hands = [np.flatnonzero(each) for each in whole]
        self.weights = [each[held] for each, held in zip(whole, self.hands, strict=True)]
        self.cards = [np.stack([_HANDS.low[held], _HANDS.high[held]], axis=1) for held in self.hands]
        self.done, self.rivers = 0, 48 if spot.street == 1 else 1
        lines = int((self.forests[-1].kind == OVER).sum())
        self.products = float(SEATS) * self.rivers * lines * math.prod(len(held) for held in self.hands)

    def numbers(self) -> ThreeWayNumbers:
        """Averages over all deals."""
        value, best = self._street(self.spot.board, [each[None] for each in self.weights])
        deals = self.weights[0] @ self._pay(self.spot.board, 0, self._constant(1.0), [w[None] for w in self.weights])[0]
        ev, respond = (
            tuple(float(self.weights[p] @ each[p][0] / deals) for p in range(SEATS)) for each in (value, best)
        )
        return ThreeWayNumbers(ev, respond)

    def _street(self, board: Sequence[int], roots: Sequence[Floats]) -> tuple[list[Floats], list[Floats]]:
        """Counterfactual values and best responses [root, hand] of each seat on one board, from the reach [root, hand]."""
        depth = len(board) - len(self.spot.board)
        forest = self.forests[depth]
        shares = [self._shares(board, depth, seat) for seat in range(SEATS)]
        reach = [np.zeros((len(forest), len(held))) for held in self.hands]
        for seat in range(SEATS):
            reach[seat][: forest.roots] = roots[seat]
        for node in np.flatnonzero(forest.kind < SEATS):
            actor, first, slot = int(forest.kind[node]), int(forest.first_child[node]), int(forest.slot[node])
            for a in range(int(forest.children[node])):
                for seat in range(SEATS):
                    share = shares[seat][slot + a] if seat == actor else 1.0
                    reach[seat][first + a] = reach[seat][node] * share
        value = [self._ends(forest, board, seat, reach) for seat in range(SEATS)]
        best = [each.copy() for each in value]
        deals = np.flatnonzero(forest.kind == DEAL)
        if len(deals):
            self._deal(board, deals, reach, value, best)
        else:
            self.done += 1
            self.report(self.done / self.rivers, f"{self.done} of {self.rivers} boards")
        for seat in range(SEATS):
            _raise(forest, seat, shares[seat], value[seat], best[seat])
        return [each[: forest.roots] for each in value], [each[: forest.roots] for each in best]

    def _deal(
        self, board: Sequence[int], deals: Any, reach: Sequence[Floats], value: list[Floats], best: list[Floats]
    ) -> None:
        """Every next card in turn, each as likely as any other that nobody holds."""
        left = [card for card in range(52) if card not in board]
        for card in left:
            found = self._street((*board, card), [each[deals] for each in reach])
            for total, part in zip((value, best), found, strict=True):
                for seat in range(SEATS):
                    total[seat][deals] += part[seat] / (len(left) - 2 * SEATS)

    def _shares(self, board: Sequence[int], depth: int, seat: int) -> Floats:
        """[slot, hand] of the average strategy in the file, whose hands are sorted by strength on rivers."""
        number = 0 if depth == 0 else [card for card in range(52) if card not in self.spot.board].index(board[-1])
        table = self.tables[f"average.{depth}.{seat}"][number].astype(np.float64)
        free = np.flatnonzero(~np.isin(self.cards[seat], board).any(axis=1))
        if len(board) == 5:
            free = free[np.argsort(board_strengths(tuple(board))[self.hands[seat][free]], kind="stable")]
        counts = np.zeros((table.shape[0], len(self.hands[seat])))
        counts[:, free] = table[:, : len(free)]
        forest, shares = self.forests[depth], np.zeros_like(counts)
        for node in np.flatnonzero(forest.kind == seat):
            own = slice(first := int(forest.slot[node]), first + int(forest.children[node]))
            total = counts[own].sum(axis=0)
            shares[own] = np.where(total > 0.0, counts[own] / np.where(total > 0.0, total, 1.0), 1.0 / len(counts[own]))
        return shares

    def _ends(self, forest: SeatForest, board: Sequence[int], seat: int, reach: Sequence[Floats]) -> Floats:
        """[node, hand] with the ends of the hand filled in, by what each outcome pays the seat."""
        out = np.zeros_like(reach[seat])
        nodes = np.flatnonzero(forest.kind == OVER)
        if not len(nodes):
            return out
        paid = [[self._payoff(forest, int(node), seat, outcome) for outcome in _OUTCOMES] for node in nodes]
        out[nodes] = self._pay(board, seat, np.array(paid), [each[nodes] for each in reach])
        return out

    def _constant(self, amount: float) -> Floats:
        return np.full((1, len(_OUTCOMES)), amount)

    def _pay(self, board: Sequence[int], seat: int, paid: Floats, reach: Sequence[Floats]) -> Floats:
        """[node, hand] sums over all pairs of hands; `paid` [node, outcome], outcomes as in `_OUTCOMES`."""
        i, j = (other for other in range(SEATS) if other != seat)
        free = [(~np.isin(each, board).any(axis=1)).astype(np.float64) for each in self.cards]
        strengths = [np.zeros(len(held)) for held in self.hands]
        if len(board) == 5:
            strengths = [board_strengths(tuple(board)).astype(np.float64)[held] for held in self.hands]
        apart = _apart(self.cards[i], self.cards[j]) * np.outer(free[i], free[j])
        out = np.zeros((len(paid), len(self.hands[seat])))
        for h in np.flatnonzero(free[seat]):
            mine = self.cards[seat][h : h + 1]
            met = apart * np.outer(_apart(mine, self.cards[i])[0], _apart(mine, self.cards[j])[0])
            ahead1, ahead2 = (np.sign(strengths[seat][h] - strengths[other]) for other in (i, j))
            for number, (first, second) in enumerate(_OUTCOMES):
                amounts = paid[:, number]
                if not amounts.any():
                    continue
                rows, columns = np.flatnonzero(ahead1 == first), np.flatnonzero(ahead2 == second)
                if not len(rows) or not len(columns):
                    continue
                pairs = reach[i][:, rows] @ met[np.ix_(rows, columns)]
                out[:, h] += amounts * (pairs * reach[j][:, columns]).sum(axis=1)
        return out

    def _payoff(self, forest: SeatForest, node: int, seat: int, outcome: tuple[int, int]) -> float:
        """Chips won less chips put in by a seat whose hand is better (1), equal (0) or worse (-1) than the other two."""
        paid, folded = forest.paid[node].tolist(), forest.folded[node].tolist()
        if folded[seat]:
            return -float(paid[seat])
        others = [other for other in range(SEATS) if other != seat]
        rank = {seat: 0, **{other: -ahead for other, ahead in zip(others, outcome, strict=True)}}
        matched = sorted(paid)[1]
        total = self.spot.pot + sum(min(amount, matched) for amount in paid)
        kept = 1.0 - min(self.spot.rake.rate * total, self.spot.rake.cap) / total
        won, below = max(0.0, paid[seat] - matched), 0.0
        for cut in sorted({min(amount, matched) for amount in paid} | {0.0}):
            layer = sum(min(amount, cut) - min(amount, below) for amount in paid) + (
                self.spot.pot if cut == 0.0 else 0.0
            )
            able = [p for p in range(SEATS) if not folded[p] and paid[p] >= cut]
            able = able or [p for p in range(SEATS) if not folded[p]]
            top = max(rank[p] for p in able)
            if rank[seat] == top and seat in able:
                won += kept * layer / sum(rank[p] == top for p in able)
            below = cut
        return float(won - paid[seat])


_OUTCOMES = tuple((first, second) for first in (1, 0, -1) for second in (1, 0, -1))


def _apart(first: Any, second: Any) -> Floats:
    """[hand, hand] 1 where two hands share no card."""
    shared = (first[:, None, :, None] == second[None, :, None, :]).any(axis=(2, 3))
    found: Floats = (~shared).astype(np.float64)
    return found


def _raise(forest: SeatForest, seat: int, shares: Floats, value: Floats, best: Floats) -> None:
    """Values from the leaves to the roots: the seat's own strategy, and its best choice for each hand."""
    for node in np.flatnonzero(forest.kind < SEATS)[::-1]:
        children = slice(first := int(forest.first_child[node]), first + int(forest.children[node]))
        if forest.kind[node] == seat:
            slot = int(forest.slot[node])
            own = shares[slot : slot + int(forest.children[node])]
            value[node], best[node] = (own * value[children]).sum(axis=0), best[children].max(axis=0)
        else:  # what the others do is in their reach already
            value[node], best[node] = value[children].sum(axis=0), best[children].sum(axis=0)
