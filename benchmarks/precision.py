"""How far stated values are from explicit matrices in double precision, by depth of the stacks: the table of docs/reliability.md.

Every spot is solved for some iterations; values, best responses and exploitability as they are stated, and as passes in single precision
would state them, are compared with those of `verify`. Errors are per cent of the pot, the largest of the five numbers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

DEPTHS = (1, 10, 25, 100, 1_000, 10_000)  # stacks in pots
RANGES = (
    "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
)
LOCK = '[[lock]]\nline = "a"\nstrategy = { c = 0.7, f = 0.3 }\n'
SPOTS = {
    "river, e, a": ("Td9d6hQc2s", ("random", "random"), "e, a", "", 300),
    "river, 50%, a": ("Td9d6hQc2s", ("random", "random"), "50%, a", "", 300),
    "river, 10%, a": ("Td9d6hQc2s", ("random", "random"), "10%, a", "", 300),
    "river, 50%, a, all-ins called": ("Td9d6hQc2s", ("random", "random"), "50%, a", LOCK, 300),
    "turn, e, a": ("Td9d6hQc", RANGES, "e, a", "", 40),
    "turn, 50%, a": ("Td9d6hQc", RANGES, "50%, a", "", 40),
    "turn, 10%, a": ("Td9d6hQc", RANGES, "10%, a", "", 40),
    "turn, 50%, a, all-ins called": ("Td9d6hQc", RANGES, "50%, a", LOCK, 40),
}
POT = 100.0


def measure(name: str, depth: int) -> dict[str, float]:
    """Largest errors of stated numbers, and of single precision, per cent of the pot."""
    from equilibrist.evaluation.verification.spots import verify_spot
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import solve_spot

    board, (oop, ip), bets, more, iterations = SPOTS[name]
    spot = Spot.from_text(
        f'board = "{board}"\npot = {POT}\nstack = {depth * POT}\n[range]\noop = "{oop}"\nip = "{ip}"\n'
        f'[bets]\nbet = "{bets}"\nraise = "a"\n{more}'
    )
    solution = solve_spot(spot, iterations=iterations)
    found, run = verify_spot(solution).recomputed, solution.boards.run
    single = [[run.expected_value(p, respond=respond) + POT / 2.0 for p in range(2)] for respond in (False, True)]

    def off(value: Sequence[float], best: Sequence[float]) -> float:
        pairs = [*zip(value, found.ev, strict=True), *zip(best, found.best_response_ev, strict=True)]
        gaps = [(sum(best) - sum(value)) / 2.0 - found.exploitability, *(a - b for a, b in pairs)]
        return 100.0 * max(map(abs, gaps)) / POT

    stated = 100.0 * float(solution.provenance["error"]) / POT
    return {"single": off(*single), "stated": off(solution.ev, solution.best_response_ev), "bound": stated}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one object")
    options = parser.parse_args()
    rows = {name: {depth: measure(name, depth) for depth in DEPTHS} for name in SPOTS}
    if options.json:
        print(json.dumps(rows))
        return
    print("| per cent of the pot | " + " | ".join(f"SPR {depth:,}" for depth in DEPTHS) + " |")
    print("|---|" + "--:|" * len(DEPTHS))
    for name, row in rows.items():
        for what in ("single", "stated"):
            print(f"| {name}: {what} | " + " | ".join(f"{row[depth][what]:.0e}" for depth in DEPTHS) + " |")
    first = next(iter(rows.values()))
    print("| stated error | " + " | ".join(f"{first[depth]['bound']:.0e}" for depth in DEPTHS) + " |")


if __name__ == "__main__":
    main()
