"""Restricted Nash response: play against an opponent who follows a model half of the time and is anybody otherwise.

More trust in the model earns more against it and costs safety; equilibrium and best response are the two ends.
"""

import numpy as np

import equilibrist as eq

GAME = "leduc"
WEIGHTS = (0.0, 0.5, 0.8, 0.95, 1.0)  # how much the model is trusted


def main() -> None:
    game = eq.compiled(GAME)
    model = game.infosets.uniform()  # an opponent who picks actions at random
    ceiling = eq.best_response(game, model, 0).value
    print(f"player 1 against a random player 2 in {GAME}; the most one can win is {ceiling:+.4f}")
    print(f"{'trust':>6} {'wins':>9} {'loses at most':>14}")
    for weight in WEIGHTS:
        solver = eq.CFR(schedule=eq.DCFR(), bindings=(eq.Binding(model, player=1, weight=weight),))
        response = eq.solve(game, solver, iterations=1000).policy
        wins = eq.evaluate_policy(game, against(response, model)).value[0]
        loses = eq.best_response(game, response, 1).value
        print(f"{weight:6.2f} {wins:+9.4f} {loses:14.4f}")


def against(first: eq.TabularPolicy, second: eq.TabularPolicy) -> eq.TabularPolicy:
    """Player 1 of one policy at the table with player 2 of another."""
    infosets = first.infosets
    owner = np.repeat(infosets.player, np.diff(infosets.first_slot))  # whose decision each slot belongs to
    return eq.TabularPolicy(infosets, np.where(owner == 0, first.probabilities, second.probabilities))


if __name__ == "__main__":
    main()
