"""What searching one street with learned values costs in the exact game, in % of the pot, beside continuations, on random boards.

Boards are drawn evenly (`--seed`), stacks are 1 to 6 pots; ranges and sizes are fixed. Every spot is solved exactly; one search
finds both players' strategies of the first street, each of which is locked in turn and the rest solved exactly around it. The loss
is what that player's value falls by. With `--device cuda` spots are solved and values asked there. `--part 1/4` takes every fourth
spot, so that several processes share the work, and `--merge FILES` puts together what they found. `--named` takes the three spots of
`depth_limited.py` instead, `--errors FOLDER` tells how far the values of a training are off on its held-out states by kind and depth,
`--asked N` on states that searches of N flops ask about.
`--json FILE` writes one object.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from depth_limited import SPOTS, WIDE, loss

from equilibrist.cards.range_text import STANDARD
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.learning.hand_values.belief_states import (
    HANDS,
    KINDS,
    BeliefStates,
    as_stored,
    joined_states,
    possible_hands,
)
from equilibrist.learning.hand_values.labels import Labelling, label, load_shard
from equilibrist.learning.hand_values.network_values import NetworkValues
from equilibrist.learning.hand_values.value_errors import measured_errors
from equilibrist.learning.hand_values.value_file import VALUES, load_values
from equilibrist.learning.hand_values.value_order import BETS
from equilibrist.learning.hand_values.value_training import StateMemory
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.depth_limited.spots import start_street
from equilibrist.search.engines.spots import search_spot
from equilibrist.solvers.postflop.depth_limited.valued_street import ValuedStreetCFR
from equilibrist.solvers.postflop.solve_spot import solve_spot

DEPTHS = (1.0, 2.0, 4.0, 6.0)
GOAL = "0.05%"
LEAVES = 8  # of each search


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
    """% of the pot, hands as they are held: by kind of belief, kind of board, and depth."""
    saved = load_values(folder / VALUES)
    held = load_shard(folder / "held-out.eqb", saved.street)
    memory = StateMemory(torch.device("cpu"), outcomes=saved.net.outcomes)
    memory.add(held)
    each = measured_errors(saved.net, memory.batch, len(memory)).each
    for number, kind in enumerate(KINDS):
        print(f"{kind:10s} {each[held.states.kind == number].mean():.2f}")
    boards = np.sort(held.states.boards, axis=1)
    alike = np.stack([(boards % 4 == suit).sum(axis=1) for suit in range(4)]).max(axis=0)
    paired = (np.diff(boards // 4, axis=1) == 0).any(axis=1)
    kinds = {f"at most {n} cards of a suit": alike == n for n in range(1, 6)} | {
        "paired": paired,
        "not paired": ~paired,
    }
    for name, some in kinds.items():
        if some.any():
            print(f"{name:26s} {each[some].mean():.2f}  ({some.sum()} boards)")
    for low, high in pairwise((0.1, 0.3, 1.0, 3.0, 13.1)):
        some = (held.states.depth >= low) & (held.states.depth < high)
        if some.any():
            print(f"{low:g} to {high:g} pots behind {each[some].mean():.2f}")


def asked_states(flops: int, seed: int, values: str | None, how: dict[str, Any]) -> BeliefStates:
    """States that searches of random flops ask about: present strategies of some iteration, a leaf, a card."""
    random, out = np.random.default_rng([seed, 1]), []
    for spot in spots(3, flops, seed + 1):
        run = start_street(spot, "dcfr", method("values", values), 0, **how)
        assert isinstance(run, ValuedStreetCFR)
        ends: Any = run.edge
        ask, seen = ends.ask, []

        def noted(player: int, reach: Any, ask: Any = ask, seen: Any = seen) -> Any:
            seen.append([each.copy() for each in reach])
            return ask(player, reach)

        ends.ask = noted
        run.advance(40)
        for _ in range(LEAVES):
            reach, leaf = seen[int(random.integers(len(seen)))], int(random.choice(np.flatnonzero(ends.depths > 0.1)))
            weights = np.zeros((1, 2, HANDS.count))
            for p in range(2):
                weights[0, p, ends.hands[p]] = reach[p][leaf]
            board = np.array([[*spot.board, random.choice(ends.after.left)]])
            depth = np.round(ends.depths[[leaf]], 3)
            out.append(BeliefStates(board, as_stored(weights, possible_hands(board)[:, None]), depth, np.full(1, -1)))
    return joined_states(out)


def print_asked(flops: int, arguments: Any) -> None:
    """How far values are off there, solved exactly, in % of the pot."""
    how: dict[str, Any] = {"threads": arguments.threads, "device": arguments.device}
    states = asked_states(flops, arguments.seed, arguments.values, how)
    found = label(Labelling("turn", BETS, tuple(np.unique(states.depth)), 0.1), states, **how)
    saved = NetworkValues(arguments.values).saved(3)
    memory = StateMemory(torch.device("cpu"), outcomes=saved.net.outcomes)
    memory.add(found)
    told = measured_errors(saved.net, memory.batch, len(states)).plain()
    print(
        f"{len(states)} states that searches ask about: " + ", ".join(f"{key} {each:.2f}" for key, each in told.items())
    )


METHODS = ("values", "continuations", "equity")


def method(name: str, values: str | None) -> Continuations:
    if name == "values":
        return Continuations(values=NetworkValues(values))
    return Continuations(bets=BETS) if name == "continuations" else Continuations(blueprint="check")


def measure(spot: Spot, names: Sequence[str], arguments: Any) -> dict[str, Any]:
    """One spot: seconds and what both players lose by each method."""
    begin = time.perf_counter()
    how: dict[str, Any] = {"threads": arguments.threads, "device": arguments.device}
    exact = solve_spot(spot, until=GOAL, **how)
    row: dict[str, Any] = {"board": "".join(map(STANDARD.label, spot.board)), "depth": spot.stack / spot.pot}
    row["exact"] = {"seconds": time.perf_counter() - begin}
    for name in names:
        begin, asking = time.perf_counter(), how if name == "values" else {"threads": arguments.threads}
        searched = search_spot(
            spot,
            PLAYERS[0],
            iterations=arguments.iterations,
            depth="street",
            continuations=method(name, arguments.values),
            **asking,
        )  # both believe both ranges, so one search answers for both
        seconds = time.perf_counter() - begin
        found = [loss(exact, searched.solution, seat, **how) for seat in range(2)]
        row[name] = {"loss": found, "seconds": seconds, "gap": 100.0 * searched.solution.exploitability / spot.pot}
        told = ", ".join(f"{player} {each:.3f} %" for player, each in zip(PLAYERS, found, strict=True))
        print(f"{row['board']:10s} {row['depth']:g} pots  {name:14s} {told}  ({seconds:.2f} s)", flush=True)
    return row


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean and worst losses and seconds of each method by street, and means by depth."""
    out: dict[str, Any] = {}
    for street, cards in (("flop", 3), ("turn", 4)):
        here = [row for row in rows if len(row["board"]) == 2 * cards]
        for name in METHODS:
            some = [row for row in here if name in row]
            if not some:
                continue
            lost = np.array([row[name]["loss"] for row in some])
            found = {
                "spots": len(some),
                "mean": lost.mean(),
                "oop": lost[:, 0].mean(),
                "ip": lost[:, 1].mean(),
                "worst": lost.max(),
            }
            found |= {"seconds": np.mean([row[name]["seconds"] for row in some])}
            for depth in sorted({row["depth"] for row in some}):
                found[f"{depth:g} pots"] = lost[[row["depth"] == depth for row in some]].mean()
            out[f"{street}, {name}"] = {key: round(float(each), 4) for key, each in found.items()}
    return out


