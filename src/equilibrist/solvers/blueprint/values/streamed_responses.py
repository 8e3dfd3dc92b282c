"""StreamedResponses: what best responses win from strategies in buckets, all boards in one pass; for games with one deal of board cards.

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


class StreamedResponses:
    """One abstract game, ready to respond to any of its strategies."""

    def __init__(self, game: AbstractPoker, *, threads: int = 1, device: str = "cpu") -> None:
        self.game = game
        self.abstract = BucketedGame.of(Poker("blueprint", game.rules), game.buckets)
        deal = self.abstract.deal
        if not treats_suits_alike(game.buckets, deal, symmetries([], [], deal.deck, deal.hands.astype(np.int64))):
            raise NotApplicableError(
                "Boards are passed over up to suits, but these buckets tell suits apart; use a recipe such as "
                "'ehs-equal(sizes=all/50)', or exact_exploitability."
            )
        self.stream = stream_on(device, self.abstract, threads)
        self._nodes = matching_nodes(self.abstract.forests, game.tree)
        self._bucket = np.asarray(game.buckets.bucket(0, deal.hands.astype(np.int8)))  # [hand]

    def exploitability(self, average: Floats32, regret: Array) -> float:
        """Chips a hand: the mean of what best responses win from average strategies [slots]; where nothing was added, regrets decide."""
        profile = self.profile(average, regret)
        return sum(respond_fully(self.stream, profile, me).average for me in range(2)) / 2.0

    def profile(self, average: Floats32, regret: Array) -> BucketedProfile:
        """Sums [slots] as strategies, street by street."""
        first, rows = ([self._rows(street, player, average, regret) for player in range(2)] for street in range(2))
        by_hand = [each[:, self._bucket].astype(np.float64) for each in first]
        return BucketedProfile((by_hand[0], by_hand[1]), (rows[0], rows[1]))

    def _rows(self, street: int, player: int, average: Floats32, regret: Array) -> Array:
        """[slot, bucket] of a player on a street, in single precision as passes over boards take them."""
        forest: StreetForest = self.abstract.forests[street]
        out = np.zeros((forest.slots[player], self.game.buckets.sizes[street]), dtype=np.float32)
        for node in np.flatnonzero(forest.kind == player).tolist():
            slot, width = int(forest.slot[node]), int(forest.children[node])
            first = int(self.game.first_slot[self._nodes[street][node]])
            kernels.lay_out(first, average, regret, out[slot : slot + width])
        return out
