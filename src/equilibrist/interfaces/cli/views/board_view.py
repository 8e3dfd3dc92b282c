"""A public state of a poker game solved on boards: the 13×13 grid of hold'em hands, or one row per hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.interfaces.pictures.grid import Grid
    from equilibrist.interfaces.strategies import StrategyRow
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution
    from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy, Place
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution

ROWS_SHOWN = 24


def has_grid(solution: BoardSolution | BucketSolution) -> bool:
    """Two private cards of the full deck."""
    return solution.policy.has_grid


def place_grid(policy: BoardPolicy, place: Place, player: int) -> Grid:
    """Hands of the player who acts, by class."""
    from equilibrist.interfaces.pictures.grid import class_grid

    hands, strategy = policy.hands(place, player), policy.table(place, player)
    return class_grid(hands, policy.reach(place, player), strategy, policy.actions(place), place.cards)


def print_place(
    solution: BoardSolution | BucketSolution, console: Console, rows: list[StrategyRow], line: str, every: bool
) -> None:
    """Grid and frequencies where there is a grid, otherwise a table."""
    from equilibrist.interfaces.cli.views.tables import legend, strategy_table
    from equilibrist.interfaces.pictures.grid import grid_text
    from equilibrist.interfaces.strategies import shortened

    policy: Any = solution.policy
    place = policy.find(line)
    player = policy.player(place)
    console.print(f"player {player + 1} acts {f'after {line}' if line else 'first'}", style="bold", markup=False)
    if has_grid(solution) and not every:
        coloured = console.color_system not in (None, "standard")
        console.print(grid_text(place_grid(policy, place, player), coloured=coloured), crop=False)
    else:
        shown = rows if every else shortened(rows, ROWS_SHOWN)
        console.print(strategy_table(shown, console))
        console.print(legend(shown), style="dim", markup=False)
    mix = zip(policy.actions(place), policy.frequencies(place, player).tolist(), strict=True)
    console.print("   ".join(f"{action} {100 * share:.1f} %" for action, share in mix), markup=False)


def draw_place(solution: BoardSolution | BucketSolution, line: str, path: Path) -> None:
    """The grid as a picture."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.pictures.strategy_pictures import save_grid_picture

    if not has_grid(solution):
        raise NotApplicableError(
            f"'{solution.game}' has no 13×13 grid of hands to draw; leave out --png, or give it to solve."
        )
    policy: Any = solution.policy
    place = policy.find(line)
    player = policy.player(place)
    caption = f"{solution.game}: player {player + 1} acts {f'after {line}' if line else 'first'}"
    shares: list[Any] = policy.frequencies(place, player).tolist()
    names = policy.forests[len(place.path)].names(place.node)
    grid = place_grid(policy, place, player)
    save_grid_picture(grid, path, board=place.cards, frequencies=shares, names=names, caption=caption)
