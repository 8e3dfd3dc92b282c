"""Betting before the flop at a table: who may do what, without cards; grown as it is walked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from equilibrist.core.errors import ParameterError, suggest
from equilibrist.games.poker.bet_sizes import BettingSituation
from equilibrist.games.spots.street_menus import chips_text

if TYPE_CHECKING:
    from equilibrist.games.tables.table import Ante, Table

NOBODY = -1
_TINY = 1e-9
_DIGITS = 9


@dataclass(frozen=True)
class Situation:
    """One public situation; `seat` acts, or NOBODY, and the betting is over."""

    table: Table
    seat: int
    bets: tuple[float, ...]  # live chips of each seat
    dead: tuple[float, ...]  # antes of each seat
    folded: tuple[bool, ...]
    acted: tuple[bool, ...]  # since the last full raise
    level: float  # what a call must reach
    last_raise: float
    raises: int = 0
    limped: bool = False
    line: tuple[str, ...] = ()
    raiser: int = NOBODY  # who raised last

    @cached_property
    def behind(self) -> tuple[float, ...]:
        """Chips that each seat still has in front of it."""
        paid = zip(self.table.stacks, self.bets, self.dead, strict=True)
        return tuple(round(stack - bet - dead, _DIGITS) for stack, bet, dead in paid)

    @property
    def pot(self) -> float:
        return sum(self.bets) + sum(self.dead)

    @cached_property
    def staying(self) -> tuple[int, ...]:
        """Seats that have not folded."""
        return tuple(seat for seat, folded in enumerate(self.folded) if not folded)

    @cached_property
    def actions(self) -> tuple[tuple[str, float], ...]:
        """Labels and what the seat's live chips become: f, x, c, r2.5 (raise to 2.5), a (all-in)."""
        return _actions(self)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(label for label, _ in self.actions)

    def after(self, index: int) -> Situation:
        """The situation after an action, and after all that leaves no choice."""
        following = _applied(self, *self.actions[index])
        while following.seat != NOBODY and len(following.actions) == 1:
            following = _applied(following, *following.actions[0])
        return following

    def play(self, label: str) -> Situation:
        """The situation after an action by name."""
        if label not in self.labels:
            raise ParameterError(
                f"'{label[:40]}' is no action after '{':'.join(self.line)}'; {self.table.names[self.seat]} has "
                f"{', '.join(self.labels)}.{suggest(label[:40], self.labels)}"
            )
        return self.after(self.labels.index(label))


def posted(
    stacks: Sequence[float], blinds: tuple[float, float], ante: Ante, straddles: Sequence[float] = ()
) -> tuple[list[float], list[float]]:
    """Live chips and dead ones of each seat before anybody acts; antes are taken before blinds where a stack has not enough for both."""
    seats = len(stacks)
    dead, bets = [0.0] * seats, [0.0] * seats
    payers = {"each": range(seats), "big_blind": (seats - 1,), "button": (max(0, seats - 3),)}[ante.kind]
    for seat in payers:
        dead[seat] = min(ante.amount, stacks[seat])
    for seat, amount in ({seats - 2: blinds[0], seats - 1: blinds[1]} | dict(enumerate(straddles))).items():
        bets[seat] = round(min(amount, stacks[seat] - dead[seat]), _DIGITS)
    return bets, dead


def first_situation(table: Table) -> Situation:
    """After blinds, antes and straddles."""
    seats = table.seats
    bets, dead = posted(table.stacks, table.blinds, table.ante, table.straddles)
    level = max(table.big_blind, *table.straddles, 0.0)
    nobody = (False,) * seats
    start = Situation(table, NOBODY, tuple(bets), tuple(dead), nobody, nobody, level, level)
    first = len(table.straddles)
    start = replace(start, seat=_next(start, (first - 1) % seats))
    while start.seat != NOBODY and len(start.actions) == 1:
        start = _applied(start, *start.actions[0])
    return start


def first_decision(table: Table) -> Situation:
    """The same at a table where somebody has a choice; others are refused."""
    start = first_situation(table)
    if start.seat == NOBODY:
        raise ParameterError(
            "Nobody has anything to decide at this table; give stacks deeper than blinds and antes, and a menu with limps, all-in or "
            "a raise of at least the size that the rules ask for."
        )
    return start


def play_line(table: Table, line: str) -> Situation:
    """The situation after actions such as `f:r2.5:f:c`; folds that leave no choice are part of a line, but may be left out at its end."""
    here = first_situation(table)
    words = [word for word in line.replace(",", ":").split(":") if word]
    while len(here.line) < len(words) and here.seat != NOBODY:
        here = here.play(words[len(here.line)])
    if list(here.line[: len(words)]) != words:
        raise ParameterError(f"There is no line '{line[:80]}' at this table; the nearest is '{':'.join(here.line)}'.")
    return here


