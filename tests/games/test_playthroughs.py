"""Every game of the catalogue: its golden playthrough, and the conformity suite."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from equilibrist.games.catalogue import GAMES, load_game
from equilibrist.games.playthrough import playthrough, shortened
from equilibrist.testing.games import check_game

GOLDEN = Path(__file__).parent.parent / "golden"

SMALL_DECK = "ranks=5,suits=2"  # ten cards: all outcomes of a deal can be listed
STAND_INS = {
    "limit-holdem": f"limit-holdem({SMALL_DECK})",
    "flop-holdem": f"flop-holdem({SMALL_DECK})",
    "nolimit-holdem": f"nolimit-holdem(stack=600,{SMALL_DECK})",
    "nolimit-flop-holdem": f"nolimit-flop-holdem(stack=600,{SMALL_DECK})",
    "turn-endgame-holdem": f"turn-endgame-holdem({SMALL_DECK})",
    **{
        name: f"{name}({SMALL_DECK})"
        for name in (
            "small-nolimit-flop-holdem",
            "large-nolimit-flop-holdem",
            "nested-nolimit-flop-holdem",
            "nolimit-turn-holdem",
        )
    },
    "bucket-holdem": "bucket-holdem(buckets=2,boards=0,rounds=2,ranks=5)",
}
SLOW = ["bucket-holdem"]  # its deals take minutes to count the first time: the stand-in is checked
VARIANTS = [
    "kuhn(players=3)",
    "leduc(suits=merged)",
    "leduc(players=3)",
    "leduc(ranks=5)",
    "coin-toss(subgames=2)",
    "coin-toss(swapped=true)",
    "clairvoyance(stack=3,step=0.5)",
    "liars-dice(faces=3)",
    "liars-dice(dice=2,faces=2)",
    "liars-dice(dice=2,faces=2,ordered=true)",
    "goofspiel(cards=3,order=random)",
    "goofspiel(cards=3,order=random,reveal=false)",
    "goofspiel(cards=4,order=descending,reveal=false,returns=win)",
    "tic-tac-toe(rows=2,columns=4)",
    "phantom-tic-tac-toe(rows=2,columns=2,line=2)",
    "lemonade(stands=5)",
    "matrix(rows=[[1,2.5],[-3,0]])",
    "bandit(payoffs=[1,2])",
    "random-matrix(rows=3,seed=4)",
    "purification-game(k=2)",
]
NAMES = [*(name for name in GAMES.names() if name not in SLOW), *STAND_INS.values(), *VARIANTS]
WIDE = [name for name in STAND_INS if name.startswith("nolimit")]  # thousands of bet sizes: the stand-ins are checked


def golden_file(name: str) -> Path:
    return GOLDEN / (re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-") + ".txt")


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str) -> None:
    path = golden_file(name)
    command = f"python -m equilibrist.games.playthrough '{name}' > tests/golden/{path.name}"
    assert path.is_file(), f"There is no golden playthrough of '{name}'; read it and keep it: {command}"
    game = load_game(name)
    assert game.name == name, "a golden file belongs to the name that the game prints"
    assert playthrough(game, 0) == path.read_text(encoding="utf-8"), f"If this change is meant: {command}"


def test_no_golden_file_is_left_over() -> None:
    assert {path.name for path in GOLDEN.glob("*.txt")} == {golden_file(name).name for name in NAMES}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WIDE])
@pytest.mark.sampled(10)
def test_conformity(name: str) -> None:
    large = name in (*STAND_INS, *STAND_INS.values(), "rhode-island", "bl26", "leduc(players=3)")
    assert check_game(load_game(name), histories=150 if large else 5_000) > 0


def test_wide_nodes_are_shortened() -> None:
    assert shortened(["a", "b"]) == "a | b"
    assert shortened([("H", 0.5), ("T", 0.5)]) == "H 0.5 | T 0.5"
    assert shortened([str(i) for i in range(13)]).endswith("8 | 9 | … | 12  (13 in all)")


def test_seeds_give_different_and_repeatable_texts() -> None:
    game = load_game("goofspiel")
    assert playthrough(game, 1) == playthrough(load_game("goofspiel"), 1) != playthrough(game, 2)


def test_command() -> None:
    run = [sys.executable, "-m", "equilibrist.games.playthrough"]
    good = subprocess.run([*run, "rps", "3"], capture_output=True, text=True, check=False, encoding="utf-8")
    assert (good.returncode, good.stdout) == (0, playthrough(load_game("rps"), 3))
    bad = subprocess.run([*run, "rsp"], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert "Did you mean 'rps'" in bad.stderr
    assert subprocess.run(run, capture_output=True, check=False).returncode == 2
