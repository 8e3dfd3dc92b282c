"""The poker family: Kuhn, one-card, Leduc and its relatives, Rhode Island, hold'em, each a value of `PokerRules`."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name, format_value
from equilibrist.core.units import number_text, smallest_unit
from equilibrist.games.poker.bet_sizes import BetMenu, Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import GameEntry

# what parameters may be: every game of a name can be made, and whether its tree fits is asked before it is grown
CHIPS = (1e-6, 10**9)
SHARES = (1e-6, 10**6)  # of the pot
RANKS = (1, 1_000)
SUITS = (1, 4)
PLAYERS = (2, 10)
LIMIT_CAP = (1, 100)  # bets and raises of a round
HOLDEM = {"ranks": (1, 13), "suits": SUITS}
LEDUC_BOUNDS = {"ranks": RANKS, "suits": SUITS, "bets": CHIPS, "cap": LIMIT_CAP, "ante": CHIPS, "players": PLAYERS}
CHIP = (1e-4, 10**9)  # the smallest one
MENU_BOUNDS = {"chip": CHIP, "stack": CHIPS, "sizes": SHARES, "suits": SUITS, "ranks": RANKS, "opening": SHARES}
NOLIMIT_BOUNDS = {**HOLDEM, "chip": CHIP, "stack": CHIPS, "sizes": SHARES}
TABLE_BOUNDS = {**NOLIMIT_BOUNDS, "players": (2, 6), "blinds": CHIPS, "ante": (0, 10**9), "stacks": CHIPS}

AUTO = "auto"
FCPA = ("100%", "a")  # with fold and call: the four-action abstraction


def game_name(base: str, defaults: dict[str, Any], **given: Any) -> str:
    """The name people type, naming only what differs from the defaults."""
    return str(Name(base, {key: value for key, value in given.items() if value != defaults[key]}))


def check_positive(game: str, **amounts: float) -> None:
    for name, amount in amounts.items():
        if not 0 < amount < math.inf:
            raise ParameterError(
                f"The parameter '{name}' of '{game}' must be positive and finite, but {amount} was given."
            )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _chips(amounts: tuple[float, ...] | float) -> Menu:
    sizes = amounts if isinstance(amounts, tuple) else (amounts,)
    if not sizes or not all(_number(size) and 0 < size < math.inf for size in sizes):
        raise ParameterError(f"Bet sizes are positive numbers of chips, but {sizes} were given.")
    return Menu(tuple(f"{number_text(size)}c" for size in sizes))


def _chip(chip: Any, sizes: Any, *amounts: float) -> float:
    """The smallest chip of a no-limit game: as given, else what the amounts need; shares of the pot are real numbers without one."""
    if chip == AUTO:
        return smallest_unit(amounts) if sizes == "any" else 0.0
    if not _number(chip) or not 0 < chip < math.inf:
        raise ParameterError(
            f"'chip' is the smallest chip such as 0.01, or 'auto', but {format_value(chip)} was given."
        )
    return float(chip)


def share_menu(sizes: Any, step: float = 1) -> Menu:
    """Menu of pot shares: `0.5` is half the pot, `a` all-in, `any` every multiple of a step, `fcpa` pot and all-in."""
    if sizes == "any":
        return Menu((f"*{number_text(step)}",))
    if sizes == "fcpa":
        return Menu(FCPA)
    items = sizes if isinstance(sizes, tuple) else (sizes,)
    if not items or any(
        isinstance(item, bool | tuple) or (isinstance(item, int | float) and not 0 < item < math.inf) for item in items
    ):
        raise ParameterError(
            f"Bet sizes are shares of the pot above 0 or words such as 50%, a and fcpa, but {format_value(sizes)} was given."
        )
    tokens = [item if isinstance(item, str) else f"{Decimal(repr(item)) * 100:f}%" for item in items]
    return Menu(tuple(tokens))


def _deck(ranks: int, suits: int | str) -> Deck:
    if suits == "merged":
        return Deck(ranks, 2, merged=True)
    if isinstance(suits, bool) or not isinstance(suits, int):
        raise ParameterError(f"'suits' is a number from 1 to 4 or 'merged', but {suits!r} was given.")
    return Deck(ranks, suits)


KUHN = {"cards": 3, "players": 2, "ante": 1.0, "bet": 1.0}  # chips may be fractions


def kuhn(cards: int | None = None, players: int = 2, ante: float = 1, bet: float = 1) -> Poker:
    """One card each, one bet; one more card than players unless said otherwise."""
    cards = players + 1 if cards is None else cards
    check_positive("kuhn", ante=ante, bet=bet)
    defaults = KUHN | {"cards": players + 1}
    rules = PokerRules(Deck(cards, 1), board=(0,), menus=(_chips(bet),), caps=(1,), players=players, ante=ante)
    return Poker(game_name("kuhn", defaults, cards=cards, players=players, ante=ante, bet=bet), rules)


def one_card_poker(cards: int = 13) -> Poker:
    """Kuhn with the thirteen ranks."""
    rules = PokerRules(Deck(cards, 1), board=(0,), menus=(_chips(1),), caps=(1,), ante=1)
    return Poker(game_name("one-card-poker", {"cards": 13}, cards=cards), rules)


NOLIMIT_KUHN = {"stack": 1, "step": 0.1, "cards": 3}


def nolimit_kuhn(stack: float = 1, step: float = 0.1, cards: int = 3) -> Poker:
    """Antes of a half, one bet of any size on a grid, no bet after a check ([Ganzfried15, §7.2.2])."""
    check_positive("nolimit-kuhn", stack=stack, step=step)
    rules = PokerRules(
        Deck(cards, 1),
        board=(0,),
        menus=(Menu((f"*{number_text(step)}",)),),
        caps=(1,),
        ante=0.5,
        stack=stack + 0.5,
        half_street=True,
    )
    return Poker(game_name("nolimit-kuhn", NOLIMIT_KUHN, stack=stack, step=step, cards=cards), rules)


LEDUC = {"ranks": 3, "suits": 2, "bets": (2, 4), "cap": 2, "ante": 1.0, "players": 2}


def leduc(
    ranks: int | None = None,
    suits: int | str = 2,
    bets: tuple[float, ...] = (2, 4),
    cap: int = 2,
    ante: float = 1,
    players: int = 2,
    _name_as: str = "leduc",
    _defaults: dict[str, Any] | None = None,
) -> Poker:
    """One private card, one public card, two rounds of limit betting; pairs win."""
    ranks = players + 1 if ranks is None else ranks
    check_positive(_name_as, ante=ante, cap=cap)
    if not isinstance(bets, tuple) or len(bets) != 2:
        raise ParameterError(f"'bets' of '{_name_as}' is a list of two sizes such as [2,4], but {bets!r} was given.")
    rules = PokerRules(
        _deck(ranks, suits),
        board=(0, 1),
        menus=(_chips(bets[0]), _chips(bets[1])),
        caps=(cap, cap),
        players=players,
        ante=ante,
    )
    defaults = LEDUC | {"ranks": players + 1} if _defaults is None else _defaults
    given = {"ranks": ranks, "suits": suits, "bets": bets, "cap": cap, "ante": ante, "players": players}
    return Poker(game_name(_name_as, defaults, **{key: given[key] for key in defaults}), rules)


def bl26(suits: int | str = 2) -> Poker:
    """Leduc with 13 ranks in two suits, in place of the flop hold'em of [Brown20, §5.1.8]."""
    return leduc(ranks=13, suits=suits, _name_as="bl26", _defaults={"suits": 2})


