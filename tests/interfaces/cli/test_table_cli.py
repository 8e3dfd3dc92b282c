"""A table from the command to its answer: solved, saved, shown, compared, verified, gone on with, refused in one sentence."""

from __future__ import annotations

import csv
import json
import re

import pytest
from typer.testing import CliRunner

from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.saved_solutions import load_solution

TABLE = """
blinds = [0.5, 1]
payouts = [50, 30, 20]
stacks = { BTN = 12, SB = 8, BB = 10 }
menu = "jam-fold"
"""


def run(*words, code=0, typed=None):
    done = CliRunner().invoke(app, list(map(str, words)), input=typed, prog_name="equilibrist")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output + done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("table")
    (place / "table.toml").write_text(TABLE)
    run("solve", place / "table.toml", "--iterations", "20", "--threads", "1", "--out", place / "t.eqb")
    return place


def asks(*words):
    return json.loads(run(*words, "--json").stdout)


def test_what_solve_says(folder):
    done = run("solve", folder / "table.toml", "--threads", "1")
    for words in (
        "3 seats, blinds 0.5/1, prizes 50, 30, 20",
        "converged",
        "of the prizes",
        "gain of a best response",
        "bunching",
    ):
        assert words in done.stdout
    assert "6 decisions of 169 classes of hands, 7 ends of the betting" in done.stderr
    told = asks("solve", folder / "table.toml", "--iterations", "5", "--threads", "1")
    assert told["kind"] == "table"
    assert sum(told["ev"].values()) == pytest.approx(100, abs=0.1)
    assert told["largest_gain"] == max(told["gains"].values()) == told["exploitability"]
    assert told["root"]["player"] == "BTN"


def test_shown_by_line(folder):
    shown = run("show", folder / "t.eqb", "--line", "f:a").stdout
    assert "BB to act" in shown
    assert "call 7" in shown
    found = asks("show", folder / "t.eqb", "--line", "f:a")
    assert found["player"] == "BB"
    assert len(found["hands"]) == 169
    for hand in found["hands"].values():
        assert sum(hand["strategy"]) == pytest.approx(1.0)
    some = asks("show", folder / "t.eqb", "--line", "f:a", "--hand", "AK")
    assert set(some["hands"]) == {"AKs", "AKo"}
    assert "EV c" in run("show", folder / "t.eqb", "--line", "f:a", "--hands").stdout
    assert "over here" in run("show", folder / "t.eqb", "--line", "f:f").stdout


def test_files_of_hands_and_pictures(folder):
    pytest.importorskip("matplotlib")
    run("show", folder / "t.eqb", "--line", "f", "--csv", folder / "x.csv", "--png", folder / "x.png")
    rows = list(csv.reader((folder / "x.csv").open()))
    assert rows[0] == ["hand", "weight", "f", "a", "ev_f", "ev_a"]
    assert len(rows) == 170
    assert (folder / "x.png").stat().st_size > 5000
    refused = run("show", folder / "t.eqb", "--line", "f:f", "--png", folder / "y.png", code=2)
    assert "Nobody acts after 'f:f'" in refused.stderr


def test_verified_gone_on_with_and_compared(folder):
    assert asks("verify", folder / "t.eqb")["agrees"]
    run("solve", "--resume", folder / "t.eqb", "--iterations", "60", "--threads", "1", "--out", folder / "u.eqb")
    first, second = (asks("verify", folder / name)["recomputed"]["exploitability"] for name in ("t.eqb", "u.eqb"))
    assert second < first
    found = asks("show", folder / "t.eqb", "--compare", folder / "u.eqb", "--line", "f")
    assert 0.0 < found["difference"] < 0.2
    assert "difference" in run("show", folder / "t.eqb", "--compare", folder / "u.eqb").stdout


def test_locks_from_a_file(folder):
    (folder / "locks.toml").write_text('[[lock]]\nline = "f:a"\nstrategy = { c = 1.0 }\n')
    told = asks("solve", folder / "table.toml", "--lock", folder / "locks.toml", "--iterations", "60", "--threads", "1")
    free = asks("solve", folder / "table.toml", "--iterations", "60", "--threads", "1")
    assert told["ev"]["BB"] < free["ev"]["BB"]  # calling with everything costs


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "TABLE", "--nodes", "5"], "--nodes is not for tables"),
        (["solve", "TABLE", "--device", "cuda"], "cuda|CPU"),
        (["solve", "TABLE", "--until", "5mbb"], "plays for prizes"),
        (["solve", "TABLE", "--solver", "lp"], "Tables are solved by CFR"),
        (["show", "FILE", "--line", "f:x"], "'x' is no action after 'f'"),
        (["show", "FILE", "--player", "1"], "not for tables"),
        (["show", "FILE", "--hand", "AZ"], "no class of hands"),
        (["match", "FILE", "random", "--hands", "4"], "2 players were given for 3 seats"),
        (["match", "FILE", "CO=random", "--hands", "4"], "no seat 'CO': the seats are BTN, SB, BB"),
        (["match", "FILE", "BB=random", "BB=random", "--hands", "4"], "Two players were given for one seat"),
        (["match", "BB=random", "random", "--game", "kuhn", "--hands", "4"], "seats have no names in this game"),
        (["match", "FILE", "--hands", "4", "--histories", "x.phhs"], "Hand histories are for poker"),
        (["play", "FILE", "--seat", "CO"], "no seat 'CO'"),
        (["play", "FILE", "BB=random"], "Say where you sit"),
        (["play", "FILE", "random", "random", "--game", "TABLE"], "name 2 opponents"),
        (["search", "FILE", "--line", "f"], "histories"),
        (["report", "TABLE"], "describe a table"),
    ],
)
def test_refusals(folder, words, said):
    files = {"TABLE": folder / "table.toml", "FILE": folder / "t.eqb"}
    done = run(*(files.get(word, word) for word in words), code=2)
    assert re.search(said, done.stderr), done.stderr


