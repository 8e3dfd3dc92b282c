"""A public state of a game whose strategies are kept by public state: the 13×13 grid of hold'em hands, or one row per hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.core.policy import PublicPolicy
    from equilibrist.interfaces.pictures.grid import Grid
    from equilibrist.interfaces.strategies import StrategyRow

ROWS_SHOWN = 24


def place_grid(policy: Any, place: Any, player: int) -> Grid:
    """Hands of the player who acts, by class; for policies that have a grid."""
    from equilibrist.interfaces.pictures.grid import class_grid

    hands, strategy = policy.hands(place, player), policy.table(place, player)
    return class_grid(hands, policy.reach(place, player), strategy, policy.actions(place), place.cards)


def print_place(policy: PublicPolicy, console: Console, rows: list[StrategyRow], line: str, every: bool) -> None:
    """Grid and frequencies where there is a grid, otherwise a table."""
    from equilibrist.interfaces.cli.views.tables import legend, strategy_table
    from equilibrist.interfaces.pictures.grid import grid_text
    from equilibrist.interfaces.strategies import shortened

    place = policy.find(line)
    player = policy.player(place)
    console.print(f"player {player + 1} acts {f'after {line}' if line else 'first'}", style="bold", markup=False)
    if policy.has_grid and not every:
        coloured = console.color_system not in (None, "standard")
        console.print(grid_text(place_grid(policy, place, player), coloured=coloured), crop=False)
    else:
        shown = rows if every else shortened(rows, ROWS_SHOWN)
        console.print(strategy_table(shown, console))
        console.print(legend(shown), style="dim", markup=False)
    mix = zip(policy.actions(place), policy.frequencies(place, player).tolist(), strict=True)
    console.print("   ".join(f"{action} {100 * share:.1f} %" for action, share in mix), markup=False)


def draw_place(policy: PublicPolicy | None, title: str, line: str, path: Path) -> None:
    """The grid as a picture."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.pictures.strategy_pictures import save_grid_picture

    if policy is None or not policy.has_grid:
        raise NotApplicableError(f"'{title}' has no 13×13 grid of hands to draw; leave out --png, or give it to solve.")
    place = policy.find(line)
    player = policy.player(place)
    caption = f"{title}: player {player + 1} acts {f'after {line}' if line else 'first'}"
    shares: list[Any] = policy.frequencies(place, player).tolist()
    grid = place_grid(policy, place, player)
    save_grid_picture(grid, path, board=place.cards, frequencies=shares, names=policy.names(place), caption=caption)
