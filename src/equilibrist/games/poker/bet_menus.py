"""Bet menus by situation: round, player, how often the round was raised, and how much of a stack is committed.

A `MenuPlan` says which sizes each player considers where ([Lu16, §3.3.3]). The two players may have different ones: a strategy "U-O" is
solved with menu U for its own bets and menu O for those of its opponent ([Lu16, chapter 6]). `with_menus` puts a plan into rules.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from equilibrist.cards.streets import STREETS
from equilibrist.core.errors import ParameterError, suggest
from equilibrist.core.reading import read_toml
from equilibrist.games.poker.bet_sizes import BettingSituation, Menu, parse_menu
from equilibrist.games.poker.rules import PokerRules

CommitRule = Literal["total", "increment", "remaining"]
COMMIT_RULES: tuple[CommitRule, ...] = ("total", "increment", "remaining")
_KINDS = ("bet", "raise", *(f"raise{n}" for n in range(2, 10)))  # nobody bet yet; then the first raise, the second …
_TINY = 1e-9


@dataclass(frozen=True)
class Commitment:
    """Bets that commit more than a share of the stack are left out; all-in itself stays ([Lu16, §4.3.1]; [Gilpin09, §7.4.1])."""

    share: float = math.inf
    rule: CommitRule = "total"  # all chips of the hand, those of this bet, or those of this bet among what is left

    def __post_init__(self) -> None:
        if not self.share > 0 or self.rule not in COMMIT_RULES:
            raise ParameterError(
                f"A commitment is a share above 0 by one of the rules {', '.join(COMMIT_RULES)}, but {self.share} by "
                f"'{self.rule}' was given."
            )

    def allows(self, amount: float, spot: BettingSituation) -> bool:
        """Whether a raise short of all-in stays on the menu."""
        chips = spot.facing + amount
        if self.rule == "total":
            return spot.paid + chips <= self.share * spot.stack + _TINY
        whole = spot.stack if self.rule == "increment" else spot.stack - spot.paid
        return chips <= self.share * whole + _TINY


@dataclass(frozen=True)
class RoundMenu:
    """One round of a plan, as rules want it."""

    players: tuple[tuple[Menu, ...], ...]  # [player][bets so far]; the last one serves all later raises
    commitment: Commitment = Commitment()

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(token for levels in self.players for menu in levels for token in menu.tokens))

    @property
    def open_step(self) -> float | None:
        """Sizes depend on the situation, so they are listed."""
        return None

    def at(self, player: int, bets: int) -> Menu:
        """The menu of a player after so many bets."""
        levels = self.players[player % len(self.players)]
        return levels[min(bets, len(levels) - 1)]

    def raises(self, spot: BettingSituation) -> list[float]:
        amounts = self.at(spot.player, spot.bets).raises(spot)
        return [x for x in amounts if x >= spot.remaining - _TINY or self.commitment.allows(x, spot)]


@dataclass(frozen=True)
class MenuPlan:
    """A menu for every situation: one `RoundMenu` for each betting round; the last one serves all later rounds."""

    rounds: tuple[RoundMenu, ...]

    def round(self, number: int) -> RoundMenu:
        return self.rounds[min(number, len(self.rounds) - 1)]


def menu_of(sizes: str | Sequence[float | str], *, lift: bool = False) -> Menu:
    """A menu from text (`50%, 100%, a`) or from pot shares (`[0.5, 1, "a"]`)."""
    if isinstance(sizes, str):
        return parse_menu(",".join(word for word in sizes.split(",") if word.strip()), lift=lift)
    return Menu(tuple(s if isinstance(s, str) else f"{100 * s:.10g}%" for s in sizes), lift)


def same_everywhere(menu: Menu, commitment: Commitment | None = None) -> MenuPlan:
    """One menu for all players, rounds and raises."""
    return MenuPlan((RoundMenu(((menu,),), commitment or Commitment()),))


def asymmetric(*menus: Menu) -> MenuPlan:
    """One menu for each player, the same in all rounds."""
    return MenuPlan((RoundMenu(tuple((menu,) for menu in menus)),))


def with_menus(rules: PokerRules, plan: MenuPlan) -> PokerRules:
    """The same rules with the bets of a plan."""
    return replace(rules, menus=tuple(plan.round(r) for r in range(len(rules.board))), menus_at={})


def read_plan(path: str | Path, players: int, rounds: int) -> MenuPlan:
    """A plan from a TOML file; see docs/action-abstraction.md."""
    table = read_toml(path, "The menu file", "see docs/action-abstraction.md for an example")
    return plan_of(table, players, rounds)


def plan_of(table: Mapping[str, Any], players: int, rounds: int) -> MenuPlan:
    """A plan from nested tables: `[menu]`, `[menu.p1]`, `[menu.river]`, `[menu.river.p1]`; the narrowest entry wins."""
    _check(table, ("menu", "commit"), "the file")
    names, people = STREETS[:rounds], tuple(f"p{p + 1}" for p in range(players))
    whole, commit = table.get("menu", {}), table.get("commit", {})
    _check(whole, (*_KINDS, "lift", *names, *people), "menu")
    _check(commit, ("rule", *names), "commit")
    of_rounds = []
    for name in names:
        own_round = whole.get(name, {})
        _check(own_round, (*_KINDS, "lift", *people), f"menu.{name}")
        scopes = [[whole, whole.get(p, {}), own_round, own_round.get(p, {})] for p in people]
        share = commit.get(name, math.inf)
        if isinstance(share, bool) or not isinstance(share, int | float):
            raise ParameterError(f"'commit.{name}' is a share of the stack such as 0.65, but {share!r} was given.")
        menus = tuple(_levels(own, f"menu.{name}.{p}") for own, p in zip(scopes, people, strict=True))
        of_rounds.append(RoundMenu(menus, Commitment(float(share), commit.get("rule", "total"))))
    return MenuPlan(tuple(of_rounds))


def _levels(scopes: Sequence[Mapping[str, Any]], where: str) -> tuple[Menu, ...]:
    """Menus by number of bets: a raise that has none of its own takes the one before it."""
    for table in scopes:
        if not isinstance(table, Mapping):
            raise ParameterError(f"'{where}' must be a table such as {{ bet = \"50%, a\" }}, but {table!r} was given.")
    found = {key: scopes[at][key] for key, at in _narrowest(scopes).items()}
    lift = found.get("lift", False)
    menus: list[Menu] = []
    for kind in _KINDS:
        text = found.get(kind)
        if text is None:
            menus.append(menus[-1] if menus else Menu((), lift))
        elif isinstance(text, str):
            menus.append(menu_of(text, lift=lift))
        else:
            raise ParameterError(f"'{where}.{kind}' must be text such as \"50%, 100%, a\", but {text!r} was given.")
    while len(menus) > 1 and menus[-1] == menus[-2]:
        menus.pop()
    return tuple(menus)


def _narrowest(scopes: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Which of the scopes, from the widest on, has the last word on each kind of bet."""
    return {key: at for at, table in enumerate(scopes) for key in table if key in _KINDS or key == "lift"}