def test_charts(folder):
    pytest.importorskip("matplotlib")
    done = run(
        "chart", folder / "t.eqb", "--pdf", folder / "c.pdf", "--png", folder / "c.png", "--csv", folder / "c.csv"
    )
    assert (folder / "c.pdf").read_bytes().startswith(b"%PDF")
    assert all((folder / f"c-{seat}.png").is_file() for seat in ("BTN", "SB", "BB"))
    assert "Chart in" in done.stdout
    rows = list(csv.DictReader((folder / "c.csv").open()))
    first = [row for row in rows if (row["seat"], row["line"], row["hand"]) == ("SB", "f", "AA")]
    assert {row["action"] for row in first} == {"f", "a"}
    assert sum(float(row["share"]) for row in first) == pytest.approx(1.0)
    told = asks("chart", folder / "t.eqb", "--seat", "BB", "--lines", "2")
    assert list(told["seats"]) == ["BB"]
    assert told["seats"]["BB"][0]["line"] in ("f:a", "a:f")
    assert "Nothing was asked for" in run("chart", folder / "t.eqb", code=2).stderr
    assert "There is no seat 'CO'" in run("chart", folder / "t.eqb", "--seat", "CO", "--json", code=2).stderr


def test_a_line_becomes_a_spot(folder):
    (folder / "raise.toml").write_text(
        'stacks = [30, 30]\nblinds = [0.5, 1]\n[menu]\nopen = "2.5x"\n3bet = "a"\nlimp = true\n'
    )
    run("solve", folder / "raise.toml", "--iterations", "30", "--threads", "1", "--out", folder / "r.eqb")
    told = asks("show", folder / "r.eqb", "--line", "r2.5:c", "--spot", folder / "s.toml", "--board", "Td9d6h")
    spot = Spot.from_toml(folder / "s.toml")
    assert spot.table() == told["spot"]
    assert (spot.pot, spot.stack, spot.board_text) == (5.0, 27.5, "Td9d6h")
    solved = load_solution(folder / "r.eqb")
    raised = solved.at("r2.5:c").reach("SB")  # heads-up the small blind has the button
    ratio = spot.ranges[1].grid().ravel()
    shown = raised / raised.max() > 0.01
    assert ratio[shown] == pytest.approx(raised[shown] / raised.max(), abs=6e-4)
    done = run("show", folder / "r.eqb", "--line", "c:x", "--spot", folder / "all.toml")
    assert "equilibrist report" in done.stdout
    for line, said in (("r2.5", "BB acts there"), ("r2.5:a:c", "all-in"), ("f", "1 stay in")):
        refused = run("show", folder / "r.eqb", "--line", line, "--spot", folder / "no.toml", code=2)
        assert said in refused.stderr


def test_what_bad_play_costs(folder):
    (folder / "whale.toml").write_text(
        'stacks = [10, 10]\nblinds = [0.5, 1]\n[menu]\nopen = "a"\n[menu.BB]\nfold = false\n'
    )
    told = asks("exploit", folder / "whale.toml")
    assert told["changes"]["BB"] == pytest.approx(-told["changes"]["SB"], abs=1e-9)
    assert told["changes"]["BB"] == pytest.approx(-0.613, abs=3e-3)
    assert "never fold" in run("exploit", folder / "table.toml", code=2).stderr.replace("fold = false", "never fold")
    assert "--p is not for tables" in run("exploit", folder / "whale.toml", "--p", "0.5", code=2).stderr


