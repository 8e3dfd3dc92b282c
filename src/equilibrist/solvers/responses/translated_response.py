"""Exact best responses to a translated strategy in the real game, over public states ([Ganzfried15, §7.8]).

The responder sees real bets and own cards, never which abstract history the other player has in mind.
"""

from __future__ import annotations

from math import comb

import numpy as np

from equilibrist.abstraction.bets.translated_policy import Hypothesis, TranslatedPolicy
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.forms.betting_tree.counting import count_betting
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import settle
from equilibrist.games.rules import CHANCE, TERMINAL

MOST_SITUATIONS = 2_000_000  # lines times boards: minutes
MOST_DEALS = 2_000_000  # pairs of hands times boards

Hypotheses = tuple[Hypothesis, ...]
Board = tuple[str, ...]
Cards = tuple[int, ...]


def translated_response(policy: TranslatedPolicy, player: int) -> float:
    """What `player` wins against the translated strategy of the other player by playing best in the real game."""
    if policy.real.players != 2:
        raise NotApplicableError(f"Translated best responses are for two players, but '{policy.real.name}' has more.")
    _refuse_large(policy)
    return _Response(policy, player).value()


def _refuse_large(policy: TranslatedPolicy) -> None:
    """Every line is walked on every board, with all pairs of hands."""
    rules, boards, left = policy.real.rules, 1, policy.real.rules.deck.size
    for cards in rules.board:
        boards, left = boards * comb(left, cards), left - cards
    situations = boards * sum(map(sum, count_betting(rules).decisions))
    if situations > MOST_SITUATIONS or boards * len(policy.hands) ** 2 > MOST_DEALS:
        raise TooLargeError(
            f"'{policy.real.name}' has {situations:,} situations on its boards, too many for an exact response to a translated "
            f"strategy (at most {MOST_SITUATIONS:,}); use local best response or matches."
        )


class _Response:
    """One walk over public states; values are vectors over the responder's hands."""

    def __init__(self, policy: TranslatedPolicy, player: int) -> None:
        self.policy, self.player, self.game = policy, player, policy.real
        self.deals, self.sign, self.boards = deal_tables(policy, player)

    def value(self) -> float:
        return float(self._walk(self.game.first, self.policy.start(), (), self.deals[()]).sum())

    def _walk(self, node: BettingNode, hypotheses: Hypotheses, board: tuple[str, ...], deals: Floats) -> Floats:
        """[responder's hand] chance times the other player's reach times the best that can be won."""
        if node.player == TERMINAL:
            reach = sum((one.weight for one in hypotheses), np.zeros(len(self.policy.hands)))
            return self._end(node, board, deals * reach)
        if node.player == CHANCE:
            total = np.zeros(len(self.policy.hands))
            for cards in self.boards[board]:
                longer = *board, cards
                total += self._walk(
                    node.after_deal, self.policy.deal(node, hypotheses, cards), longer, self.deals[longer]
                )
            return total
        if node.player == self.player:
            values = [
                self._walk(node.after(a), self.policy.hear(node, hypotheses, a), board, deals)
                for a in range(len(node.labels))
            ]
            return np.asarray(np.max(values, axis=0))
        _, following = self.policy.play(node, hypotheses, node.player)
        total = np.zeros(len(self.policy.hands))
        for a, after in enumerate(following):
            if after:
                total += self._walk(node.after(a), after, board, deals)
        return total

    def _end(self, node: BettingNode, board: tuple[str, ...], weight: Floats) -> Floats:
        """`weight` is [responder's hand, other hand]."""
        mine = self.player
        if any(node.folded):
            return np.asarray(weight.sum(axis=1) * settle(node, (0, 0))[mine])
        win, tie, lose = (settle(node, pair if mine == 0 else pair[::-1])[mine] for pair in ((1, 0), (0, 0), (0, 1)))
        sign = self.sign[board]
        payoff = np.where(sign > 0, win, np.where(sign < 0, lose, tie))
        return np.asarray((weight * payoff).sum(axis=1))


def deal_tables(
    policy: TranslatedPolicy, player: int
) -> tuple[dict[Board, Floats], dict[Board, Floats], dict[Board, list[str]]]:
    """By board so far: [my hand, other hand] chances of the deal, who wins once all cards are there, and what may be dealt next."""
    game, number = policy.real, {hand: i for i, hand in enumerate(policy.hands)}
    dealer, shape = game.dealer, (len(policy.hands), len(policy.hands))
    rounds = [count for count in game.rules.board[1:] if count]
    deals: dict[Board, Floats] = {}
    sign: dict[Board, Floats] = {}
    boards: dict[Board, dict[str, None]] = {}

    def deal(hole: tuple[Cards, ...], cards: Cards, names: Board, chance: float) -> None:
        mine, other = number[game.hole_label(hole[player])], number[game.hole_label(hole[1 - player])]
        deals.setdefault(names, np.zeros(shape))[mine, other] += chance
        if len(names) == len(rounds):
            first, second = game.strength(hole[player], cards), game.strength(hole[1 - player], cards)
            sign.setdefault(names, np.zeros(shape))[mine, other] = (first > second) - (first < second)
            return
        seen, count = tuple(card for held in hole for card in held) + cards, rounds[len(names)]
        for index, (_, probability) in enumerate(dealer.board_outcomes(seen, count)):
            more = dealer.board_cards(seen, count, index)
            text = "".join(map(dealer.deck.label, more))
            boards.setdefault(names, {})[text] = None
            deal(hole, cards + more, (*names, text), chance * probability)

    for index, (_, probability) in enumerate(dealer.hole_outcomes):
        deal(dealer.hole_cards(index), (), (), probability)
    return deals, sign, {names: list(texts) for names, texts in boards.items()}
