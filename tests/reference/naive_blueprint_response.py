"""Best responses to blueprints by plain recursion: every board by itself, every pair of hands, double precision, no buckets shared out."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from equilibrist.forms.betting_tree.betting_tree import DECISION, FOLD, RUNOUT


class NaiveResponse:
    """Values of one player's hands against a blueprint in the other seat."""

    def __init__(self, blueprint, me, *, respond, first=0):
        """`first`: the round from which on the player responds; before it follows the blueprint, too."""
        self.blueprint, self.me, self.respond, self.first = blueprint, me, respond, first
        self.tree, self.rules = blueprint.abstract.tree, blueprint.abstract.rules
        self.hands = list(combinations(range(self.rules.deck.size), self.rules.hole))
        self.live, self.strengths, self.buckets = cache(self.live), cache(self.strengths), cache(self.buckets)
        self.apart = np.array([[not set(a) & set(b) for b in self.hands] for a in self.hands], dtype=float)

    def value(self):
        """Chips a hand."""
        reach = np.ones(len(self.hands))
        return float(self.node(0, (), 0, reach).sum() / self.apart.sum())

    def node(self, node, board, dealt, reach):
        """[hand] counterfactual values against the opponent's reach [hand]; `dealt` rounds of board cards are out."""
        kind, here = self.tree.kind[node], int(self.tree.round[node])
        ends = kind not in (DECISION, FOLD)
        if (kind == DECISION and here > dealt) or (ends and dealt < len(self.rules.board) - 1):
            assert kind in (DECISION, RUNOUT)
            return self.deal(node, board, dealt, reach)
        if kind != DECISION:
            return self.end(node, board, reach)
        first, width = int(self.tree.first_child[node]), int(self.tree.children[node])
        played = self.play(node, board)
        if self.tree.player[node] != self.me:
            return sum(self.node(first + a, board, dealt, reach * played[:, a]) for a in range(width))
        below = np.array([self.node(first + a, board, dealt, reach) for a in range(width)])
        return below.max(axis=0) if self.respond and here >= self.first else (played.T * below).sum(axis=0)

    def deal(self, node, board, dealt, reach):
        cards = self.rules.board[dealt + 1]
        free = [card for card in range(self.rules.deck.size) if card not in board]
        chance = 1.0 / comb(len(free) - 2 * self.rules.hole, cards)
        out = np.zeros(len(self.hands))
        for new in combinations(free, cards):
            live = self.live((*board, *new))
            out += chance * live * self.node(node, (*board, *new), dealt + 1, reach * live)
        return out

    def end(self, node, board, reach):
        chips = float(self.tree.paid[node].min())
        if self.tree.kind[node] == FOLD:
            gone = (int(self.tree.folded[node]) >> self.me) & 1
            return (-chips if gone else chips) * (self.apart @ reach)
        strength = self.strengths(board)
        return chips * ((np.sign(strength[:, None] - strength[None, :]) * self.apart) @ reach)

    def rows(self, board):
        return np.array([(*hand, *board) for hand in self.hands], dtype=np.int8)

    def live(self, board):
        return np.array([not set(hand) & set(board) for hand in self.hands])

    def strengths(self, board):
        live, out = self.live(board), np.zeros(len(self.hands))
        out[live] = self.blueprint.abstract.buckets.strength(self.rows(board)[live]).astype(float)
        return out

    def buckets(self, board, number):
        return self.blueprint.abstract.buckets.bucket(number, self.rows(board)[self.live(board)])

    def play(self, node, board):
        """[hand, action]; hands that collide play nothing."""
        out = np.zeros((len(self.hands), int(self.tree.children[node])))
        out[self.live(board)] = self.blueprint.strategies(node, self.buckets(board, int(self.tree.round[node])))
        return out


def naive_exploitability(blueprint):
    """Value of the first seat, and what best responses in both seats win."""
    value = NaiveResponse(blueprint, 0, respond=False).value()
    return value, [NaiveResponse(blueprint, me, respond=True).value() for me in range(2)]


def naive_gains(blueprint, first):
    """What best responses in both seats win more than the blueprint from a round on."""
    value = NaiveResponse(blueprint, 0, respond=False).value()
    best = [NaiveResponse(blueprint, me, respond=True, first=first).value() for me in range(2)]
    return [best[0] - value, best[1] + value]
