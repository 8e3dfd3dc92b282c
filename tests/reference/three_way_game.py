"""A three-way spot as plain rules: for tiny ranges, so that the generic evaluation of trees can judge the vector engine."""

from __future__ import annotations

from equilibrist.cards.range_text import STANDARD, hand_name, hands_of
from equilibrist.cards.strength import hand_strength
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.games.spots.seat_rules import seat_start
from equilibrist.games.spots.spot_rules import spot_label
from reference.naive_three_way import naive_payoffs

HANDS = hands_of(STANDARD)


class ThreeWayGame(Game):
    zero_sum = False
    players = 3

    def __init__(self, spot):
        self.name, self.spot, self.first = "three-way", spot, seat_start(spot)
        held = [
            [(n, (int(HANDS.low[n]), int(HANDS.high[n])), w) for n, w in enumerate(spot.weights(p)) if w > 0]
            for p in range(3)
        ]
        self.deals = [
            ((a, b, c), wa * wb * wc)
            for a, ca, wa in held[0]
            for b, cb, wb in held[1]
            for c, cc, wc in held[2]
            if len({*ca, *cb, *cc}) == 6
        ]
        total = sum(w for _, w in self.deals)
        self.deals = [(deal, w / total) for deal, w in self.deals]

    def start(self):
        return ThreeWayState(self, None, tuple(self.spot.board), self.first, "")


class ThreeWayState(State):
    __slots__ = ("board", "game", "hands", "line", "node", "player")

    def __init__(self, game, hands, board, node, line):
        self.game, self.hands, self.board, self.node, self.line = game, hands, board, node, line
        self.player = CHANCE if hands is None else node.player

    def _left(self):
        used = {*self.board, *(int(card) for n in self.hands for card in (HANDS.low[n], HANDS.high[n]))}
        return [card for card in range(52) if card not in used]

    def chance(self):
        if self.hands is None:
            return [(str(deal), w) for deal, w in self.game.deals]
        left = self._left()
        return [(STANDARD.label(card), 1 / len(left)) for card in left]

    def actions(self):
        return [spot_label(self.node, index, self.node.after(index)) for index in range(self.node.width)]

    def child(self, index):
        if self.hands is None:
            return ThreeWayState(self.game, self.game.deals[index][0], self.board, self.node, "")
        if self.player == CHANCE:
            card = self._left()[index]
            return ThreeWayState(
                self.game, self.hands, (*self.board, card), self.node.after_deal, self._after(STANDARD.label(card))
            )
        return ThreeWayState(
            self.game, self.hands, self.board, self.node.after(index), self._after(self.actions()[index])
        )

    def _after(self, move):
        return f"{self.line}:{move}" if self.line else move

    def infoset(self, player):
        own = "" if self.hands is None else hand_name(self.hands[player])
        return f"{own}:{self.line}" if self.line else own

    def public(self):
        return "deal" if self.hands is None else self.line

    def returns(self):
        assert self.player == TERMINAL
        node, spot = self.node, self.game.spot
        cards = [[*self.board, int(HANDS.low[n]), int(HANDS.high[n])] for n in self.hands]
        ranks = [hand_strength([c // 4 for c in each], [c % 4 for c in each]) for each in cards]
        paid = [round(amount - node.rules.ante) for amount in node.paid]
        return tuple(naive_payoffs(paid, node.folded, ranks, int(spot.pot), spot.rake.rate, spot.rake.cap))
