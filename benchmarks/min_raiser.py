"""A player that raises every hand on the button by the least that is legal, and goes on as a blueprint, against a blueprint.

    python benchmarks/min_raiser.py runs/hu20/blueprint.eqb --hands 16000

Where big blinds fold more than two in five to it, raising any two cards wins at once.
"""

from __future__ import annotations

import argparse
import json

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.agents.matches.match import MatchSettings, play_match, result_facts
from equilibrist.solvers.blueprint.strategy import load_blueprint


class MinRaiser(BlueprintPlayer):
    """Plays a blueprint, but for its first action on the button."""

    def act(self, view, deadline=None):
        if view.public_state == "" and view.chips.raise_bounds is not None:
            return view.nearest_raise(view.chips.raise_bounds[0])
        return super().act(view, deadline)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blueprint")
    parser.add_argument("--follows", help="how the raiser goes on (default: the blueprint itself)")
    parser.add_argument("--hands", type=int, default=16000)
    asked = parser.parse_args()
    blueprint = load_blueprint(asked.blueprint)
    own = load_blueprint(asked.follows or asked.blueprint)
    makers = {"min-raiser": lambda: MinRaiser(own), "blueprint": lambda: BlueprintPlayer(blueprint)}
    settings = MatchSettings(tuple(makers), blueprint.game, asked.hands, 0, duplicate=True, aivat="chance")
    facts = result_facts(play_match(settings, makers=lambda name: makers[name]()))
    told = ("hands", "mbb_per_game", "interval", "aivat", "faults")
    print(json.dumps({key: facts[key] for key in told}))


if __name__ == "__main__":
    main()
