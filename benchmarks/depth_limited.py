"""What searching one street alone costs in the exact game, in % of the pot, by what is believed about the streets below.

Every spot is solved exactly; then each player's strategy of the first street is replaced by the one that a depth-limited search finds,
locked, and the rest of the spot is solved exactly around it. The loss is the player's value before less its value after: what it pays
although it plays the later streets as well as possible. `--json` prints one object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from equilibrist.games.spots.locks import Lock, strategy_text
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.search.depth_limited.spot_continuations import Continuations, SolvedPolicy
from equilibrist.search.engines.spots import search_spot
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import solve_spot

WIDE = {
    "oop": "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    "ip": "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
}
NARROW = {"oop": "99-66,AA,A9s,A5s,KQs,QJs,T9s,87s,65s,AQo", "ip": "TT-55,KK,ATs,A8s,KJs,JTs,98s,76s,AJo"}
MENU = {"bet": "33%, 75%, a", "raise": "60%, a"}
SMALL = {"bet": "75%", "raise": "a"}
SPOTS: dict[str, dict[str, Any]] = {
    "turn, wet": {"board": "Td9d6hQc", "pot": 100, "stack": 400, "range": WIDE, "bets": MENU},
    "turn, dry": {"board": "Ks7h2d4c", "pot": 100, "stack": 250, "range": WIDE, "bets": MENU},
    "flop, narrow": {"board": "Td9d6h", "pot": 100, "stack": 250, "range": NARROW, "bets": SMALL},
}
ONE = ("blueprint",)
GOAL = "0.05%"


def variants(exact: SpotSolution) -> dict[str, Continuations]:
    said: dict[str, Any] = {"bets": SMALL}
    whole: dict[str, Any] = {"blueprint": SolvedPolicy(exact), "bets": exact.spot.table()["bets"]}
    found = {
        "check-down (equity)": Continuations(blueprint="check"),
        "one value, own blueprint": Continuations(policies=ONE, **said),
        "four, opponent chooses": Continuations(balanced=False, **said),
        "four, balanced": Continuations(**said),
        "four, balanced, factor 5": Continuations(factor=5.0, **said),
        "four, balanced, 100 iterations": Continuations(iterations=100, **said),
        "learned below, no choices": Continuations(blueprint="learned", **said),
        "one value, exact equilibrium": Continuations(policies=ONE, **whole),
        "four, balanced, exact equilibrium": Continuations(**whole),
    }
    if exact.spot.street == 0:
        found["one value, 49 x 12 boards"] = Continuations(policies=ONE, sample=(49, 12), **said)
        found["four, balanced, 49 x 12 boards"] = Continuations(sample=(49, 12), **said)
        found["learned below, 49 x 12 boards"] = Continuations(blueprint="learned", sample=(49, 12), **said)
    return found


def locks(found: SpotSolution, seat: int) -> list[Lock]:
    """What one player does on the searched street."""
    out, forest = [], found.boards.forests[0]
    for node in range(len(forest)):
        if forest.kind[node] == seat and forest.children[node] > 1:
            place = found.at(forest.line(node))
            out.append(
                Lock(line=place.line, strategy=strategy_text(place.hands.tolist(), place.labels, place.strategy))
            )
    return out


def loss(exact: SpotSolution, found: SpotSolution, seat: int, **how: Any) -> float:
    """In % of the pot; the exact solutions are good to `GOAL`."""
    bound = solve_spot(exact.spot.changed(lock=locks(found, seat)), until=GOAL, **how)
    return 100.0 * (exact.ev[seat] - bound.ev[seat]) / exact.spot.pot


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--spot", choices=tuple(SPOTS), action="append")
    arguments = parser.parse_args(argv)
    result: dict[str, Any] = {"goal": GOAL}
    for name in arguments.spot or SPOTS:
        exact = solve_spot(Spot(**SPOTS[name]), until=GOAL)
        rows = {}
        for title, below in variants(exact).items():
            rows[title] = row = {}
            for seat, player in enumerate(PLAYERS):
                begin = time.perf_counter()
                found = search_spot(
                    exact.spot, player, until="0.1%", iterations=1000, depth="street", continuations=below
                )
                row[f"seconds_{player}"] = time.perf_counter() - begin
                row[player] = loss(exact, found.solution, seat)
            if not arguments.json:
                print(
                    f"{name:14s} {title:34s} oop {row['oop']:.3f} %  ip {row['ip']:.3f} %  ({row['seconds_oop']:.1f} s)",
                    flush=True,
                )
        result[name] = rows
    if arguments.json:
        json.dump(result, sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