def leduc_5(suits: int | str = "merged") -> Poker:
    """Leduc with five bet sizes a round, infosets by rank ([Brown20, §2.4.1])."""
    rules = PokerRules(
        _deck(3, suits),
        board=(0, 1),
        menus=(_chips((0.5, 1, 2, 4, 8)), _chips((1, 2, 4, 8, 16))),
        caps=(2, 2),
        ante=1,
    )
    return Poker(game_name("leduc-5", {"suits": "merged"}, suits=suits), rules)


NOLIMIT_LEDUC = {"stack": 12, "sizes": "any", "suits": "merged", "ranks": 3, "chip": AUTO}


def nolimit_leduc(
    stack: float = 12, sizes: Any = "any", suits: int | str = "merged", ranks: int = 3, chip: Any = AUTO
) -> Poker:
    """Any bet in chips up to the stack, or a menu such as fcpa or [0.5,1,a] ([Ganzfried15, §7.2.3])."""
    check_positive("nolimit-leduc", stack=stack)
    unit = _chip(chip, sizes, stack)
    menu = share_menu(sizes, unit)
    rules = PokerRules(
        _deck(ranks, suits),
        board=(0, 1),
        menus=(menu, menu),
        caps=(math.inf, math.inf),
        ante=1,
        stack=stack,
        chip=unit,
        rounds_bets=chip != AUTO,
        minimum_bet=1,
    )
    given = {"stack": stack, "sizes": sizes, "suits": suits, "ranks": ranks, "chip": chip}
    return Poker(game_name("nolimit-leduc", NOLIMIT_LEDUC, **given), rules)


