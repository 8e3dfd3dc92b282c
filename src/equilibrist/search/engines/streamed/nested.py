"""Nested search of a blueprint in buckets: before the board in buckets, on it with all hands told apart ([Brown20, §5.1.7])."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from equilibrist.core.errors import NotApplicableError, UnknownNameError
from equilibrist.forms.boards.street_betting import DEAL, IP
from equilibrist.search.engines.nested_boards import NestedBoards
from equilibrist.search.engines.streamed.blueprint_trunk import SOLVER, usual_schedule
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.engines.streamed.bucket_engine import GadgetOutcome, StreamEngine, search_in_buckets
from equilibrist.search.engines.streamed.places import class_label, find_board
from equilibrist.search.engines.streamed.street_engine import StreetSubgame, search_street
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.requests.game_answer import GameAnswer
from equilibrist.search.requests.solved_boards import nested_answer
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS
from equilibrist.search.techniques import Technique
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy, Place
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedProfile


class NestedStream:
    """One hand, played out: each bet of the opponent that is not known is answered from the answer before.

    Gifts are counted from the last answer on, which is less than all of them and therefore safe.
    """

    def __init__(
        self, trunk: Trunk, searcher: int, technique: Technique, iterations: int | None = None, threads: int = 1
    ) -> None:
        self.trunk, self.searcher, self.technique = trunk, searcher, technique
        self.iterations, self.threads = DEFAULT_ITERATIONS if iterations is None else iterations, threads
        self.node, self.line, self.begin = 0, "", time.perf_counter()
        self.found: GadgetOutcome | None = None  # the last answer before the board
        self.boards: NestedBoards | None = None  # once it has come
        self.chance = 1.0

    def follow(self, line: str) -> None:
        """Play a line out: actions, bets that the blueprint does not have (`60%`), and the board."""
        for word in filter(None, line.split(":")):
            self.act(word)

    def act(self, word: str) -> None:
        """One action, bet or deal."""
        if self.boards is not None:
            self.boards.act(word)
            return
        forest = self.trunk.abstract.forests[0]
        kind = int(forest.kind[self.node])
        if kind == DEAL:
            self._deal(word)
        elif kind > IP:
            raise NotApplicableError(f"The hand is over after '{self.line}', but '{word}' was given.")
        elif word in forest.labels(self.node):
            self.node = forest.child(self.node, word)
            self.line = f"{self.line}:{word}" if self.line else word
        elif kind == self.searcher:
            raise UnknownNameError(
                f"The searcher acts from its own strategy, which has {', '.join(forest.labels(self.node))} after "
                f"'{self.line}', but not '{word}'."
            )
        else:
            self._solve(StreetSubgame.after(self.trunk, self.node, word))

    def _solve(self, subgame: StreetSubgame) -> None:
        """What was found is the blueprint from here on, with the ranges that it begins with."""
        found = search_street(
            subgame, self.searcher, self.technique, usual_schedule(), self.iterations, threads=self.threads
        )
        assert isinstance(found.engine.below, StreamEngine), "boards are searched in buckets"
        start = self.trunk.reach[0][self.node], self.trunk.reach[1][self.node]
        profile = BucketedProfile(found.engine.rows(), found.engine.below.rows(), start)
        self.trunk = Trunk.of(BoardStream(subgame.abstract, self.threads), profile)
        self.node, self.line, self.found = 0, subgame.line, found

    def _deal(self, word: str) -> None:
        """From now on one board, all hands told apart."""
        root = int(self.trunk.abstract.forests[0].next_root[self.node])
        cards, board, suits = find_board(self.trunk, word)
        deck = self.trunk.abstract.deal.deck
        called = tuple(card // deck.suits * deck.suits + suits[card % deck.suits] for card in range(deck.size))
        subgames = BoardSubgames(self.trunk, board, usual_schedule())
        blueprint = subgames.blueprint()
        policy = BoardPolicy(self.trunk.abstract.game, blueprint.forests, lambda: blueprint.run)
        how: dict[str, Any] = {"solver": SOLVER, "stop": Stop(iterations=self.iterations), "threads": self.threads}
        self.chance, self.line = subgames.chance, f"{self.line}:{word}"
        self.boards = NestedBoards(
            policy, self.searcher, self.technique, blueprint=blueprint, place=Place((), root, cards, called), line=self.line, **how
        )  # fmt: skip

    def answer(self, game: str) -> GameAnswer:
        """The decision where the line ends."""
        if self.boards is not None:
            found = nested_answer(self.boards, game)
            return replace(found, exploitability=found.exploitability * self.chance)
        if self.trunk.abstract.forests[0].kind[self.node] == DEAL:
            return self._in_buckets(game)
        if self.found is None:
            self._solve(StreetSubgame.of(self.trunk, self.node))
        forest, first = self.trunk.abstract.forests[0], self.trunk.abstract.first
        player, kept = int(forest.kind[self.node]), np.unique(first.classes)
        if player > IP:
            raise NotApplicableError(f"Nobody acts after '{self.line}' in '{game}'; play to a decision.")
        slots = slice(int(forest.slot[self.node]), int(forest.slot[self.node] + forest.children[self.node]))
        rows = self.trunk.profile.first[player][slots].T
        weights = np.bincount(first.classes, self.trunk.reach[player][self.node], len(first.classes))[kept]
        hands = {class_label(self.trunk, int(hand)): rows[hand] for hand in kept.tolist()}
        return self._told(game, player, forest.labels(self.node), hands, weights)

    def _in_buckets(self, game: str) -> GameAnswer:
        """The first decision on the boards, before they are known."""
        abstract = self.trunk.abstract
        forest, stream = abstract.forests[1], BoardStream(abstract, self.threads)
        root = int(abstract.forests[0].next_root[self.node])
        rows, player = self.trunk.profile.rows, int(forest.kind[root])
        if self.found is None:
            found = search_in_buckets(
                self.trunk, stream, self.searcher, self.technique, usual_schedule(), self.iterations
            )
            rows, self.found = found.engine.rows(), found
        slots = slice(int(forest.slot[root]), int(forest.slot[root] + forest.children[root]))
        reach = self.trunk.reach[player][abstract.first.deals]
        met = stream.pass_over(kernels.LEARN, 1 - player, reach, rows)[2][slots].sum(axis=0)
        hands = {f"bucket {number + 1}": row for number, row in enumerate(rows[player][slots].T)}
        return self._told(game, player, forest.labels(root), hands, met)

    def _told(self, game: str, player: int, actions: Any, hands: Any, weights: Any) -> GameAnswer:
        assert self.found is not None
        pairs, known = self.trunk.abstract.first.pairs, self.technique.gadget.needs_values
        mean = np.average(list(hands.values()), axis=0, weights=weights if weights.any() else None)
        return GameAnswer(
            game=game,
            line=self.line,
            searcher=self.searcher,
            technique=self.technique.name,
            iterations=self.iterations,
            seconds=time.perf_counter() - self.begin,
            exploitability=self.found.gap / pairs,
            margin=float(self.found.margins.min()) if known else float("nan"),
            tolerance=float(self.found.tolerances.sum()) / pairs if known and self.technique.safe else float("nan"),
            player=player,
            actions=tuple(actions),
            frequencies=tuple(mean.tolist()),
            hands={hand: tuple(row.tolist()) for hand, row in hands.items()},
        )
