"""`match`, `play`, `evaluate`, `agents`, `deal` and `join` as people type them."""

import json
import random
import subprocess
import sys
import threading

import pytest
from typer.testing import CliRunner

from equilibrist import load_agent, load_game, solve
from equilibrist.core.player import View
from equilibrist.evaluation.play.referee import play_hand
from equilibrist.interfaces.cli.app import app
from equilibrist.interfaces.cli.play import hand_file
from equilibrist.interfaces.cli.play import play as play_command
from equilibrist.interfaces.cli.play.play import parse_action, pretty
from equilibrist.interfaces.protocols.acpc_player import join
from equilibrist.interfaces.protocols.phh import read_phh_file

RUN = CliRunner()


def out(*arguments, code=0, typed=None):
    result = RUN.invoke(app, list(arguments), input=typed)
    assert result.exit_code == code, result.output
    return result.stdout


def test_players_apart_play_the_same():
    asked = ("match", "random", "always-raise", "--hands", "10", "--aivat", "off", "--json")
    assert out(*asked, "--isolate") == out(*asked)
    assert "There is no player" in RUN.invoke(app, ["match", "randm", "random", "--isolate"]).output


def test_match_prints_what_the_contract_says(tmp_path):
    histories = tmp_path / "hands.phhs"
    text = out("match", "always-fold", "random", "--hands", "40", "--json", "--histories", str(histories))
    found = json.loads(text)
    assert {"players", "game", "hands", "mbb_per_game", "interval", "aivat", "unit"} <= set(found)
    hands = read_phh_file(histories)
    assert len(hands) == 40
    won = sum(hand.returns()[hand.names.index("always-fold")] for hand in hands)
    assert won * 1000 / 100 / 40 == pytest.approx(found["mbb_per_game"])
    assert "always-fold" in out("match", "always-fold", "random", "--hands", "10")
    assert json.loads(out("match", "random", "random", "random", "--hands", "6", "--json"))["aivat"] is None