def to_call(here: Situation, seat: int) -> float:
    """What a call costs: up to the level, or to what the deepest of the others can match."""
    behind = here.behind
    others = [here.bets[p] + behind[p] for p in here.staying if p != seat]
    wanted = min(here.level, max(others, default=0.0)) - here.bets[seat]
    return round(max(0.0, min(wanted, behind[seat])), _DIGITS)


def _next(here: Situation, last: int) -> int:
    """Who acts after a seat; nobody where all bets are settled."""
    staying, behind, seats = here.staying, here.behind, len(here.bets)
    if len(staying) < 2:
        return NOBODY
    able = [p for p in staying if behind[p] > _TINY]
    for step in range(1, seats + 1):
        seat = (last + step) % seats
        if seat not in able:
            continue
        owed = to_call(here, seat)
        if owed > _TINY or (not here.acted[seat] and any(p != seat for p in able)):
            return seat
    return NOBODY


def _applied(here: Situation, label: str, total: float) -> Situation:
    """One action; a full raise lets everybody act again."""
    seat = here.seat
    bets, acted, folded = list(here.bets), list(here.acted), here.folded
    level, last_raise, raises, limped = here.level, here.last_raise, here.raises, here.limped
    raiser = here.raiser
    bets[seat], acted[seat] = total, True
    if label == "f":
        folded = tuple(f or p == seat for p, f in enumerate(folded))
    elif label == "c":
        limped = limped or not raises
    elif label != "x":
        if total - level >= last_raise - _TINY:
            last_raise, acted = round(total - level, _DIGITS), [p == seat for p in range(len(bets))]
        level, raises, raiser = total, raises + 1, seat
    made = Situation(
        here.table, NOBODY, tuple(bets), here.dead, folded, tuple(acted), level, last_raise, raises, limped, (*here.line, label), raiser,
    )  # fmt: skip
    object.__setattr__(made, "seat", _next(made, seat))  # which looks at all the rest
    return made


def _actions(here: Situation) -> tuple[tuple[str, float], ...]:
    seat, owed = here.seat, to_call(here, here.seat)
    own, behind, menus = here.bets[seat], here.behind, here.table.menus[seat]
    rest, others = behind[seat], [p for p in here.staying if p != seat]
    raised = _raises(here, owed, others)
    matched = sum(behind[p] <= _TINY or here.bets[p] >= here.level - _TINY for p in others)
    room = matched < here.table.players_to_flop
    if owed <= _TINY:
        return (("x", own), *raised)
    all_in = owed >= rest - _TINY or not any(behind[p] > _TINY for p in others if here.bets[p] >= here.level - _TINY)
    if not here.raises:
        last = not any(behind[p] > _TINY for p in others)  # all others are all-in: a call ends the betting
        wanted = menus.limp or last or owed >= rest - _TINY
    elif all_in:
        wanted = menus.call or not raised
    else:
        cold = own <= _TINY
        wanted = menus.call and (not cold or here.raises <= menus.cold_call)
    call = (("c", round(own + owed, _DIGITS)),) if room and wanted else ()
    fold = (("f", own),) if menus.fold or not (call or raised) else ()
    return (*fold, *call, *raised)


def _raises(here: Situation, owed: float, others: list[int]) -> tuple[tuple[str, float], ...]:
    """Raises on offer, smallest first."""
    seat, behind = here.seat, here.behind
    own = here.bets[seat]
    top = round(own + behind[seat], _DIGITS)
    answers = any(here.bets[p] + behind[p] > here.level + _TINY for p in others)  # somebody could call a raise
    in_for_all = sum(behind[p] <= _TINY for p in others)
    if top <= here.level + _TINY or not answers or in_for_all >= here.table.players_to_flop:
        return ()
    if here.acted[seat] and here.level - own < here.last_raise - _TINY:
        return ()  # an all-in for less than a full raise does not open the betting again
    menu = here.table.menus[seat].raises(here.raises, here.limped)
    situation = BettingSituation(
        pot_after_call=here.pot + here.level - own,
        facing=here.level - own,
        remaining=round(top - here.level, _DIGITS),
        minimum=here.last_raise,
        player=seat,
        bets=here.raises + 1,
        paid=own,
        stack=top,
        bet=here.level,
        unit=here.table.chip,
    )
    totals = [round(here.level + amount, _DIGITS) for amount in menu.raises(situation)]
    return tuple(("a" if total >= top - _TINY else f"r{chips_text(total)}", min(total, top)) for total in totals)