def menu_sources(table: Mapping[str, Any], players: int, rounds: int) -> dict[tuple[int, int, int], str]:
    """Which entry of a plan's tables (`menu.preflop.raise`) each player's bets come from, by (player, round, bets so far)."""
    whole, out = table.get("menu", {}), {}
    for r, name in enumerate(STREETS[:rounds]):
        for p in range(players):
            person, own = f"p{p + 1}", whole.get(name, {})
            words = ("menu", f"menu.{person}", f"menu.{name}", f"menu.{name}.{person}")
            last = _narrowest([whole, whole.get(person, {}), own, own.get(person, {})])
            source = ""
            for bets, kind in enumerate(_KINDS):
                source = f"{words[last[kind]]}.{kind}" if kind in last else source
                out[p, r, bets] = source
    return out


def bets_before(entry: str) -> int:
    """How many bets of a round come before those of an entry: 0 for `menu.river.bet`, 1 for `menu.raise`, 2 for `menu.raise2`."""
    return _KINDS.index(entry.rsplit(".", 1)[-1])


def written_menus(table: Mapping[str, Any], where: str = "menu") -> dict[str, str]:
    """Every entry of a plan's tables with its sizes: `menu.preflop.raise` -> `50%, 100%, a`."""
    whole = table.get("menu", {}) if where == "menu" else table
    out = {f"{where}.{key}": text for key, text in whole.items() if key in _KINDS}
    for key, inner in whole.items():
        if isinstance(inner, Mapping):
            out |= written_menus(inner, f"{where}.{key}")
    return out


def _check(table: Any, keys: tuple[str, ...], where: str) -> None:
    if not isinstance(table, Mapping):
        raise ParameterError(f"'{where}' must be a table with the keys {', '.join(keys)}, but {table!r} was given.")
    for key in table:
        if key not in keys:
            raise ParameterError(
                f"Unknown key '{key}' in '{where}'; expected {', '.join(keys)}.{suggest(str(key), keys)}"
            )
