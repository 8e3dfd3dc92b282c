"""A second opinion on games solved on boards: every deal by itself, payoffs as matrices [hand, hand], plain float64.

No suits are exchanged, no sums over sorted hands are used: of the solver nothing enters but the strategies that it answers with.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations, pairwise
from math import comb

import numpy as np

from equilibrist.cards.strength import hand_strength
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import TooLargeError
from equilibrist.core.solution import Evaluation
from equilibrist.evaluation.verification.tabular import Verification
from equilibrist.forms.boards.precision import Precision
from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, StreetForest
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy, Place
from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution

QUICK_BOARDS = 3_000  # final boards that are dealt without being asked to

DealProgress = Callable[[int, int], None]  # told how many final boards are done, and of how many


def verify_boards(solution: BoardSolution, *, full: bool = False, progress: DealProgress | None = None) -> Verification:
    """Recompute value and best responses; games with many boards are refused unless `full`."""
    begun = time.perf_counter()
    walk = _Walk(solution.policy, progress)
    if walk.total > QUICK_BOARDS and not full:
        raise TooLargeError(
            f"'{solution.game}' has {walk.total:,} final boards, which the independent route deals one by one; give --full to wait for it."
        )
    recomputed = walk.evaluate()
    return Verification(
        game=solution.game,
        stated=solution.evaluation,
        recomputed=recomputed,
        tolerance=Precision.of(solution.policy.forests).allowed(solution.provenance.get("error")),
        histories=walk.done,
        seconds=time.perf_counter() - begun,
        walked="final boards",
    )


def verify_saved(solution: BoardSolution, full: bool, report: Callable[[float | None, str], None]) -> Verification:
    """The route of games solved on boards."""
    return verify_boards(
        solution, full=full, progress=lambda done, total: report(done / total, f"{done:,} of {total:,} boards")
    )


class _Walk:
    """Both players' average values and best responses, over all deals."""

    def __init__(self, policy: BoardPolicy, progress: DealProgress | None) -> None:
        self.policy, self.progress, self.done = policy, progress, 0
        self.deck, self.hole = policy.run.deal.deck, policy.run.deal.hole
        self.rounds = [cards for cards in policy.game.rules.board if cards]
        self.hands = [*combinations(range(self.deck.size), self.hole)]
        self.hands.sort(key=lambda cards: tuple(reversed(cards)))
        own = np.zeros((len(self.hands), self.deck.size))
        own[np.arange(len(self.hands))[:, None], np.array(self.hands)] = 1.0
        self.held, self.apart = own, (own @ own.T == 0).astype(np.float64)
        self.total, left = 1, self.deck.size
        for cards in self.rounds:
            self.total, left = self.total * comb(left, cards), left - cards

    def evaluate(self) -> Evaluation:
        ones = np.ones((1, len(self.hands)))
        value, best = self._board(Place(), [ones, ones])
        deals = float(self.apart.sum())
        played = [float(value[p].sum()) / deals for p in range(2)]
        return Evaluation((played[0], played[1]), tuple(float(best[p].sum()) / deals for p in range(2)))

    def _board(self, place: Place, entering: list[Floats]) -> tuple[list[Floats], list[Floats]]:
        """[root, hand] values of both players on one board, weighted by the opponent's reach, given reach at its roots."""
        forest = self.policy.forests[len(place.path)]
        strategy = self._strategies(forest, place)
        free = self.held[:, list(place.cards)].sum(axis=1) == 0 if place.cards else np.ones(len(self.hands), dtype=bool)
        reach = [self._reach(forest, strategy, p, entering[p] * free) for p in range(2)]
        value = [np.zeros((len(forest), len(self.hands))) for _ in range(2)]
        self._terminals(forest, place, reach, value)
        best = [each.copy() for each in value]
        self._deals(forest, place, reach, value, best)
        for p in range(2):
            self._up(forest, strategy, p, value[p], best[p])
        return [each[: forest.roots] * free for each in value], [each[: forest.roots] * free for each in best]

    def _strategies(self, forest: StreetForest, place: Place) -> Floats:
        """[node, hand] probability of the action that leads to a node; 1 at roots."""
        out = np.ones((len(forest), len(self.hands)))
        for player in range(2):
            acting = np.flatnonzero(forest.kind == player)
            if len(acting):
                children = np.concatenate([np.arange(n) for n in forest.children[acting]])
                to = np.repeat(forest.first_child[acting], forest.children[acting]) + children
                out[np.ix_(to, self.policy.hands(place, player))] = self.policy.slots(place, player)
        return out

    @staticmethod
    def _reach(forest: StreetForest, strategy: Floats, player: int, entering: Floats) -> Floats:
        out = np.zeros_like(strategy)
        out[: forest.roots] = entering
        for first, last in pairwise(forest.levels[1:].tolist()):
            above = forest.parent[first:last]
            own = (forest.kind[above] == player)[:, None]
            out[first:last] = out[above] * np.where(own, strategy[first:last], 1.0)
        return out

    def _terminals(self, forest: StreetForest, place: Place, reach: list[Floats], value: list[Floats]) -> None:
        folds, shows = (np.flatnonzero(forest.kind == kind) for kind in (FOLD, SHOWDOWN))
        for p in range(2):
            if len(folds):
                amount = np.where(forest.folder[folds] == p, forest.lose[folds], forest.win[folds])
                value[p][folds] = amount[:, None] * (reach[1 - p][folds] @ self.apart)
            if len(shows):
                wins = self._wins(place.cards)
                value[p][shows] = forest.win[shows][:, None] * (reach[1 - p][shows] @ wins.T)
        self.done += bool(len(shows))
        if self.progress is not None and len(shows):
            self.progress(self.done, self.total)

    def _wins(self, board: tuple[int, ...]) -> Floats:
        """[mine, theirs] 1 where mine wins, -1 where it loses."""
        deck = self.deck
        free = [n for n, hand in enumerate(self.hands) if not set(hand) & set(board)]
        found = {
            n: hand_strength([deck.rank(c) for c in cards], [deck.suit(c) for c in cards], deck.ranks)
            for n, cards in ((n, self.hands[n] + board) for n in free)
        }
        order = {strength: float(place) for place, strength in enumerate(sorted(set(found.values())))}
        number = np.zeros(len(self.hands))
        number[free] = [order[found[n]] for n in free]
        out: Floats = np.sign(number[:, None] - number[None, :]) * self.apart
        return out

    def _deals(
        self, forest: StreetForest, place: Place, reach: list[Floats], value: list[Floats], best: list[Floats]
    ) -> None:
        nodes = np.flatnonzero(forest.kind == DEAL)
        if not len(nodes):
            return
        cards = self.rounds[len(place.path)]
        free = [card for card in range(self.deck.size) if card not in place.cards]
        chance = 1.0 / comb(len(free) - 2 * self.hole, cards)
        for dealt in combinations(free, cards):
            below = self.policy.deal(Place(place.path, int(nodes[0]), place.cards, place.called), dealt)
            found = self._board(below, [reach[p][nodes] * chance for p in range(2)])
            for p in range(2):
                value[p][nodes] += found[0][p]
                best[p][nodes] += found[1][p]

    @staticmethod
    def _up(forest: StreetForest, strategy: Floats, player: int, value: Floats, best: Floats) -> None:
        for first, last in reversed([*pairwise(forest.levels[1:].tolist())]):
            nodes, begin = np.unique(forest.parent[first:last], return_index=True)
            own = (forest.kind[nodes] == player)[:, None]
            each, most = value[first:last], best[first:last]
            mine = (forest.kind[forest.parent[first:last]] == player)[:, None]
            value[nodes] = np.add.reduceat(np.where(mine, each * strategy[first:last], each), begin, axis=0)
            best[nodes] = np.where(own, np.maximum.reduceat(most, begin, axis=0), np.add.reduceat(most, begin, axis=0))
