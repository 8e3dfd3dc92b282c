"""Poker: the betting tree with cards in it."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import evaluate
from equilibrist.cards.evaluator_tables import MOST_RANKS
from equilibrist.cards.strength import hand_strength
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.player import Chips
from equilibrist.core.units import REAL_DIGITS
from equilibrist.games.poker.bet_sizes import Menu, parse_size
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.deals import Dealer
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

Cards = tuple[int, ...]

COUNT_LIMIT = 300_000  # betting situations walked before a game is called too large to count
LONG_LINE = 300  # characters of a betting line, which every situation keeps, that weigh as much as another situation
KEPT_RESULTS = 300_000  # ends of hands of two players whose three outcomes are remembered
TINY = 1e-6  # of a chip
WIDE_MENU = 2_000  # actions at one node beyond which nobody would count them all


class PokerState(State):
    """A betting situation and the cards dealt so far; `hole` is empty before the deal."""

    __slots__ = ("board", "game", "hole", "line", "node", "player")

    def __init__(self, game: Poker, node: BettingNode, hole: tuple[Cards, ...], board: Cards, line: str) -> None:
        self.game, self.node, self.hole, self.board, self.line = game, node, hole, board, line
        self.player = node.player if hole else CHANCE

    def actions(self) -> Sequence[str]:
        return self.node.labels

    def chance(self) -> Sequence[tuple[str, float]]:
        if not self.hole:
            return self.game.dealer.hole_outcomes
        return self.game.dealer.board_outcomes(self._seen(), self._next_cards())

    def child(self, index: int) -> PokerState:
        if self.player >= 0:
            label = self.node.labels[index]
            line = f"{self.line}:{label}" if self.line else label
            return PokerState(self.game, self.node.after(index), self.hole, self.board, line)
        dealer = self.game.dealer
        if not self.hole:
            first = self.game.first
            return PokerState(self.game, first, dealer.hole_cards(index), (), "")
        dealt = dealer.board_cards(self._seen(), self._next_cards(), index)
        text = "".join(map(dealer.deck.label, dealt))
        line = f"{self.line}:{text}" if self.line else text
        return PokerState(self.game, self.node.after_deal, self.hole, self.board + dealt, line)

    def infoset(self, player: int) -> str:
        if not self.hole:
            return "deal"
        cards = self.game.hole_label(self.hole[player])
        return f"{cards}:{self.line}" if self.line else cards

    def public(self) -> str:
        return self.line if self.hole else "deal"

    def returns(self) -> tuple[float, ...]:
        return self.game.payoffs(self.node, self.hole, self.board)

    def chips(self, seat: int, public: bool = False) -> Chips:
        node = self.node
        return Chips(
            hole=() if public else self.hole[seat],
            board=self.board,
            round=node.round,
            pot=node.pot,
            to_call=node.facing,
            paid=node.paid,
            behind=tuple(map(node.behind, range(len(node.paid)))),
            folded=node.folded,
            round_base=max(node.paid) - max(node.at_start),
            raise_bounds=node.raise_bounds,
            big_blind=float(self.game.big_blind or 1.0),
            unit=self.game.rules.unit,
        )

    def dealt(self, seat: int) -> tuple[str, str]:
        if not self.board:
            return "deal", self.game.hole_label(self.hole[seat])
        new = self.board[len(self.board) - self.game.rules.board[self.node.round] :]
        return "reveal", "".join(map(self.game.rules.deck.label, new))

    def shown(self) -> Mapping[int, str]:
        live = [seat for seat, folded in enumerate(self.node.folded) if not folded]
        return {seat: self.game.hole_label(self.hole[seat]) for seat in live} if len(live) > 1 else {}

    def sample_chance(self, rng: random.Random) -> int:
        dealer = self.game.dealer
        if dealer.deck.merged:
            return super().sample_chance(rng)
        if not self.hole:
            return rng.randrange(dealer.hole_count)
        return rng.randrange(dealer.board_count(self._next_cards(), len(self.board)))

    def _seen(self) -> Cards:
        return tuple(card for cards in self.hole for card in cards) + self.board

    def _next_cards(self) -> int:
        return self.game.rules.board[self.node.round + 1]


class Poker(Game):
    """Any poker game that `PokerRules` can describe."""

    def __init__(self, name: str, rules: PokerRules) -> None:
        self.name, self.rules, self.players = name, rules, rules.players
        self.dealer = Dealer(rules)
        self.first = first_node(rules)
        self.pot = self.first.pot
        self.big_blind = max(rules.blinds) if any(rules.blinds) else rules.ante
        self._hole_labels: dict[Cards, str] = {}
        self._strengths: dict[tuple[Cards, Cards], tuple[int, ...]] = {}
        self._duel: dict[int, tuple[BettingNode, tuple[tuple[float, ...], ...]]] = {}

    @property
    def deck(self) -> Deck:
        return self.rules.deck

    def start(self) -> PokerState:
        return PokerState(self, self.first, (), (), "")

    def hole_label(self, cards: Cards) -> str:
        label = self._hole_labels.get(cards)
        if label is None:
            label = self._hole_labels[cards] = "".join(map(self.rules.deck.label, reversed(cards)))
        return label

    def strength(self, hole: Cards, board: Cards) -> tuple[int, ...]:
        """Larger wins, equal splits."""
        found = self._strengths.get((hole, board))
        if found is None:
            deck, cards = self.rules.deck, hole + board
            if len(cards) >= 5 and not deck.merged and deck.ranks <= MOST_RANKS:
                return (int(evaluate(np.array([cards], np.uint8), deck)[0]),)
            found = hand_strength([deck.rank(c) for c in cards], [deck.suit(c) for c in cards], deck.ranks)
            if len(self._strengths) < 1_000_000:
                self._strengths[(hole, board)] = found
        return found

    def payoffs(self, node: BettingNode, hole: tuple[Cards, ...], board: Cards) -> tuple[float, ...]:
        """Net result of each player at the end of a hand."""
        if self.players == 2:
            outcomes = self.outcomes(node)
            if any(node.folded):
                return outcomes[0]
            first, second = self.strength(hole[0], board), self.strength(hole[1], board)
            return outcomes[0 if first > second else 2 if first < second else 1]
        if sum(node.folded) == self.players - 1:
            return settle(node, (0,) * self.players)
        strengths = [() if node.folded[p] else self.strength(cards, board) for p, cards in enumerate(hole)]
        return settle(node, strengths)

    def outcomes(self, node: BettingNode) -> tuple[tuple[float, ...], ...]:
        """Results of two players if the first wins, if they tie, if the second wins; remembered for small games."""
        known = self._duel.get(id(node))
        if known is None:
            known = (node, tuple(settle(node, ranking) for ranking in ((1, 0), (0, 0), (0, 1))))
            if len(self._duel) < KEPT_RESULTS:
                self._duel[id(node)] = known
        return known[1]

    @property
    def solved_on(self) -> tuple[str, ...]:
        return ("boards",) if self.rules.has_boards else ()

    def histories(self) -> float:
        """Betting situations of each round times the ways to deal its cards; infinite if too many to count."""
        total, stack, met = 1.0, [self.first], 0
        while stack:
            node = stack.pop()
            met += 1 + len(node.line) // LONG_LINE
            if met > COUNT_LIMIT:
                return math.inf
            total += self.dealer.deals(node.round)
            if node.player == CHANCE:
                stack.append(node.after_deal)
            elif node.player != TERMINAL:
                if len(node.labels) > WIDE_MENU:
                    return math.inf
                stack.extend(following for _, following in node.options)
        return total

    def same_place(self, public_state: str, named: str) -> bool:
        """Menus know betting, not cards."""
        return betting_line(public_state) == betting_line(named)

    def with_action(self, public_state: str, action: str) -> Poker:
        """One more bet size at a public line, as a menu token (`75%`, `3c`, `a`); board cards in the line are ignored."""
        if all(not math.isfinite(self.rules.stack) and len(menu.tokens) == 1 for menu in self.rules.menus):
            raise NotApplicableError(
                f"'{self.name}' is a limit game with one bet size, so '{action}' cannot be added; use a no-limit game."
            )
        line, node = betting_line(public_state), self.node_at(public_state)
        node.check_raise(action)
        menu = Menu((*self.rules.menu(node.round, line).tokens, action))
        return self._with_menu(line, menu, f"{self.name}+{public_state}:{action}")

    def without_action(self, public_state: str, action: str) -> Poker:
        """The reverse of `with_action`: one menu token less at a public line."""
        line, node = betting_line(public_state), self.node_at(public_state)
        tokens = self.rules.menu(node.round, line).tokens
        wanted = parse_size(action).token
        if wanted not in tokens:
            raise ParameterError(
                f"The menu at '{public_state}' of '{self.name}' is {', '.join(tokens)}, without '{action}'."
            )
        suffix = f"+{public_state}:{action}"
        name = self.name.replace(suffix, "", 1) if suffix in self.name else f"{self.name}-{public_state}:{action}"
        return self._with_menu(line, Menu(tuple(token for token in tokens if token != wanted)), name)

    def node_at(self, public_state: str) -> BettingNode:
        """The betting situation of a public line, where somebody decides."""
        node = self.first
        for label in filter(None, betting_line(public_state).split(":")):
            while node.player == CHANCE:
                node = node.after_deal
            if node.player < 0 or label not in node.labels:
                raise ParameterError(f"There is no public state '{public_state}' in '{self.name}'.")
            node = node.after(node.labels.index(label))
        return node.after_deal if node.player == CHANCE else node

    def _with_menu(self, line: str, menu: Menu, name: str) -> Poker:
        return Poker(name, replace(self.rules, menus_at={**self.rules.menus_at, line: menu}))


@functools.lru_cache(maxsize=100_000)
def betting_line(public_state: str) -> str:
    """A public line without its board cards."""
    return ":".join(t for t in public_state.split(":") if t and t[0] in "fcxbr" and not t[0].isupper())


def pots(paid: Sequence[float], folded: Sequence[bool]) -> list[tuple[float, list[int]]]:
    """Main pot and side pots: chips and the players who can win them; uncalled chips are a pot of one."""
    out: list[tuple[float, list[int]]] = []
    level = 0.0
    for cut in sorted(set(paid)):
        layer = sum(min(amount, cut) - min(amount, level) for amount in paid)
        eligible = [p for p, amount in enumerate(paid) if not folded[p] and amount >= cut]
        if not eligible:  # only folded chips above the last live player: they belong to the pot below
            eligible = out[-1][1] if out else [p for p, gone in enumerate(folded) if not gone]
        if out and out[-1][1] == eligible:
            out[-1] = (out[-1][0] + layer, eligible)
        elif layer:
            out.append((layer, eligible))
        level = cut
    return out


def settle(node: BettingNode, ranking: Sequence[tuple[int, ...]] | Sequence[int]) -> tuple[float, ...]:
    """Pay out the pot and all side pots; uncalled chips go back. Odd chips of a tie go one by one to the first in order."""
    rules, net, most = node.rules, [-amount for amount in node.paid], 1
    dead = rules.dead_total
    for amount, eligible in pots(node.paid, node.folded):
        best = max(ranking[p] for p in eligible) if len(eligible) > 1 else ranking[eligible[0]]
        winners = [p for p in eligible if ranking[p] == best]
        amount, dead = amount + dead, 0.0  # dead money is part of the main pot
        if len(winners) == 1:
            net[winners[0]] += amount
            continue
        most = max(most, len(winners))
        for p, share in zip(winners, shares(amount, len(winners), rules.chip), strict=True):
            net[p] += share
    for p, posted in enumerate(rules.dead):
        net[p] -= posted
    if not rules.chip and most > 2:
        return tuple(net)  # thirds of real numbers have no last decimal
    digits = rules.digits if rules.chip else REAL_DIGITS + 1  # halves have one more
    return tuple([round(chips, digits) for chips in net])


def shares(amount: float, winners: int, chip: float) -> list[float]:
    """Equal parts of a pot, in chips: those left over go to the first winners, and so does a rest of real bets."""
    if not chip:
        return [amount / winners] * winners
    count = math.floor(amount / chip + TINY)
    each, odd = divmod(count, winners)
    parts = [(each + (place < odd)) * chip for place in range(winners)]
    parts[0] += amount - count * chip
    return parts
