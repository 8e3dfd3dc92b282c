"""A game as users write it, for tests: hide a coin in one of some hands, and guess where it is."""

TEXT = '''
from dataclasses import dataclass
from pathlib import Path

from equilibrist import CHANCE, TERMINAL, Game, State

Path(__file__).with_suffix(".ran").open("a").write("ran\\n")


class Hidden(State):
    __slots__ = ("hands", "moves", "player")

    def __init__(self, hands, moves=()):
        self.hands, self.moves, self.player = hands, moves, (0, 1, TERMINAL)[len(moves)]

    def actions(self):
        return tuple(f"hand{n}" for n in range(self.hands))

    def child(self, index):
        return Hidden(self.hands, (*self.moves, index))

    def infoset(self, player):
        seen = self.moves[player : player + 1]
        return f"{self.public()}{''.join(f' {move}' for move in seen)}"

    def public(self):
        return ("hide", "guess", "over")[len(self.moves)]

    def returns(self):
        return (-1.0, 1.0) if self.moves[0] == self.moves[1] else (1.0, -1.0)


class HideAndSeek(Game):
    """A coin in one of some hands."""

    name = "whatever"
    players = 2

    def __init__(self, hands: int = 2):
        if hands < 2:
            raise ValueError("two hands at least")
        self.hands = hands

    def start(self):
        return Hidden(self.hands)


@dataclass(frozen=True)
class Frozen(Game):
    hands: int = 2
    name: str = "frozen"
    players: int = 2

    def start(self):
        return Hidden(self.hands)


def three_hands():
    return HideAndSeek(3)


def not_a_game():
    return 3


class NoRules(Game):
    pass
'''


def write_game(folder):
    """Path of the file, and of the file that grows whenever it is run."""
    path = folder / "my_game.py"
    path.write_text(TEXT)
    return path, path.with_suffix(".ran")
