"""`show --bunching`: a decision after folds, by independent hands, by first order and by all deals of the folded seats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.cards.allins.classes import NAMES
from equilibrist.interfaces.cli.output import plain_table, print_json, screen

if TYPE_CHECKING:
    from equilibrist.solvers.tables.exact_bunching import BunchingAt
    from equilibrist.solvers.tables.table_solution import TableSolution

MOST_ROWS = 12


def show_bunching(solution: TableSolution, line: str, as_json: bool) -> None:
    """What `show TABLE.eqb --line LINE --bunching` prints."""
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.solvers.tables.exact_bunching import bunching_at

    with Meter("bunching") as meter:
        found = bunching_at(solution, line, lambda text, share: meter.show(share, text))
    facts = bunching_facts(found, line)
    if as_json:
        print_json(facts)
        return
    console = screen()
    told = f"{found.seat} after {line or 'nothing'}, against {found.other}"
    if found.exact_seats:
        told += f"; folded hands of {', '.join(found.exact_seats)} counted exactly"
    if found.other_seats:
        told += f", of {', '.join(found.other_seats)} by first order"
    console.print(f"{told}.", markup=False)
    action = found.labels[1]
    table = plain_table("hand", "plays", *(f"EV of {action}, {route}" for route in found.ev))
    for name in facts["largest_changes"]:
        row = facts["hands"][name]
        table.add_row(name, f"{100.0 * row['mix'][1]:.0f} %", *(f"{row['ev'][route][1]:+.4f}" for route in found.ev))
    console.print(table)
    shares = ", ".join(f"{route} {100.0 * share:.1f} %" for route, share in facts["lost"].items())
    console.print(f"Of the hands that do not fold these would have more by folding: {shares}.", markup=False)


def bunching_facts(found: BunchingAt, line: str) -> dict[str, Any]:
    """The same for --json."""
    change = np.abs(found.ev["exact"][1] - found.ev["independent"][1]) * found.mix[:, 1]  # of hands that do it
    return {
        "kind": "table-bunching",
        "line": line,
        "seat": found.seat,
        "other": found.other,
        "actions": list(found.labels),
        "counted_exactly": list(found.exact_seats),
        "by_first_order": list(found.other_seats),
        "lost": {route: found.lost(route) for route in found.ev} if "f" in found.labels else {},
        "largest_changes": [NAMES[number] for number in np.argsort(-change, kind="stable")[:MOST_ROWS].tolist()],
        "hands": {
            name: {"mix": found.mix[number].tolist(), "ev": {route: ev[:, number].tolist() for route, ev in found.ev.items()}}
            for number, name in enumerate(NAMES)
        },
    }  # fmt: skip
