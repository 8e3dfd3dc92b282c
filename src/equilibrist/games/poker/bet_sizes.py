"""Bet sizes: one grammar for games, spots, blueprint plans, options and forms.

| token | opening bet | raise |
|---|---|---|
| `60%` | 60 % of the pot | by 60 % of the pot as it is once the bet faced has been called |
| `100c` | 100 chips | by 100 chips, on top of the call |
| `2.5x` | not offered | to 2.5 times the bet faced (see `multiple`) |
| `e`, `2e`, `3e200%` | geometric: the share of the pot that, bet in every round left (in 2; 3, up to 200 %), is all-in | likewise |
| `a` | all-in | all-in |
| `*`, `*50` | every multiple of 1 chip (of 50), and all-in | by every multiple |

A menu is a list of tokens separated by commas. It answers with raise amounts: chips put in on top of a call, which for an opening bet is
the bet. In games with a smallest chip they are rounded to multiples of it, halves upwards. Two conventions exist for `x`, and a menu says
which one it keeps (`multiple`): games multiply what a call costs, spots the bettor's total of this street. They differ where the player
to act has chips in already: after bet 100, raise to 300, `2.5x` raises by 1.5 times 200 in games and to 750 in spots.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, Protocol

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.core.units import nearest_multiple, number_text

Multiple = Literal["call", "bet"]

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:e-\d+|e\d+(?=\s*[cx]))?"
_SIZE = re.compile(
    rf"(?P<number>{_NUMBER})?\s*(?P<unit>[%xcea])(?:(?P<limit>\d+(?:\.\d*)?|\.\d+)\s*%)?|(?P<every>\*)\s*(?P<step>{_NUMBER})?",
    re.IGNORECASE,
)
_EXPECTED = "60% (of the pot), 2.5x (the bet faced), 100c (chips), e, 2e or 3e200% (geometric), a (all-in) or * (every multiple of a chip)"
_TINY = 1e-9
MOST_MULTIPLES = 100_000  # bets that one '*' may list


@dataclass(frozen=True)
class BettingSituation:
    """What a menu may look at: all amounts in chips."""

    pot_after_call: float
    facing: float  # what a call costs, 0 when opening
    remaining: float  # behind after calling
    minimum: float  # smallest legal raise, short of all-in
    player: int = 0
    bets: int = 0  # in this round so far; a blind is a bet
    paid: float = 0.0  # by this player, in the whole hand
    stack: float = math.inf  # of this player at the start of the hand
    bet: float = 0.0  # the bettor's total of this round, which a call matches; 0 when opening
    rounds: int = 1  # betting rounds left, this one included
    unit: float = 0.0  # amounts are multiples of it; 0: real numbers
    answerable: float = math.inf  # on top of a call, the most that somebody else could still match
    called: bool = False  # this player ended the round before with a call, so an opening bet would be a donk bet


@dataclass(frozen=True)
class BetSize:
    """One size of a menu."""

    unit: str  # one of % x c e a *
    amount: float = 0.0  # per cent, factor, chips, rounds (0: as many as are left), or the step between multiples
    limit: float = math.inf  # geometric sizes: at most this per cent of the pot

    def share(self, here: BettingSituation) -> float:
        """Of the pot after the call, for sizes that are one."""
        if self.unit == "%":
            return self.amount / 100.0
        rounds = self.amount or here.rounds
        if rounds == 1 and math.isinf(self.limit):
            return here.remaining / here.pot_after_call
        share = (math.pow(2.0 * here.remaining / here.pot_after_call + 1.0, 1.0 / rounds) - 1.0) / 2.0
        return min(share, self.limit / 100.0)

    def amounts(self, here: BettingSituation, multiple: Multiple = "call") -> list[float]:
        """Chips on top of a call, before anything is rounded, lifted or left out."""
        if self.unit == "%":
            return [self.amount / 100.0 * here.pot_after_call]
        if self.unit == "c":
            return [self.amount]
        if self.unit == "x":
            faced = here.facing if multiple == "call" else here.bet
            return [(self.amount - 1.0) * faced] if faced > 0 else []
        if not math.isfinite(here.remaining):
            if self.unit == "a":
                return []
            raise ParameterError(f"A menu with '{self}' needs a finite stack.")
        if self.unit == "a":
            return [here.remaining]
        if self.unit == "e":
            return [self.share(here) * here.pot_after_call]
        count = here.remaining / self.amount + _TINY
        if count > MOST_MULTIPLES:
            raise TooLargeError(
                f"'{self}' in a menu with other sizes offers {count:,.0f} bets at once, but {MOST_MULTIPLES:,} are the most; "
                "give a larger step."
            )
        return [*(self.amount * k for k in range(1, int(count) + 1)), here.remaining]

    def __str__(self) -> str:
        return self._text("{:.12g}".format)

    @property
    def token(self) -> str:
        """A text that is read back as exactly this size."""
        return self._text(number_text)

    def _text(self, write: Callable[[float], str]) -> str:
        if self.unit == "*":
            return f"*{write(self.amount)}"
        limit = "" if math.isinf(self.limit) else f"{write(self.limit)}%"
        return f"{write(self.amount) if self.amount else ''}{self.unit}{limit}"


class BetMenu(Protocol):
    """Bets and raises on offer in one round; kinds that look at the situation fulfil the same protocol."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Every size that is on offer somewhere in the round."""

    @property
    def open_step(self) -> float | None:
        """The step where every multiple of it may be bet and nothing else is on the menu."""

    def raises(self, spot: BettingSituation) -> list[float]:
        """Raise amounts in increasing order, without duplicates, never more than what is behind."""