def test_match_of_a_solution_plays_its_game(tmp_path):
    solve("leduc", "dcfr", iterations=50).save(tmp_path / "l.eqb")
    found = json.loads(out("match", str(tmp_path / "l.eqb"), "random", "--hands", "20", "--json"))
    assert found["game"] == "leduc"
    assert found["method"] == "aivat"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("match", "random", "nobody"), "no player"),
        (("match", "random"), "2 to 6"),
        (("match", "random", "random", "--game", "nolimit-holdem(players=3)"), "for 3 players"),
        (("match", "random", "random", "--aivat", "perhaps"), "aivat"),
        (("evaluate", "random", "--lbr", "7"), "settings 1, 2 and 3"),
        (("play", "random", "--game", "nolimit-holdem(players=3)"), "name 2 opponents"),
        (("join", "random", "127.0.0.1", "1"), "No dealer"),
        (("deal", "--game", "leduc"), "ACPC"),
        (("deal", "--ports", "a,b"), "Ports are numbers"),
        (("deal", "--game", "missing.game"), "cannot be read"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(arguments, words):
    result = RUN.invoke(app, list(arguments))
    assert result.exit_code == 2
    assert words in result.output


def test_agents():
    assert "always-call" in {agent["name"] for agent in json.loads(out("agents", "--json"))["agents"]}
    assert "off-tree" in out("agents")


def test_evaluate():
    found = json.loads(out("evaluate", "always-fold", "--game", "leduc", "--hands", "20", "--json"))
    assert found["exploitability"]["value"] == pytest.approx(1000.0)
    assert [row["setting"] for row in found["local_best_response"]] == [1, 2, 3]
    assert found["local_best_response"][0]["value"] == pytest.approx(1000.0)
    assert found["local_best_response"][0]["plain"]["value"] == pytest.approx(1000.0)
    called = ("evaluate", "rule-based", "--game", "leduc", "--hands", "100", "--lbr", "1", "--against", "")
    (row,) = json.loads(out(*called, "--json"))["local_best_response"]
    fair, plain = (each["interval"][1] - each["interval"][0] for each in (row, row["plain"]))
    assert 0.0 < fair < plain
    assert "luck corrected; plain" in " ".join(out(*called).split())
    large = json.loads(out("evaluate", "always-fold", "--lbr", "1", "--against", "", "--hands", "4", "--json"))
    assert large["exploitability"]["value"] is None
    assert large["local_best_response"][0]["value"] == pytest.approx(750.0)


def test_play_saves_after_every_hand(tmp_path, monkeypatch):
    """What a kill finds is the file of the hands before."""
    saved, there = tmp_path / "evening.phhs", []
    monkeypatch.setattr(play_command.Sitting, "play_one", counted(play_command.Sitting.play_one, saved, there))
    monkeypatch.setattr(hand_file, "REST", 0.0)
    out("play", "always-call", "--seed", "3", "--hands", "4", "--out", str(saved), typed="c\n" * 50)
    assert there == [1, 2, 3, 4]


def test_an_interrupted_evening_says_where_its_hands_are(tmp_path, monkeypatch):
    typed = iter(["c"] * 9)

    def read(prompt):
        label = next(typed, None)
        if label is None:
            raise KeyboardInterrupt
        return label

    monkeypatch.setattr(play_command, "_read", read)
    answer = RUN.invoke(app, ["play", "always-call", "--seed", "3", "--out", str(tmp_path / "evening.phhs")])
    assert answer.exit_code == 130
    assert len(read_phh_file(tmp_path / "evening.phhs")) == 2
    assert "the 2 hands that were finished are in" in answer.output


def counted(play_one, file, there):
    def play(self):
        play_one(self)
        there.append(len(read_phh_file(file)))

    return play


@pytest.mark.parametrize("game", ["kuhn", "coin-toss", "leduc"])
def test_play_refuses_at_once_to_save_what_has_no_hands(game, tmp_path):
    answer = RUN.invoke(app, ["play", "random", "--game", game, "--out", str(tmp_path / "x.phhs")], input="")
    assert answer.exit_code == 2
    assert "PHH knows no game such as" in answer.output
    assert "against random" not in answer.output


def test_deal_refuses_before_it_listens():
    for words, said in (
        (["--seconds", "nan"], "--seconds"),
        (["one"], "2 players, but 1 names"),
        (["--ports", "70000,1"], "up to 65535"),
        (["--patience", "-1"], "patience"),
    ):
        answer = RUN.invoke(app, ["deal", *words])
        assert answer.exit_code == 2
        assert said in answer.output
        assert "ports " not in answer.output


def test_play_takes_back_refuses_and_saves(tmp_path):
    """Hand 1: a call, a bet taken back, nonsense, then check down; the hand is saved and the result shown."""
    saved = tmp_path / "p.phhs"
    typed = "c\n50%\nu\nb99999\nhello\nx\nx\nx\n"
    text = out("play", "always-call", "--seed", "3", "--hands", "1", "--out", str(saved), typed=typed)
    assert "taken back" in text
    assert "'b99999' is not possible here" in text
    assert "1 hands, " in text
    assert "1 actions were taken back" in text
    (hand,) = read_phh_file(saved)
    assert hand.actions == ("c", "x", "x", "x", "x", "x", "x", "x")
    assert "you need" in out("play", "always-raise", "--seed", "1", typed="q\n") + out(
        "play", "always-raise", "--seed", "1", typed="c\nc\nq\n"
    )


def test_what_people_type():
    game = load_game("nolimit-holdem(stack=2000)")
    views = []

    class Watching(type(load_agent("always-call"))):
        def act(self, view, deadline=None):
            views.append(view)
            return super().act(view, deadline)

    play_hand(game, [Watching(), Watching()], random.Random(1), [random.Random(2)] * 2)
    first = views[0]
    assert isinstance(first, View)
    expected = {
        "call": "c",
        "fold": "f",
        "r300": "r300",
        "300": "r300",
        "b300": "r300",
        "a": "r2000",
        "pot": "r300",
        "50%": "r200",
    }
    assert {typed: parse_action(typed, first) for typed in expected} == expected
    assert all(parse_action(typed, first) is None for typed in ("", "150", "2001", "zzz", "-300", "nan", "1e9"))
    assert pretty("Td9s") == "T♦ 9♠"
    assert pretty("KJ") == "K J"


def test_deal_and_join_as_programs():
    """Two of our own players meet over the protocol in processes of their own."""
    dealer = subprocess.Popen(
        [sys.executable, "-m", "equilibrist", "deal", "A", "B", "--game", "limit-holdem", "--hands", "20"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ports = [int(word) for word in dealer.stderr.readline().split()[1:]]
    game, results = load_game("limit-holdem"), []
    threads = [
        threading.Thread(target=lambda p=port: results.append(join(load_agent("random"), game, "127.0.0.1", p)))
        for port in ports
    ]
    for thread in threads:
        thread.start()
    text, errors = dealer.communicate(timeout=60)
    for thread in threads:
        thread.join(10)
    assert dealer.returncode == 0, errors
    assert text.startswith("SCORE:")
    assert text.strip().endswith(":A|B")
    assert [hands for hands, _ in results] == [20, 20]


def test_small_games_are_compared_exactly(tmp_path):
    solve("kuhn", "lp").save(tmp_path / "kuhn.eqb")
    names = ["always-call", "always-raise", str(tmp_path / "kuhn.eqb")]
    found = json.loads(out("match", *names, "--exact", "--json"))
    assert found["game"] == "kuhn"
    assert found["payoff"][0][1] == pytest.approx(0.0, abs=1e-9)  # whoever calls meets every bet
    assert [row[2] for row in found["payoff"]] == pytest.approx([-earned for earned in found["payoff"][2]])
    assert min(found["payoff"][2]) >= -1e-9  # an equilibrium loses to nobody
    assert found["bankroll"][0] == found["instant_runoff"][0] == names[2]
    assert "instant runoff" in " ".join(out("match", *names, "--exact").split())  # lines break where the terminal ends
    for words in (
        ("always-call", "always-call", "--game", "kuhn"),
        ("rwywe", "always-call", "--game", "kuhn"),
        ("always-call", "random", "--game", "kuhn(players=3)"),
        ("always-call", "random"),
    ):
        refused = RUN.invoke(app, ["match", *words, "--exact"])
        assert refused.exit_code == 2
        assert len(refused.stderr.strip().splitlines()) == 1
        assert ("'rwywe' cannot be written out" in refused.stderr) == (words[0] == "rwywe")
