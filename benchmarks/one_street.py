"""What searching one street with learned values costs in the exact game, in % of the pot, beside continuations, on random boards.

Boards are drawn evenly (`--seed`), stacks are 1 to 6 pots; ranges and sizes are fixed. Every spot is solved exactly; each player's strategy
of the first street is replaced by the one that was searched, locked, and the rest solved exactly around it. The loss is what the player's
value falls by. `--named` takes the three spots of `depth_limited.py` instead, `--errors FOLDER` tells how far the values of a training are
off on its held-out states by kind and depth. `--json` prints one object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from depth_limited import SPOTS, WIDE, loss

from equilibrist.cards.range_text import STANDARD
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.learning.hand_values.belief_states import KINDS
from equilibrist.learning.hand_values.labels import load_shard
from equilibrist.learning.hand_values.network_values import NetworkValues
from equilibrist.learning.hand_values.value_errors import measured_errors
from equilibrist.learning.hand_values.value_file import VALUES, load_values
from equilibrist.learning.hand_values.value_order import BETS
from equilibrist.learning.hand_values.value_training import StateMemory
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.spots import search_spot
from equilibrist.solvers.postflop.solve_spot import solve_spot

DEPTHS = (1.0, 2.0, 4.0, 6.0)
GOAL = "0.05%"


def spots(cards: int, count: int, seed: int) -> list[Spot]:
    """Turns or flops that can be held on both sides."""
    random = np.random.default_rng([seed, cards])
    out = []
    for number in range(count):
        board = "".join(STANDARD.label(int(card)) for card in random.choice(STANDARD.size, cards, replace=False))
        out.append(Spot(board=board, pot=100, stack=100 * DEPTHS[number % len(DEPTHS)], range=WIDE, bets=BETS))
    return out


def named_spots() -> list[Spot]:
    return [Spot(**{**each, "bets": BETS}) for each in SPOTS.values()]


def print_errors(folder: Path) -> None:
    """% of the pot, hands as they are held."""
    saved = load_values(folder / VALUES)
    held = load_shard(folder / "held-out.eqb", saved.street)
    memory = StateMemory(torch.device("cpu"))
    memory.add(held)
    each = measured_errors(saved.net, memory.batch, len(memory)).each
    for number, kind in enumerate(KINDS):
        print(f"{kind:10s} {each[held.states.kind == number].mean():.2f}")
    for low, high in pairwise((0.1, 0.3, 1.0, 3.0, 13.1)):
        some = (held.states.depth >= low) & (held.states.depth < high)
        print(f"{low:g} to {high:g} pots behind {each[some].mean():.2f}")


def methods(values: str | None) -> dict[str, Continuations]:
    return {
        "values of a network": Continuations(values=NetworkValues(values)),
        "four continuations, balanced": Continuations(bets=BETS),
        "check-down (equity)": Continuations(blueprint="check"),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--flops", type=int, default=0)
    parser.add_argument("--values", help="a network for the street after these spots (default: the one of the package)")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--errors", type=Path)
    arguments = parser.parse_args(argv)
    if arguments.errors is not None:
        print_errors(arguments.errors)
        return
    rows: list[dict[str, Any]] = []
    listed = (
        named_spots()
        if arguments.named
        else [*spots(4, arguments.turns, arguments.seed), *spots(3, arguments.flops, arguments.seed)]
    )
    for spot in listed:
        begin = time.perf_counter()
        exact = solve_spot(spot, until=GOAL, threads=arguments.threads)
        row: dict[str, Any] = {"board": "".join(map(STANDARD.label, spot.board)), "depth": spot.stack / spot.pot}
        row["exact"] = {"seconds": time.perf_counter() - begin}
        for name, below in methods(arguments.values).items():
            found, seconds = [], []
            for seat, player in enumerate(PLAYERS):
                begin = time.perf_counter()
                how: dict[str, Any] = {"iterations": arguments.iterations, "threads": arguments.threads}
                searched = search_spot(spot, player, depth="street", continuations=below, **how)
                seconds.append(time.perf_counter() - begin)
                found.append(loss(exact, searched.solution, seat))
            row[name] = {"loss": found, "seconds": float(np.mean(seconds))}
            if not arguments.json:
                told = ", ".join(f"{player} {each:.3f} %" for player, each in zip(PLAYERS, found, strict=True))
                print(
                    f"{row['board']:10s} {row['depth']:g} pots  {name:30s} {told}  ({np.mean(seconds):.2f} s)",
                    flush=True,
                )
        rows.append(row)
    means = {
        name: {key: float(np.mean([row[name][key] for row in rows])) for key in ("loss", "seconds")}
        for name in methods(arguments.values)
    }
    if arguments.json:
        json.dump({"spots": rows, "means": means}, sys.stdout, indent=1)
        print()
        return
    for name, mean in means.items():
        print(f"{name:30s} loss {mean['loss']:.3f} % of the pot on average, {mean['seconds']:.2f} s", flush=True)


if __name__ == "__main__":
    main()
