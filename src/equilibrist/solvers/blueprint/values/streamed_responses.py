"""StreamedResponses: what best responses win from strategies in buckets, all boards in one pass; for one or two deals of board cards.

The strategies are the sums of a run as they are, which a blueprint's bytes round, and responses see all cards. A look at flop hold'em takes
a second or two of one core, so a training can be followed by its exact exploitability.
"""

from __future__ import annotations

import numpy as np

from equilibrist.cards.isomorphism import symmetries
from equilibrist.core.arrays import Array, Floats32
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.exact.bucketed_streets import matching_nodes, treats_suits_alike
from equilibrist.solvers.postflop.streamed_buckets.board_stream import stream_on
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame, BucketedProfile
from equilibrist.solvers.postflop.streamed_buckets.bucketed_responses import respond_fully

MOST_DEALS = 2  # hands are told apart on the boards of all but the last of them


class StreamedResponses:
    """One abstract game, ready to respond to any of its strategies."""

    def __init__(self, game: AbstractPoker, *, threads: int = 1, device: str = "cpu") -> None:
        self.game = game
        if not 1 <= sum(1 for cards in game.rules.board if cards) <= MOST_DEALS:
            raise NotApplicableError(
                "Boards are passed over in games with one or two deals of board cards; use exact_exploitability for others."
            )
        self.abstract = BucketedGame.of(Poker("blueprint", game.rules), game.buckets)
        deal = self.abstract.deal
        if not treats_suits_alike(game.buckets, deal, symmetries([], [], deal.deck, deal.hands.astype(np.int64))):
            raise NotApplicableError(
                "Boards are passed over up to suits, but these buckets tell suits apart; use a recipe such as "
                "'ehs-equal(sizes=all/50)', or exact_exploitability."
            )
        self.stream = stream_on(device, self.abstract, threads)
        self._nodes = matching_nodes(self.abstract.forests, game.tree)
        streets = range(len(self.abstract.forests) - 1)
        self._bucket = [np.maximum(self.abstract.hand_buckets(game.buckets, d), 0) for d in streets]  # [board, hand]

    def exploitability(self, average: Floats32, regret: Array) -> float:
        """Chips a hand: the mean of what best responses win from average strategies [slots]; where nothing was added, regrets decide."""
        profile = self.profile(average, regret)
        return sum(respond_fully(self.stream, profile, me).average for me in range(2)) / 2.0

    def profile(self, average: Floats32, regret: Array) -> BucketedProfile:
        """Sums [slots] as strategies, street by street."""
        (first, *mine), (second, *theirs) = (
            [
                self._rows(d, player, average, regret)[:, bucket].astype(np.float64)
                for d, bucket in enumerate(self._bucket)
            ]
            for player in range(2)
        )
        rows = [self._rows(len(self._bucket), player, average, regret) for player in range(2)]
        between = (tuple(mine), tuple(theirs))
        return BucketedProfile((first[:, 0], second[:, 0]), (rows[0], rows[1]), between=between)

    def _rows(self, street: int, player: int, average: Floats32, regret: Array) -> Array:
        """[slot, bucket] of a player on a street, in single precision as passes over boards take them."""
        forest: StreetForest = self.abstract.forests[street]
        out = np.zeros((forest.slots[player], self.game.buckets.sizes[street]), dtype=np.float32)
        for node in np.flatnonzero(forest.kind == player).tolist():
            slot, width = int(forest.slot[node]), int(forest.children[node])
            first = int(self.game.first_slot[self._nodes[street][node]])
            kernels.lay_out(first, average, regret, out[slot : slot + width])
        return out
