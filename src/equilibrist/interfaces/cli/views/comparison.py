"""`show --compare` for games: two solutions of one game side by side, and the infosets that are played most differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution
    from equilibrist.interfaces.strategies import StrategyRow

LISTED = 12


@dataclass(frozen=True)
class RowDifference:
    """One infoset in both solutions."""

    first: StrategyRow
    second: StrategyRow

    @property
    def size(self) -> float:
        """Half the sum of absolute differences: the share of the time that something else is done."""
        pairs = zip(self.first.probabilities, self.second.probabilities, strict=True)
        return 0.5 * sum(abs(a - b) for a, b in pairs)


def compare_rows(first: Solution, second: Solution, line: str | None) -> list[RowDifference]:
    """Infosets at a line (and after it, where the policy is a table), the most different first."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.strategies import solution_rows

    if first.game != second.game:
        raise NotApplicableError(
            f"The games differ, '{first.title}' and '{second.title}'; only solutions of the same game can be compared."
        )
    tabular = first.kind != second.kind  # kept differently: compared where both have the same row
    known = {(row.player, row.key): row for row in solution_rows(second, line=line)}
    found = []
    for row in solution_rows(first, line=line):
        other = known.get((row.player, row.key))
        if other is not None and other.actions == row.actions:
            found.append(RowDifference(row, other))
        elif not tabular:
            raise NotApplicableError(f"The second solution does not have the infoset '{row.key}' of the first.")
    if not found:
        raise NotApplicableError("The two solutions share no infoset there; choose another --line.")
    return sorted(found, key=lambda each: -each.size)


def show_game_comparison(
    first: Solution, second: Solution, names: tuple[str, str], line: str | None, as_json: bool
) -> None:
    """`show FILE --compare OTHER`."""
    from equilibrist.interfaces.cli.output import number, plain_table, print_json, screen

    found = compare_rows(first, second, line)
    mean = sum(each.size for each in found) / len(found)
    if as_json:
        print_json(_to_json(first, second, found, line, mean))
        return
    console = screen()
    console.print(first.title, style="bold", markup=False)
    table = plain_table("file", "solver", "iterations", "value of player 1", "exploitability")
    for name, solution in zip(names, (first, second), strict=True):
        value = number(solution.value[0]) if solution.value else "not measured"
        table.add_row(name, solution.solver, f"{solution.iterations:,}", value, number(solution.exploitability))
    console.print(table)
    differing = [each for each in found if each.size > 0.0][:LISTED]
    if not differing:
        console.print("No infoset is played differently.", markup=False)
        return
    rows = plain_table("infoset", *names, "difference")
    for each in differing:
        rows.add_row(each.first.key, _mix(each.first), _mix(each.second), f"{100 * each.size:.1f} %")
    console.print(rows)
    console.print(f"{100 * mean:.2f} % on average over {len(found):,} infosets", style="dim", markup=False)


def _mix(row: StrategyRow) -> str:
    return "  ".join(f"{a} {100 * p:.1f}" for a, p in zip(row.actions, row.probabilities, strict=True))


def _to_json(
    first: Solution, second: Solution, found: list[RowDifference], line: str | None, mean: float
) -> dict[str, Any]:
    sides = {
        name: {
            "solver": solution.solver,
            "iterations": solution.iterations,
            "value": list(solution.value),
            "exploitability": solution.exploitability,
            "converged": solution.converged,
        }
        for name, solution in (("first", first), ("second", second))
    }
    rows = {
        each.first.key: {
            "difference": each.size,
            "first": list(each.first.probabilities),
            "second": list(each.second.probabilities),
        }
        for each in found[:LISTED]
    }
    return {"kind": "comparison", "game": first.game, "line": line or "", **sides, "difference": mean, "infosets": rows}
