"""A readable text of one random way through a game: what is public, what each player knows, what is chosen.

`python -m equilibrist.games.playthrough NAME [SEED]` writes it to the standard output; tests compare such texts with
the ones kept in `tests/golden`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

from equilibrist.core.errors import EquilibristError
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

MOST_SHOWN = 12  # labels on one line before they are abbreviated


def playthrough(game: Game, seed: int = 0) -> str:
    """One seeded random descent, state by state."""
    rng = random.Random(seed)
    lines = [f"game: {game.name}", f"players: {game.players}, {_kind(game)}", f"seed: {seed}"]
    state, step = game.start(), 0
    while state.player != TERMINAL:
        lines += ["", *_scene(step, state, game.players)]
        if state.player == CHANCE:
            index, outcomes = state.sample_chance(rng), state.chance()
            lines += [f"  outcomes: {shortened(outcomes)}", f"  -> {outcomes[index][0]}"]
        else:
            actions = state.actions()
            index = rng.randrange(len(actions))
            lines += [f"  actions: {shortened(actions)}", f"  -> {actions[index]}"]
        state, step = state.child(index), step + 1
    payoffs = "  ".join(f"{amount:+.6g}" for amount in state.returns())
    return "\n".join([*lines, "", *_scene(step, state, game.players), f"  returns: {payoffs}", ""])


def shortened(options: Sequence[str] | Sequence[tuple[str, float]]) -> str:
    """All actions or outcomes, or the first ten, the last one and how many there are."""
    count = len(options)
    if count <= MOST_SHOWN:
        return " | ".join(map(_option, options))
    return " | ".join([*(_option(options[i]) for i in range(10)), "…", _option(options[-1])]) + f"  ({count} in all)"


def _option(option: str | tuple[str, float]) -> str:
    return option if isinstance(option, str) else f"{option[0]} {option[1]:.4g}"


def _kind(game: Game) -> str:
    payoffs = "zero-sum" if game.zero_sum else "general-sum"
    return f"{payoffs}, {'perfect' if game.perfect_recall else 'imperfect'} recall"


def _scene(step: int, state: State, players: int) -> list[str]:
    actor = {CHANCE: "chance", TERMINAL: "end"}.get(state.player, f"player {state.player + 1}")
    knows = [f"  player {p + 1} sees: {state.infoset(p)}" for p in range(players)]
    return [f"{step}. {actor}", f"  public: {state.public()}".rstrip(), *(line.rstrip() for line in knows)]


def main(arguments: Sequence[str]) -> int:
    """Write the playthrough of a game by name."""
    if not 1 <= len(arguments) <= 2 or not all(seed.isdigit() for seed in arguments[1:]):
        sys.stderr.write("usage: python -m equilibrist.games.playthrough NAME [SEED]\n")
        return 2
    try:
        game = load_game(arguments[0])
    except EquilibristError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(playthrough(game, int(arguments[1]) if len(arguments) == 2 else 0))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
