"""Which bets an endgame offers: three ways to choose a menu that keeps it small enough ([Lu16, §4.2.3]).

A policy is asked with a pot and a function that grows the betting of a menu; it answers with the betting of the menu it takes. However
it chooses, the number of buckets follows from the betting afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from equilibrist.core.errors import ParameterError
from equilibrist.games.poker.bet_menus import RoundMenu, menu_of
from equilibrist.games.poker.bet_sizes import BetMenu, Menu
from equilibrist.search.endgame_programs.endgame_betting import EndgameBetting

Grow = Callable[[BetMenu], EndgameBetting]


class MenuPolicy(Protocol):
    """Chooses the menu of an endgame."""

    def choose(self, pot: float, grow: Grow) -> EndgameBetting:
        """The betting of the menu that is taken."""


def street_menu(opening: Menu, raises: Menu) -> RoundMenu:
    """One menu for opening bets and one for raises, the same for both players."""
    return RoundMenu(((opening, raises),))


LU_MENU = street_menu(  # [Lu16, §4.3.1]; no commitment threshold
    menu_of([0.1, 0.25, 0.375, 0.5, 0.625, 0.75, 1.0, 1.5, 2.0, 3.0, "a"]),
    menu_of([0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, "a"]),
)
GANZFRIED_MENU = street_menu(  # the worked example of [Ganzfried15, §10.4]; its raises are not printed
    menu_of(["10%", "33.3333333333%", "66.6666666667%", "100%", "150%", "200%", "300%", "a"]),
    menu_of([0.5, 1.0, "a"]),
)


@dataclass(frozen=True)
class FixedMenu:
    """One menu for all pots; buckets alone keep the endgame small (what the experiments of the text use)."""

    menu: BetMenu = LU_MENU

    def choose(self, pot: float, grow: Grow) -> EndgameBetting:
        return grow(self.menu)


@dataclass(frozen=True)
class DescendingMenus:
    """The first of several menus, finest first, whose betting leaves room for enough buckets within so many infosets."""

    menus: tuple[BetMenu, ...]
    buckets: int = 20
    infosets: int = 7500

    def __post_init__(self) -> None:
        if not self.menus or self.buckets < 1 or self.infosets < 1:
            raise ParameterError("Give one or more menus, and one or more buckets and infosets.")

    def choose(self, pot: float, grow: Grow) -> EndgameBetting:
        betting = grow(self.menus[0])
        for menu in self.menus[1:]:
            if max(tree.sequences for tree in betting.players) * self.buckets <= self.infosets:
                break
            betting = grow(menu)
        return betting


@dataclass(frozen=True)
class PotMenus:
    """A table from pots to menus: an entry serves pots from its own up to the next one's."""

    table: tuple[tuple[float, BetMenu], ...]  # rising; the first entry also serves smaller pots

    def __post_init__(self) -> None:
        pots = [pot for pot, _ in self.table]
        if not pots or pots != sorted(set(pots)):
            raise ParameterError("Give one or more pots in rising order, each with its menu.")

    def choose(self, pot: float, grow: Grow) -> EndgameBetting:
        fitting = [menu for least, menu in self.table if least <= pot]
        return grow(fitting[-1] if fitting else self.table[0][1])