@dataclass(frozen=True)
class Menu:
    """The sizes on offer; none at all means check, or fold and call, only."""

    tokens: tuple[str, ...] = ()
    lift: bool = False  # an opening bet below the smallest legal one is lifted to it, not left out
    multiple: Multiple = "call"  # what `x` multiplies: what a call costs, or the bettor's total of this round

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", tuple(parse_size(token).token for token in self.tokens))

    @cached_property
    def sizes(self) -> tuple[BetSize, ...]:
        return tuple(parse_size(token) for token in self.tokens)

    @cached_property
    def open_step(self) -> float | None:
        """The step where every multiple of it may be bet and nothing else is on the menu."""
        return self.sizes[0].amount if len(self.sizes) == 1 and self.sizes[0].unit == "*" else None

    def raises(self, spot: BettingSituation) -> list[float]:
        """Raise amounts in increasing order, without duplicates, never more than what is behind."""
        found: set[float] = set()
        for size in self.sizes:
            for amount in size.amounts(spot, self.multiple):
                if spot.unit:
                    amount = nearest_multiple(amount, spot.unit)
                if amount >= spot.remaining - _TINY:
                    amount = spot.remaining
                elif amount < spot.minimum - _TINY:
                    if not self.lift or spot.facing > _TINY:
                        continue
                    amount = min(spot.minimum, spot.remaining)
                if amount > _TINY:
                    found.add(round(amount, 9))
        return sorted(found)

    def __bool__(self) -> bool:
        return bool(self.tokens)

    @property
    def exact(self) -> str:
        """A text that is read back as exactly this menu."""
        return ", ".join(self.tokens)

    def __str__(self) -> str:
        return ", ".join(str(size) for size in self.sizes)


def parse_menu(
    text: str, *, opening: bool = False, where: str = "the menu", lift: bool = False, multiple: Multiple = "call"
) -> Menu:
    """A menu from text; `opening` menus face no bet, so `2.5x` is refused there."""
    found: dict[BetSize, None] = {}
    position = 0
    for piece in text.split(",") if text.strip() else ():
        start = position + len(piece) - len(piece.lstrip())
        found[_parse(piece.strip(), opening, f" at character {start + 1} of {where}")] = None
        position += len(piece) + 1
    return Menu(tuple(size.token for size in found), lift, multiple)


@lru_cache(maxsize=4096)
def parse_size(token: str) -> BetSize:
    """One size."""
    return _parse(token.strip(), False, "")


def _parse(word: str, opening: bool, place: str) -> BetSize:
    found = _SIZE.fullmatch(word)
    problem = ""
    if found is None:
        problem = f"expected sizes separated by commas, such as {_EXPECTED}"
        if re.fullmatch(r"[\d.]+", word):
            problem = f"expected a unit after the number; did you mean '{word}%'"
        raise _refusal(word, place, problem)
    if found["every"]:
        step = float(found["step"] or 1.0)
        if not step > 0.0:
            raise _refusal(word, place, "expected a step above 0 after the '*'")
        return BetSize("*", step)
    unit, number = found["unit"].lower(), found["number"]
    amount = float(number) if number else 0.0
    if unit == "a" and number:
        problem = "all-in takes no number; expected 'a'"
    elif unit in "%xc" and not amount > 0.0:
        problem = "expected a number above 0 before the unit"
    elif unit == "e" and number and amount not in (1.0, 2.0, 3.0, 4.0):
        problem = "expected 1, 2, 3 or 4 rounds before the 'e'"
    elif found["limit"] and (unit != "e" or not float(found["limit"]) > 0.0):
        problem = "only a geometric size takes a limit, and it must be above 0, as in 3e200%"
    elif unit == "x" and opening:
        problem = "an opening bet has no bet to multiply; give a share of the pot such as 60%"
    elif unit == "x" and amount <= 1.0:
        problem = "a raise must be more than the bet it answers; expected a factor above 1"
    if problem:
        raise _refusal(word, place, problem)
    return BetSize(unit, amount, float(found["limit"]) if found["limit"] else math.inf)


def _refusal(word: str, place: str, problem: str) -> ParameterError:
    return ParameterError(f"The bet size '{word}'{place} cannot be read: {problem}.")
