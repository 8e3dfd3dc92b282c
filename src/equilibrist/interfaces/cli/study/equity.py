"""`equilibrist equity`: equity of hands and ranges."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from equilibrist.cards.equity import EquityResult
    from equilibrist.cards.ranges import Range


def equity(
    ranges: Annotated[
        list[str],
        typer.Argument(
            metavar="RANGE",
            help="Two to six ranges such as 'TT+,AKs,KQo:0.5', 'AsKd', 'random' or '@file'; one range: its hand strength.",
        ),
    ],
    board: Annotated[str, typer.Option(help="Three to five cards, such as Td9d6h (default: before the flop).")] = "",
    hands: Annotated[bool, typer.Option("--hands", help="Also show every single hand.")] = False,
    samples: Annotated[
        int, typer.Option(min=1, help="Number of sampled deals where there are too many to enumerate.")
    ] = 500_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the sampled deals.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Equity of range against range, or of up to six ranges, on any board; of one range its strength against a random hand."""
    from equilibrist.cards.equity import multiway_equity
    from equilibrist.cards.ranges import load_range
    from equilibrist.cards.runouts import board_cards
    from equilibrist.interfaces.cli.output import print_json

    begun = time.perf_counter()
    cards = board_cards(board)
    held = [load_range(text) for text in ranges]
    if len(held) == 1:
        facts = strength_facts(ranges[0], held[0].without(cards), cards)
        if as_json:
            print_json(facts | {"seconds": time.perf_counter() - begun})
        else:
            _print_strength(facts, hands)
        return
    result = multiway_equity(held, cards, samples=samples, seed=seed)
    seconds = time.perf_counter() - begun
    left = [each.without(cards) for each in held]
    if as_json:
        print_json(equity_facts(ranges, left, cards, result, hands) | {"seconds": seconds})
    else:
        _print(ranges, left, result, seconds)
        if hands:
            _print_hands(left, result)


def strength_facts(text: str, held: Range, cards: tuple[int, ...]) -> dict[str, Any]:
    """What `equity RANGE --json` prints: E[HS] and E[HS²], equity against a random hand over all runouts and its square."""
    from equilibrist.cards.equity import strength_features
    from equilibrist.cards.ranges import hand_name
    from equilibrist.core.errors import ParameterError

    board = "".join(held.deck.label(card) for card in cards)
    features = strength_features(board)
    if not held.total:
        raise ParameterError(f"No hand of '{text}' is left on the board {board}; give other hands.")
    share = held.weights / held.total
    possible = sorted(map(int, held.hands), key=lambda hand: (-features.ehs[hand], -hand))
    return {
        "board": board,
        "range": text,
        "combos": held.total,
        "ehs": float(sum(share[h] * features.ehs[h] for h in possible)),
        "ehs_squared": float(sum(share[h] * features.ehs_squared[h] for h in possible)),
        "by_hand": {
            hand_name(h): {
                "weight": float(held.weights[h]),
                "ehs": float(features.ehs[h]),
                "ehs_squared": float(features.ehs_squared[h]),
                "histogram": features.histogram[h].tolist(),
            }
            for h in possible
        },
    }


def _print_strength(facts: dict[str, Any], hands: bool) -> None:
    from rich.markup import escape

    from equilibrist.interfaces.cli.output import plain_table, screen

    table = plain_table("hand", "weight", "E[HS]", "E[HS²]")
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_row(
        escape(facts["range"]), f"{facts['combos']:,.6g}", f"{facts['ehs']:.4f}", f"{facts['ehs_squared']:.4f}"
    )
    for name, row in facts["by_hand"].items() if hands else ():
        table.add_row(name, f"{row['weight']:.4g}", f"{row['ehs']:.4f}", f"{row['ehs_squared']:.4f}")
    console = screen()
    console.print(table)
    console.print(
        "equity against a random hand over all runouts, and the mean of its square", style="dim", markup=False
    )


def equity_facts(
    texts: list[str], held: list[Range], cards: tuple[int, ...], result: EquityResult, hands: bool
) -> dict[str, Any]:
    """What `equity --json` prints."""
    players = []
    for player, text in enumerate(texts):
        facts = {
            "range": text,
            "hands": len(held[player].hands),
            "combos": held[player].total,
            "win": result.win[player],
            "tie": result.tie[player],
            "equity": result.equity[player],
            "interval": None if result.interval is None else result.interval[player],
        }
        if hands:
            rows = _hand_rows(held[player], result, player)
            facts["by_hand"] = {name: dict(zip(_HAND_COLUMNS[1:], numbers, strict=True)) for name, *numbers in rows}
        players.append(facts)
    return {
        "board": "".join(held[0].deck.label(card) for card in cards),
        "players": players,
        "exact": result.exact,
        "boards": result.boards,
        "samples": result.samples or None,
        "seed": result.seed,
    }


_HAND_COLUMNS = ("hand", "weight", "win", "tie", "equity")


def _hand_rows(held: Range, result: EquityResult, player: int) -> list[tuple[Any, ...]]:
    """Name, weight, win, tie and equity of the hands that can be held, best first."""
    from equilibrist.cards.ranges import hand_name

    by_hand = [vectors[player] for vectors in (result.hand_win, result.hand_tie, result.hand_equity)]
    possible = [int(hand) for hand in held.hands if result.reach[player][hand] > 0.0]
    possible.sort(key=lambda hand: (-by_hand[2][hand], -hand))
    return [(hand_name(h), float(held.weights[h]), *(float(vector[h]) for vector in by_hand)) for h in possible]


def _print(texts: list[str], held: list[Range], result: EquityResult, seconds: float) -> None:
    from rich.markup import escape

    from equilibrist.interfaces.cli.output import duration, plain_table, screen

    table = plain_table("player", "range", "combos", "win", "tie", "equity")
    for column in table.columns[2:]:
        column.justify = "right"
    for player, text in enumerate(texts):
        shares = (result.win[player], result.tie[player], result.equity[player])
        percent = [f"{100.0 * share:.4f} %" for share in shares]
        if result.interval is not None:
            low, high = result.interval[player]
            percent[2] = f"{100.0 * shares[2]:.2f} % ({100.0 * low:.2f} to {100.0 * high:.2f})"
        table.add_row(str(player + 1), escape(text), f"{held[player].total:,.6g}", *percent)
    console = screen()
    console.print(table)
    how = f"exact over {result.boards:,} boards a deal"
    if not result.exact:
        how = f"{result.samples:,} deals drawn with seed {result.seed}, 95 % intervals"
    console.print(f"{how}, {duration(seconds)}", style="dim", markup=False)


def _print_hands(held: list[Range], result: EquityResult) -> None:
    from equilibrist.interfaces.cli.output import plain_table, screen

    for player, each in enumerate(held):
        table = plain_table(*_HAND_COLUMNS)
        for column in table.columns[1:]:
            column.justify = "right"
        for name, weight, *shares in _hand_rows(each, result, player):
            table.add_row(name, f"{weight:.4g}", *(f"{100.0 * share:.4f} %" for share in shares))
        console = screen()
        console.print(f"player {player + 1}", style="bold")
        console.print(table)
