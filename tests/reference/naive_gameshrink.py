"""GameShrink as printed: isomorphism of signal-tree nodes by perfect matchings ([Gilpin09, Algorithms 1 and 2]), every card by itself."""

from __future__ import annotations

from collections import deque
from functools import cache
from itertools import combinations

from equilibrist.cards.strength import hand_strength
from equilibrist.games.poker.rules import PokerRules

Node = tuple[tuple[int, ...], ...]  # private cards, then the board by deal


def perfect_matching(edges: list[list[int]], right: int) -> bool:
    """Whether every left node can have a partner of its own (Hopcroft and Karp)."""
    partner_left, partner_right = [-1] * len(edges), [-1] * right

    def layers() -> list[int]:
        depth = [0 if partner < 0 else -1 for partner in partner_left]
        waiting = deque(u for u, d in enumerate(depth) if d == 0)
        while waiting:
            u = waiting.popleft()
            for v in edges[u]:
                w = partner_right[v]
                if w >= 0 and depth[w] < 0:
                    depth[w] = depth[u] + 1
                    waiting.append(w)
        return depth

    def augment(u: int, depth: list[int]) -> bool:
        for v in edges[u]:
            w = partner_right[v]
            if w < 0 or (depth[w] == depth[u] + 1 and augment(w, depth)):
                partner_left[u], partner_right[v] = v, u
                return True
        depth[u] = -1
        return False

    while True:
        depth = layers()
        if not sum(augment(u, depth) for u in range(len(edges)) if partner_left[u] < 0):
            return len(edges) == right and min(partner_left, default=0) >= 0


class NaiveShrink:
    """One player's signal tree; below a complete hand come the opponent's private cards, labelled win, tie or loss."""

    def __init__(self, rules: PokerRules) -> None:
        self.rules, self.deck = rules, rules.deck
        self.deals = [rules.hole, *(cards for cards in rules.board if cards)]
        self.alike = cache(self._alike)

    def below(self, node: Node) -> list[Node]:
        used = {card for street in node for card in street}
        left = [card for card in range(self.deck.size) if card not in used]
        return [(*node, cards) for cards in combinations(left, self.deals[len(node)])]

    def outcomes(self, node: Node) -> list[int]:
        board = [card for street in node[1:] for card in street]
        left = [card for card in range(self.deck.size) if card not in (*node[0], *board)]
        mine = self.strength([*node[0], *board])
        theirs = [self.strength([*cards, *board]) for cards in combinations(left, self.deals[0])]
        return [(mine > other) - (mine < other) for other in theirs]

    def strength(self, cards: list[int]) -> tuple[int, ...]:
        ranks, suits = [self.deck.rank(c) for c in cards], [self.deck.suit(c) for c in cards]
        return hand_strength(ranks, suits, self.deck.ranks)

    def _alike(self, one: Node, other: Node) -> bool:
        if len(one) == len(self.deals):
            mine, theirs = self.outcomes(one), self.outcomes(other)
            edges = [[v for v, b in enumerate(theirs) if a == b] for a in mine]
            return perfect_matching(edges, len(theirs))
        mine_below, theirs_below = self.below(one), self.below(other)
        edges = [[v for v, b in enumerate(theirs_below) if self.alike(a, b)] for a in mine_below]
        return perfect_matching(edges, len(theirs_below))

    def classes(self) -> list[dict[Node, int]]:
        """By deal: a number for every node; siblings under merged parents are compared pair by pair and united."""
        nodes: list[Node] = [(cards,) for cards in combinations(range(self.deck.size), self.deals[0])]
        out: list[dict[Node, int]] = []
        for deal in range(len(self.deals)):
            above = dict.fromkeys(nodes, 0) if deal == 0 else {n: out[-1][n[:-1]] for n in nodes}
            number = {node: i for i, node in enumerate(nodes)}
            for one, other in combinations(nodes, 2):
                if above[one] == above[other] and number[one] != number[other] and self.alike(one, other):
                    kept, gone = number[one], number[other]
                    number = {n: kept if i == gone else i for n, i in number.items()}
            out.append(number)
            if deal + 1 < len(self.deals):
                nodes = [child for node in nodes for child in self.below(node)]
        return out
