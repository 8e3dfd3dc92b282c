"""Turn endgame hold'em on the board of the text: what both experiments with it share ([Brown20, §5.3.5])."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equilibrist.compute.machine import cores
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot

if TYPE_CHECKING:
    from equilibrist.learning.rebel_boards.first_street import FirstStreet

BOARD = "3s7hTdKs"
POT = 200.0
BEHIND = 19_900.0  # of $20,000, less the big blind that both have paid
PER_CENT = 100.0 / POT  # of chips


@dataclass(frozen=True)
class EndgameMenu:
    """What may be bet on both streets; the text's own sizes are not printed."""

    name: str  # as findings call the game with it
    sizes: str
    cap: int = 0  # bets and raises on a street; 0: as many as the rules allow


ONE_BET = EndgameMenu("one pot-size bet a street", "100%", 1)
POT_AND_ALL_IN = EndgameMenu("pot-size bets and all-ins", "100%, a")  # the sizes of `turn-endgame-holdem`


def turn_endgame(menu: EndgameMenu) -> FirstStreet:
    """All hands on both sides; 48 rivers, no two of them alike by suits; with all cores of this machine."""
    from equilibrist.learning.rebel_boards.first_street import FirstStreet

    bets = {street: {"bet": menu.sizes, "raise": menu.sizes} for street in ("turn", "river")}
    spot = Spot(
        board=BOARD,
        pot=POT,
        stack=BEHIND,
        range={"oop": "random", "ip": "random"},
        bets=bets,
        betting={"cap": menu.cap} if menu.cap else None,
    )
    return FirstStreet.of_spot(compile_spot(spot), cores())
