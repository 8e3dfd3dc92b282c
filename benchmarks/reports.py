"""Seconds a flop of a report: building it against solving it and summing it up (docs/reports.md).

Building is what happens before a solver starts: boards dealt (betting is grown once for all flops), and equities of the ranges. With one
worker or a GPU it happens while the flop before is solved.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from equilibrist.cards.equity import equity
from equilibrist.evaluation.flop_reports.order import ReportOrder
from equilibrist.evaluation.flop_reports.run import FlopWork
from equilibrist.evaluation.flop_reports.summary import summarise
from equilibrist.games.spots.flops import flop_subset
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.solutions.spot_solution import ByPlayer
from equilibrist.solvers.postflop.solve_spot import solve_spot
from equilibrist.version import __version__

SPOT = Path(__file__).parents[1] / "examples" / "spots" / "flop.toml"


def measure(flops: int, until: str, threads: int, device: str, lines: tuple[str, ...]) -> dict[str, Any]:
    """Median seconds of each part over some flops of the subset of 25, the first left out: it loads kernels."""
    table = {key: value for key, value in Spot.from_toml(SPOT).table().items() if key != "board"}
    order = ReportOrder.from_table(table | {"flops": 25, "until": until, "lines": list(lines)})
    began = time.perf_counter()
    order, _ = order.checked()
    work = FlopWork(order, threads, device)
    _ = work.betting
    once = time.perf_counter() - began
    parts: dict[str, list[float]] = {name: [] for name in ("boards", "equity", "solving", "summing up")}

    def timed(part: str, do: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        found = do()
        parts[part].append(time.perf_counter() - began)
        return found

    for name, _ in flop_subset(25)[: flops + 1]:
        spot = work.betting.on_board(name)
        timed("boards", lambda spot=spot: spot.boards)
        shares = timed("equity", lambda spot=spot: equity(*spot.spot.ranges, spot.spot.board).equity)
        solved = timed("solving", lambda spot=spot: solve_spot(spot, until=until, threads=threads, device=device))
        known = replace(solved, known_equity=ByPlayer(*shares))
        timed("summing up", lambda known=known: summarise(known, order.lines))
    return {"betting, once": once} | {part: statistics.median(seconds[1:]) for part, seconds in parts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flops", type=int, default=3, help="flops to measure")
    parser.add_argument("--until", default="0.5%", help="exploitability of each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--line", action="append", default=[], help="also sum up this line")
    parser.add_argument("--json", action="store_true", help="print one object")
    options = parser.parse_args()
    found = measure(options.flops, options.until, options.threads, options.device, tuple(options.line))
    where = {"machine": platform.processor() or platform.machine(), "version": __version__, **vars(options)}
    if options.json:
        print(json.dumps({"seconds": found, **where}))
        return
    for part, seconds in found.items():
        print(f"{part:<14} {1000.0 * seconds:9.1f} ms")
    waiting = found["solving"] + found["summing up"]
    print(f"1,755 flops one after another: {1755 * waiting / 60.0:.1f} minutes on {options.device}")


if __name__ == "__main__":
    main()
