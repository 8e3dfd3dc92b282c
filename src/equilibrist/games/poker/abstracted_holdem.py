"""No-limit hold'em that ends on the flop or the turn, with a few bet sizes: the games of [Brown20, §5.1.8].

The text gives the sizes of the nested game alone. Those of the small and the large one and of turn hold'em are ours, and so are the stacks
of 200 big blinds.
"""

from __future__ import annotations

from typing import Any

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import ParameterError
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.family import CHIPS, HOLDEM, SHARES, check_positive, game_name, share_menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import GameEntry

BIG_BLIND = 100.0
STACK = 20_000
DECK: dict[str, Any] = {"stack": STACK, "ranks": 13, "suits": 4}
NESTED: dict[str, Any] = {"sizes": (0.5, 0.75, 1), **DECK}


def _holdem(
    name: str, menus: tuple[Menu, ...], caps: tuple[int, ...], defaults: dict[str, Any], given: dict[str, Any]
) -> Poker:
    """Player 1 posts the big blind and acts first after the flop; `caps` counts raises before the flop and bets after it."""
    check_positive(name, stack=given["stack"])
    rounds = len(menus)
    rules = PokerRules(
        Deck(given["ranks"], given["suits"]),
        board=(0, 3, 1)[:rounds],
        menus=menus,
        caps=caps,
        hole=2,
        blinds=(BIG_BLIND, BIG_BLIND / 2),
        first=(1, 0, 0)[:rounds],
        stack=given["stack"],
        minimum_bet=BIG_BLIND,
        raise_at_least_last=True,
    )
    return Poker(game_name(name, defaults, **given), rules)


def small_nolimit_flop_holdem(stack: float = STACK, ranks: int = 13, suits: int = 4) -> Poker:
    """Raises of the pot before the flop, at most two; the pot and all-in on it, at most two bets."""
    given = {"stack": stack, "ranks": ranks, "suits": suits}
    menus = Menu(("100%",)), Menu(("100%", "a"))
    return _holdem("small-nolimit-flop-holdem", menus, (2, 2), DECK, given)


def large_nolimit_flop_holdem(stack: float = STACK, ranks: int = 13, suits: int = 4) -> Poker:
    """Half the pot, the pot and all-in before the flop, at most three raises; on it twice the pot as well, at most three bets."""
    given = {"stack": stack, "ranks": ranks, "suits": suits}
    menus = Menu(("50%", "100%", "a")), Menu(("50%", "100%", "200%", "a"))
    return _holdem("large-nolimit-flop-holdem", menus, (3, 3), DECK, given)


def nested_nolimit_flop_holdem(
    sizes: Any = (0.5, 0.75, 1), stack: float = STACK, ranks: int = 13, suits: int = 4
) -> Poker:
    """Bets of half, three quarters and the whole of the pot: one before the flop, three on it; no all-in but where the stack ends."""
    items = sizes if isinstance(sizes, tuple) else (sizes,)
    if any(isinstance(item, str) for item in items):
        raise ParameterError(
            f"'sizes' of 'nested-nolimit-flop-holdem' are shares of the pot such as [0.5,1], but {sizes!r} was given."
        )
    given = {"sizes": items, "stack": stack, "ranks": ranks, "suits": suits}
    return _holdem("nested-nolimit-flop-holdem", (share_menu(items),) * 2, (1, 3), NESTED, given)


def nolimit_turn_holdem(stack: float = STACK, ranks: int = 13, suits: int = 4) -> Poker:
    """Bets of the pot: one before the flop, one on it, two on the turn, which is dealt in 63,193 ways up to suits."""
    given = {"stack": stack, "ranks": ranks, "suits": suits}
    return _holdem("nolimit-turn-holdem", (Menu(("100%",)),) * 3, (1, 1, 2), DECK, given)


_BOUNDS = {**HOLDEM, "stack": CHIPS, "sizes": SHARES}
_SOURCE = "[Brown20, §5.1.8]"

ENTRIES = [
    GameEntry(
        "small-nolimit-flop-holdem",
        "no-limit, ends on the flop, one or two sizes",
        small_nolimit_flop_holdem,
        DECK,
        source=f"{_SOURCE}; sizes are ours",
        status="lightly tested",
        also={"stack": (float,)},
        bounds=_BOUNDS,
    ),
    GameEntry(
        "large-nolimit-flop-holdem",
        "no-limit, ends on the flop, three or four sizes",
        large_nolimit_flop_holdem,
        DECK,
        source=f"{_SOURCE}; sizes are ours",
        status="lightly tested",
        also={"stack": (float,)},
        bounds=_BOUNDS,
    ),
    GameEntry(
        "nested-nolimit-flop-holdem",
        "no-limit, ends on the flop, one bet before it",
        nested_nolimit_flop_holdem,
        NESTED,
        source=_SOURCE,
        status="lightly tested",
        also={"stack": (float,), "sizes": (int, float, tuple)},
        bounds=_BOUNDS,
    ),
    GameEntry(
        "nolimit-turn-holdem",
        "no-limit, ends on the turn",
        nolimit_turn_holdem,
        DECK,
        source=f"{_SOURCE}; sizes are ours",
        status="lightly tested",
        also={"stack": (float,)},
        bounds=_BOUNDS,
    ),
]
