"""A second opinion on a saved spot: values and best responses from explicit payoff matrices, one per final board.

Every card that can come is dealt, without regard to suits that are alike; on each river a matrix [hand, hand] says who wins, and
reach and values are plain float64 vectors over the hands of the two ranges. Of the solver nothing is used but the tables in the file
and the order in which they are written down (`saved_strategies`). In a locked spot the best responses are those of the locked game.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.evaluator import board_strengths
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.evaluation.verification.claims import NO_CLAIMS, Claims
from equilibrist.evaluation.verification.saved_strategies import (
    HIGH,
    LOW,
    BoundNode,
    SavedBoard,
    SavedStrategies,
    bound_nodes,
)
from equilibrist.forms.boards.precision import Precision
from equilibrist.forms.boards.street_betting import DEAL, FOLD, IP, OOP, SHOWDOWN, StreetForest, street_forests
from equilibrist.games.spots.street_menus import PLAYERS

if TYPE_CHECKING:
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

Both = tuple[Floats, Floats]  # one array per player

EQUITY_TOLERANCE = 1e-6

BoardProgress = Callable[[int, int], None]  # told how many final boards are done, and of how many


@dataclass(frozen=True)
class SpotNumbers:
    """What can be compared: shares of the pot."""

    ev: tuple[float, float]
    best_response_ev: tuple[float, float]
    exploitability: float  # chips
    equity: tuple[float, float]  # of the ranges, all-in


@dataclass(frozen=True)
class SpotVerification:
    """What the file says beside what the matrices say."""

    stated: SpotNumbers
    recomputed: SpotNumbers
    tolerance: float  # chips
    boards: int  # final boards that were dealt
    seconds: float
    claims: Claims = NO_CLAIMS

    @property
    def difference(self) -> float:
        """Largest distance between a stated and a recomputed number, in chips."""
        stated, found = self.stated, self.recomputed
        pairs = [(stated.exploitability, found.exploitability)]
        pairs += [*zip(stated.ev, found.ev, strict=True)]
        pairs += [*zip(stated.best_response_ev, found.best_response_ev, strict=True)]
        return max(abs(a - b) if math.isfinite(a) else math.inf for a, b in pairs)

    @property
    def agrees(self) -> bool:
        return self.difference <= self.tolerance and not self.problems and not self.claims.wrong

    game: ClassVar[str] = "chips"
    route: ClassVar[str] = "the matrices say"
    walked: ClassVar[str] = "final boards"

    @property
    def problems(self) -> tuple[str, ...]:
        """Claims that are no amounts of chips."""
        off = max(abs(a - b) for a, b in zip(self.stated.equity, self.recomputed.equity, strict=True))
        return () if off <= EQUITY_TOLERANCE else (f"the stated equity is off by {off:.3g}",)

    @property
    def histories(self) -> int:
        """Final boards that were dealt."""
        return self.boards

    @property
    def rows(self) -> list[tuple[str, float | None, float | None]]:
        """What is compared: a name, what the file says, what the matrices say."""
        stated, found = self.stated, self.recomputed
        rows: list[tuple[str, float | None, float | None]] = []
        for name, values in (("EV", "ev"), ("best response", "best_response_ev")):
            both = zip(getattr(stated, values), getattr(found, values), strict=True)
            rows += [(f"{name} of {player}", *pair) for player, pair in zip(PLAYERS, both, strict=True)]
        rows.append(("exploitability", stated.exploitability, found.exploitability))
        equities = zip(PLAYERS, stated.equity, found.equity, strict=True)
        return [*rows, *((f"equity of {name}", first, second) for name, first, second in equities)]

    def to_json(self) -> dict[str, Any]:
        """What `verify --json` prints."""
        return {
            "kind": "spot",
            "agrees": self.agrees,
            "stated": asdict(self.stated),
            "recomputed": asdict(self.recomputed),
            "difference": self.difference,
            "tolerance": self.tolerance,
            "boards": self.boards,
            "seconds": self.seconds,
            "problems": [*self.problems, *self.claims.wrong],
            "right": list(self.claims.right),
            "stated_only": self.claims.stated,
        }


def verify_spot(
    solution: SpotSolution, *, full: bool = False, progress: BoardProgress | None = None
) -> SpotVerification:
    """Recompute what a solution says about itself; flops take minutes and are refused unless `full`."""
    spot = solution.spot
    if solution.missing:
        raise NotApplicableError(
            f"This solution was saved without its {solution.missing[0]}, so it cannot be verified; verify a file with all streets."
        )
    if spot.street == 0 and not full:
        raise TooLargeError(
            "A flop is too large for the independent route, which deals all 2,352 turns and rivers one by one; give --full to "
            "wait for it, or verify a turn or river."
        )
    begun = time.perf_counter()
    strategies = SavedStrategies(
        spot, solution.boards.run.state(), isomorphism=solution.isomorphism, by_street=solution.by_street
    )
    walk = _Walk(spot, strategies, progress)
    recomputed = walk.numbers()
    stated = SpotNumbers(
        _pair(solution.ev), _pair(solution.best_response_ev), float(solution.exploitability), _pair(solution.equity)
    )
    seconds = time.perf_counter() - begun
    tolerance = Precision.of(walk.forests).allowed(solution.provenance.get("error"))
    return SpotVerification(stated, recomputed, tolerance, walk.boards_done, seconds)


def verify_saved(solution: SpotSolution, full: bool, report: Callable[[float | None, str], None]) -> SpotVerification:
    """The route of solved spots."""
    return verify_spot(
        solution, full=full, progress=lambda done, total: report(done / total, f"{done:,} of {total:,} boards")
    )


def strategies_numbers(spot: Spot, strategies: SavedStrategies) -> SpotNumbers:
    """Values of strategies and of best responses to them."""
    return _Walk(spot, strategies, None).numbers()


def _pair(values: Sequence[float]) -> tuple[float, float]:
    oop, ip = values
    return float(oop), float(ip)


class _Walk:
    """All lines on all boards; hands are places in the two ranges from beginning to end."""

    def __init__(self, spot: Spot, strategies: SavedStrategies, progress: BoardProgress | None) -> None:
        self.spot, self.strategies, self.progress = spot, strategies, progress
        self.forests = street_forests(spot)
        weights = (spot.weights(0), spot.weights(1))
        self.hands = tuple(np.flatnonzero(each) for each in weights)
        self.weights = tuple(each[held] for each, held in zip(weights, self.hands, strict=True))
        cards = [np.stack([LOW[held], HIGH[held]], axis=1) for held in self.hands]
        shared = (cards[0][:, None, :, None] == cards[1][None, :, None, :]).any(axis=(2, 3))
        self.apart = ~shared  # [oop, ip] the two hands share no card
        self.cards = cards
        self.bound = bound_nodes(spot.locks, spot.board, self.forests, self.hands)
        self.boards_done = 0
        self.won = self.met = 0.0  # weight of all deals at the end, and of those that oop wins, ties counting half
        self.boards_all = math.prod(52 - count for count in range(len(spot.board), 5))

    def numbers(self) -> SpotNumbers:
        """Averages over all deals."""
        spot = self.spot
        root = self.strategies.root()
        value, best = self._street(spot.board, root, (self.weights[0][None], self.weights[1][None]))
        deals = float(self.weights[0] @ self._meetings(spot.board) @ self.weights[1])
        begun = [spot.pot / 2.0 + float(self.forests[0].paid[0, p]) for p in range(2)]
        ev = _pair([float(self.weights[p] @ value[p][0]) / deals + begun[p] for p in range(2)])
        respond = _pair([float(self.weights[p] @ best[p][0]) / deals + begun[p] for p in range(2)])
        share = self.won / self.met
        return SpotNumbers(ev, respond, 0.5 * (sum(respond) - sum(ev)), (share, 1.0 - share))

    def _street(self, cards: Sequence[int], board: SavedBoard, reach: Both) -> tuple[Both, Both]:
        """Counterfactual values and best responses [root, hand] of both players on one board."""
        forest = self.forests[len(cards) - len(self.spot.board)]
        shares = [self.strategies.table(board, p, self.hands[p]) for p in range(2)]
        bound = self.bound.get(tuple(cards), [])
        for one in bound:
            rows = _slots(forest, one.node)
            shares[one.player][rows] = one.mixed(shares[one.player][rows])
        reach = self._reach(forest, reach, shares)
        value, best = self._leaves(forest, cards, board, reach)
        for player in range(2):
            own = {one.node: one for one in bound if one.player == player}
            _raise(forest, player, shares[player], own, value[player], best[player])
        roots = slice(0, forest.roots)
        return (value[0][roots], value[1][roots]), (best[0][roots], best[1][roots])

    def _reach(self, forest: StreetForest, start: Both, shares: list[Floats]) -> Both:
        """[node, hand] of both players."""
        out = tuple(np.zeros((len(forest), len(held))) for held in self.hands)
        for p in range(2):
            out[p][: forest.roots] = start[p]
        for node in np.flatnonzero(forest.kind <= IP):
            actor, first, slot = int(forest.kind[node]), int(forest.first_child[node]), int(forest.slot[node])
            for a in range(int(forest.children[node])):
                out[actor][first + a] = out[actor][node] * shares[actor][slot + a]
                out[1 - actor][first + a] = out[1 - actor][node]
        return out[0], out[1]

    def _leaves(self, forest: StreetForest, cards: Sequence[int], board: SavedBoard, reach: Both) -> tuple[Both, Both]:
        """Values [node, hand] with the leaves filled in, twice: for values and for best responses."""
        value = (np.zeros_like(reach[0]), np.zeros_like(reach[1]))
        meetings = self._meetings(cards)
        self._folds(forest, meetings, reach, value)
        if len(cards) == 5:
            self._showdowns(forest, cards, meetings, reach, value)
        best = (value[0].copy(), value[1].copy())
        deals = np.flatnonzero(forest.kind == DEAL)
        if len(deals):
            below, best_below = self._deal(cards, board, (reach[0][deals], reach[1][deals]))
            for p in range(2):
                value[p][deals], best[p][deals] = below[p], best_below[p]
        return value, best

    def _folds(self, forest: StreetForest, meetings: Floats, reach: Both, value: Both) -> None:
        for player, matrix in ((OOP, meetings), (IP, meetings.T)):
            nodes = np.flatnonzero(forest.kind == FOLD)
            amount = np.where(forest.folder[nodes] == player, forest.lose[nodes], forest.win[nodes])
            value[player][nodes] = amount[:, None] * (reach[1 - player][nodes] @ matrix.T)

    def _showdowns(
        self, forest: StreetForest, cards: Sequence[int], meetings: Floats, reach: Both, value: Both
    ) -> None:
        strengths = board_strengths(tuple(cards)).astype(np.int64)
        ahead = np.sign(strengths[self.hands[0]][:, None] - strengths[self.hands[1]][None, :])
        nodes = np.flatnonzero(forest.kind == SHOWDOWN)
        oop, ip = self.weights
        self.met += float(oop @ meetings @ ip)
        self.won += float(oop @ (meetings * (0.5 + 0.5 * ahead)) @ ip)
        for player, matrix, sign in ((OOP, meetings, ahead), (IP, meetings.T, -ahead.T)):
            other = reach[1 - player][nodes]
            for outcome, amount in ((1, forest.win), (-1, forest.lose), (0, forest.tie)):
                value[player][nodes] += amount[nodes, None] * (other @ (matrix * (sign == outcome)).T)
        self.boards_done += 1
        if self.progress is not None:
            self.progress(self.boards_done, self.boards_all)

    def _deal(self, cards: Sequence[int], board: SavedBoard, reach: Both) -> tuple[Both, Both]:
        """Every next card in turn, each as likely as any other that nobody holds."""
        value = (np.zeros_like(reach[0]), np.zeros_like(reach[1]))
        best = (np.zeros_like(reach[0]), np.zeros_like(reach[1]))
        likely = 1.0 / (52 - len(cards) - 4)
        for card in (card for card in range(52) if card not in cards):
            one = self._street((*cards, card), self.strategies.after(board, card), reach)
            for total, part in zip((value, best), one, strict=True):
                for p in range(2):
                    total[p][:] += likely * part[p]
        return value, best

    def _meetings(self, cards: Sequence[int]) -> Floats:
        """[oop, ip] 1 where both hands can be held on this board at once."""
        oop, ip = (np.logical_not(np.isin(held, cards)).all(axis=1) for held in self.cards)
        both: NDArray[np.bool_] = self.apart & np.outer(oop, ip)
        return both.astype(np.float64)


def _slots(forest: StreetForest, node: int) -> slice:
    """The acting player's slots at a node."""
    first = int(forest.slot[node])
    return slice(first, first + int(forest.children[node]))


def _raise(
    forest: StreetForest,
    player: int,
    shares: Floats,
    bound: Mapping[int, BoundNode],
    value: Floats,
    best: Floats,
) -> None:
    """Values from the leaves to the roots: the player's own strategy, and its best choice for each hand that has one."""
    for node in np.flatnonzero(forest.kind <= IP)[::-1]:
        children = slice(first := int(forest.first_child[node]), first + int(forest.children[node]))
        if forest.kind[node] == player:
            value[node] = (shares[_slots(forest, node)] * value[children]).sum(axis=0)
            best[node] = best[children].max(axis=0)
            if (lock := bound.get(int(node))) is not None:
                forced = (lock.fixed * best[children]).sum(axis=0)
                best[node] = (1.0 - lock.weight) * best[node] + lock.weight * forced
        else:  # what the other player does is in its reach already
            value[node], best[node] = value[children].sum(axis=0), best[children].sum(axis=0)
