"""`equilibrist diagnose` as people type it: the same totals as `evaluate --from`, tables that add up, tests that pass or fail."""

import json

import pytest
from typer.testing import CliRunner

from equilibrist import solve
from equilibrist.evaluation.diagnosis import leaks, untrained
from equilibrist.interfaces.cli.app import app
from equilibrist.interfaces.cli.strength import diagnose
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from random_blueprint import LEDUC, NINE_CARDS, random_blueprint

RUN = CliRunner()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diagnose")
    random_blueprint(NINE_CARDS).save(folder / "nine.eqb")
    random_blueprint(LEDUC).save(folder / "leduc.eqb")
    random_blueprint(BlueprintPlan("kuhn(players=3)", cards="exact")).save(folder / "three.eqb")
    uneven = BlueprintPlan("nolimit-holdem(stacks=[1000,700],ranks=3,suits=3)", NINE_CARDS.menu, NINE_CARDS.cards)
    random_blueprint(uneven).save(folder / "uneven.eqb")
    random_blueprint(BlueprintPlan("nolimit-leduc(stack=12)", cards="exact")).save(folder / "merged.eqb")
    solve("kuhn", iterations=5).save(folder / "kuhn.eqb")
    return folder


def out(*arguments, code=0):
    result = RUN.invoke(app, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


@pytest.mark.parametrize("boards", [("--boards", 9), ()])
def test_totals_are_those_of_evaluate(files, boards):
    asked = (files / "nine.eqb", "--seed", 4, "--threads", 1, *boards, "--json")
    found = json.loads(out("diagnose", *asked, "--hands", 20))
    assert [each["street"] for each in found["streets"]] == ["river", "turn"]
    assert found["finished"]
    for street in found["streets"]:
        known = json.loads(out("evaluate", *asked, "--from", street["street"]))
        assert street["boards"] == known["boards"]
        for mine, theirs in zip((*street["gains"], street["gain"]), (*known["gains"], known["gain"]), strict=True):
            assert [mine["value"], *mine["interval"]] == pytest.approx([theirs["value"], *theirs["interval"]], rel=1e-4)
        for table in ("pots", "sizes", "faced", "answers"):
            assert sum(row["loss"]["value"] for row in street[table]) == pytest.approx(street["here"]["value"])
        by_raises = {"limped": 0, "raised": 1}
        assert {row["kind"] for row in street["pots"]} <= set(by_raises)
        for row in street["pots"]:  # before the board lines are the same
            lost = [each for each in known["lines"] if each["line"].split("/")[0].count("r") == by_raises[row["kind"]]]
            assert row["reached"] == pytest.approx(sum(each["reached"] for each in lost))
            if street["street"] == "river":  # nothing is lost later
                assert row["loss"]["value"] == pytest.approx(sum(each["gain"] for each in lost), rel=1e-4)


def test_what_is_printed(files):
    text = out("diagnose", files / "nine.eqb", "--from", "river", "--boards", 5, "--hands", 20, "--bets", "33%")
    facts = json.loads(
        out("diagnose", files / "nine.eqb", "--from", "river", "--boards", 5, "--hands", 20, "--bets", "33%", "--json")
    )
    river = facts["streets"][0]
    for row in (*river["pots"], *river["sizes"], *river["faced"], *river["answers"]):
        shown = next(line for line in text.splitlines() if line.strip().startswith(row["kind"]))
        assert f"{row['loss']['value']:.1f}" in shown
    assert river["lines"][0]["line"] in text
    assert "what 33% add" in text
    assert facts["off_tree"]["off_tree"]["value"] >= 0.0
    assert "skip  premium hands" in text
    assert "rows never trained" in text
    assert [each["passed"] for each in facts["sanity"]][:2] == [None, None]


def test_a_failed_test_is_printed_with_its_offence(files, monkeypatch):
    monkeypatch.setattr(untrained, "untrained_rows", lambda blueprint, node, buckets: buckets >= 0)
    text = out("diagnose", files / "leduc.eqb", "--hands", 50)
    assert "FAIL  no action in play was never trained" in text
    assert "on the preflop: " in text
    assert "(100.00 % of the time)" in text


@pytest.mark.parametrize("name", ["three.eqb", "uneven.eqb"])
def test_games_without_leaks_are_tested_all_the_same(files, name):
    found = json.loads(out("diagnose", files / name, "--hands", 20, "--json"))
    assert found["streets"] == []
    assert "two players" in found["no_leaks"]
    assert [each["name"] for each in found["sanity"]][-1] == "no action in play was never trained"
    assert "Leaks are found for two players" in out("diagnose", files / name, "--hands", 20)


def test_an_interrupt_shows_what_was_found(files, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    words = ("diagnose", str(files / "nine.eqb"), "--boards", "4", "--hands", "20", "--json")
    with monkeypatch.context() as patch:
        patch.setattr(leaks.StreetRun, "look_into", interrupted)
        nothing = RUN.invoke(app, list(words))
    assert nothing.exit_code == 130
    assert "nothing was written" in nothing.stderr
    monkeypatch.setattr(diagnose, "_test", interrupted_test)
    some = RUN.invoke(app, list(words))
    assert len(json.loads(some.stdout)["streets"]) == 2
    assert not json.loads(some.stdout)["finished"]
    assert "Interrupted: this is what was found" in some.stderr


def interrupted_test(*arguments):
    return False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("kuhn.eqb",), "'kuhn.eqb' is none"),
        (("nowhere.eqb",), "no file 'nowhere.eqb'"),
        (("nine.eqb", "--from", "preflop"), "(flop, turn, river), but 'preflop' was given"),
        (("leduc.eqb", "--from", "river"), "(flop), but 'river' was given"),
        (("three.eqb", "--from", "flop"), "this game has none"),
        (("nine.eqb", "--bets", "50c"), "50c"),
        (("leduc.eqb", "--bets", "33%"), "but those of 'leduc' are fixed; leave --bets out"),
        (("merged.eqb", "--bets", "33%"), "cards with suits and a board, not 'nolimit-leduc"),
        (("nine.eqb", "--boards", "2000000", "--from", "river"), "boards"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(files, monkeypatch, words, said):
    monkeypatch.chdir(files)
    if "33%" in words:  # before any work is done
        monkeypatch.setattr(leaks, "street_leaks", None)
    if "2000000" in words:
        monkeypatch.setattr("equilibrist.solvers.blueprint.exact.street_response.MOST", 100)
    told = out("diagnose", *words, code=2)
    assert said in told
    assert len(told.strip().splitlines()) == 1
