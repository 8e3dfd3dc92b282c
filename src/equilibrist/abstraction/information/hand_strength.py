"""HandStrength: how often every hand of every deal wins, ties and loses when the rest is rolled out, as whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from equilibrist.abstraction.information.ordered_game import OrderedGame
from equilibrist.abstraction.information.signal_tree import next_hands, outcome_counts
from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import TooLargeError
from equilibrist.forms.hand_classes.classes import parent_hands, view_of
from equilibrist.games.size_estimate import memory_limit


@dataclass(frozen=True, eq=False)
class HandStrength:
    """Everything exact that abstraction by strength asks of the cards; hands are numbered up to suits, deal by deal."""

    game: OrderedGame
    indexer: HandIndexer
    seen: tuple[int, ...]  # the latest deal seen in each betting round
    following: tuple[Longs, ...]  # by deal but the last [hands, next cards]: hands of the next deal, equally likely
    before: tuple[Longs, ...]  # by deal [hands]: the hand of the deal before; zeros in the first
    weight: tuple[Longs, ...]  # by deal [hands]: hands alike but for suits
    outcomes: tuple[Longs, ...]  # by deal [hands, 3]: wins, ties and losses over all roll-outs and opponents

    def points(self, deal: int) -> Longs:
        """[hands] twice the wins, and ties: the order of expected strength, without rounding."""
        counts = self.outcomes[deal]
        return 2 * counts[:, 0] + counts[:, 1]

    def equity(self, deal: int) -> Floats:
        """[hands] probability of winning plus half that of a tie: w + d/2."""
        out: Floats = self.points(deal) / (2.0 * self.outcomes[deal][0].sum())
        return out

    def margin(self, deal: int) -> Floats:
        """[hands] w - l + d/2 ([Gilpin09, §7.2]): it tells apart triples that w + d/2 does not."""
        wins, ties, losses = self.outcomes[deal].T
        out: Floats = (2 * wins - 2 * losses + ties) / (2.0 * self.outcomes[deal][0].sum())
        return out


def hand_strength(game: OrderedGame) -> HandStrength:
    """Roll out every hand: the last deal against all opponents, earlier ones through all cards that can follow."""
    indexer, seen = view_of(game.rules)
    deals = len(indexer.dealt)
    need = _memory(indexer)
    if need > memory_limit():
        raise TooLargeError(
            f"Rolling out all {indexer.sizes[-1]:,} hands of this game needs about {need / 1e9:.0f} GB; take a smaller deck or a "
            "game with fewer rounds."
        )
    following = tuple(next_hands(indexer, deal) for deal in range(deals - 1))
    outcomes = [outcome_counts(game)]
    for deal in range(deals - 2, -1, -1):
        outcomes.append(outcomes[-1][following[deal]].sum(axis=1))
    return HandStrength(
        game=game,
        indexer=indexer,
        seen=seen,
        following=following,
        before=tuple(
            parent_hands(indexer, deal) if deal else np.zeros(indexer.sizes[0], np.int64) for deal in range(deals)
        ),
        weight=tuple(indexer.multiplicity(np.arange(indexer.sizes[deal]), deal) for deal in range(deals)),
        outcomes=tuple(outcomes[::-1]),
    )


def _memory(indexer: HandIndexer) -> int:
    """Bytes of what follows every hand, and of the outcomes."""
    left = indexer.deck.size - indexer.dealt[0]
    total = 0
    for deal, cards in enumerate(indexer.dealt[1:]):
        total += indexer.sizes[deal] * comb(left, cards) * 8
        left -= cards
    return total + sum(indexer.sizes) * 48
