"""PokerRules: one description from which Kuhn, Leduc, Rhode Island and the hold'em family are made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import ParameterError
from equilibrist.core.units import check_unit, digits_of, number_text, smallest_unit
from equilibrist.games.poker.bet_sizes import BetMenu

MOST_CHIPS = 10**15  # of any amount: every whole number up to it is a float, and so are its halves


@dataclass(frozen=True)
class PokerRules:
    """Cards, forced bets and betting; amounts are chips, one entry per betting round or per player."""

    deck: Deck
    board: tuple[int, ...]  # public cards dealt before each betting round; its length is the number of rounds
    menus: tuple[BetMenu, ...]  # bets and raises on offer in each round
    caps: tuple[float, ...]  # bets and raises allowed in each round; 0: no betting in that round
    players: int = 2
    hole: int = 1  # private cards each
    ante: float = 0.0  # posted by everybody
    blinds: tuple[float, ...] = ()  # posted by each player on top of the ante
    first: tuple[int, ...] = ()  # who acts first in each round; player 0 if absent
    stack: float = math.inf  # chips of each player at the start, forced bets included
    stacks: tuple[float, ...] = ()  # chips of each player where they differ; `stack` is then the largest
    chip: float = (
        0.0  # amounts are multiples of it, odd ones of a tie go to the first in order; 0: real numbers, exact shares
    )
    rounds_bets: bool = True  # to chips; else shares of the pot are real numbers, and only ties are paid in chips
    dead: tuple[
        float, ...
    ] = ()  # of each player in the pot, beside its stack and its bets: an ante that one player posts
    minimum_bet: float = 0.0
    raise_at_least_last: bool = False  # a raise must be at least as large as the one before it
    half_street: bool = False  # after a check by the first player cards are shown at once
    menus_at: dict[str, BetMenu] = field(default_factory=dict)  # betting line -> its own menu instead of the round's
    names_lines: bool = field(default=True, compare=False)  # situations carry their line
    digits: int = field(init=False, repr=False, compare=False)  # decimals to which amounts are kept
    dead_total: float = field(init=False, repr=False, compare=False)
    unit: float = field(init=False, repr=False, compare=False)  # the chip, or what forced bets need; 0: nothing does

    def __post_init__(self) -> None:
        rounds = len(self.board)
        if len(self.menus) != rounds or len(self.caps) != rounds:
            raise ParameterError(f"There are {rounds} betting rounds: give one menu and one cap for each.")
        if not 2 <= self.players <= 10:
            raise ParameterError(f"Poker is for 2 to 10 players, but {self.players} were given.")
        if not all(0 <= first < self.players for first in self.first):
            raise ParameterError(f"The first to act is one of {self.players} players, but {self.first} was given.")
        need = self.players * self.hole + sum(self.board)
        if need > self.deck.size:
            raise ParameterError(
                f"{self.players} players with {self.hole} cards each and {sum(self.board)} on the board need {need} "
                f"cards, but the deck has {self.deck.size}; add ranks or suits."
            )
        self._check_amounts()
        if self.stacks:
            self._settle_stacks()
        if not self.stack > 0:
            raise ParameterError(f"The stack must be positive, but {self.stack} was given.")
        if len(self.dead) not in (0, self.players):
            raise ParameterError(
                f"'dead' has one amount for each of {self.players} players, but {self.dead} was given."
            )
        if self.ante < 0 or any(amount < 0 for amount in (*self.blinds, *self.dead)):
            raise ParameterError("Antes and blinds cannot be negative.")
        if self.ante <= 0 and not any(self.blinds):
            raise ParameterError("Nobody would bet without a pot: give an ante or blinds above 0.")
        self._settle_units()
        if not self.stacks and max(self.forced(p) for p in range(self.players)) > self.stack:
            raise ParameterError(f"The stack of {number_text(self.stack)} does not cover the forced bets.")
        if self.deck.merged and (self.hole != 1 or len(self.board) > 2):
            raise ParameterError("Suits can be merged only in games with one private card and no flushes.")

    def _check_amounts(self) -> None:
        """Amounts are numbers; only a stack may be without end."""
        stack = () if self.stack == math.inf else (self.stack,)
        for amount in (*stack, *self.stacks, self.ante, *self.blinds, *self.dead, self.minimum_bet, self.chip):
            if not abs(amount) <= MOST_CHIPS:
                raise ParameterError(f"Amounts are numbers of at most {MOST_CHIPS:,} chips, but {amount:g} was given.")

    def _settle_stacks(self) -> None:
        """`stack` is the largest of them."""
        if len(self.stacks) != self.players or not all(0 < stack < math.inf for stack in self.stacks):
            raise ParameterError(
                f"'stacks' has one positive number for each of {self.players} players, but {self.stacks} was given."
            )
        object.__setattr__(self, "stack", max(self.stacks))

    def _settle_units(self) -> None:
        """Decimals of all amounts; a chip must be a unit of everything that is given."""
        if self.chip:
            fixed = [float(token[:-1]) for menu in self.menus for token in menu.tokens if token.endswith("c")]
            check_unit(
                self.chip,
                stack=(self.stack, *self.stacks),
                blind=self.blinds,
                ante=(self.ante, *self.dead),
                bet=fixed,
                smallest_bet=(self.minimum_bet,),
            )
        object.__setattr__(self, "unit", self.chip or smallest_unit((self.ante, *self.blinds), otherwise=0.0))
        object.__setattr__(self, "digits", digits_of(self.bet_unit))
        object.__setattr__(self, "dead_total", round(sum(self.dead), self.digits))

    @property
    def bet_unit(self) -> float:
        """What bets are multiples of; 0: real numbers."""
        return self.chip if self.rounds_bets else 0.0

    @property
    def has_boards(self) -> bool:
        """Two players with one or two private cards: vectors of hands on boards, evaluated in linear time."""
        return self.players == 2 and self.hole <= 2 and self.board[0] == 0 and not self.stacks and not self.dead

    def menu(self, round_number: int, line: str) -> BetMenu:
        """Bets and raises on offer after a betting line, which is written without cards."""
        return self.menus_at.get(line, self.menus[round_number])

    def forced(self, player: int) -> float:
        """What a player posts before the first action, as far as its stack goes."""
        posted = round(self.ante + (self.blinds[player] if player < len(self.blinds) else 0.0), self.digits)
        return min(posted, self.stacks[player]) if self.stacks else posted

    def stack_of(self, player: int) -> float:
        """Chips of a player at the start, forced bets included."""
        return self.stacks[player] if self.stacks else self.stack

    def fixed_size(self, round_number: int, line: str = "") -> bool:
        """One bet size in chips and no stacks: labels need not name amounts."""
        tokens = self.menu(round_number, line).tokens
        return len(tokens) == 1 and tokens[0].endswith("c") and not math.isfinite(self.stack)

    def first_to_act(self, round_number: int) -> int:
        return self.first[round_number] if round_number < len(self.first) else 0
