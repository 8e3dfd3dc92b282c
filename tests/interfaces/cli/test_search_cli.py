"""`equilibrist search`: decisions of a solved spot searched again."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import user_game
from equilibrist import Spot, load_solution, solve
from equilibrist.interfaces.cli.app import app
from equilibrist.search.endgame_programs import turn_program, turn_spot
from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory):
    spot = Spot(
        board="Td9d6hQd",
        pot=200,
        stack=900,
        range={"oop": "TT+,AQs,KJs,J8s,87s,T9s,66", "ip": "QQ-88,ATs+,KJs,J8s,98s,66,AJo"},
        bets={"bet": "75%", "raise": "a"},
    )
    path = tmp_path_factory.mktemp("search") / "turn.eqb"
    solve(spot, iterations=60).save(path)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["search", *map(str, arguments)], prog_name="equilibrist")


def test_a_decision_with_finer_bets(blueprint, tmp_path):
    out = tmp_path / "finer.eqb"
    result = run(
        blueprint,
        "--line",
        "x:x:2s",
        "--technique",
        "unsafe",
        "--bets",
        "33%, a",
        "--raises",
        "a",
        "--out",
        out,
        "--json",
    )
    facts = json.loads(result.stdout)
    assert facts["labels"] == ["x", "b66", "b900"]
    assert facts["searcher"] == facts["player"] == "oop"
    assert facts["exploitability"]["percent_of_pot"] < 0.1
    assert facts["margin"] is None
    assert load_spot_solution(out).root.labels == ("x", "b66", "b900")


def test_a_bet_that_was_not_solved(blueprint):
    facts = json.loads(run(blueprint, "--line", "x:x:2s:x", "--bet", "b37", "--iterations", "600", "--json").stdout)
    assert (facts["searcher"], facts["player"], facts["pot"]) == ("oop", "oop", 237.0)
    assert facts["labels"][:2] == ["f", "c"]
    assert facts["tolerance"] < 0.5
    shown = run(blueprint, "--line", "x:x:2s:x", "--bet", "b37").stdout
    assert "resolve search for oop" in shown
    assert "smallest margin" in shown


SPOT_FILE = """
board = "Td9d6h"
pot = 100
stack = 200
range = { oop = "AA,QJs,87s,T9o", ip = "KK,AQs,J8s,ATo" }
bets = { bet = "50%, a", raise = "a" }
"""


def test_one_street_of_a_spot_file(tmp_path):
    spot, out = tmp_path / "flop.toml", tmp_path / "flop.eqb"
    spot.write_text(SPOT_FILE)
    words = ["--depth", "street", "--sample", "4,2", "--seed", "7", "--policies", "blueprint,raise", "--factor", "5"]
    facts = json.loads(run(spot, *words, "--out", out, "--json").stdout)
    assert (facts["searcher"], facts["technique"]) == ("oop", "unsafe")
    assert facts["labels"] == ["x", "b50", "b200"]
    assert facts["exploitability"]["percent_of_pot"] < 1.0
    assert facts["below"] == {
        "continuations": ["blueprint", "raise"],
        "factor": 5.0,
        "balanced": True,
        "blueprint": "solved",
        "boards": [4, 8],
        "seed": 7,
    }
    assert load_spot_solution(out).missing == ("turn", "river")
    shown = run(spot, "--depth", "street", "--blueprint", "check").stdout
    assert "The flop alone searched for oop" in shown
    assert "on 1 turns and 1 rivers" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--depth", "street", "--sample", "many"], "whole numbers"),
        (["--depth", "street", "--policies", "bluff"], "chosen from"),
        (["--one-sided"], "depth-limited"),
        (["--line", "x"], "write them as 'line'"),
        (["--technique", "resolve"], "needs to know"),
    ],
)
def test_spot_files_that_cannot_be_searched(tmp_path, words, said):
    spot = tmp_path / "flop.toml"
    spot.write_text(SPOT_FILE)
    result = run(spot, *words)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--line", "b150:f"], "Nobody acts"),
        (["--line", "x", "--bet", "b0.1"], "least bet is 1"),
        (["--technique", "magic"], "no search technique 'magic'"),
        (["--line", "b9"], "no action"),
    ],
)
def test_what_cannot_be_searched(blueprint, words, said):
    result = run(blueprint, *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") <= 2


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """The same small games as tables and on boards."""
    folder = tmp_path_factory.mktemp("games")
    solve("leduc", "cfr+", iterations=30).save(folder / "leduc.eqb")
    solve("nolimit-leduc(stack=6,sizes=[0.5,1])", "cfr+", iterations=30).save(folder / "table.eqb")
    solve("nolimit-leduc(stack=6,sizes=[0.5,1])", "dcfr(on=boards)", iterations=30).save(folder / "boards.eqb")
    return folder


@pytest.mark.parametrize("technique", ["unsafe", "resolve", "maxmargin", "reach-maxmargin"])
def test_a_decision_of_leduc(games, technique):
    words = ("--line", "b:c:Kc", "--technique", technique, "--json")
    facts = json.loads(run(games / "leduc.eqb", *words).stdout)
    assert (facts["kind"], facts["game"], facts["line"], facts["technique"]) == ("search", "leduc", "b:c:Kc", technique)
    assert facts["searcher"] == facts["player"] == 1
    assert facts["exploitability"]["chips"] <= 1e-3
    assert facts["strategy"]["Kd"]["b"] == pytest.approx(1.0 - facts["strategy"]["Kd"]["x"])
    assert (facts["margin"] is None) == (technique == "unsafe")
    shown = run(games / "leduc.eqb", *words[:-1]).stdout
    assert f"{technique} search of leduc after 'b:c:Kc' for player 1" in shown
    assert "all hands" in shown


def test_amounts_are_in_the_unit_of_the_game(games, tmp_path):
    solve("goofspiel(cards=3)", iterations=30).save(tmp_path / "goofspiel.eqb")
    shown = " ".join(run(tmp_path / "goofspiel.eqb", "--iterations", "5").stdout.split())
    assert "points; smallest margin" in shown
    assert "chips" not in shown


def test_suits_may_be_left_out_and_the_other_player_may_search(games, tmp_path):
    out = tmp_path / "searched.eqb"
    words = ("--line", "b:c:K", "--searcher", "2", "--iterations", "300", "--out", out, "--json")
    facts = json.loads(run(games / "leduc.eqb", *words).stdout)
    assert (facts["searcher"], facts["player"]) == (2, 1)
    before, after = load_solution(games / "leduc.eqb"), load_solution(out)
    assert after.evaluation.best_response_value[1] == pytest.approx(before.evaluation.best_response_value[1])
    assert (
        after.evaluation.best_response_value[0] <= before.evaluation.best_response_value[0] + facts["tolerance"] + 1e-9
    )


def test_one_round_of_leduc_with_continuations_below(games):
    words = ("--line", "b", "--depth", "street", "--policies", "blueprint,raise", "--factor", "5", "--json")
    facts = json.loads(run(games / "leduc.eqb", *words).stdout)
    assert facts["below"] == {"continuations": ["blueprint", "raise"], "factor": 5.0, "balanced": True}
    assert facts["actions"] == ["f", "c", "r"]


@pytest.mark.parametrize("file", ["table.eqb", "boards.eqb"])
def test_a_bet_that_a_game_does_not_know(games, file):
    words = ("--line", "x:x:K:x", "--bet", "75%", "--technique", "reach-maxmargin", "--json")
    facts = json.loads(run(games / file, *words).stdout)
    assert facts["line"] == "x:x:K:x:b1.5"
    assert facts["actions"][:2] == ["f", "c"]
    assert facts["tolerance"] < 0.01
    assert set(facts["strategy"]) == {"J", "Q", "K"}


@pytest.mark.parametrize("file", ["leduc.eqb", "table.eqb", "boards.eqb"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--line", "x:x"], "Nobody acts"),
        (["--line", "x:q"], "no "),
        (["--technique", "magic"], "no search technique 'magic'"),
        (["--searcher", "oop"], "player 1 or 2"),
        (["--until", "1%"], "chips or points"),
        (["--bets", "50%"], "are for spots"),
        (["--line", "x", "--bet", "75%", "--searcher", "2"], "itself acts"),
    ],
)
def test_games_that_cannot_be_searched_so(games, file, words, said):
    result = run(games / file, *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") <= 2


@pytest.mark.parametrize(("technique", "safe"), [("maxmargin", True), ("unsafe", False)])
def test_all_subgames_are_searched_and_measured(games, tmp_path, technique, safe):
    out = tmp_path / "everywhere.eqb"
    words = ("--everywhere", "--technique", technique, "--iterations", "100")
    facts = json.loads(run(games / "leduc.eqb", *words, "--out", out, "--json").stdout)
    assert facts["subgames"] == {"1": 30, "2": 30}
    assert facts["safe"] is safe
    before, after = load_solution(games / "leduc.eqb"), load_solution(out)
    assert facts["exploitability"]["before"] == pytest.approx(before.exploitability)
    assert facts["exploitability"]["after"] == pytest.approx(after.exploitability)
    if safe:
        assert after.exploitability <= before.exploitability + sum(facts["tolerance"].values()) / 2.0
        assert "no best response rose" in run(games / "leduc.eqb", *words).stdout


def test_everywhere_is_for_tables_as_a_whole(games):
    for words in ((games / "boards.eqb", "--everywhere"), (games / "leduc.eqb", "--everywhere", "--line", "b")):
        result = run(*words)
        assert result.exit_code == 2
        assert "--everywhere" in result.stderr


RIVER_FILE = """
board = "Td9d6hQc2s"
pot = 200
stack = 300
range = { oop = "AA,QQ,JJ:0.5,KJs,T9s,87s,A5s", ip = "KK,99,AQs,QJs:0.7,JTs,76s,54s" }
bets = { bet = "50%, a", raise = "a" }
"""


def test_a_river_by_the_programs_of_two_theses(tmp_path):
    spot = tmp_path / "river.toml"
    spot.write_text(RIVER_FILE)
    exact = json.loads(run(spot, "--program", "exact", "--json").stdout)
    plain = json.loads(run(spot, "--until", "0.05%", "--json").stdout)
    assert exact["exploitability"]["chips"] < 1e-6
    assert exact["actions"][0] == "x"
    assert len(exact["actions"]) == len(plain["labels"])
    assert "AsAh" in exact["strategy"]
    assert "program ganzfried search" in run(spot, "--program", "ganzfried").stdout
    for words, said in (((spot, "--program", "magic"), "no endgame program"), ((spot, "--program", ""), "no endgame")):
        refused = run(*words)
        assert refused.exit_code == 2
        assert said in refused.stderr


def test_leaves_solved_at_every_iteration(games):
    words = (
        "--line",
        "b",
        "--depth",
        "street",
        "--leaves",
        "cfr-d",
        "--technique",
        "unsafe",
        "--iterations",
        "15",
        "--json",
    )
    facts = json.loads(run(games / "leduc.eqb", *words).stdout)
    assert facts["below"] == {"leaves": "cfr-d"}
    assert sum(facts["frequencies"]) == pytest.approx(1.0)
    for wrong, said in (
        (("--leaves", "magic", "--depth", "street"), "cfr-d or cfr-avg"),
        (("--leaves", "cfr-d"), "depth street"),
    ):
        refused = run(games / "leduc.eqb", "--line", "b", *wrong)
        assert refused.exit_code == 2
        assert said in refused.stderr


def test_a_line_with_two_unknown_bets_is_played_out(games):
    words = ("--nested", "--searcher", "2", "--line", "75%:c:K:x:x", "--json")
    assert run(games / "table.eqb", *words).exit_code == 2  # the line ends where nobody acts
    words = ("--nested", "--searcher", "2", "--line", "75%:c:K:25%", "--iterations", "100", "--json")
    facts = json.loads(run(games / "table.eqb", *words).stdout)
    assert facts["line"].startswith("b1.5:c:K:b")
    assert (facts["searcher"], facts["player"]) == (2, 2)
    assert facts["actions"][:2] == ["f", "c"]
    assert run(games / "boards.eqb", "--nested", "--searcher", "2").exit_code == 0
    assert run(games / "table.eqb", "--nested", "--line", "75%").exit_code == 2


@pytest.mark.parametrize(("policies", "told"), [("self-generated", 4), ("self-generated(2)", 2)])
def test_continuations_that_find_each_other(tmp_path, policies, told):
    file = tmp_path / "leduc.eqb"
    solve("leduc(suits=merged)", "cfr+", iterations=50).save(file)
    result = run(file, "--depth", "street", "--policies", policies, "--one-sided", "--iterations", 50, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["below"]["continuations"] == [f"{told} self-generated"]
    shown = run(file, "--depth", "street", "--policies", policies, "--one-sided", "--iterations", 5)
    assert f"Below this betting round: {told} self-generated" in shown.stdout


def test_self_generated_continuations_are_for_tables(blueprint):
    result = run(blueprint, "--depth", "street", "--policies", "self-generated", "--iterations", 5)
    assert result.exit_code == 2
    assert "in games solved as tables" in " ".join(result.stderr.split())


def test_a_solved_spot_plays_on_below_the_street(blueprint):
    told = json.loads(
        run(blueprint, "--depth", "street", "--blueprint", blueprint, "--iterations", 20, "--json").stdout
    )
    assert told["below"]["blueprint"] == "given"
    missing = run(blueprint, "--depth", "street", "--blueprint", "nothing.eqb", "--iterations", 5)
    assert missing.exit_code == 2


def test_programs_take_other_sizes(tmp_path):
    spot = tmp_path / "river.toml"
    spot.write_text(RIVER_FILE)
    finer = json.loads(run(spot, "--program", "lu", "--bets", "25%, 75%", "--raises", "a", "--json").stdout)
    assert finer["actions"] == ["x", "b50", "b150"]


TURN_FILE = """
board = "Kh9s4d2c"
pot = 12
range = { oop = "AhAs:0.5,9c9d,7h6h,QhJh", ip = "KsKd,AdQd,8h8c,JsTs:0.25" }
betting = { kind = "limit", size = 4, cap = 4 }
"""


@pytest.mark.slow
def test_a_limit_turn_by_the_programs_of_gs1_and_gs2(tmp_path, monkeypatch):
    few = lambda hands: turn_program.expectation_buckets(hands, (3, 9))  # noqa: E731  # their 100 buckets take seconds
    monkeypatch.setitem(turn_spot.PROGRAMS, "gs2", few)
    spot = tmp_path / "turn.toml"
    spot.write_text(TURN_FILE)
    told = json.loads(run(spot, "--program", "gs2", "--json").stdout)
    assert told["actions"] == ["x", "b"]
    assert set(told["strategy"]) == {"AsAh", "9d9c", "7h6h", "QhJh"}
    assert told["exploitability"]["chips"] == pytest.approx(0.0, abs=1e-6)
    weights = [0.5, 1.0, 1.0, 1.0]
    bets = [told["strategy"][hand]["b"] for hand in ("AsAh", "9d9c", "7h6h", "QhJh")]
    assert told["frequencies"][1] == pytest.approx(sum(w * b for w, b in zip(weights, bets, strict=True)) / 3.5)
    # the same plan, read where the program keeps it
    found = turn_spot.solve_turn(Spot.from_toml(spot), "gs2")
    assert sum(found.evaluation.value) == 0.0
    assert found.evaluation.value[0] == pytest.approx(found.value, abs=1e-7)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("2c", "2c5d"), "fixed-limit turns"),
        (("size = 4", "size = {turn = 4, river = 8}"), "one bet size"),
        (("cap = 4", "cap = 4}\nstack = 10 #"), "chips behind"),
    ],
)
def test_what_the_turn_programs_do_not_solve(tmp_path, change, says):
    spot = tmp_path / "turn.toml"
    spot.write_text(TURN_FILE.replace(*change))
    refused = run(spot, "--program", "gs1")
    assert refused.exit_code == 2
    assert says in " ".join(refused.stderr.split())


def test_searches_of_a_solved_spot_are_measured(blueprint):
    """Before the search the independent walk says what the file says; safe techniques keep their word, unsafe ones give none."""
    stated = load_spot_solution(blueprint).best_response_ev
    told = json.loads(
        run(blueprint, "--everywhere", "--line", "x", "--technique", "maxmargin", "--iterations", 40, "--json").stdout
    )
    assert told["best_response"]["before"]["oop"] == pytest.approx(stated.oop, abs=1e-3)
    assert told["best_response"]["before"]["ip"] == pytest.approx(stated.ip, abs=1e-3)
    assert told["safe"]
    assert told["subgames"] == {"oop": 1, "ip": 1}
    unsafe = run(blueprint, "--everywhere", "--line", "x", "--technique", "unsafe", "--iterations", 5)
    assert "unsafe search: 1 subgames for oop" in unsafe.stdout
    assert "not safe" in " ".join(unsafe.stdout.split())


def test_all_rivers_of_a_solved_turn_are_searched(blueprint):
    told = json.loads(run(blueprint, "--everywhere", "--iterations", 3, "--json").stdout)
    assert told == json.loads(run(blueprint, "--everywhere", "--iterations", 3, "--threads", 2, "--json").stdout)
    assert told["subgames"]["oop"] == told["subgames"]["ip"] == 48 * 3  # rivers, lines that lead to them
    assert told["safe"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--bet", "75%"), "leave out --bet"),
        (("--line", "b33"), "not one of"),
        (("--line", "x:x"), "Nobody acts"),
    ],
)
def test_what_cannot_be_measured(blueprint, words, says):
    refused = run(blueprint, "--everywhere", *words)
    assert refused.exit_code == 2
    assert says in " ".join(refused.stderr.split())


def test_no_option_is_dropped_in_silence(games):
    nested = ("--nested", "--searcher", "2", "--line", "75%:c:K:25%")
    for options, said in (
        ((*nested, "--iterations", "0"), "'iterations' must be at least 1"),
        ((*nested, "--threads", "2"), "one thread"),
        ((*nested, "--until", "some"), "number of chips"),
        (("--line", "x", "--threads", "2"), "one thread"),
        (("--everywhere", "--seconds", "1"), "number of iterations"),
        (("--everywhere", "--until", "1"), "number of iterations"),
        (("--everywhere", "--threads", "2"), "one thread"),
        (("--everywhere", "--iterations", "0"), "'iterations' must be at least 1"),
    ):
        refused = run(games / "table.eqb", *options)
        assert refused.exit_code == 2, options
        assert said in " ".join(refused.stderr.split()), options
    goals = (("--iterations", "7"), ("--until", "1000"), ("--seconds", "0"))
    counts = [json.loads(run(games / "table.eqb", *nested, *goal, "--json").stdout)["iterations"] for goal in goals]
    assert counts[0] == 7
    assert counts[1] < 400
    assert counts[2] < 400


def test_a_solution_of_a_game_in_a_python_file_is_searched(tmp_path):
    module, file = tmp_path / "mine.py", tmp_path / "mine.eqb"
    module.write_text(user_game.TEXT)
    game = f"{module}:HideAndSeek"
    solve(game, iterations=20).save(file)
    facts = run(file, "--game", game, "--iterations", "5", "--json")
    assert facts.exit_code == 0, facts.output
    assert json.loads(facts.stdout)["player"] == 1
    assert run(file, "--game", "kuhn").exit_code == 2


def test_every_card_where_one_comes(blueprint, tmp_path):
    line = ("--line", "b150:c", "--searcher", "oop", "--iterations", "10")
    facts = json.loads(run(blueprint, *line, "--threads", "2", "--json").stdout)
    assert facts["kind"] == "search-cards"
    place = load_spot_solution(blueprint).at("b150:c")
    assert len(facts["cards"]) == len({place.play(card).path for card in place.next_cards}) < 48
    one = json.loads(run(blueprint, *(word.replace("b150:c", "b150:c:2s") for word in line), "--json").stdout)
    here = facts["cards"].get("2s") or facts["cards"]["2c"]
    assert here["exploitability"] == pytest.approx(one["exploitability"])
    assert here["margin"] == pytest.approx(one["margin"])
    shown = run(blueprint, *line).stdout
    assert "resolve search for oop after 'b150:c'" in shown
    assert "given away" in shown
    for more, said in (
        (("--seconds", "1"), "leave out --seconds"),
        (("--out", tmp_path / "x.eqb"), "add a card to --line"),
    ):
        refused = run(blueprint, *line, *more)
        assert refused.exit_code == 2
        assert said in refused.stderr
    assert not (tmp_path / "x.eqb").exists()
