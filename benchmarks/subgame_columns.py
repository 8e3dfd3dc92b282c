"""One column of [Brown20, Tables 5.1 to 5.3] with iterations of one's own, for those who cannot wait for `reproduce --full`.

Prints exploitability of the blueprint and of all techniques in mbb per hand, as shares of the blueprint's, and seconds; with --json the
same as a file. Finished boards are kept in the folder, so that an interrupted run goes on, and `reproduce --full --data FOLDER` finds
columns of its own iterations there.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict
from pathlib import Path

from equilibrist.experiments.brown.subgames.nlfh import GAMES, NAMES, ColumnSetting, ColumnWork
from equilibrist.games.poker.abstracted_holdem import STACK


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--buckets", type=int, default=200)
    parser.add_argument("--blueprint", type=int, default=300, help="iterations")
    parser.add_argument("--search", type=int, default=150, help="iterations")
    parser.add_argument("--ranks", type=int, default=13)
    parser.add_argument("--suits", type=int, default=4)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--game", choices=tuple(GAMES), default="small")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or auto")
    parser.add_argument("--techniques", default=",".join(NAMES), help="separated by commas")
    parser.add_argument("--stack", type=float, default=STACK, help="chips; the big blind is 100")
    parser.add_argument("--json", type=Path, default=None, help="file for all numbers")
    given = parser.parse_args(argv)
    setting = ColumnSetting(
        given.buckets,
        ranks=given.ranks,
        suits=given.suits,
        game=given.game,
        stack=given.stack,
        blueprint=given.blueprint,
        search=given.search,
        names=tuple(given.techniques.split(",")),
    )
    begin = time.perf_counter()
    stages: list[tuple[str, float]] = []

    def report(doing: str, share: float | None) -> None:
        """When each stage was first heard of."""
        if all(doing != known for known, _ in stages):
            stages.append((doing, time.perf_counter() - begin))
            print(f"{stages[-1][1]:7.1f} s  {doing}", flush=True)

    column = ColumnWork(setting, given.folder, given.threads, report, given.device).column()
    seconds = time.perf_counter() - begin
    if given.json is not None:
        facts = {
            "seconds": seconds,
            "stages": stages,
            "threads": given.threads,
            "device": given.device,
            **asdict(column),
        }
        given.json.write_text(json.dumps(facts, indent=1), encoding="utf-8")
    print(f"{seconds:.0f} s on {given.threads} threads, device {given.device}, load {os.getloadavg()[0]:.1f}")
    print(f"{'blueprint':40s} {column.trunk:10.1f}   inside its buckets {column.inside:.1f}")
    for name, left in column.searched.items():
        print(f"{name:40s} {left:10.1f}   {left / column.trunk:.3f} of the blueprint's")


if __name__ == "__main__":
    main()
