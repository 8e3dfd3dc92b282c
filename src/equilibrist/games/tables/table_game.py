"""TableGame: a table before the flop as a game that can be played: real cards for every seat, betting by the menus, boards run out.

Whoever sees a flop shows its cards without further bets, as `check-down` has it; prizes are by ICM. How a solution was made (locks,
bunching, how three hands are compared, hands to come) is no part of the rules, so that solutions of one table meet at it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from equilibrist.cards.allins.classes import NAMES
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import evaluate
from equilibrist.cards.range_text import STANDARD, hand_name, hands_of
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.player import Chips
from equilibrist.games.poker.deals import UniformOutcomes, unrank
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.games.tables.betting import NOBODY, Situation, first_decision, to_call
from equilibrist.games.tables.flop_leaves import CHECK_DOWN
from equilibrist.games.tables.payoffs import MOST_RANKED, Payoffs, weak_orders
from equilibrist.games.tables.table import THREE_BY_WHAT_THERE_IS, Table
from equilibrist.games.tables.table_names import table_name

BOARD = 5
NOT_DEALT = -1
MOST_KEPT = 100_000  # orders of many hands whose payoffs are remembered
MOST_NARROW = 3  # seats with ranges of their own whose hands are dealt exactly
_HANDS = hands_of(STANDARD)


def rules_of(table: Table) -> Table:
    """The table as it is played, without what only says how it is solved."""
    if table.leaves != CHECK_DOWN:
        raise NotApplicableError(
            "This table goes on after the flop ('leaves'), but tables are played hand by hand with flops checked down only."
        )
    return table.changed(lock=[], bunching=False, three_way=THREE_BY_WHAT_THERE_IS, fgs=0)


class TableGame(Game):
    """Seats in the order in which they act; payoffs are chips won, or prize money."""

    def __init__(self, table: Table) -> None:
        self.table = rules_of(table)
        self.name, self.players = table_name(self.table), table.seats
        self.seat_names = table.names
        self.zero_sum = not table.payouts and not table.rake.rate
        self.big_blind = None if table.payouts else table.big_blind
        self.deck: Deck = STANDARD
        self.first = first_decision(self.table)
        self.deals = SeatDeals(self.table)
        self._following: dict[tuple[str, ...], tuple[Situation, ...]] = {}
        self._payoffs: dict[tuple[str, ...], Floats] = {}

    @property
    def short_name(self) -> str:
        table = self.table
        prizes = ", for prizes" if table.payouts else ""
        return f"table of {table.seats}, blinds {table.blinds[0]:g}/{table.blinds[1]:g}{prizes}"

    @property
    def unit(self) -> str:
        return "prize money" if self.table.payouts else "chips"

    def histories(self) -> float:
        """Too many to count: a showdown alone has a million boards."""
        return math.inf

    def start(self) -> TableHand:
        return TableHand(self, (NOT_DEALT,) * self.players, self.first, ())

    def after(self, here: Situation) -> tuple[Situation, ...]:
        """Where the actions of a situation lead; remembered, as every hand comes here again."""
        found = self._following.get(here.line)
        if found is None:
            found = tuple(here.after(index) for index in range(len(here.actions)))
            self._following[here.line] = found
        return found

    def payoffs(self, end: Situation, hands: Sequence[int], board: Sequence[int]) -> tuple[float, ...]:
        """What every seat has won, or its prize money."""
        if len(end.staying) == 1:
            return self._paid(end, (0,))
        cards = [[*_cards(hands[seat]), *board] for seat in end.staying]
        strength = evaluate(np.array(cards, dtype=np.uint8)).tolist()
        better = sorted(set(strength), reverse=True)
        return self._paid(end, tuple(better.index(each) for each in strength))

    def _paid(self, end: Situation, order: tuple[int, ...]) -> tuple[float, ...]:
        """What every seat has when hands rank in this order; all orders of few hands are settled at once."""
        ranked = len(order) <= MOST_RANKED
        key = (*end.line, "" if ranked else str(order))
        pays = self._payoffs.get(key)
        if pays is None:
            asked = Payoffs(self.table)
            asked.add(end, None if ranked else order)
            pays = asked.values() * (self.big_blind or 1.0)
            if ranked or len(self._payoffs) < MOST_KEPT:
                self._payoffs[key] = pays
        return tuple(pays[weak_orders(len(order)).index(order) if ranked else 0].tolist())


class TableHand(State):
    """A betting situation and the cards dealt so far."""

    __slots__ = ("board", "game", "hands", "here", "player")

    def __init__(self, game: TableGame, hands: tuple[int, ...], here: Situation, board: tuple[int, ...]) -> None:
        self.game, self.hands, self.here, self.board = game, hands, here, board  # hands: [seat] number, or NOT_DEALT
        if NOT_DEALT in hands:
            self.player = CHANCE
        elif here.seat != NOBODY:
            self.player = here.seat
        else:
            self.player = CHANCE if len(here.staying) > 1 and not board else TERMINAL

    def actions(self) -> Sequence[str]:
        return self.here.labels

    def chance(self) -> Sequence[tuple[str, float]]:
        if NOT_DEALT in self.hands:
            hands, shares = self.game.deals.next_hands(self.hands)
            return [(hand_name(int(hand)), float(share)) for hand, share in zip(hands, shares, strict=True)]
        left = self._left()
        return UniformOutcomes(math.comb(len(left), BOARD), lambda index: _text(unrank(left, BOARD, index)))

    def sample_chance(self, rng: random.Random) -> int:
        if NOT_DEALT not in self.hands:
            return rng.randrange(math.comb(len(self._left()), BOARD))
        sums = np.cumsum(self.game.deals.next_hands(self.hands)[1])
        return min(int(np.searchsorted(sums, rng.random() * sums[-1], side="right")), len(sums) - 1)

    def child(self, index: int) -> TableHand:
        if NOT_DEALT in self.hands:
            deals = self.game.deals
            seat, hand = deals.next_seat(self.hands), int(deals.next_hands(self.hands)[0][index])
            return TableHand(self.game, (*self.hands[:seat], hand, *self.hands[seat + 1 :]), self.here, ())
        if self.player != CHANCE:
            return TableHand(self.game, self.hands, self.game.after(self.here)[index], ())
        return TableHand(self.game, self.hands, self.here, tuple(unrank(self._left(), BOARD, index)))

    def infoset(self, player: int) -> str:
        hand, seen = self.hands[player], self.public()
        own = NAMES[int(_HANDS.cell[hand])] if hand != NOT_DEALT else ""
        return f"{own}:{seen}" if own and seen else own or seen

    def public(self) -> str:
        if NOT_DEALT in self.hands:
            return f"deal {self.game.players - self.hands.count(NOT_DEALT) + 1}"
        line = ":".join(self.here.line)
        return f"{line}:{_text(self.board)}" if self.board else line

    def returns(self) -> tuple[float, ...]:
        return self.game.payoffs(self.here, self.hands, self.board)

    def chips(self, seat: int, public: bool = False) -> Chips:
        here, table = self.here, self.game.table
        raises = [total for label, total in here.actions if label[0] in "ra"] if here.seat != NOBODY else []
        return Chips(
            hole=() if public else _cards(self.hands[seat]),
            board=self.board,
            round=0,
            pot=round(here.pot, 9),
            to_call=to_call(here, seat),
            paid=tuple(round(bet + dead, 9) for bet, dead in zip(here.bets, here.dead, strict=True)),
            behind=here.behind,
            folded=here.folded,
            round_base=here.level,
            raise_bounds=(min(raises), max(raises)) if raises else None,
            big_blind=table.big_blind,
            unit=table.chip,
        )

    def dealt(self, seat: int) -> tuple[str, str] | None:
        if self.board:
            return "reveal", _text(self.board)
        return ("deal", hand_name(self.hands[seat])) if self.game.deals.last_seat(self.hands) == seat else None

    def shown(self) -> dict[int, str]:
        return {seat: hand_name(self.hands[seat]) for seat in self.here.staying} if self.board else {}

    def _left(self) -> list[int]:
        used = {card for hand in self.hands for card in _cards(hand)}
        return [card for card in range(STANDARD.size) if card not in used]


class SeatDeals:
    """Hands of all seats at once, as likely as their ranges and the cards of the others make them; one seat after the other.

    Seats with ranges of their own come first: each hand counts for as many hands as those after it can still hold. For seats that may
    hold anything that is the same number whatever was dealt.
    """

    def __init__(self, table: Table) -> None:
        self._weights = [each.weights for each in table.ranges]
        narrow = [seat for seat, weights in enumerate(self._weights) if not (weights == weights[0]).all()]
        if len(narrow) > MOST_NARROW:
            raise NotApplicableError(
                f"{len(narrow)} seats of this table have ranges of their own, but hands are dealt to {MOST_NARROW} such seats at the most."
            )
        self._narrow = len(narrow)
        self._order = [*narrow, *(seat for seat in range(table.seats) if seat not in narrow)]

    def next_seat(self, hands: Sequence[int]) -> int:
        """Who is dealt a hand next."""
        return self._order[len(hands) - hands.count(NOT_DEALT)]

    def last_seat(self, hands: Sequence[int]) -> int:
        """Who was dealt one last."""
        return self._order[len(hands) - hands.count(NOT_DEALT) - 1]

    def next_hands(self, hands: Sequence[int]) -> tuple[Longs, Floats]:
        """Hands of the next seat and how likely each is."""
        done = len(hands) - hands.count(NOT_DEALT)
        if not done:
            return self._first
        free = np.ones(_HANDS.count)
        for hand in hands:
            if hand != NOT_DEALT:
                free *= self._apart[hand]
        weights = free * self._weights[self._order[done]]
        if done + 1 < self._narrow:  # one more seat with a range of its own
            weights = weights * (self._apart @ (free * self._weights[self._order[done + 1]]))
        return _shares(weights)

    @cached_property
    def _first(self) -> tuple[Longs, Floats]:
        """Of the first seat, however many of the others have ranges of their own."""
        first, *later = (self._weights[seat] for seat in self._order[: max(1, self._narrow)])
        if len(later) == 1:
            first = first * (self._apart @ later[0])
        elif len(later) == 2:
            both = (self._apart * later[1]) @ self._apart  # [first, second] what the third can hold beside both
            first = first * ((self._apart * both) @ later[0])
        return _shares(first)

    @cached_property
    def _apart(self) -> Floats:
        """[hand, hand] 1 where two hands share no card."""
        low, high = _HANDS.low, _HANDS.high
        shared = np.zeros((_HANDS.count, _HANDS.count), dtype=bool)
        for own in (low, high):
            for other in (low, high):
                shared |= own[:, None] == other[None, :]
        return (~shared).astype(np.float64)


def _shares(weights: Floats) -> tuple[Longs, Floats]:
    """Hands of any weight, and their shares; what rounding has left over of nothing is nothing."""
    hands: Longs = np.flatnonzero(weights > 1e-12 * weights.max())
    return hands, weights[hands] / weights[hands].sum()


def _cards(hand: int) -> tuple[int, int]:
    return int(_HANDS.low[hand]), int(_HANDS.high[hand])


def _text(cards: Sequence[int]) -> str:
    return "".join(map(STANDARD.label, cards))