def part_of(listed: list[Spot], text: str) -> list[Spot]:
    part, parts = map(int, text.split("/"))
    return listed[part - 1 :: parts]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--flops", type=int, default=0)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--values", help="a network for the street after these spots (default: the one of the package)")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no spot is begun after so many")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--merge", type=Path, nargs="+")
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--errors", type=Path)
    parser.add_argument(
        "--asked", type=int, default=0, help="flops whose searches' leaves are solved, to see how far values are off"
    )
    arguments = parser.parse_args(argv)
    if arguments.errors is not None:
        print_errors(arguments.errors)
        return
    if arguments.asked:
        print_asked(arguments.asked, arguments)
        return
    rows: list[dict[str, Any]] = []
    if arguments.merge:
        rows = [row for path in arguments.merge for row in json.loads(path.read_text())["spots"]]
    else:
        drawn = [*spots(3, arguments.flops, arguments.seed), *spots(4, arguments.turns, arguments.seed)]
        begin = time.perf_counter()
        for spot in part_of(named_spots() if arguments.named else drawn, arguments.part):
            if time.perf_counter() - begin > arguments.seconds:
                break
            rows.append(measure(spot, arguments.methods, arguments))
    found = {"spots": rows, "means": summary(rows)}
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    for name, mean in found["means"].items():
        print(f"{name:22s} " + ", ".join(f"{key} {each:g}" for key, each in mean.items()), flush=True)


if __name__ == "__main__":
    main()
