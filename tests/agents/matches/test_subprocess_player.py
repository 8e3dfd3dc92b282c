"""Players in processes of their own: the same play, and an end to those that never answer."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from equilibrist.agents.matches.match import MatchSettings, play_match, result_facts
from equilibrist.agents.matches.subprocess_player import SubprocessPlayer
from equilibrist.agents.registry import load_agent
from equilibrist.agents.simple import AlwaysCall
from equilibrist.core.errors import ParameterError
from equilibrist.evaluation.play.referee import play_hand
from equilibrist.games.catalogue import load_game
from equilibrist.interfaces.cli.guard import INTERRUPTED


class Stuck(AlwaysCall):
    """Never answers in hands whose first random number is small; dies in those where it is large."""

    def act(self, view, deadline=None):
        draw = self.rng.random()
        while draw < 0.4:
            time.sleep(1.0)
        if draw > 0.8:
            os._exit(3)
        if draw > 0.7:
            raise ZeroDivisionError("a bug")
        return view.passive()


def make(name):
    return Stuck() if name == "stuck" else load_agent(name)


def test_apart_or_not_the_play_is_the_same():
    settings = MatchSettings(("random", "tight-aggressive"), hands=20, block=10, aivat="off", seconds=30.0)
    apart = play_match(settings, makers=SubprocessPlayer)
    assert result_facts(apart) == result_facts(play_match(settings))
    assert apart.faults == (0, 0)


def test_a_player_that_never_answers_is_stopped_and_made_anew():
    game, kinds = load_game("leduc"), set()
    players = [SubprocessPlayer("stuck", make), AlwaysCall()]
    for hand in (0, 2, 3, 4, 5, 10):  # 0.84, 0.96, 0.24, 0.24, 0.62, 0.57
        draws = [random.Random(hand), random.Random(0)]
        first = random.Random(hand).random()
        record = play_hand(game, players, random.Random(hand), draws, seconds=0.3)
        kind = record.faults[0].kind if record.faults else ""
        kinds.add(kind)
        assert {fault.seat for fault in record.faults} <= {0}
        if first < 0.4:
            assert kind == "late"
            assert "stopped" in record.faults[0].text
        elif first > 0.7:
            assert kind == "error"
    assert kinds >= {"late", "error"}


def test_a_game_that_is_gone_stops_no_player_of_another(tmp_path, monkeypatch):
    monkeypatch.setattr("equilibrist.agents.matches.subprocess_player.named_texts", lambda: ("gone.py:Game",))
    with pytest.raises(ParameterError, match="no player 'nobody'"):
        SubprocessPlayer("nobody")


def test_unknown_names_are_refused_as_ever():
    with pytest.raises(ParameterError, match="no player 'alwayscall'"):
        SubprocessPlayer("alwayscall")


STUCK = """
import sys, time
from equilibrist.agents.matches.subprocess_player import SubprocessPlayer
from equilibrist.agents.matches.match import MatchSettings, play_match
sys.path.insert(0, {folder!r})
from test_subprocess_player import make
if __name__ == "__main__":
    print("ready", flush=True)
    play_match(MatchSettings(("stuck", "random"), hands=500, aivat="off"), makers=lambda name: SubprocessPlayer(name, make))
"""


def test_ctrl_c_ends_a_match_whose_player_never_answers(tmp_path):
    script = tmp_path / "stuck.py"
    script.write_text(STUCK.format(folder=os.path.dirname(__file__)))
    running = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout.readline() == b"ready\n"
    time.sleep(4.0)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in running.communicate(timeout=20)[1]


def test_ctrl_c_ends_a_match_of_searching_players(tmp_path):
    """A solve answers Ctrl-C with what it has found; the match must not go on from there."""
    script = tmp_path / "searching.py"
    script.write_text(SEARCHING)
    running = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=20) == INTERRUPTED


SEARCHING = f"""
import sys
from equilibrist.agents.matches.match import MatchSettings, play_match
from equilibrist.agents.simple import AlwaysCall
from equilibrist.solvers.solve import solve

class Thinking(AlwaysCall):
    def act(self, view, deadline=None):
        print("ready", flush=True)
        solve("leduc", "cfr", seconds=600.0)
        return view.passive()

try:
    play_match(MatchSettings(("one", "two"), "leduc", hands=5, aivat="off"), makers=lambda name: Thinking())
except KeyboardInterrupt:
    sys.exit({INTERRUPTED})
"""
