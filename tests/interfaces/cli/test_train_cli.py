"""`train` and bots as people type them."""

import importlib
import json

import pytest
from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app

RUN = CliRunner()


def out(*arguments, code=0):
    result = RUN.invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("train") / "run"
    facts = json.loads(out("train", "start", str(path), "--preset", "leduc", "--iterations", "8192", "--json"))
    assert facts["finished"]
    return path


def test_presets_bring_their_settings_and_options_replace_them(folder, tmp_path):
    assert json.loads(out("train", "status", str(folder), "--json"))["training"]["weighting"] == "linear"
    path, game = tmp_path / "other", "nolimit-leduc(stack=12,suits=2)"
    how = ("--game", game, "--cards", "exact", "--iterations", "4096", "--weighting", "none", "--pruning", "fading")
    training = json.loads(out("train", "start", str(path), *how, "--json"))["training"]
    assert (training["weighting"], training["prune"]["kind"]) == ("none", "fading")


def test_pack_writes_a_smaller_blueprint(folder, tmp_path):
    made = tmp_path / "pure.eqb"
    facts = json.loads(
        out("train", "pack", str(folder / "blueprint.eqb"), "--out", str(made), "--from", "preflop", "--json")
    )
    assert facts["bytes"] * 4 < facts["bytes_before"]
    assert made.exists()
    assert "purified from" in out(
        "train", "pack", str(folder / "blueprint.eqb"), "--out", str(made), "--from", "bed", code=2
    )


def test_bots_are_listed_and_ask_for_a_blueprint(folder):
    names = {entry["name"] for entry in json.loads(out("agents", "--json"))["agents"]}
    assert {"gs1", "tartanian7", "libratus", "pluribus", "lu-endgame"} <= names
    assert "train start FOLDER" in " ".join(out("match", "libratus", "always-call", code=2).split())
    line = ("match", f"tartanian5(blueprint={folder})", "random", "--game", "leduc", "--hands", "20", "--json")
    assert json.loads(out(*line))["faults"] == 0


def test_unknown_presets_and_buckets_are_explained(tmp_path):
    assert "libratus" in out("train", "start", str(tmp_path / "x"), "--preset", "libratu", code=2)
    asked = (
        "train",
        "start",
        str(tmp_path / "y"),
        "--preset",
        "hu-20bb",
        "--cards",
        "ehs-equal(sizes=169/5/5/5, colour=1)",
    )
    assert "colour" in out(*asked, code=2)


@pytest.mark.slow
def test_what_a_learned_response_wins(folder, tmp_path):
    file = str(folder / "blueprint.eqb")
    asked = ("evaluate", file, "--hands", "20", "--lbr", "", "--against", "")
    found = json.loads(out(*asked, "--learn", "40000", "--json"))
    learned, exact = found["learned_response"], found["exploitability"]["value"]
    assert learned["deals"] == 40000
    assert learned["interval"][0] < learned["value"] < exact + (learned["interval"][1] - learned["interval"][0])
    assert "learned from 40,000 deals" in out(*asked, "--learn", "40000")
    for words, sentence in (
        (("evaluate", "random", "--learn", "100"), "'random' is none"),
        ((*asked, "--bets", "50%"), "give --learn"),
        ((*asked, "--learn", "100", "--game", "kuhn"), "leave --game out"),
    ):
        assert sentence in RUN.invoke(app, list(words)).output


@pytest.mark.slow
def test_blueprints_of_flop_games_are_verified_exactly(tmp_path):
    menu = tmp_path / "menu.toml"
    menu.write_text(
        '[menu]\nbet = "a"\nraise = "a"\nturn = { bet = "", raise = "" }\nriver = { bet = "", raise = "" }\n'
    )
    game = "nolimit-holdem(stack=400,ranks=4,suits=3)"
    cards = "ehs-equal(sizes=all/2/2/1, sample=1000)"
    out(
        "train",
        "start",
        str(tmp_path / "flop"),
        "--game",
        game,
        "--menu",
        str(menu),
        "--cards",
        cards,
        "--iterations",
        "8192",
    )
    found = json.loads(out("verify", str(tmp_path / "flop" / "blueprint.eqb"), "--json"))
    assert found["agrees"] is True
    assert found["recomputed"]["exploitability"] > 0.0
    assert sum(found["recomputed"]["value"]) == 0.0
    assert "flops walked" in out("verify", str(tmp_path / "flop" / "blueprint.eqb"))


