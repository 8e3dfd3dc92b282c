"""Realised equity: what classes of hands won on flops beyond their equity in solved tables; `--write` stores it for `leaves = "realised"`.

Takes tables of two seats that were solved on flops, such as

    equilibrist solve examples/tables/hu-20bb-flops.toml --without flops --out hu20.eqb
    equilibrist solve examples/tables/hu-100bb-flops.toml --until 50mbb --without flops --out hu100.eqb
    python benchmarks/realised.py hu20.eqb hu100.eqb --write

Of each line that comes often enough, alpha (out of position) and beta (in position) are found such that alpha[a] - beta[b] of the pot, met
by the ranges there, is what every class won beyond its equity. Hands that a range does not hold count with what they could win.
"""

from __future__ import annotations

import argparse
import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.allins.classes import CLASSES, NAMES, combinations
from equilibrist.cards.allins.pairs import pair_outcomes, removal
from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.equity import equity
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.tables import realised_equity as home
from equilibrist.games.tables.betting import Situation
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.games.tables.flop_spots import USUAL_BETS, positions
from equilibrist.games.tables.realised_equity import IP_RAISED, LIMPED, OOP_RAISED
from equilibrist.solvers.postflop.solve_spot import solve_spot, start_spot
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.tables.reached import reached
from equilibrist.solvers.tables.table_solution import TableSolution

Floats = npt.NDArray[np.float64]
OFTEN = 0.005  # how often a line comes that is measured
HELD = 0.02  # of a class that is still there: less, and its own strategy was hardly learned
SHOWN = ("AA", "AKs", "88", "JTs", "76s", "A5o", "K7o", "72o")


def fit(met: Floats, gains: tuple[Floats, Floats], ranges: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Alpha and beta with alpha[a] - mean of beta = gains[0][a] and beta[b] - mean of alpha = gains[1][b]; their levels are free."""
    against = [met * ranges[1], met * ranges[0]]
    means = [each / each.sum(axis=1, keepdims=True) for each in against]
    system = np.block([[np.eye(CLASSES), -means[0]], [-means[1], np.eye(CLASSES)]])
    found, *_ = np.linalg.lstsq(system, np.concatenate(gains), rcond=None)
    return found[:CLASSES], found[CLASSES:]


def measure(solution: TableSolution) -> list[dict[str, Any]]:
    """One entry for each line."""
    worth, equities, met = solution.flop_worth, pair_outcomes().equity, removal()
    assert worth is not None, "the table was solved on flops"
    chances, out = reached(solution.tree, solution.strategy)[1], []
    for number, end in enumerate(worth.ends.tolist()):
        here: Situation = solution.tree.flop_ends[end]
        if chances[end] < OFTEN:
            continue
        seats = positions(here)
        node = solution.at(":".join(here.line))
        ranges = node.reach(seats[0]), node.reach(seats[1])
        gains, told = [], {}
        for player, name in enumerate(("oop", "ip")):
            theirs = met @ ranges[1 - player]
            beyond = np.where(ranges[player] > HELD, worth.value[number, player], worth.best[number, player])
            gains.append(beyond / theirs / here.pot)
            shares = ((met * equities) @ ranges[1 - player]) / theirs
            held = combinations() * ranges[player] * theirs
            share, mean = (float(held @ each / held.sum()) for each in (shares, shares + gains[-1]))
            told[name] = {
                "seat": solution.table.names[seats[player]],
                "equity": share,
                "realised": mean,
                "factor": mean / share,
            }
            told[name]["beyond equity"] = {hand: round(float(gains[-1][NAMES.index(hand)]), 3) for hand in SHOWN}
        alpha, beta = fit(met, (gains[0], gains[1]), ranges)
        kind = LIMPED if here.raiser < 0 else (OOP_RAISED, IP_RAISED)[seats.index(here.raiser)]
        depth = min(here.behind) / here.pot
        said = {"line": ":".join(here.line), "kind": kind, "depth": depth, "chance": float(chances[end])}
        out.append(said | told | {"alpha": alpha, "beta": beta})
    return out


def sampled_cards(solution: TableSolution, line: str, flop: str, seeds: int, all_boards: bool) -> dict[str, Any]:
    """What the player out of position wins beyond equity after a line on one flop, of the pot: by sampled cards, and on all boards."""
    spot = solution.at(line).to_spot(flop, bets=USUAL_BETS)
    goals = {"until": "0.5%", "iterations": 150}
    out: dict[str, Any] = {"line": line, "flop": flop}
    for cards in ((8, 4), (16, 8)):
        found = []
        for seed in range(seeds):
            sample = BoardSample(cards, seed)
            played = solve_spot(compile_spot(spot, sample=sample), **goals)
            checked = start_spot(compile_spot(spot.without_bets(), sample=sample))
            found.append((played.value[0] - checked.expected_value(0)) / spot.pot)
        told = {"mean": float(np.mean(found)), "standard deviation": float(np.std(found, ddof=1))}
        out[f"{cards[0]} turns, {cards[1]} rivers"] = told
    if all_boards:
        share = equity(*spot.ranges, spot.board).equity[0]
        out["all boards"] = solve_spot(spot, **goals).value[0] / spot.pot - (share - 0.5)
    return out


def stored(solutions: list[TableSolution], entries: list[dict[str, Any]]) -> str:
    """The file: comments, then two rows of 169 numbers for each line, alpha and beta."""
    lines = [
        f"# Realised equity beyond equity, shares of the pot, by class of hands in the order of the 13 x 13 grid ({datetime.date.today()})."
    ]
    for solution in solutions:
        leaves = solution.table.leaves
        assert isinstance(leaves, FlopLeaves), "as above"
        deep = min(solution.table.stacks) / solution.table.big_blind
        lines.append(
            f"# {deep:g} bb heads-up, {len(leaves.flops)} flops, {leaves.cards_text}; largest gain "
            f"{1000 * solution.exploitability:.1f} mbb after {solution.iterations} iterations."
        )
    lines.append(
        "# Made by benchmarks/realised.py; rows: who raised last, stack to pot ratio, alpha (out of position), then beta."
    )
    for entry in entries:
        for part in ("alpha", "beta"):
            numbers = " ".join(f"{number:.4f}" for number in entry[part])
            lines.append(f"{entry['kind']} {entry['depth']:.4f} {numbers}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("solved", nargs="+", help="tables of two seats solved on flops (.eqb)")
    parser.add_argument(
        "--cards", nargs=2, metavar=("LINE", "FLOP"), help="measure what sampled turns and rivers change there"
    )
    parser.add_argument("--all-boards", action="store_true", help="of --cards: also on all boards (minutes)")
    parser.add_argument("--write", action="store_true", help="store what was measured in the package")
    options = parser.parse_args()
    solutions = [load_solution(path) for path in options.solved]
    assert all(isinstance(each, TableSolution) for each in solutions), "tables"
    if options.cards is not None:
        print(json.dumps(sampled_cards(solutions[0], *options.cards, 6, options.all_boards), indent=1))
        return
    entries = [entry for each in solutions for entry in measure(each)]
    if options.write:
        text = stored(solutions, entries)
        Path(home.__file__).with_name("realised_equity.txt").write_text(text, encoding="ascii")
    shown = [{key: value for key, value in entry.items() if key not in ("alpha", "beta")} for entry in entries]
    print(json.dumps(shown, indent=1))


if __name__ == "__main__":
    main()
