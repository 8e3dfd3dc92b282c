"""A postflop spot as plain rules: for tiny ranges, so that the generic solvers can judge the vector engine."""

from __future__ import annotations

from equilibrist.cards.strength import hand_strength
from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, street_forests
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.games.spots.spot import Spot


def cards_of(pair):
    high = next(h for h in range(52) if h * (h - 1) // 2 <= pair < h * (h + 1) // 2)
    return high, pair - high * (high - 1) // 2


class SpotGame(Game):
    zero_sum = False  # rake

    def __init__(self, spot: Spot) -> None:
        self.name, self.players, self.spot = "spot", 2, spot
        self.forests = street_forests(spot)
        self.deals = []
        hands = [[(p, cards_of(p), w) for p, w in enumerate(spot.weights(side)) if w > 0] for side in range(2)]
        for _, a, wa in hands[0]:
            for _, b, wb in hands[1]:
                if not {*a, *spot.board} & {*b} and not {*a} & {*spot.board}:
                    self.deals.append(((a, b), wa * wb))
        total = sum(w for _, w in self.deals)
        self.deals = [(deal, w / total) for deal, w in self.deals]

    def start(self):
        return SpotState(self, None, tuple(self.spot.board), 0, 0, "")


class SpotState(State):
    __slots__ = ("board", "depth", "game", "hands", "line", "node", "player")

    def __init__(self, game, hands, board, depth, node, line):
        self.game, self.hands, self.board, self.depth, self.node, self.line = game, hands, board, depth, node, line
        kind = game.forests[depth].kind[node]
        if hands is None or kind == DEAL:
            self.player = CHANCE
        else:
            self.player = TERMINAL if kind in (FOLD, SHOWDOWN) else int(kind)

    def _left(self):
        used = {*self.board, *self.hands[0], *self.hands[1]}
        return [c for c in range(52) if c not in used]

    def chance(self):
        if self.hands is None:
            return [(str(deal), w) for deal, w in self.game.deals]
        left = self._left()
        return [(str(card), 1 / len(left)) for card in left]

    def actions(self):
        return self.game.forests[self.depth].labels(self.node)

    def child(self, index):
        forest = self.game.forests[self.depth]
        if self.hands is None:
            return SpotState(self.game, self.game.deals[index][0], self.board, self.depth, self.node, "")
        if self.player == CHANCE:
            card = self._left()[index]
            root = int(forest.next_root[self.node])
            return SpotState(self.game, self.hands, (*self.board, card), self.depth + 1, root, f"{self.line}/{card}")
        node = int(forest.first_child[self.node]) + index
        return SpotState(self.game, self.hands, self.board, self.depth, node, f"{self.line}:{forest.action[node]}")

    def infoset(self, player):
        return f"{self.hands[player]}{self.line}" if self.hands else "deal"

    def public(self):
        return self.line or ("" if self.hands else "deal")

    def returns(self):
        forest, n = self.game.forests[self.depth], self.node
        if forest.kind[n] == FOLD:
            folder = int(forest.folder[n])
            return tuple(float(forest.lose[n] if p == folder else forest.win[n]) for p in range(2))
        ranks = [
            hand_strength([c // 4 for c in (*h, *self.board)], [c % 4 for c in (*h, *self.board)]) for h in self.hands
        ]
        if ranks[0] == ranks[1]:
            return (float(forest.tie[n]),) * 2
        winner = int(ranks[1] > ranks[0])
        return tuple(float(forest.win[n] if p == winner else forest.lose[n]) for p in range(2))