def test_a_solved_table_is_played(folder):
    told = asks("match", folder / "t.eqb", "BB=always-call", "--hands", "40")
    assert [(row["seat"], row["player"]) for row in told["results"]] == [
        ("BTN", str(folder / "t.eqb")), ("SB", str(folder / "t.eqb")), ("BB", "always-call")
    ]  # fmt: skip
    assert told["unit"] == "prize money per game / 1000"
    assert sum(row["mbb_per_game"] for row in told["results"]) == pytest.approx(100_000)
    assert "SB" in run("match", folder / "t.eqb", "--hands", "4").stdout
    played = run("play", folder / "t.eqb", "--seat", "BB", "--seed", "3", "--hands", "3", typed="what\nf\n" * 9).stdout
    assert "hand 3, you are BB" in played
    assert "BTN folds" in played
    assert "'what' is not possible here. f, c" in played
    assert "of prize money" in played
    turns = run("play", folder / "t.eqb", "--seed", "3", "--hands", "3", typed="f\n" * 9).stdout
    assert all(f"you are {seat}" in turns for seat in ("BTN", "SB", "BB"))


def test_lines_that_nobody_plays_are_said_to_be_so_and_narrow_screens_lose_no_column(tmp_path, monkeypatch):
    (tmp_path / "t.toml").write_text(
        'blinds = [0.5, 1]\n[menu]\nopen = "2.5x"\n"3bet" = "a"\n[stacks]\nBTN = 10\nSB = 10\nBB = 10\n'
        '[[lock]]\nline = ""\nstrategy = { "r2.5" = 1.0 }\n'
    )
    monkeypatch.setenv("COLUMNS", "60")
    run("solve", tmp_path / "t.toml", "--iterations", 3, "--out", tmp_path / "t.eqb")
    shown = run("show", tmp_path / "t.eqb", "--line", "f:r2.5", "--hands").output
    assert "never reached: BTN never plays so" in " ".join(shown.split())
    assert all(column in shown for column in ("EV f", "EV c", "EV a"))
    assert "never reached" not in run("show", tmp_path / "t.eqb", "--line", "r2.5").output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stacks = {BTN = 20,\nblinds", "The file '.*' is not valid TOML: .* or a table"),
        ("", "has neither a board nor blinds; expected a spot .* or a table"),
        ("stacks = [10, 10]\nmenu = 'jam-fold'", "The table has no 'blinds'"),
        ("pot = 5", "The spot has no 'board'"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "exploit"])
def test_files_that_cannot_be_read_are_not_called_spots(tmp_path, command, text, said):
    (tmp_path / "x.toml").write_text(text)
    assert re.search(said, run(command, tmp_path / "x.toml", code=2).stderr)


FLOPS = """
blinds = [0.5, 1]
stacks = { SB = 6, BB = 6 }
leaves = { flops = ["Td9d6h:3", "8d8c5c:2"], turns = 2, rivers = 2, reach = 0 }
menu = { open = "2x, a", 3bet = "a", limp = true }
range = { SB = "AA,KQs,77", BB = "QQ,AJs,T9s" }
"""


def test_a_table_on_flops_from_command_to_answer(tmp_path):
    """Solved, saved, shown, verified, gone on with; small files go nowhere."""
    (tmp_path / "f.toml").write_text(FLOPS)
    done = run("solve", tmp_path / "f.toml", "--iterations", "8", "--threads", "1", "--out", tmp_path / "f.eqb")
    assert "3 of 3 lines of two players on 2 flops: " in done.stderr
    assert "an iteration with 1 thread" in done.stderr
    assert "gains go through them" in re.sub(r"\s+", " ", done.stdout)
    assert asks("verify", tmp_path / "f.eqb")["agrees"]
    told = asks("show", tmp_path / "f.eqb", "--line", "r2")
    assert told["player"] == "BB"
    further = asks(
        "solve", "--resume", tmp_path / "f.eqb", "--iterations", "12", "--without", "flops", "--out", tmp_path / "s.eqb"
    )
    assert further["iterations"] == 12
    assert (tmp_path / "s.eqb").stat().st_size < (tmp_path / "f.eqb").stat().st_size / 2
    assert asks("verify", tmp_path / "s.eqb")["agrees"]
    refused = run("solve", "--resume", tmp_path / "s.eqb", "--iterations", "14", code=2)
    assert "without the tables of its flops" in refused.stderr
    assert "--without flops" in run("solve", tmp_path / "f.toml", "--without", "river", code=2).stderr
    run("show", tmp_path / "f.eqb", "--line", "r2:c", "--spot", tmp_path / "spot.toml", "--board", "Td9d6h")
    assert Spot.from_toml(tmp_path / "spot.toml").pot == 4.0


def test_folded_hands_counted_exactly(folder):
    shown = run("show", folder / "t.eqb", "--line", "f", "--bunching").stdout
    assert "folded hands of BTN counted exactly" in shown
    assert "would have more by folding" in shown
    found = asks("show", folder / "t.eqb", "--line", "f", "--bunching")
    assert found["counted_exactly"] == ["BTN"]
    assert set(found["lost"]) == {"independent", "first order", "exact"}
    assert len(found["hands"]) == 169
    for words in (["--line", "a:c"], [], ["--line", "f", "--hands"]):
        run("show", folder / "t.eqb", *words, "--bunching", code=2)
