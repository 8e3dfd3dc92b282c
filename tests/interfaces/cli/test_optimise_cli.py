"""`equilibrist optimise`, and solvers that change their game, as people type them."""

import json

from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_optimise_prints_its_way_and_its_answer():
    shown = run("optimise", "kuhn(bet=1.5)", "--vary", "bet", "--player", "2", "--iterations", "3000")
    assert shown.exit_code == 0
    assert "gradient bet" in shown.output
    assert "to player 2" in shown.output


def test_optimise_as_json(tmp_path):
    file = tmp_path / "best.eqb"
    shown = run(
        "optimise",
        "kuhn(bet=1.5)",
        "--vary",
        "bet",
        "--player",
        "2",
        "--iterations",
        "500",
        "--high",
        "1.6",
        "--out",
        str(file),
        "--json",
    )
    facts = json.loads(shown.stdout)
    assert facts["player"] == 2
    assert 0.0 < facts["parameters"]["bet"] <= 1.6
    assert len(facts["steps"]) > 1
    assert run("verify", str(file)).exit_code == 0


def test_bad_requests_end_with_one_sentence():
    for arguments, words in (
        (("kuhn", "--vary", "bets"), "Did you mean 'bet'"),
        (("kuhn", "--vary", "bet", "--player", "3"), "player 3 was named"),
        (("kuhn", "--vary", "bet", "--low", "3", "--high", "2"), "Lower bounds"),
        (("nothing", "--vary", "bet"), "There is no game"),
    ):
        shown = run("optimise", *arguments)
        assert shown.exit_code == 2
        assert words in shown.output + (shown.stderr if shown.stderr_bytes else "")


def test_grown_games_say_where_their_numbers_come_from(tmp_path):
    file = tmp_path / "grown.eqb"
    shown = run("solve", "continuous-leduc", "--solver", "saef", "--iterations", "20", "--out", str(file), "--json")
    facts = json.loads(shown.stdout)
    assert facts["extra"]["added"] >= 1
    assert facts["game"].startswith("continuous-leduc+")
    assert "any size" in facts["measured"]
    refused = run("verify", str(file))
    assert refused.exit_code == 2
