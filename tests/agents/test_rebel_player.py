"""ReBeL's player: from a folder, before the flop with raises that nobody trained for, on later streets by searches."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

from equilibrist import load_game  # noqa: E402
from equilibrist.agents.rebel_player import RebelPlayer, unknown_raises  # noqa: E402
from equilibrist.agents.registry import agent_game, load_agent  # noqa: E402
from equilibrist.agents.simple import AlwaysCall  # noqa: E402
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, ParameterError  # noqa: E402
from equilibrist.evaluation.play.referee import play_hand, view_of  # noqa: E402
from equilibrist.games.rules import CHANCE  # noqa: E402
from equilibrist.learning.rebel_holdem.publishing import publish  # noqa: E402
from equilibrist.learning.rebel_holdem.rebel_order import RebelOrder  # noqa: E402
from equilibrist.learning.rebel_holdem.rebel_training import RebelTraining  # noqa: E402

HOLDEM = load_game("nolimit-holdem(stack=2000)")
QUICK = "iterations=2,cards=1,preflop=4"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Networks that have learned nothing before the flop, and those of the package on the turn."""
    path = tmp_path_factory.mktemp("rebel")
    training = RebelTraining(RebelOrder(preflop=20))
    training.curve.append({"iterations": 0, "turn": 3.0, "turn_check_down": 15.0})
    publish(path, training, {"iterations": 0})
    return path


def seated(folder: Path, seat: int = 1) -> RebelPlayer:
    player = load_agent(f"rebel(folder={folder},{QUICK})")
    assert isinstance(player, RebelPlayer)
    player.reset(seat, HOLDEM, random.Random(0))
    return player


def test_raises_that_a_line_has_and_the_tree_has_not(folder: Path) -> None:
    blueprint = seated(folder).blueprint
    assert unknown_raises(blueprint, ["r200", "r600"]) == ((), ())
    assert unknown_raises(blueprint, ["c", "r250"]) == ((150.0,),)
    assert unknown_raises(blueprint, ["r300", "r900", "r2000"]) == ((200.0,), (600.0,), ())


def test_a_raise_that_nobody_trained_for_is_searched(folder: Path) -> None:
    player = seated(folder)
    usual = player.blueprint
    player._fit(["r300"])
    other = player.blueprint
    tree = other.abstract.tree
    assert tree.actions(tree.find("r300")) == ("f", "c", "r900", "r2000")
    player._fit(["r200"])
    assert player.blueprint is usual
    player._fit(["r300", "c"])
    assert player.blueprint is other  # searched once


def test_searches_before_the_flop_keep_to_the_time(folder: Path) -> None:
    """Where there is none the game without the raise is played; what was cut short is no finished search."""
    player = load_agent(f"rebel(folder={folder},iterations=2,cards=1,preflop=100000)")
    assert isinstance(player, RebelPlayer)
    player.reset(1, HOLDEM, random.Random(0))
    usual = player.blueprint
    player._deadline = time.monotonic() + 0.1
    player._fit(["r300"])
    assert player.blueprint is usual
    began = time.monotonic()
    player._deadline = began + player._overrun + 1.0
    player._fit(["r350"])
    assert player.blueprint is not usual
    assert time.monotonic() - began < 60.0  # 100,000 iterations take many minutes
    assert not player._games


def test_more_raises_than_a_menu_tells_apart_are_cut(folder: Path) -> None:
    player = seated(folder)
    player._fit([f"r{200 + 110 * number}" for number in range(1, 14)])
    assert max(map(len, player._games)) == 9


def test_it_plays_whole_hands(folder: Path) -> None:
    """Beside one who always calls, so that later streets are seen; the same again for a seed."""
    seen, player = [], seated(folder, 0)
    for deal in (2, 3, 2, 3):
        draws = [random.Random(deal), random.Random(deal + 1)]
        record = play_hand(HOLDEM, [player, AlwaysCall()], random.Random(deal), draws)
        assert record.faults == ()
        seen.append((record.moves, len(player._solved)))
    assert seen[:2] == seen[2:]
    assert max(solved for _, solved in seen) >= 2


def test_turns_are_solved_from_the_beliefs_of_a_searched_flop(folder: Path) -> None:
    """After checks on the flop; no search was given up."""
    player = seated(folder, 0)
    state = HOLDEM.start()
    rng = random.Random(3)
    words = iter(["c", "x", "x", "x"])
    while state.player == CHANCE or len(state.chips(0).board) < 4:
        dealt = state.player == CHANCE
        state = state.child(state.sample_chance(rng) if dealt else state.actions().index(next(words)))
    strategy = player.strategy(view_of(state, 0))
    assert strategy is not None
    assert strategy.probabilities.sum(axis=1) == pytest.approx(np.ones(1326))
    assert (
        len(np.unique(strategy.probabilities[:, 0].round(6))) > 10
    )  # hand by hand, not as the blueprint, which checks
    assert {key[0] for key, root in player._solved.items() if root is not None} == {"1", "2"}


def test_what_it_refuses(folder: Path, tmp_path: Path) -> None:
    assert agent_game(f"rebel(folder={folder})") == "nolimit-holdem(stack=2000)"
    with pytest.raises(ParameterError, match="none was given"):
        load_agent("rebel")
    with pytest.raises(ParameterError, match=r"has no preflop.eqb"):
        load_agent(f"rebel(folder={tmp_path})")
    with pytest.raises(EquilibristError, match="no parameter 'speed'"):
        load_agent(f"rebel(folder={folder},speed=1)")
    with pytest.raises(ParameterError, match="Cards are 0"):
        load_agent(f"rebel(folder={folder},cards=60)")
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / "flop-values.eqb").write_bytes((folder / "values.eqb").read_bytes())
    with pytest.raises(FormatError, match="flop-values"):  # before anybody plays
        load_agent(f"rebel(folder={broken})")
    with pytest.raises(NotApplicableError, match="was trained for"):
        load_agent(f"rebel(folder={folder})").reset(0, load_game("nolimit-holdem(stack=5000)"), random.Random(0))
