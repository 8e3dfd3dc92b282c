"""The public tree of a poker game, built from its betting and its boards instead of from every history.

Betting is the same for all cards, and which cards can be held together is the same after all betting. So public states are
(betting situation, board), and what belongs to a board (hands, deals, winners) is found once. The numbering is that of
`forms/public_tree/public_tree.py`, which walks every history and serves all other games.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.compute.time_limit import CLOCK_EVERY, check_time
from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.policy import InfosetIndex
from equilibrist.forms.public_tree.public_tree import PrivateStates, PublicTree
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Cards, Poker
from equilibrist.games.rules import CHANCE, TERMINAL


@dataclass(frozen=True)
class _Board:
    """Public cards and the deals of private cards that go with them."""

    game: Poker
    cards: Cards
    text: str  # of the cards dealt last
    deals: Ints  # [n] which deals of private cards, ascending
    weight: Floats  # [n] chance of deal and board
    above: _Board | None

    @cached_property
    def holes(self) -> list[tuple[Cards, ...]]:
        return [self.game.dealer.hole_cards(d) for d in self.deals.tolist()]

    @cached_property
    def hands(self) -> list[dict[Cards, int]]:
        """Per player: its hands in the order of the deals in which they first occur."""
        found: list[dict[Cards, int]] = [{} for _ in range(self.game.players)]
        for hole in self.holes:
            for own, cards in zip(found, hole, strict=True):
                own.setdefault(cards, len(own))
        return found

    @cached_property
    def first_deal(self) -> list[Ints]:
        """Per player: the first deal of each hand."""
        return [self.deals[np.unique(column, return_index=True)[1]] for column in self.joint.T]

    @cached_property
    def joint(self) -> Ints:
        """[n, players] numbers of the hands."""
        return np.array([[own[c] for own, c in zip(self.hands, hole, strict=True)] for hole in self.holes], np.int32)

    @cached_property
    def before(self) -> list[Ints]:
        """Per player: each hand's number on the board above."""
        assert self.above is not None
        both = zip(self.hands, self.above.hands, strict=True)
        return [np.array([was[cards] for cards in own], np.int32) for own, was in both]

    @cached_property
    def winner(self) -> Ints:
        """[n] 0: the first of two players wins, 1: a tie, 2: the second wins."""
        strength = [[self.game.strength(cards, self.cards) for cards in own] for own in self.hands]
        pairs = ((strength[0][a], strength[1][b]) for a, b in self.joint.tolist())
        return np.array([0 if a > b else 2 if a < b else 1 for a, b in pairs], np.int32)

    @cached_property
    def following(self) -> dict[int, list[_Board]]:
        return {}

    def dealt(self, cards: int) -> list[_Board]:
        """All boards with so many cards more, in the order of the deck; kept."""
        if cards not in self.following:
            self.following[cards] = self._deal(cards)
        return self.following[cards]

    def _deal(self, cards: int) -> list[_Board]:
        dealer, found = self.game.dealer, dict[tuple[Cards, str], tuple[list[int], list[float]]]()
        for deal, chance, hole in zip(self.deals.tolist(), self.weight.tolist(), self.holes, strict=True):
            seen = tuple(card for hand in hole for card in hand) + self.cards
            for i, (text, share) in enumerate(dealer.board_outcomes(seen, cards)):
                deals, weight = found.setdefault((dealer.board_cards(seen, cards, i), text), ([], []))
                deals.append(deal)
                weight.append(chance * share)
        return [
            _Board(self.game, self.cards + new, text, np.array(deals, np.int32), np.array(weight), self)
            for (new, text), (deals, weight) in sorted(found.items())
        ]

    def returns(self, node: BettingNode) -> Floats:
        """[n, players] payoffs where a hand ends."""
        if self.game.players == 2:
            outcomes = np.array(self.game.outcomes(node))
            return outcomes[self.winner] if not any(node.folded) else np.tile(outcomes[0], (len(self.deals), 1))
        return np.array([self.game.payoffs(node, hole, self.cards) for hole in self.holes])


@dataclass(frozen=True)
class _Place:
    """One public state after the private cards were dealt; `above` is its number in walking order, -1 for the deal."""

    text: str
    node: BettingNode
    board: _Board
    above: int
    action: int  # that led here, -1 for a deal


def poker_public_tree(game: Poker) -> PublicTree:
    """The same tree as a walk over all histories, found from betting lines and boards."""
    places = _walk(game)
    first = np.array([place.board.deals[0] for place in places])
    order = np.argsort(first, kind="stable")  # in the walk, states come with the first deal that allows their board
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(1, len(order) + 1)  # 0 is the deal
    above = np.array([number[place.above] if place.above >= 0 else 0 for place in places], dtype=np.int32)
    infosets, row_of = _infosets(game, places)
    ordered = [places[i] for i in order.tolist()]
    firsts = [_offsets([len(place.board.hands[p]) for place in ordered]) for p in range(game.players)]
    sizes = [1, *(len(place.board.deals) for place in ordered)]
    parents = [-1, *above[order].tolist()]
    return PublicTree(
        game=game,
        players=game.players,
        states=("deal", *(place.text for place in ordered)),
        parent=np.array(parents, dtype=np.int32),
        player=np.array([CHANCE, *(place.node.player for place in ordered)], dtype=np.int32),
        private=tuple(_privates(game, p, ordered, parents, firsts[p], row_of) for p in range(game.players)),
        first_joint=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        joint=_joint(game, ordered, firsts),
        weight=np.concatenate([[1.0], *(place.board.weight for place in ordered)]),
        returns=_returns(game, ordered),
        infosets=infosets,
    )


