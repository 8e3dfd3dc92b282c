"""AIVAT: less luck in the result of a hand, without bias ([Burch18]; [Brown20, §6.6]).

Every deal, and every decision of a player whose strategy is known, is corrected by how much better than expected it came out for
some fixed estimate of values; all terms are averaged over the hands that a known player could hold. Corrections have mean zero
whatever the estimate, so a bad one costs precision only. Players who cannot state their strategy leave the corrections of deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from equilibrist.cards.evaluator import all_hands, evaluate, hand_index
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.player import Player, StrategicPlayer, Strategy
from equilibrist.evaluation.play.referee import HandRecord, view_of
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.poker.rollouts import Rollouts
from equilibrist.games.rules import CHANCE, TERMINAL

Cards = tuple[int, ...]
Rows = tuple[Longs, Longs]  # hands of each seat that are considered: all, or the one it holds

SMALL_DECK = 26  # cards up to which averages over all hands cost next to nothing
MOST_VALUES = 1_000_000  # hands of both players, at all places of the betting and on all boards: about a second
FLOP_SLOPE = 0.35  # how much of the pot being ahead on the flop is taken to be worth
HOLE_SLOPE = 4.0  # big blinds that the best hand is taken to be worth over the worst before the flop
PREFLOP_SLOPE = 0.7  # equity lies nearer to a half than the share of hands beaten


class Values(Protocol):
    """A fixed estimate of what seat 1 (the first) wins, for pairs of hands."""

    def at(self, node: BettingNode, board: Cards, rows: Rows) -> Floats:
        """[hand of seat 1, hand of seat 2]; pairs that cannot be may hold anything finite."""

    def deal(self, node: BettingNode, board: Cards, after: Cards, rows: Rows) -> tuple[Floats, Floats] | None:
        """For each pair the exact mean over the next cards of some function, and its value for the board that came."""

    def root(self, node: BettingNode, rows: Rows) -> tuple[Floats, float] | None:
        """An estimate for each pair of hands right after the deal and its exact mean over all deals; None: not corrected."""


class Aivat:
    """Adjusted results of hands between two players; `known` says whose strategies may be asked for."""

    def __init__(self, game: Poker, known: Sequence[bool], values: Values | None = None) -> None:
        if game.players != 2 or game.rules.deck.merged:
            raise NotApplicableError(
                f"AIVAT is for two players and cards with suits, but '{game.name}' is another game."
            )
        self.game, self.known = game, tuple(known)
        self.hands = all_hands(game.rules.deck, game.rules.hole).astype(np.int64)
        self.values: Values = values or EquityValues(game)
        if values is None and all(self.known):
            self.known = (True, False)  # pairs of all hands are for small games, which bring their own values

    def adjusted(self, record: HandRecord, players: Sequence[Player]) -> tuple[float, float]:
        """What the hand would have brought with average luck, for both seats."""
        end = record.state
        assert isinstance(end, PokerState)
        rows = self._rows(end)
        weights = disjoint(self.hands[rows[0]], self.hands[rows[1]])
        total = 0.0
        start = self.values.root(self.game.first, rows)
        if start is not None:
            total += start[1] - _mean(weights, start[0])
        node = self.game.first
        board: Cards = ()
        line = ""
        for actor, label in record.moves[1:]:
            if actor is None:
                board_after = (*board, *end.board[len(board) : len(board) + self.game.rules.board[node.round + 1]])
                found, before = self.values.deal(node, board, board_after, rows), weights
                weights = weights * self._free(rows, board_after)
                if found is not None:
                    total += _mean(before, found[0]) - _mean(weights, found[1])
                node, board = node.after_deal, board_after
            else:
                strategy = self._strategy(players[actor], actor, node, board, line)
                if strategy is not None:
                    change, weights = self._decision(strategy, actor, label, node, board, rows, weights)
                    total += change
                node = node.play(label)
            line = f"{line}:{label}" if line else label
        total += _mean(weights, self._payoffs(node, board, rows, end))
        return total, -total

    def _rows(self, end: PokerState) -> Rows:
        every = np.arange(len(self.hands))
        held = [hand_index(np.array([cards])) for cards in end.hole]
        return (every if self.known[0] else held[0], every if self.known[1] else held[1])

    def _free(self, rows: Rows, board: Cards) -> Floats:
        free = np.asarray(~np.isin(self.hands, list(board)).any(axis=1))
        return np.outer(free[rows[0]], free[rows[1]]).astype(np.float64)

    def _strategy(self, player: Player, seat: int, node: BettingNode, board: Cards, line: str) -> Strategy | None:
        if not self.known[seat]:
            return None
        state = PokerState(self.game, node, ((), ()), board, line)
        found = player.strategy(view_of(state, seat, public=True)) if isinstance(player, StrategicPlayer) else None
        if found is None:  # to leave a term out here and not elsewhere would be biased
            raise NotApplicableError(f"A player taken to be known cannot state its strategy after '{line}'.")
        return found

    def _decision(
        self,
        strategy: Strategy,
        seat: int,
        label: str,
        node: BettingNode,
        board: Cards,
        rows: Rows,
        weights: Floats,
    ) -> tuple[float, Floats]:
        """Mean of what the player could have done less what it did, and the weights of the hands that did it."""
        expected = np.zeros_like(weights)
        after, taken, chosen = weights, np.zeros_like(weights), False
        for action, name in enumerate(strategy.actions):
            chance = strategy.probabilities[rows[seat], action]
            spread = chance[:, None] if seat == 0 else chance[None, :]
            if not chance.any():
                continue
            value = self.values.at(node.play(name), board, rows)
            expected += spread * value
            if name == label:
                after, taken, chosen = weights * spread, value, True
        if not chosen or not after.sum() > 0:
            raise NotApplicableError(f"A player did what its stated strategy never does ('{label}').")
        return _mean(weights, expected) - _mean(after, taken), after

    def _payoffs(self, node: BettingNode, board: Cards, rows: Rows, end: PokerState) -> Floats:
        if any(node.folded):
            return np.full((len(rows[0]), len(rows[1])), end.returns()[0])
        return showdown(self.game, node, board, self.hands, rows)


def states_its_strategy(game: Poker, player: Player, seat: int) -> bool:
    """Whether a player says what it does with every hand, asked at the first place where its seat acts; it must be reset."""
    node, line = game.first, ""
    while node.player != seat and node.player >= 0:
        label = "c" if "c" in node.labels else "x"
        node, line = node.play(label), f"{line}:{label}" if line else label
    if node.player != seat or not isinstance(player, StrategicPlayer):
        return False
    state = PokerState(game, node, ((),) * game.players, (), line)
    return player.strategy(view_of(state, seat, public=True)) is not None


def _mean(weights: Floats, values: Floats) -> float:
    return float((weights * values).sum() / weights.sum())


def disjoint(first: Longs, second: Longs) -> Floats:
    """[hand, hand] 1 where two hands share no card."""
    shared = (first[:, None, :, None] == second[None, :, None, :]).any(axis=(2, 3))
    apart: Floats = (~shared).astype(np.float64)
    return apart


def showdown(game: Poker, node: BettingNode, board: Cards, hands: Longs, rows: Rows) -> Floats:
    """[hand, hand] result of the first seat when cards are shown; 0 where a hand meets the board."""
    strengths = [_strengths(game, hands[each], board) for each in rows]
    win, tie, lose = game.outcomes(node)
    first, second = strengths[0][:, None], strengths[1][None, :]
    out = np.where(first > second, win[0], np.where(first < second, lose[0], tie[0]))
    return np.where((first > 0) & (second > 0), out, 0.0)


def _strengths(game: Poker, hands: Longs, board: Cards) -> Longs:
    deck = game.rules.deck
    free = ~np.isin(hands, list(board)).any(axis=1)
    out = np.zeros(len(hands), np.int64)
    cards = np.hstack([hands[free], np.broadcast_to(np.array(board, np.int64), (int(free.sum()), len(board)))])
    if not len(cards):
        return out
    if cards.shape[1] >= 5:
        out[free] = evaluate(cards, deck)
    else:
        from equilibrist.cards.hand_order import hand_order

        out[free] = hand_order(deck, cards.shape[1])(cards)
    return out


class EquityValues:
    """The pot by equity, as if nobody bet any more; exact on the flop and later, cheap fixed functions before."""

    def __init__(self, game: Poker) -> None:
        self.game = game
        self.before = Rollouts(game.rules)
        self.later = Rollouts(game.rules, most=1200)  # 1,176 runouts after a flop
        self.hands = self.before.hands

    def at(self, node: BettingNode, board: Cards, rows: Rows) -> Floats:
        shape = (len(rows[0]), len(rows[1]))
        if node.player == TERMINAL and any(node.folded):
            return np.full(shape, self.game.outcomes(node)[0][0])
        return self._share(node, board, rows)

    def deal(self, node: BettingNode, board: Cards, after: Cards, rows: Rows) -> tuple[Floats, Floats] | None:
        if self.later.exact(board):  # equity is its own mean over the next cards
            return self._share(node, board, rows), self._share(node, after, rows)
        if len(rows[0]) * len(rows[1]) == 1 and not board and self._flop_is_next(node):
            first, second = map(tuple, self._pair(rows))
            lead = (flop_lead(first, second), flop_lead(first, second, after))
            return np.array([[FLOP_SLOPE * lead[0] * node.pot]]), np.array([[FLOP_SLOPE * lead[1] * node.pot]])
        return None

    def _share(self, node: BettingNode, board: Cards, rows: Rows) -> Floats:
        return self._equity(board, rows) * node.pot - node.paid[0]

    def root(self, node: BettingNode, rows: Rows) -> tuple[Floats, float] | None:
        shares = self._percentiles
        slope = HOLE_SLOPE * float(self.game.big_blind or 1.0)
        return slope * (shares[rows[0]][:, None] - shares[rows[1]][None, :]), 0.0  # seats exchanged, it changes sign

    def _flop_is_next(self, node: BettingNode) -> bool:
        rules = self.game.rules
        return rules.hole == 2 and rules.deck.size == 52 and rules.board[node.round + 1] == 3 and not rules.deck.merged

    @property
    def _percentiles(self) -> Floats:
        return np.nan_to_num(self.before.percentiles(()), nan=0.5)

    def _pair(self, rows: Rows) -> list[list[int]]:
        return [self.hands[each[0]].tolist() for each in rows]

    def _equity(self, board: Cards, rows: Rows) -> Floats:
        """[hand, hand] share of the pot of the first seat; a half where nothing is known."""
        if not board and not self.later.exact(board):
            shares = self._percentiles
            return 0.5 + 0.5 * PREFLOP_SLOPE * (shares[rows[0]][:, None] - shares[rows[1]][None, :])
        if len(rows[0]) == len(rows[1]) == 1:
            first, second = self._pair(rows)
            return np.array([[pair_equity(self.game, tuple(first), tuple(second), board)]])
        if len(rows[1]) == 1:
            other = self.hands[rows[1][0]].tolist()
            return np.nan_to_num(self.later.equities(other, board)[rows[0]], nan=0.5)[:, None]
        other = self.hands[rows[0][0]].tolist()
        return 1.0 - np.nan_to_num(self.later.equities(other, board)[rows[1]], nan=0.5)[None, :]


def pair_equity(game: Poker, first: Cards, second: Cards, board: Cards) -> float:
    """Exact share of the pot of one hand against another when the board is completed."""
    deck, missing = game.rules.deck, sum(game.rules.board) - len(board)
    left = [card for card in range(deck.size) if card not in (*first, *second, *board)]
    runs = np.array(list(combinations(left, missing)), np.int64).reshape(comb(len(left), missing), missing)
    strengths = []
    for hand in (first, second):
        fixed = np.broadcast_to(np.array([*hand, *board], np.int64), (len(runs), len(hand) + len(board)))
        cards = np.hstack([fixed, runs])
        if cards.shape[1] >= 5:
            strengths.append(evaluate(cards.astype(np.uint8), deck).astype(np.int64))
        else:
            from equilibrist.cards.hand_order import hand_order

            strengths.append(hand_order(deck, cards.shape[1])(cards).astype(np.int64))
    return float((strengths[0] > strengths[1]).mean() + 0.5 * (strengths[0] == strengths[1]).mean())


@lru_cache(maxsize=1)
def _flops() -> Longs:
    return np.array(list(combinations(range(48), 3)), np.int64)


def flop_lead(first: Cards, second: Cards, flop: Cards | None = None) -> float:
    """1 if the first hand is ahead on the flop, -1 if behind; without a flop the exact mean over all of them."""
    left = np.array([card for card in range(52) if card not in (*first, *second)], np.int64)
    boards = left[_flops()] if flop is None else np.array([flop], np.int64)
    strengths = [
        evaluate(np.hstack([np.broadcast_to(np.array(hand), (len(boards), 2)), boards]).astype(np.uint8)).astype(
            np.int64
        )
        for hand in (first, second)
    ]
    return float(np.sign(strengths[0] - strengths[1]).mean())


def fits_exact_values(game: Poker) -> bool:
    """Whether a game is small enough to go through all its hands, boards and betting."""
    rules = game.rules
    hands = comb(rules.deck.size, rules.hole)
    boards = comb(rules.deck.size, sum(rules.board))
    waiting, nodes = [game.first], 0
    while waiting and nodes * boards * hands**2 <= MOST_VALUES:
        node = waiting.pop()
        nodes += 1
        if node.player == CHANCE:
            waiting.append(node.after_deal)
        elif node.player != TERMINAL:
            waiting += [node.play(label) for label in node.labels]
    return not waiting


class PolicyValues:
    """Exact values of a small game when both seats follow stated strategies."""

    def __init__(self, game: Poker, players: Sequence[StrategicPlayer]) -> None:
        self.game, self.players = game, players
        self.hands = all_hands(game.rules.deck, game.rules.hole).astype(np.int64)
        self._every = (np.arange(len(self.hands)), np.arange(len(self.hands)))
        self._known: dict[tuple[str, Cards], Floats] = {}

    def at(self, node: BettingNode, board: Cards, rows: Rows) -> Floats:
        return self._value(node, board)[np.ix_(*rows)]

    def deal(self, node: BettingNode, board: Cards, after: Cards, rows: Rows) -> tuple[Floats, Floats] | None:
        mean, came = self._mean_over_cards(node, board), self._value(node.after_deal, after)
        return mean[np.ix_(*rows)], came[np.ix_(*rows)]

    def root(self, node: BettingNode, rows: Rows) -> tuple[Floats, float] | None:
        value = self._value(node, ())
        return value[np.ix_(*rows)], _mean(disjoint(self.hands, self.hands), value)

    def _value(self, node: BettingNode, board: Cards) -> Floats:
        place = node.line, board
        if place not in self._known:
            self._known[place] = self._compute(node, board)
        return self._known[place]

    def _compute(self, node: BettingNode, board: Cards) -> Floats:
        shape = (len(self.hands), len(self.hands))
        if node.player == CHANCE:
            return self._mean_over_cards(node, board)
        if node.player == TERMINAL:
            if any(node.folded):
                return np.full(shape, self.game.outcomes(node)[0][0])
            return showdown(self.game, node, board, self.hands, self._every)
        state = PokerState(self.game, node, ((), ()), board, self._line(node, board))
        strategy = self.players[node.player].strategy(view_of(state, node.player, public=True))
        if strategy is None:
            raise NotApplicableError(f"A player taken to be known cannot state its strategy after '{state.line}'.")
        out = np.zeros(shape)
        for action, label in enumerate(strategy.actions):
            chance = strategy.probabilities[:, action]
            spread = chance[:, None] if node.player == 0 else chance[None, :]
            out += spread * self._value(node.play(label), board)
        return out

    def _mean_over_cards(self, node: BettingNode, board: Cards) -> Floats:
        deck, total = self.game.rules.deck, np.zeros((len(self.hands), len(self.hands)))
        count = np.zeros_like(total)
        left = [card for card in range(deck.size) if card not in board]
        for cards in combinations(left, self.game.rules.board[node.round + 1]):
            free = ~np.isin(self.hands, cards).any(axis=1)
            possible = np.outer(free, free)
            total += np.where(possible, self._value(node.after_deal, (*board, *cards)), 0.0)
            count += possible
        return total / np.maximum(count, 1)

    def _line(self, node: BettingNode, board: Cards) -> str:
        """The public line with its board cards, as infosets name it."""
        rules, at, out, place = self.game.rules, self.game.first, [], 0
        for label in node.line.split(":") if node.line else []:
            while at.player == CHANCE:
                cards = board[place : place + rules.board[at.round + 1]]
                out.append("".join(map(rules.deck.label, cards)))
                place, at = place + len(cards), at.after_deal
            out.append(label)
            at = at.play(label)
        while at.player == CHANCE and place < len(board):
            cards = board[place : place + rules.board[at.round + 1]]
            out.append("".join(map(rules.deck.label, cards)))
            place, at = place + len(cards), at.after_deal
        return ":".join(out)
