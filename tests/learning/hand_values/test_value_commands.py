"""A user's way: train values, look at them, search with them, save and show; and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

from equilibrist import solve  # noqa: E402
from equilibrist.interfaces.cli.app import app  # noqa: E402

SMALL = "values-river(states=16,shard=8,steps=2,batch=4,width=4,wide=8,held_out=4)"
SPOT = """board = "Ks7h2d4c"
pot = 100
stack = 250
[range]
oop = "99-66,AA,KQs,QJs"
ip = "TT-77,ATs,KJs"
[bets]
bet = "75%"
raise = "a"
"""


def run(*typed: object, code: int = 0) -> str:
    found = CliRunner().invoke(app, [str(each) for each in typed], prog_name="equilibrist")
    assert found.exit_code == code, found.output
    return found.output


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("values") / "river"
    assert "2 of 2 iterations, finished" in run("learn", "start", folder, "--preset", SMALL)
    return folder


@pytest.fixture
def spot(tmp_path: Path) -> Path:
    (tmp_path / "turn.toml").write_text(SPOT)
    return tmp_path / "turn.toml"


def test_from_training_to_a_shown_street(trained: Path, spot: Path) -> None:
    facts = json.loads(run("learn", "status", trained, "--json"))
    assert (facts["states"], facts["finished"]) == (16, True)
    assert facts["curve"][-1]["check_down"] > 0.0
    out = spot.with_name("searched.eqb")
    asked = ("search", spot, "--depth", "street", "--leaves", "net", "--values", trained, "--iterations", 5)
    found = json.loads(run(*asked, "--out", out, "--json"))
    assert found["below"]["values"] == "river"
    assert found["below"]["values_error"] == facts["curve"][-1]["in_range"]
    said = " ".join(run(*asked).split())
    assert "values of the river by a network" in said
    assert "check" in run("show", out)
    assert "solved again from both ranges here" in run(
        "show", out, "--line", "x:x:2s"
    )  # safe or not, the river has to be solved
    more = json.loads(run("learn", "resume", trained, "--iterations", 3, "--json"))
    assert (more["iterations"], more["states"]) == (3, 24)


def test_iterations_asked_for_are_those_planned(tmp_path: Path) -> None:
    """With those on all states at the end."""
    preset = SMALL.replace(")", ",finish=2)")
    asked = ("learn", "resume", tmp_path / "values", "--json", "--iterations")
    run("learn", "start", tmp_path / "values", "--preset", preset)
    assert json.loads(run(*asked, 4))["planned"] == 4
    assert "asked for 4 iterations; 2 would be fewer" in " ".join(run(*asked, 2, code=2).split())
    more = json.loads(run(*asked, 5))
    assert (more["planned"], more["iterations"], more["states"]) == (5, 5, 24)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--preset", SMALL, "--game", "kuhn"), "leave out --game"),
        (("--preset", SMALL, "--iterations", 5), "leave out --iterations"),
        (("--preset", "values-flop"), "There is no preset 'values-flop' of trainings. Did you mean 'values-turn'?"),
        (("--preset", "rebel-holdem-200bb"), "Did you mean 'rebel-holdem-20bb'?"),
        (("--preset", "values-river(states=0)"), "states"),
        ((), "needs --game and --method, or a --preset"),
    ],
)
def test_trainings_that_cannot_be(typed: tuple[object, ...], said: str, tmp_path: Path) -> None:
    assert said in " ".join(run("learn", "start", tmp_path / "new", *typed, code=2).split())
    assert not (tmp_path / "new").exists()


def test_searches_that_cannot_be(trained: Path, spot: Path, tmp_path: Path) -> None:
    asked = ("search", spot, "--depth", "street")
    flop = tmp_path / "flop.toml"
    flop.write_text(SPOT.replace("Ks7h2d4c", "Ks7h2d"))
    leduc = tmp_path / "leduc.eqb"
    solve("leduc", iterations=5).save(leduc)
    for typed, said in (
        ((*asked, "--values", trained), "give --leaves net with it"),
        ((*asked, "--leaves", "net", "--policies", "fold"), "takes the place of continuations"),
        ((*asked, "--leaves", "net", "--values", tmp_path / "none"), "There is no file"),
        ((*asked, "--leaves", "net", "--values", leduc), "expected"),
        (("search", flop, "--depth", "street", "--leaves", "net", "--values", trained), "this one has 3"),
        (("search", spot, "--leaves", "net", "--values", trained), "depth"),
        (("search", leduc, "--depth", "street", "--leaves", "net"), "Values of a network are for"),
    ):
        assert said in " ".join(run(*typed, code=2).split()), typed


def test_states_are_solved_beside_a_training(trained: Path, tmp_path: Path) -> None:
    assert "0 shards of states were solved" in run("learn", "label", trained)
    (trained / "states-00002.eqb").unlink()
    assert "1 shards of states were solved" in run("learn", "label", trained)
    assert "holds no training of values" in run("learn", "label", tmp_path, code=2)
    asked = ("learn", "start", tmp_path / "a", "--game", "kuhn", "--method", "sd-cfr", "--label-seconds", 1)
    assert "--label-seconds is for trainings of values" in run(*asked, code=2)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_networks_are_asked_on_a_device_where_there_is_one(trained: Path, spot: Path) -> None:
    asked = ("search", spot, "--depth", "street", "--iterations", 2)
    net = ("--leaves", "net", "--values", trained)
    assert "finds no CUDA device" in run(*asked, *net, "--device", "cuda", code=2)
    run(*asked, *net, "--device", "auto")
    assert "one street with continuations is searched on the CPU" in " ".join(
        run(*asked, "--device", "cuda", code=2).split()
    )
