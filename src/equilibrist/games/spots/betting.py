"""The betting of a spot: who may do what on a street, by the spot's menus; `StreetRules` gives the situations that follow one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from equilibrist.games.spots.bet_sizes import STREETS, Turn, chips_text
from equilibrist.games.spots.spot import LIMIT, Spot

OOP, IP, FOLD, SHOWDOWN, DEAL = 0, 1, 2, 3, 4
WORDS = {"x": "check", "c": "call", "f": "fold", "b": "bet", "r": "raise"}


@dataclass(frozen=True, slots=True)
class StreetBetting:
    """A betting situation; the labels say how it came about."""

    kind: int  # OOP or IP acts, or FOLD, SHOWDOWN, DEAL
    paid: tuple[float, float]  # since the spot began
    start: float  # paid by each when the street began
    donk: bool = False  # OOP would open after having called
    bets: int = 0  # bets and raises on this street
    folder: int = -1
    label: str = ""
    name: str = ""
    after_call: bool = False  # for DEAL: OOP called


def first_betting(spot: Spot) -> StreetBetting:
    """Where the betting of a spot begins."""
    opening = spot.opening
    return StreetBetting(opening.player, opening.paid, 0.0, bets=opening.bets)


class StreetRules:
    """What may be done on one street of a spot."""

    def __init__(self, spot: Spot, street: int) -> None:
        self.spot, self.street = spot, street
        self.last = street + 1 == len(STREETS)
        self._totals: dict[tuple[int, bool, float, float, float], tuple[float, ...]] = {}

    def begin(self, paid: float, donk: bool) -> StreetBetting:
        """The street begins with so much paid by each; `donk`: OOP called on the street before."""
        over = SHOWDOWN if self.last else DEAL
        return StreetBetting(over if paid >= self.spot.stack else OOP, (paid, paid), paid, donk)

    def moves(self, node: StreetBetting) -> Iterator[StreetBetting]:
        """What can follow."""
        if node.kind > IP:
            return
        player, paid = node.kind, node.paid
        facing, own = paid[1 - player] - node.start, paid[player] - node.start
        if facing > own:
            yield replace(node, kind=FOLD, folder=player, label="f", name="fold")
            yield self._over(node, paid[1 - player], "c", player == OOP)
        elif player == OOP:
            yield replace(node, kind=IP, label="x", name="check")
        else:
            yield self._over(node, paid[0], "x", False)
        for total in self._bets(node, facing, own):
            yield self._bet(node, total, "r" if facing else "b")

    def _over(self, node: StreetBetting, paid: float, label: str, after_call: bool) -> StreetBetting:
        """The street ends with both players having paid the same."""
        kind = SHOWDOWN if self.last else DEAL
        return replace(node, kind=kind, paid=(paid, paid), label=label, name=WORDS[label], after_call=after_call)

    def _bet(self, node: StreetBetting, total: float, letter: str) -> StreetBetting:
        amount = round(node.start + total, 9)
        paid = (amount, node.paid[1]) if node.kind == OOP else (node.paid[0], amount)
        chips = chips_text(total)
        name = f"all-in {chips}" if amount >= self.spot.stack else f"{WORDS[letter]} {chips}"
        return replace(node, kind=1 - node.kind, paid=paid, bets=node.bets + 1, label=letter + chips, name=name)

    def _bets(self, node: StreetBetting, facing: float, own: float) -> tuple[float, ...]:
        """Street totals on offer."""
        spot = self.spot
        place = self.street - spot.street
        cap = spot.betting.cap[place]
        limit = round(spot.stack - node.start, 9)
        facing, own = round(facing, 9), round(own, 9)
        if facing >= limit or (cap and node.bets >= cap):
            return ()
        if spot.betting.kind == LIMIT:
            return (round(min(facing + spot.betting.size[place], limit), 9),)
        donk = node.donk and node.kind == OOP and not node.bets
        key = (node.kind, donk, node.start, facing, own)
        if key not in self._totals:
            menus = spot.menus[place][node.kind]
            menu = menus.raises if facing else menus.donk if donk else menus.bet
            pot = spot.pot + 2.0 * (node.start + facing)
            turn = Turn(pot, facing, facing - own, limit, len(STREETS) - self.street)
            self._totals[key] = menu.totals(turn, spot.thresholds, spot.chip)
        return self._totals[key]
