"""A game of your own: write the rules as states, check them, solve them.

Ambush: the defender secretly guards one of two roads, a scout tells the attacker which one (and lies one time in four),
and the attacker takes a road. It wins 1 on an open road and loses 1 on a guarded one.
"""

from __future__ import annotations

from collections.abc import Sequence

import equilibrist as eq
from equilibrist import CHANCE, TERMINAL, Game, State, check_game

ROADS = ("north", "south")
REPORTS = (("truth", 0.75), ("lie", 0.25))


class AmbushState(State):
    """The moves so far: guarded road, kind of report, road taken."""

    __slots__ = ("moves", "player")

    def __init__(self, moves: tuple[int, ...] = ()) -> None:
        self.moves = moves
        self.player = (0, CHANCE, 1, TERMINAL)[len(moves)]

    def actions(self) -> Sequence[str]:
        return ROADS

    def chance(self) -> Sequence[tuple[str, float]]:
        return REPORTS

    def child(self, index: int) -> AmbushState:
        return AmbushState((*self.moves, index))

    def infoset(self, player: int) -> str:
        """The defender knows what it guards, the attacker only what the scout says."""
        if player == 0:
            seen = [ROADS[move] for move in self.moves[:1]]
        else:
            seen = [f"told {ROADS[self.moves[0] ^ self.moves[1]]}"] if len(self.moves) > 1 else []
        own = [f"took {ROADS[self.moves[2]]}"] if player == 1 and len(self.moves) > 2 else []
        return ", ".join([self.public(), *seen, *own])

    def public(self) -> str:
        """Nobody sees more than how far the game has come."""
        return ("guarding", "scouting", "marching", "over")[len(self.moves)]

    def returns(self) -> tuple[float, ...]:
        guarded, _, taken = self.moves
        return (1.0, -1.0) if guarded == taken else (-1.0, 1.0)


class Ambush(Game):
    name = "ambush"
    players = 2

    def start(self) -> AmbushState:
        return AmbushState()


def main() -> None:
    game = Ambush()
    print(f"{check_game(game)} histories checked")
    solution = eq.solve(game, until=1e-4)
    print(f"the defender wins {solution.value[0]:.4f} a game (exploitability {solution.exploitability:.1e})")
    for key in solution.policy:
        mix = "  ".join(f"{road} {share:.3f}" for road, share in solution.policy[key].items())
        print(f"  {key:22} {mix}")


if __name__ == "__main__":
    main()