CONTINUOUS_LEDUC: dict[str, Any] = {"sizes": (0.01, 1), "suits": "merged", "ranks": 3, "opening": "sizes"}


def continuous_leduc(
    sizes: Any = (0.01, 1), suits: int | str = "merged", ranks: int = 3, opening: Any = "sizes"
) -> Poker:
    """Bets are shares of the pot in [0.01, 1]; here on a grid of sizes ([Brown20, §4.3.6]).

    `opening` is the menu of player 1's first bet where it differs from the others'.
    """
    items = _pot_shares("sizes", sizes)
    menu = share_menu(items)
    menus_at: dict[str, BetMenu] = {} if opening == "sizes" else {"": share_menu(_pot_shares("opening", opening))}
    rules = PokerRules(_deck(ranks, suits), board=(0, 1), menus=(menu, menu), caps=(2, 2), ante=1, menus_at=menus_at)
    given = {"sizes": items, "suits": suits, "ranks": ranks, "opening": opening}
    return Poker(game_name("continuous-leduc", CONTINUOUS_LEDUC, **given), rules)


def _pot_shares(name: str, sizes: Any) -> tuple[float, ...]:
    items = sizes if isinstance(sizes, tuple) else (sizes,)
    most = 1 if name == "sizes" else math.inf  # a menu that stands alone may overbet
    if not items or not all(_number(size) and 0.01 <= size <= most for size in items):
        raise ParameterError(
            f"'{name}' of 'continuous-leduc' are pot shares from 0.01{' to 1' if most == 1 else ''}, but {sizes!r} was given."
        )
    return items


RHODE_ISLAND = {"ranks": 13, "suits": 4}
LIMIT_HOLDEM = RHODE_ISLAND | {"players": 2}


def rhode_island(ranks: int = 13, suits: int = 4) -> Poker:
    """Rhode Island hold'em: one private and two public cards, three rounds, three-card hands ([Gilpin09, §3.1.2])."""
    rules = PokerRules(
        Deck(ranks, suits),
        board=(0, 1, 1),
        menus=(_chips(1000), _chips(2000), _chips(2000)),
        caps=(3, 3, 3),
        ante=500,
    )
    return Poker(game_name("rhode-island", RHODE_ISLAND, ranks=ranks, suits=suits), rules)


