"""`equilibrist evaluate BLUEPRINT --from river`, as people run it."""

import json

import pytest
from typer.testing import CliRunner

from equilibrist.agents.registry import load_agent
from equilibrist.evaluation.play.last_street_response import LastStreetResponder, judge_last_street
from equilibrist.games.catalogue import load_game
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.blueprint.exact.street_response import street_response
from random_blueprint import LEDUC, NINE_CARDS, random_blueprint

runner = CliRunner()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("street") / "nine.eqb"
    random_blueprint(NINE_CARDS).save(path)
    return path


def facts(*words):
    done = runner.invoke(app, ["evaluate", *map(str, words), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_boards_that_are_drawn(file):
    found = facts(file, "--from", "river", "--boards", 30, "--seed", 3, "--threads", 1)
    known = street_response(random_blueprint(NINE_CARDS), 3, boards=30, seed=3)
    assert found["gain"]["value"] == pytest.approx(10.0 * known.mean.value)  # chips of a big blind of 100
    assert found["gain"]["interval"] == pytest.approx([10.0 * known.mean.low, 10.0 * known.mean.high])
    assert found["each"]["value"] == pytest.approx(known.each.value / 100.0)
    assert (found["unit"], found["boards"], found["complete"]) == ("mbb/g", 30, False)
    assert found["seats"] == ["big blind", "small blind"]
    assert sum(line["gain"] for line in found["lines"]) == pytest.approx(found["gain"]["value"])
    shown = runner.invoke(app, ["evaluate", str(file), "--from", "river", "--boards", "30", "--seed", "3"]).stdout
    assert f"{10.0 * known.mean.value:+.1f}" in shown
    assert "30 drawn boards" in " ".join(shown.split())


def test_all_boards_of_a_small_game(tmp_path):
    random_blueprint(LEDUC).save(tmp_path / "leduc.eqb")
    found = facts(tmp_path / "leduc.eqb", "--from", "flop", "--boards", 1000)
    assert (found["complete"], found["boards"], found["unit"]) == (True, 6, "mbb/g")
    assert found["gain"]["interval"] == [found["gain"]["value"]] * 2
    shown = runner.invoke(app, ["evaluate", str(tmp_path / "leduc.eqb"), "--from", "flop", "--boards", "1000"]).stdout
    assert "All boards" in shown
    assert "interval" not in shown


def test_players_are_asked_in_hands_that_they_play(file):
    agent = f"{file}(mapping=det-pshar)"
    found = facts(agent, "--from", "river", "--hands", 200, "--seed", 3)
    player = LastStreetResponder(load_game(NINE_CARDS.game_name), lambda: load_agent(agent))
    known = judge_last_street([player.hand(f"3/{number}") for number in range(200)])
    assert found["gain"]["value"] == pytest.approx(10.0 * known.mean.mean)
    assert (found["hands"], found["there"]) == (200, known.there)
    shown = runner.invoke(app, ["evaluate", str(file), "--from", "river", "--hands", "20", "--bets", "20%, a"]).stdout
    assert "20 hands that it played against itself" in " ".join(shown.split())
    assert "and 20%, a;" in " ".join(shown.split())


def test_a_player_that_never_bets_is_answered_with_given_bets_alone():
    words = ("always-call", "--from", "river", "--hands", 20, "--seed", 1)
    alone = facts(*words)
    assert (alone["could_bet"], alone["gain"]["value"]) == (False, 0.0)
    shown = runner.invoke(app, ["evaluate", *map(str, words)]).stdout
    assert "could only call and fold" in " ".join(shown.split())
    bet = facts(*words, "--bets", "50%, a")
    assert bet["could_bet"]
    assert bet["gain"]["value"] > 100.0


def test_solutions_of_games_are_players(tmp_path):
    path = str(tmp_path / "leduc.eqb")
    assert runner.invoke(app, ["solve", "leduc", "--iterations", "20", "--out", path]).exit_code == 0
    found = facts(path, "--from", "flop", "--hands", 30)
    assert (found["game"], found["hands"]) == ("leduc", 30)
    assert found["gain"]["value"] > 0.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["always-call", "--from", "turn"], "on the river alone"),
        (["always-call", "--from", "rivr"], "a street such as river"),
        (["always-call", "--from", "river", "--game", "tic-tac-toe"], "--from is for poker"),
        (["always-call", "--from", "river", "--boards", "20"], "here it is --hands"),
        (["FILE", "--from", "river", "--hands", "20"], "leave --hands out"),
        (["FILE", "--from", "river", "--bets", "2x"], "shares of the pot"),
        (["FILE", "--from", "preflop"], "'preflop' was given; from the start on it is --exact"),
        (["FILE", "--from", "rivr"], "flop, turn, river"),
        (["FILE", "--boards", "20"], "give --from, too"),
        (["FILE", "--from", "river", "--seed", "-1"], "'--seed': Input should be greater than or equal to 0"),
        (["FILE", "--from", "river", "--exact"], "leave --exact out"),
        (["FILE", "--from", "river", "--flops", "20"], "leave --flops out"),
        (["FILE", "--from", "river", "--learn", "10"], "leave --learn out"),
        (["FILE", "--from", "river", "--lbr", ""], "leave --lbr out"),
    ],
)
def test_refusals(file, words, said):
    done = runner.invoke(app, ["evaluate", *(str(file) if word == "FILE" else word for word in words)])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
