"""Equities and bubble factors as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from equilibrist.interfaces.cli.output import duration, number, plain_table, screen

MOST_ROWS = 60
WAYS = {
    "recursion": "exact, over sets of players",
    "quadrature": "exact to 1e-12, over arrival times",
    "sampled": "sampled",
}


def print_icm(facts: dict[str, Any], csv: Path | None) -> None:
    """What `equilibrist icm` prints."""
    from rich.markup import escape

    console = screen()
    rows = facts["players"]
    columns = _columns(rows[0])
    table = plain_table("player", *columns)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows[:MOST_ROWS]:
        table.add_row(escape(row["name"]), *(text(row) for text in columns.values()))
    console.print(table)
    if len(rows) > MOST_ROWS:
        console.print(f"and {len(rows) - MOST_ROWS:,} more players; --csv and --json have all of them", style="dim")
    if facts["bubble_factors"] is not None:
        _print_bubble(facts["bubble_factors"])
    console.print(_summary(facts), style="dim", markup=False)
    if csv is not None:
        console.print(f"Table in {csv}", style="dim", markup=False)


def _columns(row: dict[str, Any]) -> dict[str, Any]:
    """Titles, and what stands below them in a row."""
    out: dict[str, Any] = {
        "stack": lambda row: f"{row['stack']:,.10g}",
        "chips": lambda row: f"{100.0 * row['share']:.2f} %",
    }
    if "bounty" in row:
        out |= {
            "prizes": lambda row: number(row["prizes"], 4),
            "bounty": lambda row: f"{row['bounty']:,.10g}",
            "bounties": lambda row: number(row["bounty_equity"], 4),
        }
    out["equity"] = lambda row: number(row["equity"], 4)
    if "standard_error" in row:
        out["±"] = lambda row: number(row["standard_error"], 4)
    if "fgs" in row:
        out["after hands to come"] = lambda row: number(row["fgs"], 4)
    if "after" in row:
        out |= {
            "stack after": lambda row: f"{row['after']['stack']:,.10g}",
            "equity after": lambda row: number(row["after"]["equity"], 4),
            "change": lambda row: f"{row['change']:+.4f}",
        }
    for place in range(len(row.get("places", ()))):
        out[f"#{place + 1}"] = lambda row, place=place: f"{100.0 * row['places'][place]:.2f} %"
    return out


def _print_bubble(bubble: dict[str, Any]) -> None:
    """Rows risk chips against columns: bubble factor, and what must be won beyond one half."""
    from rich.markup import escape

    names = [escape(name) for name in bubble["seats"]]
    table = plain_table("bubble factor", *(f"against {name}" for name in names))
    for column in table.columns[1:]:
        column.justify = "right"
    for name, factors, premiums in zip(names, bubble["factor"], bubble["risk_premium"], strict=True):
        table.add_row(name, *map(_cell, factors, premiums))
    screen().print(table)


def _cell(factor: float, premium: float) -> str:
    return "–" if factor != factor else f"{factor:.3f} ({100.0 * premium:+.1f} %)"


def _summary(facts: dict[str, Any]) -> str:
    told = [f"prize pool {facts['prize_pool']:,.10g}"]
    if facts["bounties"]:
        told.append(f"bounties {facts['bounties']:,.10g}")
    told.append(WAYS[facts["route"]])
    if facts["samples"]:
        told.append(f"{facts['samples']:,} finish orders drawn with seed {facts['seed']}, ± one standard error")
    if facts["fgs"] is not None:
        count = facts["fgs"]["depth"]
        told.append(f"after {count} hand{'s' * (count > 1)} of jam or fold, at most 2 all-in in each")
    if facts["bubble_factors"] is not None:
        alone = facts["bounties"] and not facts["bubble_factors"]["with_bounties"]
        told.append("bubble factors of prizes alone" if alone else "in brackets the risk premium")
    return ", ".join([*told, duration(facts["seconds"])])