def test_improve_adds_the_sizes_that_opponents_bet(tmp_path):
    """[Brown20, §6.4]: bets of 0.6 pot between 0.5 and 1 ask for 5/7 of the pot, and for 0.6 itself."""
    menu, run, hands = tmp_path / "menu.toml", tmp_path / "run", tmp_path / "hands.jsonl"
    menu.write_text('[menu]\nbet = "50%, 100%, a"\n')
    game = ("--game", "nolimit-leduc(stack=7,suits=2)", "--cards", "exact")
    out("train", "start", str(run), *game, "--menu", str(menu), "--iterations", "512")
    table = ("--game", "nolimit-leduc(stack=7,suits=2,sizes=[0.6,1])", "--hands", "40", "--histories", str(hands))
    out("match", "always-raise(size=0.6)", "always-call", *table)
    better = tmp_path / "better.toml"
    told = json.loads(out("train", "improve", str(run / "blueprint.eqb"), str(hands), "--out", str(better), "--json"))
    assert told["defensive"] == pytest.approx([5 / 7])
    assert told["offensive"] == pytest.approx(0.6)
    assert better.read_text() == '[menu]\nbet = "50%, 60%, 71.4286%, 100%, a"\n'
    out("train", "start", str(tmp_path / "again"), *game, "--menu", str(better), "--iterations", "512")
    shown = out("train", "improve", str(run / "blueprint.eqb"), str(hands), "--out", str(better), "--street", "flop")
    assert "71.43 %" in " ".join(shown.split())
    for words, says in ((("--street", "bed"), "Streets are"), (("--name", "nobody"), "No opening bet")):
        refused = out("train", "improve", str(run / "blueprint.eqb"), str(hands), "--out", str(better), *words, code=2)
        assert says in " ".join(refused.split())


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").touch()
    for place, said in (
        ("/proc/equilibrist", "a place where folders can be made"),
        (str(tmp_path / "file"), "is a file"),
    ):
        assert said in out("train", "start", place, "--preset", "leduc", code=2)


@pytest.mark.parametrize("command", ["train", "betting"])
def test_large_trees_are_not_grown_to_look_for_sizes_in_vain(tmp_path, monkeypatch, command):
    from equilibrist.interfaces.cli.build import menu_warnings

    menu = tmp_path / "menu.toml"
    menu.write_text('[menu]\nbet = "a"\nraise = "a"\n')
    how = ("--cards", "exact", "--iterations", "64", "--menu", str(menu))
    words = {
        "train": ("train", "start", str(tmp_path / "run"), "--game", "nolimit-leduc", *how),
        "betting": ("betting", "nolimit-leduc", "--menu", str(menu)),
    }[command]
    looking = importlib.import_module("equilibrist.forms.betting_tree.unused_sizes")
    monkeypatch.setattr(looking, "unused_sizes", lambda *given: 1 / 0)
    monkeypatch.setattr(menu_warnings, "LARGEST_LOOKED_AT", 10)
    shown = RUN.invoke(app, [*words, "--json"])
    assert shown.exit_code == 0, shown.output


def test_sizes_of_a_menu_that_nobody_can_bet_are_named(tmp_path):
    menu = tmp_path / "menu.toml"
    menu.write_text('[menu]\nbet = "50%, a"\nraise = "a"\nraise2 = ""\n[menu.preflop]\nbet = "300%"\n')
    game = "nolimit-holdem(stack=600,ranks=3,suits=3)"
    how = (
        "--game",
        game,
        "--menu",
        str(menu),
        "--cards",
        "ehs-equal(sizes=4/3/3/3, sample=1000)",
        "--iterations",
        "64",
    )
    shown = RUN.invoke(app, ["train", "start", str(tmp_path / "run"), *how, "--json"])
    assert shown.exit_code == 0, shown.output
    assert 'menu.preflop.bet = "300%" is never used: no decision comes to it (a blind counts as a bet' in shown.stderr