def _walk(game: Poker) -> list[_Place]:
    """Public states in depth-first order, boards in the order of the deck."""
    dealer = game.dealer
    chances = np.array([probability for _, probability in dealer.hole_outcomes])
    deals = np.arange(len(chances), dtype=np.int32)
    out: list[_Place] = []
    stack = [_Place("", game.first, _Board(game, (), "", deals, chances, None), -1, -1)]
    while stack:
        place = stack.pop()
        here, node = len(out), place.node
        if here % CLOCK_EVERY == 0:
            check_time(f"The public tree of '{game.name}'")
        out.append(place)
        if node.player == CHANCE:
            for board in reversed(place.board.dealt(game.rules.board[node.round + 1])):
                stack.append(_Place(_joined(place.text, board.text), node.after_deal, board, here, -1))
        elif node.player != TERMINAL:
            for i, label in reversed(list(enumerate(node.labels))):
                stack.append(_Place(_joined(place.text, label), node.after(i), place.board, here, i))
    return out


def _joined(line: str, token: str) -> str:
    return f"{line}:{token}" if line else token


def _offsets(counts: list[int]) -> Ints:
    """[states + 1] where each state's infostates begin; the deal has one."""
    return np.concatenate([[0, 1], 1 + np.cumsum(counts)]).astype(np.int32)


def _keys(game: Poker, player: int, place: _Place) -> list[str]:
    tail = f":{place.text}" if place.text else ""
    return [game.hole_label(cards) + tail for cards in place.board.hands[player]]


def _infosets(game: Poker, places: list[_Place]) -> tuple[InfosetIndex, dict[str, Ints]]:
    """All infosets, by the first deal that meets them and then in walking order; and the rows of each public state."""
    acting = [place for place in places if place.node.player >= 0]
    met = np.concatenate([place.board.first_deal[place.node.player] for place in acting])
    rank = np.argsort(met, kind="stable")
    row = np.empty(len(rank), dtype=np.int32)
    row[rank] = np.arange(len(rank), dtype=np.int32)
    keys = [key for place in acting for key in _keys(game, place.node.player, place)]
    owner = [place for place in acting for _ in place.board.hands[place.node.player]]
    names = {id(place.node): tuple(place.node.labels) for place in acting}
    first, rows = 0, {}
    for place in acting:
        count = len(place.board.hands[place.node.player])
        rows[place.text] = row[first : first + count]
        first += count
    listed = [owner[i] for i in rank.tolist()]
    return (
        InfosetIndex(
            keys=tuple(keys[i] for i in rank.tolist()),
            player=np.array([place.node.player for place in listed], dtype=np.int32),
            actions=tuple(names[id(place.node)] for place in listed),
            public=tuple(place.text for place in listed),
        ),
        rows,
    )


def _privates(
    game: Poker, player: int, ordered: list[_Place], parents: list[int], first: Ints, row_of: dict[str, Ints]
) -> PrivateStates:
    keys, parent, action, row, width = ["deal"], [np.array([-1])], [np.array([-1])], [np.array([-1])], [np.array([0])]
    for s, place in enumerate(ordered, start=1):
        above, count = parents[s], len(place.board.hands[player])
        keys += _keys(game, player, place)
        hand = np.zeros(count, np.int32) if above == 0 else _hand_above(player, place, ordered[above - 1], count)
        parent.append(first[above] + hand)
        moved = above > 0 and ordered[above - 1].node.player == player
        action.append(np.full(count, place.action if moved else -1))
        acts = place.node.player == player
        row.append(row_of[place.text] if acts else np.full(count, -1))
        width.append(np.full(count, len(place.node.labels) if acts else 0))
    return PrivateStates(
        first=first,
        keys=tuple(keys),
        parent=np.concatenate(parent).astype(np.int32),
        action=np.concatenate(action).astype(np.int32),
        row=np.concatenate(row).astype(np.int32),
        first_choice=np.concatenate([[0], np.cumsum(np.concatenate(width))]).astype(np.int32),
    )


def _hand_above(player: int, place: _Place, above: _Place, count: int) -> Ints:
    return np.arange(count, dtype=np.int32) if place.board is above.board else place.board.before[player]


def _joint(game: Poker, ordered: list[_Place], firsts: list[Ints]) -> Ints:
    start = np.stack(firsts, axis=1)
    parts = [np.zeros((1, game.players), np.int32)]
    parts += [start[s] + place.board.joint for s, place in enumerate(ordered, start=1)]
    return np.concatenate(parts).astype(np.int32)


def _returns(game: Poker, ordered: list[_Place]) -> Floats:
    parts = [np.zeros((1, game.players))]
    for place in ordered:
        ended = place.node.player == TERMINAL
        parts.append(place.board.returns(place.node) if ended else np.zeros((len(place.board.deals), game.players)))
    return np.concatenate(parts)
