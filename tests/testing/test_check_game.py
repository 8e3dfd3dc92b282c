"""`check_game` accepts a sound game and names the fault of every broken one."""

import itertools

import pytest

from equilibrist.games.catalogue import load_game
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.testing.games import check_game

CALLS = itertools.count()


class ToyState(State):
    """A coin that player 1 sees, then a move by player 1, by player 2 and by player 1 again; one fault at most."""

    def __init__(self, game: "Toy", path: list[str]) -> None:
        self.game = game
        self.path = path

    @property
    def player(self) -> int:
        actor = (CHANCE, 0, 1, 0, TERMINAL)[len(self.path)]
        if self.game.fault == "actor" and len(self.path) == 2 and self.path[0] == "T":
            return 0
        return 7 if self.game.fault == "range" and actor == 1 else actor

    def chance(self) -> list[tuple[str, float]]:
        fault = self.game.fault
        tails = {"sum": 0.4, "zero": 0.0}.get(fault, 0.5)
        return [("H", 1.0 if fault == "zero" else 0.5), ("H" if fault == "same outcomes" else "T", tails)]

    def actions(self) -> list[str]:
        fault = self.game.fault
        if self.player == 1 and fault == "no actions":
            return []
        if self.player == 1 and fault == "actions" and self.path[0] == "T":
            return ["a", "b", "c"]
        return ["a", "a"] if fault == "same actions" else ["a", "b"]

    def child(self, index: int) -> "ToyState":
        label = self.chance()[index][0] if self.player == CHANCE else self.actions()[index]
        if self.game.fault == "changes itself" and len(self.path) == 2:
            self.path.append(label)
            return self
        if self.game.fault == "shares" and len(self.path) == 1:
            self.game.shared[:] = [*self.path, label]
            return ToyState(self.game, self.game.shared)
        if self.game.fault == "random" and len(self.path) == 1:
            label = "ab"[next(CALLS) % 2]
        return ToyState(self.game, [*self.path, label])

    def infoset(self, player: int) -> str:
        fault, depth = self.game.fault, len(self.path)
        if player == 0:
            forgets = fault == "forgets the coin" and depth == 3
            return self.public() if forgets or not depth else f"{self.path[0]}:{self.public()}"
        if fault == "blind" and depth == 2:
            return "somewhere"
        return f"{self.path[0]}:{self.public()}" if fault == "forgets a glimpse" and depth == 1 else self.public()

    def public(self) -> str:
        if self.game.fault == "stands still" and len(self.path) == 2:
            return ":"
        if self.game.fault == "merges" and len(self.path) == 3:
            return "two moves"
        return ":" + "".join(self.path[1:]) if self.path else "start"

    def returns(self) -> tuple[float, ...]:
        return {"length": (1.0,), "infinite": (float("inf"), 0.0), "sum of returns": (1.0, 1.0)}.get(
            self.game.fault, (1.0, -1.0)
        )


class Toy(Game):
    name = "toy"
    players = 2

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.shared: list[str] = []

    def start(self) -> ToyState:
        return ToyState(self, [])

    def histories(self) -> float:
        return 30 if self.fault == "size" else 1 + 2 * (1 + 2 + 4 + 8)


def test_a_sound_game_passes() -> None:
    assert check_game(Toy()) == 31
    assert check_game(Toy(), histories=25) == 25  # by random descents


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("sum", "chance probabilities sum to 0.9 instead of 1"),
        ("zero", "the chance outcome 'T' has probability 0.0"),
        ("same outcomes", "the label 'H' appears twice"),
        ("same actions", "the label 'a' appears twice"),
        ("no actions", "play goes on, but there is no action"),
        ("range", "the acting player is 7"),
        ("actor", "the public state ':a' belongs to player [12] in one history and player [12] in another"),
        ("actions", "the infoset ':a' of player 2 does not determine the actions: .*'c'"),
        ("blind", "the infoset 'somewhere' of player 2 does not determine the public state"),
        ("forgets the coin", "the infoset ':aa' of player 1 does not determine the player's .*perfect recall"),
        ("forgets a glimpse", "the infoset ':a' of player 2 does not determine the player's infoset one step earlier"),
        ("stands still", "the public state ':' belongs to player 1 in one history and player 2 in another"),
        ("merges", "the public state 'two moves' follows both ':a' and ':b'|infoset"),
        ("length", "there are 1 returns for 2 players"),
        ("infinite", "not finite numbers"),
        ("sum of returns", r"the returns \(1.0, 1.0\) do not sum to zero though"),
        ("size", "says it has 30 histories, but has 31"),
        ("changes itself", "two different states|changes the state"),
        ("shares", "changed by making other states"),
        ("random", "called twice gives two different states"),
    ],
)
def test_faults_are_named(fault: str, says: str) -> None:
    with pytest.raises(AssertionError, match=f"'toy'.*({says})"):
        check_game(Toy(fault))


@pytest.mark.parametrize("fault", ["sum", "same actions", "forgets the coin", "sum of returns", "merges", "random"])
def test_random_descents_find_faults_too(fault: str) -> None:
    with pytest.raises(AssertionError, match="In 'toy'"):  # noqa: PT012 (whichever seed meets it)
        for seed in range(20):
            check_game(Toy(fault), histories=30, seed=seed)


def test_the_history_is_told() -> None:
    with pytest.raises(AssertionError, match=r"\(history: start > [HT] > [ab] > [ab] > [ab]\)"):
        check_game(Toy("length"))


def test_declared_imperfect_recall_may_forget() -> None:
    game = Toy("forgets the coin")
    game.perfect_recall = False
    check_game(game)


def test_games_without_observations_need_no_public_states() -> None:
    game = Toy("merges")
    game.observations = False  # as games from files declare
    with pytest.raises(AssertionError, match="perfect recall"):  # this text forgets own moves, too
        check_game(game)
    other = Toy("stands still")
    other.observations = False
    with pytest.raises(AssertionError, match=r"actions|recall|actor"):
        check_game(other)
    last = Toy("forgets a glimpse")
    last.observations = False
    check_game(last)


def test_games_that_are_not_zero_sum() -> None:
    game = Toy("sum of returns")
    game.zero_sum = False
    check_game(game)


def test_names_of_the_catalogue_must_lead_back() -> None:
    check_game(load_game("rps"))
    with pytest.raises(AssertionError, match="'rps' is read back as a different game"):
        check_game(MatrixGame("rps", [[1, 0], [0, 1]]))
    with pytest.raises(AssertionError, match="is read back as 'matrix'"):
        check_game(MatrixGame("matrix(rows=[[1,0],[0,2]])", [[1, 0], [0, 2]]))
    check_game(MatrixGame("a game of my own", [[1, 0], [0, 1]]))


def test_nameless_games_are_refused() -> None:
    game = Toy()
    game.name = ""
    with pytest.raises(AssertionError, match="needs a name"):
        check_game(game)
