"""`equilibrist ladder` as people type it."""

import contextlib
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import equilibrist
from equilibrist import solve
from equilibrist.agents.matches import ladder
from equilibrist.interfaces.cli.app import app

RUN = CliRunner()
SAME_CODE = os.environ | {"PYTHONPATH": str(Path(equilibrist.__file__).parents[1])}  # wherever the command is run
ASKED = ("ladder", "always-call", "random", "rule-based", "--game", "leduc", "--hands", "20", "--block", "5")


def out(*arguments, code=0):
    result = RUN.invoke(app, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def test_a_ladder_is_played_shown_and_printed_again(tmp_path):
    folder, rows = tmp_path / "run", tmp_path / "rows.csv"
    found = json.loads(out(*ASKED, "--out", folder, "--csv", rows, "--json"))
    assert found["finished"]
    assert found["folder"] == str(folder)
    assert [each["opponents"] for each in found["players"]] == [2, 2, 2]
    assert found["players"][0]["mbb_per_game"] == max(each["mbb_per_game"] for each in found["players"])
    assert json.loads(out("ladder", folder, "--json")) == found
    with rows.open() as file:
        table = list(csv.DictReader(file))
    assert [float(row["mbb_per_game"]) for row in table] == [each["mbb_per_game"] for each in found["pairs"]]
    assert [float(row["low"]) for row in table] == [each["interval"][0] for each in found["pairs"]]
    again = tmp_path / "again.csv"
    text = out("ladder", folder, "--csv", again)
    assert again.read_bytes() == rows.read_bytes()
    assert "3 of 3 pairs, 60 hands" in text
    best = found["players"][0]
    assert f"{best['mbb_per_game']:+.1f}" in next(line for line in text.splitlines() if best["player"] in line)
    pair = found["pairs"][1]
    played = json.loads(out("match", *pair["players"], *ASKED[4:], "--seed", pair["seed"], "--duplicate", "--json"))
    assert played["aivat"]["mbb_per_game"] == pytest.approx(pair["mbb_per_game"])
    assert played["interval"] == pair["plain"]["interval"]


def test_a_file_that_changes_while_a_ladder_plays_stops_it(tmp_path, monkeypatch):
    """Before the next pair of its player; what was played is kept, and goes on when the file is as it was."""
    monkeypatch.chdir(tmp_path)
    first, other = tmp_path / "first.eqb", tmp_path / "other.eqb"
    solve("leduc", iterations=5).save(first)
    solve("leduc", iterations=6).save(other)
    words = ("ladder", "always-call", "random", "p.eqb", "--hands", "20", "--block", "5", "--out", "run")
    play = ladder.play_match

    def changing(settings, *arguments, **options):
        found = play(settings, *arguments, **options)
        shutil.copy(other, "p.eqb")
        return found

    shutil.copy(first, "p.eqb")
    with monkeypatch.context() as patch:
        patch.setattr(ladder, "play_match", changing)
        assert "'run' holds a ladder that differs in the content of 'p.eqb'" in out(*words, code=2)
    assert json.loads(out("ladder", "run", "--json"))["finished_pairs"] == 1
    shutil.copy(first, "p.eqb")
    with monkeypatch.context() as patch:
        patch.setattr(ladder, "play_match", lambda *a, **o: (play(*a, **o), Path("p.eqb").unlink(missing_ok=True))[0])
        assert "differs in the content of 'p.eqb'" in out(*words, code=2)
    shutil.copy(first, "p.eqb")
    assert json.loads(out(*words, "--json"))["finished"]


def test_solutions_say_which_game_is_played(tmp_path):
    solve("leduc", iterations=50).save(tmp_path / "l.eqb")
    solve("kuhn", iterations=50).save(tmp_path / "k.eqb")
    words = ("random", "always-call", "--hands", "4", "--json")
    assert json.loads(out("ladder", tmp_path / "l.eqb", *words))["game"] == "leduc"
    assert "A ladder is of one game" in out("ladder", tmp_path / "l.eqb", tmp_path / "k.eqb", *words, code=2)


def kept_blocks(ledger):
    if not ledger.exists():
        return 0
    with sqlite3.connect(ledger) as file, contextlib.suppress(sqlite3.Error):
        return file.execute("SELECT COUNT(*) FROM blocks").fetchone()[0]
    return 0


def test_a_killed_ladder_goes_on(tmp_path):
    """kill -9 in the middle, then the same command: the same numbers as without it."""
    words = [sys.executable, "-m", "equilibrist", "ladder", "rule-based", "random", "always-call", "--hands", "150"]
    words += ["--block", "5", "--json", "--out", "run"]
    (tmp_path / "whole").mkdir()
    running = subprocess.Popen(words, cwd=tmp_path, env=SAME_CODE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while running.poll() is None and kept_blocks(tmp_path / "run" / "ledger.db") < 4:
        time.sleep(0.02)
    running.kill()
    running.wait()
    told = json.loads(out("ladder", tmp_path / "run", "--json"))
    assert 0 < told["hands"] < 450
    assert not told["finished"]
    results = [
        subprocess.run(words, cwd=place, env=SAME_CODE, capture_output=True, text=True, check=True).stdout
        for place in (tmp_path, tmp_path / "whole")
    ]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("random", "always-call"), "3 to 50 players, but 2 were given"),
        (("nowhere",), "There is no folder 'nowhere'"),
        (("random", "always-call", "nobody"), "There is no player"),
        (("random", "always-call", "always-fold", "--game", "kuhn(players=3)"), "games for two players"),
        (("random", "always-call", "always-fold", "--aivat", "perhaps"), "aivat"),
        (("random", "always-call", "always-fold", "--until-interval", "nan"), "until_interval"),
        (("random", "always-call", "always-fold", "--out", "no/where/run"), "create 'no/where' first"),
        (("random", "always-call", "always-fold", "--csv", "."), "--csv '.' is a folder"),
        ((".", "--hands", "4"), "--hands was given"),
        ((".", "--tables", "0"), "--tables was given"),
        ((".",), "'.' is no ladder"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = out("ladder", *words, code=2)
    assert said in told
    assert len(told.strip().splitlines()) == 1


def test_unfinished_ladders_say_so(tmp_path):
    """Before a hand is played, too."""
    from equilibrist.agents.matches.ladder import LadderOrder
    from equilibrist.agents.matches.ladder_folder import open_to_play

    with open_to_play(tmp_path / "run", LadderOrder(("random", "always-call", "always-fold"), "leduc")):
        pass
    found = RUN.invoke(app, ["ladder", str(tmp_path / "run")])
    assert found.exit_code == 0
    assert "0 of 3 pairs" in found.stdout
    assert "Not finished: 0 of 3 pairs, 0 hands; the same command goes on from" in found.stderr
    assert "folder was given" not in found.stderr
