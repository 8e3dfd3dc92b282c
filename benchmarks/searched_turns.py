"""What a best response wins from a blueprint whose turns are solved to the end, as `search=turn` with a safe technique plays them.

Hands are dealt and played by the blueprint against itself. Where the turn begins, it is solved with both ranges as they are, and a best
response to this solution, with its own bets, is compared with the solution itself, on all rivers and with all hands apart.

    python benchmarks/searched_turns.py runs/hu20/blueprint.eqb --hands 200 --iterations 150
"""

from __future__ import annotations

import argparse
import json
import time

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.agents.blueprint.hand_to_spot import held_range, street_betting
from equilibrist.agents.blueprint.searching_player import SearchSettings
from equilibrist.compute.machine import cores
from equilibrist.evaluation.play.last_street_response import LastStreetResponder, judge_last_street, last_street_gains
from equilibrist.games.catalogue import load_game
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.blueprint.strategy import load_blueprint
from equilibrist.solvers.postflop.solve_spot import solve_spot

TURN = 2


class SolvedTurns(LastStreetResponder):
    """Looks at turns, which are solved, instead of rivers."""

    def __init__(self, game, make, settings, threads):
        super().__init__(game, make)
        self.last, self.settings, self.threads, self.seconds = TURN, settings, threads, []

    def gains(self, state, reach):
        rules, label = self.game.rules, self.game.rules.deck.label
        ranges = [held_range(each, state.board) for each in reach]
        if None in ranges:
            return 0.0, 0.0
        paid = max(state.node.paid)
        menus = (self.settings.bet, self.settings.raises)
        spot = Spot(
            board="".join(map(label, state.board)),
            pot=2.0 * paid,
            range=dict(zip(PLAYERS, ranges, strict=True)),
            **street_betting(rules, TURN, (), paid, menus),
        )
        begun = time.perf_counter()
        found = solve_spot(spot, iterations=self.settings.iterations, threads=self.threads).evaluation
        self.seconds.append(time.perf_counter() - begun)
        gains = [best - value for best, value in zip(found.best_response_value, found.value, strict=True)]
        return gains[0], gains[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blueprint")
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--threads", type=int, default=cores())
    asked = parser.parse_args()
    blueprint = load_blueprint(asked.blueprint)
    game = load_game(blueprint.game)
    settings = SearchSettings(iterations=asked.iterations)
    looked = SolvedTurns(game, lambda: BlueprintPlayer(blueprint), settings, asked.threads)
    found = judge_last_street(list(last_street_gains(looked, asked.hands)))
    unit = 1000.0 / game.big_blind
    print(
        json.dumps(
            {
                "hands": found.hands,
                "turns": found.there,
                "gain_mbb": unit * found.mean.mean,
                "interval_mbb": [unit * each for each in found.mean.interval],
                "each_bb": found.each / game.big_blind,
                "seconds_a_turn": sum(looked.seconds) / max(len(looked.seconds), 1),
                "iterations": asked.iterations,
            }
        )
    )


if __name__ == "__main__":
    main()
