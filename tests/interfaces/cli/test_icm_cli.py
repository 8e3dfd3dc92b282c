"""`equilibrist icm`: tables, JSON, CSV, hands that are decided, and refusals in one sentence."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app

TABLE = ["icm", "--stacks", "5000,3000,2000", "--payouts", "50,30,20"]


def run(*words):
    return CliRunner().invoke(app, list(words))


def facts(*words):
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_table_of_three():
    done = run(*TABLE)
    assert done.exit_code == 0
    for shown in ("38.3929", "32.7500", "28.8571", "1.545 (+10.7 %)", "prize pool 100"):
        assert shown in done.stdout


def test_json():
    found = facts(*TABLE, "--names", "Ann,Bob,Cem", "--places", "2")
    assert [row["name"] for row in found["players"]] == ["Ann", "Bob", "Cem"]
    assert sum(row["equity"] for row in found["players"]) == pytest.approx(100)
    assert found["players"][0]["places"] == pytest.approx([0.5, 0.5 * 0.3 / 0.7 + 0.5 * 0.2 / 0.8])
    assert found["bubble_factors"]["factor"][0][0] is None
    assert found["bubble_factors"]["factor"][1][0] == pytest.approx(1.5454545454)
    assert found["route"] == "recursion"
    assert found["samples"] is None


def test_a_hand_that_is_decided():
    """The loser of three busts and has the third prize."""
    found = facts(*TABLE, "--names", "Ann,Bob,Cem", "--move", "Bob,Ann")
    assert [row["after"]["equity"] for row in found["players"]] == pytest.approx([46, 20, 34])
    assert [row["after"]["stack"] for row in found["players"]] == [8000, 0, 2000]
    assert sum(row["change"] for row in found["players"]) == pytest.approx(0)
    part = facts(*TABLE, "--move", "1,2,1000", "--move", "1,3,500")
    assert [row["after"]["stack"] for row in part["players"]] == [3500, 4000, 2500]


def test_both_out_in_one_hand_rank_by_what_they_had():
    found = facts(*TABLE, "--move", "2,1", "--move", "3,1")
    assert [row["after"]["equity"] for row in found["players"]] == pytest.approx([50, 30, 20])


def test_knockouts():
    found = facts(*TABLE, "--bounties", "10,10,5", "--progressive", "0.5", "--move", "2,1")
    rows = found["players"]
    assert sum(row["equity"] for row in rows) == pytest.approx(125)
    assert sum(row["after"]["equity"] for row in rows) == pytest.approx(125)  # with the cash that has been paid
    assert rows[0]["after"]["bounty_cash"] == 5
    assert rows[0]["after"]["bounty"] == 15


def test_a_file_and_options_over_it(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text("payouts = [50, 30, 20]\n[stacks]\nAnn = 5000\nBob = 3000\nCem = 2000\n")
    assert facts("icm", str(file))["players"][0]["equity"] == pytest.approx(1075 / 28)
    assert facts("icm", str(file), "--payouts", "100")["players"][0]["equity"] == pytest.approx(50)


def test_csv(tmp_path):
    target = tmp_path / "x.csv"
    done = run(*TABLE, "--move", "2,1", "--places", "3", "--csv", str(target))
    assert done.exit_code == 0
    rows = list(csv.DictReader(target.open()))
    assert [float(row["after_equity"]) for row in rows] == pytest.approx([46, 20, 34])
    assert sum(float(row["place_3"]) for row in rows) == pytest.approx(1)


def test_a_large_field_shows_some_players_and_bubble_factors_of_seats():
    words = ["icm", "--stacks", "20000x98,5000,90000", "--payouts", "1000x15"]
    done = run(*words)
    assert "40 more players" in done.stdout
    assert "bubble factor" not in done.stdout
    found = facts(*words, "--seats", "99,100", "--at-risk", "2500")
    assert found["route"] == "quadrature"
    assert found["bubble_factors"]["seats"] == ["99", "100"]
    assert found["bubble_factors"]["at_risk"][0][1] == 2500
    assert sum(row["equity"] for row in found["players"]) == pytest.approx(15_000)


def test_sampled():
    found = facts(*TABLE, "--route", "sampled", "--samples", "20000", "--seed", "3")
    for row, exact in zip(found["players"], (1075 / 28, 32.75, 202 / 7), strict=True):
        assert abs(row["equity"] - exact) < 5 * row["standard_error"]
    assert (found["samples"], found["seed"]) == (20_000, 3)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--stacks", "5,3"], "There are no payouts"),
        (["--payouts", "5,3"], "There are no stacks"),
        (["--stacks", ",", "--payouts", "1"], "There are no stacks"),
        (["--stacks", "5,-3", "--payouts", "1"], "zero or more, but -3"),
        (["--stacks", "5,nan", "--payouts", "1"], "finite numbers, but nan"),
        (["--stacks", "0,0", "--payouts", "1"], "nobody is left"),
        (["--stacks", "5,3", "--payouts", "1,2"], "must not increase"),
        (["--stacks", "5,three", "--payouts", "1"], "'three' of the stacks is no number"),
        (["--stacks", "5x30", "--payouts", "1", "--route", "recursion"], "at most 20 players"),
        (["--stacks", "5,3", "--payouts", "1", "--route", "magic"], "--route is one of"),
        (["--stacks", "5,3", "--payouts", "1", "--move", "1"], "--move is FROM,TO"),
        (["--stacks", "5,3", "--payouts", "1", "--move", "1,2,many"], "no number of chips"),
        (["--stacks", "5,3", "--payouts", "1", "--move", "1,9"], "no player '9'"),
        (["--stacks", "5,3", "--payouts", "1", "--move", "2,1,4"], "has 3 chips"),
        (["--stacks", "5,3", "--payouts", "1", "--seats", "1"], "two players or more"),
        (["--stacks", "5x20", "--payouts", "1", "--at-risk", "1"], "--at-risk is for bubble factors"),
        (["--stacks", "5,3", "--payouts", "1", "--at-risk", "4"], "4 chips cannot be at risk"),
        (["--stacks", "5,3", "--payouts", "1", "--progressive", "0.5"], "but there are none"),
        (["--stacks", "5,3", "--payouts", "1", "--names", "Ann"], "1 names were given"),
        (["absent.toml"], "cannot be read"),
        (["--stacks", "5,3", "--payouts", "1", "--csv", "absent/x.csv"], "does not exist"),
    ],
)
def test_bad_input_is_one_sentence(words, told):
    done = run("icm", *words)
    assert done.exit_code == 2
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_hands_to_come():
    words = ["icm", "--stacks", "1800,6200", "--payouts", "1", "--blinds", "300,600"]
    found = facts(*words, "--fgs", "2")
    assert sum(row["fgs"] for row in found["players"]) == pytest.approx(1.0)
    assert found["players"][0]["fgs"] == pytest.approx(0.2269, abs=2e-3)
    assert found["players"][0]["equity"] == pytest.approx(0.225)
    assert "after 2 hands of jam or fold" in run(*words, "--fgs", "2").stdout
    for wrong, said in (
        (words, "--fgs, too"),
        ([*words[:-2], "--fgs", "1"], "--blinds"),
        ([*words, "--fgs", "1", "--bounties", "1,1"], "bounties"),
        (["icm", "--stacks", "5x10", "--payouts", "1", "--blinds", "1,2", "--fgs", "1"], "2 to 9 players"),
    ):
        done = run(*wrong)
        assert done.exit_code == 2
        assert said in done.output