def _seats(game: str, players: int, small: float, big: float, rounds: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Blinds and who acts first: player 1 sits left of the button; of two the button posts the small blind."""
    if not 2 <= players <= 6:
        raise ParameterError(f"'{game}' is for 2 to 6 players, but {players} were given.")
    if players == 2:
        return (big, small), (1, 0, 0, 0)[:rounds]
    return (small, big) + (0,) * (players - 2), (2 % players, 0, 0, 0)[:rounds]


def _limit_holdem(name: str, rounds: int, ranks: int, suits: int, players: int = 2) -> Poker:
    """Player 1 posts the big blind and acts first after the flop; player 2 posts the small one ([Brown20, §2.4.2])."""
    bets = (2, 2, 4, 4)
    blinds, first = _seats(name, players, 1, 2, rounds)
    rules = PokerRules(
        Deck(ranks, suits),
        board=(0, 3, 1, 1)[:rounds],
        menus=tuple(_chips(bet) for bet in bets[:rounds]),
        caps=(3, 4, 4, 4)[:rounds],
        players=players,
        hole=2,
        blinds=blinds,
        first=first,
    )
    return Poker(game_name(name, LIMIT_HOLDEM, ranks=ranks, suits=suits, players=players), rules)


def limit_holdem(ranks: int = 13, suits: int = 4, players: int = 2) -> Poker:
    return _limit_holdem("limit-holdem", 4, ranks, suits, players)


def flop_holdem(ranks: int = 13, suits: int = 4) -> Poker:
    return _limit_holdem("flop-holdem", 2, ranks, suits)


NOLIMIT_HOLDEM = {"stack": 20000, "sizes": "any", "ranks": 13, "suits": 4, "chip": AUTO}
NOLIMIT_TABLE = NOLIMIT_HOLDEM | {"players": 2, "blinds": (50, 100), "ante": 0, "stacks": ()}


def _nolimit_holdem(
    name: str, rounds: int, stack: float, sizes: Any, ranks: int, suits: int, players: int = 2, **table: Any
) -> Poker:
    blinds = table.get("blinds", (50, 100))
    stacks = table.get("stacks", ())
    ante, chip = table.get("ante", 0), table["chip"]
    if not isinstance(stacks, tuple) or not all(map(_number, stacks)):
        raise ParameterError(f"'stacks' of '{name}' has a number for each player such as [2000,1500], not {stacks!r}.")
    if (
        not isinstance(blinds, tuple)
        or len(blinds) != 2
        or not all(map(_number, blinds))
        or not 0 < blinds[0] <= blinds[1]
    ):
        raise ParameterError(f"'blinds' of '{name}' are the small and the big one such as [50,100], not {blinds!r}.")
    if stacks and stack != NOLIMIT_TABLE["stack"]:
        raise ParameterError(f"'{name}' takes 'stack' or 'stacks', but both were given; leave one out.")
    stack = max(stacks) if stacks else stack
    check_positive(name, stack=stack)
    unit = _chip(chip, sizes, stack, *stacks, *blinds, ante)
    menu = share_menu(sizes, unit)
    posted, first = _seats(name, players, *blinds, rounds)
    rules = PokerRules(
        Deck(ranks, suits),
        board=(0, 3, 1, 1)[:rounds],
        menus=(menu,) * rounds,
        caps=(math.inf,) * rounds,
        players=players,
        hole=2,
        ante=ante,
        blinds=posted,
        first=first,
        stack=stack,
        stacks=stacks,
        chip=unit,
        rounds_bets=chip != AUTO,
        minimum_bet=blinds[1],
        raise_at_least_last=True,
    )
    given = {"stack": stack, "sizes": sizes, "ranks": ranks, "suits": suits, "players": players}
    given |= {"blinds": blinds, "ante": ante, "stacks": stacks, "chip": chip}
    if stacks:
        given["stack"] = NOLIMIT_TABLE["stack"]
    return Poker(game_name(name, NOLIMIT_TABLE, **given), rules)


def nolimit_holdem(
    stack: float = 20000,
    sizes: Any = "any",
    ranks: int = 13,
    suits: int = 4,
    players: int = 2,
    blinds: tuple[float, ...] = (50, 100),
    ante: float = 0,
    stacks: tuple[float, ...] = (),
    chip: Any = AUTO,
) -> Poker:
    """Any table of 2 to 6; `stacks` gives each player its own (player 1 sits left of the button, of two it posts the big blind)."""
    table = {"blinds": blinds, "ante": ante, "stacks": stacks, "chip": chip}
    return _nolimit_holdem("nolimit-holdem", 4, stack, sizes, ranks, suits, players, **table)


def nolimit_flop_holdem(
    stack: float = 20000, sizes: Any = "any", ranks: int = 13, suits: int = 4, chip: Any = AUTO
) -> Poker:
    return _nolimit_holdem("nolimit-flop-holdem", 2, stack, sizes, ranks, suits, chip=chip)


def turn_endgame_holdem(
    stack: float = 20000, sizes: Any = "fcpa", ranks: int = 13, suits: int = 4, chip: Any = AUTO
) -> Poker:
    """No-limit hold'em in which both players check and call to the turn ([Brown20, §5.3.5])."""
    check_positive("turn-endgame-holdem", stack=stack)
    unit = _chip(chip, sizes, stack)
    menu = share_menu(sizes, unit)
    rules = PokerRules(
        Deck(ranks, suits),
        board=(0, 3, 1, 1),
        menus=(menu,) * 4,
        caps=(0, 0, math.inf, math.inf),
        hole=2,
        ante=100,
        stack=stack,
        chip=unit,
        rounds_bets=chip != AUTO,
        minimum_bet=100,
        raise_at_least_last=True,
    )
    defaults = NOLIMIT_HOLDEM | {"sizes": "fcpa"}
    given = {"stack": stack, "sizes": sizes, "ranks": ranks, "suits": suits, "chip": chip}
    return Poker(game_name("turn-endgame-holdem", defaults, **given), rules)


_MERGED: dict[str, tuple[str, ...]] = {"suits": ("merged",)}
_SIZES: dict[str, tuple[str, ...]] = {"sizes": ("any", "fcpa", "a")}
_CHIP: dict[str, tuple[str, ...]] = {"chip": (AUTO,)}
_MENU: dict[str, tuple[type, ...]] = {
    "sizes": (int, float, tuple),
    "opening": (int, float, tuple),
    "suits": (int,),
    "chip": (int, float),
    "stack": (float,),
    "ante": (float,),
}

ENTRIES = [
    GameEntry(
        "kuhn",
        "one card each, one bet",
        kuhn,
        KUHN,
        source="Kuhn 1950; [Ganzfried15, §11.8.1 and §13.7.1]",
        bounds={"cards": RANKS, "players": PLAYERS, "ante": CHIPS, "bet": CHIPS},
    ),
    GameEntry(
        "one-card-poker",
        "Kuhn with thirteen ranks",
        one_card_poker,
        {"cards": 13},
        source="[Ganzfried15, §10.7.3]",
        bounds={"cards": RANKS},
    ),
    GameEntry(
        "nolimit-kuhn",
        "Kuhn, one bet of any size",
        nolimit_kuhn,
        NOLIMIT_KUHN,
        source="[Ganzfried15, §7.2.2]",
        also={"stack": (float,)},
        bounds={"stack": CHIPS, "step": CHIPS, "cards": RANKS},
    ),
    GameEntry(
        "leduc",
        "one private and one public card, limit",
        leduc,
        LEDUC,
        words=_MERGED,
        source="[Brown20, §2.4.1]",
        bounds=LEDUC_BOUNDS,
    ),
    GameEntry(
        "leduc-5",
        "Leduc with five bet sizes",
        leduc_5,
        {"suits": "merged"},
        words=_MERGED,
        source="[Brown20, §2.4.1]",
        also=_MENU,
        bounds={"suits": SUITS},
    ),
    GameEntry(
        "bl26",
        "Leduc with 26 cards",
        bl26,
        {"suits": 2},
        words=_MERGED,
        source="ours, for [Brown20, §5.1.8]",
        bounds={"suits": SUITS},
    ),
    GameEntry(
        "nolimit-leduc",
        "Leduc with stacks",
        nolimit_leduc,
        NOLIMIT_LEDUC,
        words=_SIZES | _MERGED | _CHIP,
        source="[Ganzfried15, §7.2.3]",
        also=_MENU,
        bounds=MENU_BOUNDS,
    ),
    GameEntry(
        "continuous-leduc",
        "Leduc with pot-share bets",
        continuous_leduc,
        CONTINUOUS_LEDUC,
        words=_MERGED,
        source="[Brown20, §4.3.6]",
        also=_MENU,
        bounds=MENU_BOUNDS,
    ),
    GameEntry(
        "rhode-island",
        "three-card hold'em",
        rhode_island,
        RHODE_ISLAND,
        source="[Gilpin09, §3.1.2]",
        bounds={"ranks": RANKS, "suits": SUITS},
    ),
    GameEntry(
        "limit-holdem",
        "limit Texas hold'em",
        limit_holdem,
        LIMIT_HOLDEM,
        source="[Brown20, §2.4.2]",
        status="lightly tested",
        bounds={**HOLDEM, "players": (2, 6)},
    ),
    GameEntry(
        "flop-holdem",
        "limit hold'em that ends on the flop",
        flop_holdem,
        RHODE_ISLAND,
        source="[Brown20, §2.4.4]",
        status="lightly tested",
        bounds=HOLDEM,
    ),
    GameEntry(
        "nolimit-holdem",
        "no-limit Texas hold'em",
        nolimit_holdem,
        NOLIMIT_TABLE,
        words=_SIZES | _CHIP,
        source="[Brown20, §2.4.3]",
        status="lightly tested",
        also=_MENU,
        bounds=TABLE_BOUNDS,
    ),
    GameEntry(
        "nolimit-flop-holdem",
        "no-limit, ends on the flop",
        nolimit_flop_holdem,
        NOLIMIT_HOLDEM,
        words=_SIZES | _CHIP,
        source="[Brown20, §2.4.4]",
        status="lightly tested",
        also=_MENU,
        bounds=NOLIMIT_BOUNDS,
    ),
    GameEntry(
        "turn-endgame-holdem",
        "no-limit, betting from the turn on",
        turn_endgame_holdem,
        NOLIMIT_HOLDEM | {"sizes": "fcpa"},
        words=_SIZES | _CHIP,
        source="[Brown20, §5.3.5]",
        status="lightly tested",
        also=_MENU,
        bounds=NOLIMIT_BOUNDS,
    ),
]
