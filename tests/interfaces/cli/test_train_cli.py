"""`train` and bots as people type them."""

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
