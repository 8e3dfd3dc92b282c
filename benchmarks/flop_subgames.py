"""One column of `brown/nlfh-subgames` with iterations of one's own, for those who cannot wait for `--full`: flop hold'em, all flops.

Prints exploitability of the blueprint and of all techniques in mbb per hand, as shares of the blueprint's, and seconds. Finished boards
are kept in the folder, so that an interrupted run goes on.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from equilibrist.experiments.brown.subgames.nlfh import NAMES, ColumnSetting, ColumnWork


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--buckets", type=int, default=200)
    parser.add_argument("--blueprint", type=int, default=300, help="iterations")
    parser.add_argument("--search", type=int, default=150, help="iterations")
    parser.add_argument("--ranks", type=int, default=13)
    parser.add_argument("--suits", type=int, default=4)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--game", choices=("small", "large"), default="small")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or auto")
    parser.add_argument("--techniques", default=",".join(NAMES), help="separated by commas")
    given = parser.parse_args(argv)
    setting = ColumnSetting(
        given.buckets,
        ranks=given.ranks,
        suits=given.suits,
        game=given.game,
        blueprint=given.blueprint,
        search=given.search,
        names=tuple(given.techniques.split(",")),
    )
    begin = time.perf_counter()
    column = ColumnWork(setting, given.folder, given.threads, lambda doing, share: None, given.device).column()
    print(
        f"{time.perf_counter() - begin:.0f} s on {given.threads} threads, device {given.device}, load {os.getloadavg()[0]:.1f}"
    )
    print(f"{'blueprint':40s} {column.trunk:10.1f}   inside its buckets {column.inside:.1f}")
    for name, left in column.searched.items():
        print(f"{name:40s} {left:10.1f}   {left / column.trunk:.3f} of the blueprint's")


if __name__ == "__main__":
    main()
