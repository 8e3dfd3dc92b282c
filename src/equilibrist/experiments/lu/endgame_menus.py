"""The bets that two theses offer in an endgame."""

from __future__ import annotations

from equilibrist.games.poker.bet_menus import RoundMenu, menu_of

LU_MENU = RoundMenu(  # [Lu16, §4.3.1]; no commitment threshold
    (
        (
            menu_of([0.1, 0.25, 0.375, 0.5, 0.625, 0.75, 1.0, 1.5, 2.0, 3.0, "a"]),
            menu_of([0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, "a"]),
        ),
    )
)
GANZFRIED_MENU = RoundMenu(  # the worked example of [Ganzfried15, §10.4]; its raises are not printed
    (
        (
            menu_of(["10%", "33.3333333333%", "66.6666666667%", "100%", "150%", "200%", "300%", "a"]),
            menu_of([0.5, 1.0, "a"]),
        ),
    )
)
