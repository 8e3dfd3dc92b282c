"""What a best response gains on the river from the same blueprint in different buckets, and what training them costs.

    python benchmarks/buckets.py --deals 8 tiny small "ehs-equal(sizes=169/200/200/200)" \\
        "ehs-equal/texture-equal/texture-equal/texture-equal(sizes=169/120/200/540)"

The game and the menu are those of a preset; one line of JSON for each kind of buckets. Buckets are made before the clock runs.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace

from equilibrist.games.catalogue import load_game
from equilibrist.solvers.blueprint.exact.street_response import street_response
from equilibrist.solvers.blueprint.presets import find_plan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training

MILLION = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cards", nargs="+")
    parser.add_argument("--preset", default="hu-20bb")
    parser.add_argument("--deals", type=float, default=8.0, help="millions")
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--turns", type=int, default=0, help="turn boards that are looked at, too")
    asked = parser.parse_args()
    for cards in asked.cards:
        print(json.dumps(measured(cards, asked)), flush=True)


def measured(cards: str, asked: argparse.Namespace) -> dict[str, object]:
    plan = replace(find_plan(asked.preset).plan, cards=cards)
    game, unit = plan.game(), 1000.0 / load_game(plan.game_name).big_blind
    deals = int(asked.deals * MILLION)
    run = BlueprintRun(game, Training(), planned=deals)
    begun = time.process_time()
    run.advance(deals // BLOCK)
    facts: dict[str, object] = {
        "cards": cards,
        "slots": game.slots,
        "deals": deals,
        "cpu_seconds": time.process_time() - begun,
    }
    blueprint = PokerBlueprint(plan, game, run.packed())
    for name, street, boards in (("river", 3, asked.boards), ("turn", 2, asked.turns)):
        if boards:
            found = street_response(blueprint, street, boards=boards)
            facts[f"{name}_mbb"] = [unit * each for each in (found.mean.value, found.mean.low, found.mean.high)]
            facts[f"{name}_each_bb"] = found.each.value * unit / 1000.0
    return facts


if __name__ == "__main__":
    main()
