"""`equilibrist cluster`: files, reports, and what is refused."""

import json

import pytest
from typer.testing import CliRunner

from equilibrist.abstraction.cards.card_abstraction import load_card_abstraction
from equilibrist.interfaces.cli.app import app

SMALL = ("--method", "distribution-aware", "--sizes", "all/12/10/8", "--deck", "4x3")


def run(*words):
    result = CliRunner().invoke(app, ["cluster", *map(str, words)], prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_cluster_writes_a_file_and_reports_on_it(tmp_path):
    path, picture = tmp_path / "small.eqb", tmp_path / "small.png"
    made = json.loads(run(*SMALL, "--out", path, "--json", "--threads", 2).stdout)
    assert load_card_abstraction(path, hash=made["hash"]).sizes == (16, 12, 10, 8)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["small.eqb"]  # no checkpoints left
    report = json.loads(run("report", path, "--json", "--png", picture).stdout)["report"]
    assert [street["buckets"] for street in report] == [16, 12, 10, 8]
    assert picture.stat().st_size > 10_000
    assert "river" in run("report", path).stdout


def test_the_same_seed_gives_the_same_file(tmp_path):
    words = [json.loads(run(*SMALL, "--seed", seed, "--json").stdout) for seed in (3, 3, 4)]
    assert words[0]["fingerprint"] == words[1]["fingerprint"]
    assert words[0]["hash"] != words[2]["hash"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Name a preset"),
        (("smal",), "Did you mean 'small'"),
        (("small", "large"), "One preset"),
        (("small", "--sizes", "169/5/5/5"), "names its method"),
        (("small", "--public", "5"), "--public"),
        (("--method", "ochs"), "both --method and --sizes"),
        (("--method", "ehs-equal", "--sizes", "200/5/5/5"), "169 different hands"),
        (("--method", "ehs-equal", "--sizes", "5/5/5"), "4"),
        (("--method", "nothing", "--sizes", "5/5/5/5"), "no method 'nothing'"),
        (("--method", "ehs-equal", "--sizes", "5/5/5/5", "--deck", "4by3"), "RANKSxSUITS"),
        (("--method", "ehs-equal", "--sizes", "5/5/5/5", "--deck", "2x3"), "deck"),
        (("tiny", "--out", "/nowhere/x.eqb"), "does not exist"),
        (("report",), "one file"),
        (("report", "/nowhere/x.eqb"), "no file"),
    ],
)
def test_bad_input_is_refused_with_one_sentence(words, said):
    result = run(*words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
