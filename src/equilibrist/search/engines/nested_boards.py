"""Nested search on boards: a hand played out, each bet that is not known answered from the answer before ([Brown20, §5.1.7])."""

from __future__ import annotations

from typing import Any

from equilibrist.core.errors import NotApplicableError, UnknownNameError
from equilibrist.forms.boards.street_betting import DEAL, IP, StreetForest
from equilibrist.games.poker.game import Poker
from equilibrist.search.engines.board_subgame import BoardProfile, BoardSubgame
from equilibrist.search.engines.games import BoardSearch, search_board
from equilibrist.search.off_tree.unknown_bet import forests_after
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy, Place


class NestedBoards:
    """Follows a solution while it can, and solves again after each bet of the opponent that it does not know.

    An answer takes its alternative payoffs from the one before and becomes the solution that is followed, so safety is handed on.
    """

    def __init__(
        self,
        policy: BoardPolicy,
        searcher: int,
        technique: str | Technique = "resolve",
        *,
        blueprint: BoardProfile | None = None,
        place: Place | None = None,
        line: str = "",
        **how: Any,
    ) -> None:
        """`place` and `line`: where it begins; `how`: as `search_board` takes it."""
        self.policy, self.searcher, self.technique, self.how = policy, searcher, find_technique(technique), how
        self.blueprint = blueprint or BoardProfile(policy.run, policy.forests)
        self.place, self.line = place or Place(), line
        self.searches: list[BoardSearch] = []

    @property
    def forest(self) -> StreetForest:
        return self.policy.forests[len(self.place.path)]

    def follow(self, line: str) -> None:
        """Play a line out: actions, bets that the solution does not have (`60%`), and public cards."""
        for word in filter(None, line.split(":")):
            self.act(word)

    def act(self, word: str) -> None:
        """One action, bet or deal."""
        kind, place = int(self.forest.kind[self.place.node]), self.place
        if kind == DEAL:
            self.place = self.policy.deal(place, self.policy.read_cards(word, place, self.line))
        elif kind > IP:
            raise NotApplicableError(f"The hand is over after '{self.line}', but '{word}' was given.")
        elif word in self.forest.labels(place.node):
            self.place = Place(place.path, self.forest.child(place.node, word), place.cards, place.called)
        elif kind == self.searcher:
            raise UnknownNameError(
                f"The searcher acts from its own strategy, which has {', '.join(self.forest.labels(place.node))} after "
                f"'{self.line}', but not '{word}'."
            )
        else:
            word = self._answer(word)
        self.line = f"{self.line}:{word}" if self.line else word

    def solve_here(self) -> None:
        """Solve from here on again, before anything unknown happens (as after a new card)."""
        subgame = BoardSubgame.of(self.blueprint, self.place.path, (self.place.node,))
        self._accept(subgame, self.policy.game)

    def _answer(self, bet: str) -> str:
        """The bet's label; what follows is solved."""
        below, larger, label = forests_after(self.policy.game, self.forest, self.place.node, self.line, bet)
        self._accept(BoardSubgame(self.blueprint, self.place.path, (self.place.node,), below, off_tree=True), larger)
        return label

    def _accept(self, subgame: BoardSubgame, game: Poker) -> None:
        found = search_board(subgame, self.searcher, self.technique, **self.how)
        self.searches.append(found)
        self.policy, self.blueprint = BoardPolicy(game, subgame.below, lambda: found.run), found.blueprint
        self.place = Place((), 0, self.place.cards, self.place.called)
