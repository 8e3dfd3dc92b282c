"""A spot of three players from its file to a solution that is shown, verified and gone on with."""

import json

import pytest
from typer.testing import CliRunner

import equilibrist as eq
from equilibrist.interfaces.cli.app import app

SPOT = """
board = "Ks9d6h4c2s"
pot = 60
stacks = { sb = 200, bb = 150, btn = 100 }
range = { sb = "TT+,AKs,76s", bb = "99-66,KQs", btn = "88-44,KJs" }
bets = { bet = "50%, a", raise = "a" }
"""
TURN = """
board = "Ks9d6h4c"
pot = 60
stack = 60
range = { sb = "AsKd,9c9h,JTs", bb = "KhQh,8c7c", btn = "AhQh,66" }
bets = { bet = "a" }
betting = { cap = 1 }
"""


def run(*words):
    return CliRunner().invoke(app, [*map(str, words)], prog_name="equilibrist")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("three")
    (folder / "river.toml").write_text(SPOT)
    (folder / "turn.toml").write_text(TURN)
    assert run("solve", folder / "river.toml", "--out", folder / "river.eqb").exit_code == 0
    assert run("solve", folder / "turn.toml", "--until", "1%", "--out", folder / "turn.eqb").exit_code == 0
    return folder


def test_solve_tells_every_seats_gain_and_promises_nothing(folder):
    done = run("solve", folder / "river.toml", "--until", "1%")
    assert done.exit_code == 0
    for word in ("gains", "sb", "bb", "btn", "NashConv", "no equilibrium is promised", "converged (target 0.6 chips)"):
        assert word in done.stdout
    assert "33, 21 and 27 hands" in done.stderr
    facts = json.loads(run("solve", folder / "river.toml", "--until", "0.3%", "--json").stdout)
    assert facts["converged"]
    assert facts["exploitability"]["percent_of_pot"] <= 0.3
    assert facts["exploitability"]["chips"] == max(gain["chips"] for gain in facts["gains"].values())
    assert list(facts["gains"]) == facts["seats"] == ["sb", "bb", "btn"]
    assert sum(facts["ev"].values()) == pytest.approx(60.0)


def test_show_each_seat_line_and_hand(folder, tmp_path):
    first = run("show", folder / "river.eqb")
    assert "sb to act, pot 60, behind 200 / 150 / 100" in first.stdout
    assert "largest gain" in " ".join(first.stdout.split())
    shown = run("show", folder / "river.eqb", "--line", "x:b30", "--hand", "KJs")
    assert "btn to act" in shown.stdout
    assert "EV r" in shown.stdout
    other = run("show", folder / "river.eqb", "--line", "x:b30", "--player", 1, "--hand", "AKs")
    assert "AhKh" in other.stdout
    assert "EV r" not in other.stdout
    facts = json.loads(run("show", folder / "river.eqb", "--line", "x:b30", "--player", 2, "--json").stdout)
    assert facts["hands_of"] == "bb"
    assert sum(facts["ev"].values()) == pytest.approx(90.0)
    assert sum(facts["equity"].values()) == pytest.approx(1.0)
    assert run("show", folder / "river.eqb", "--csv", tmp_path / "x.csv").exit_code == 0
    assert (tmp_path / "x.csv").read_text().startswith("hand,weight,equity,ev,eqr,check")
    card = run("show", folder / "turn.eqb", "--line", "x:x:x")
    assert "A card comes next" in card.stdout
    river = json.loads(run("show", folder / "turn.eqb", "--line", "x:x:x:2c", "--json").stdout)
    assert sum(river["ev"].values()) == pytest.approx(60.0)
    before = json.loads(run("show", folder / "turn.eqb", "--line", "x:x:x", "--json").stdout)
    assert sum(before["ev"].values()) == pytest.approx(60.0)


def test_values_of_hands_make_up_those_of_the_range(folder):
    solution = eq.load_solution(folder / "turn.eqb")
    for line in ("", "x", "x:b60", "x:x:x", "x:b60:f", "x:x:x:2c:b60:c"):
        node = solution.at(line)
        assert sum(node.range_ev(seat) for seat in range(3)) == pytest.approx(node.pot, abs=1e-9)
        assert sum(node.range_equity(seat) for seat in range(3)) == pytest.approx(1.0, abs=1e-9)
        if node.player:
            mean = (node.strategy * node.ev_by_action).sum(axis=1)
            assert node.ev() == pytest.approx(mean, abs=1e-9, nan_ok=True)


def test_verify_and_go_on(folder, tmp_path):
    assert "They agree" in run("verify", folder / "river.eqb").stdout
    further = tmp_path / "further.eqb"
    done = run("solve", "--resume", folder / "river.eqb", "--until", "0.1%", "--out", further)
    assert done.exit_code == 0
    before, after = eq.load_solution(folder / "river.eqb"), eq.load_solution(further)
    assert after.iterations > before.iterations
    assert after.exploitability <= 0.06
    assert after.converged


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "river.toml", "--lock", "x.toml"), "--lock is not for spots of three players"),
        (("solve", "river.toml", "--without", "river", "--out", "y.eqb"), "--without is not for"),
        (("solve", "river.toml", "--device", "cuda"), "on the CPU"),
        (("solve", "river.toml", "--bits", "16"), "32 bits"),
        (("solve", "river.toml", "--warm-start", "river.eqb"), "--warm-start is not for"),
        (("solve", "river.toml", "--solver", "es-mccfr"), "regret matching"),
        (("solve", "river.toml", "turn.toml", "--out", "many"), "river.toml': This spot has three"),
        (("show", "river.eqb", "--runouts"), "--runouts and --compare are not for"),
        (("show", "river.eqb", "--player", "4"), "--player is one of 1 (sb), 2 (bb), 3 (btn)"),
        (("show", "river.eqb", "--line", "x:b31"), "There is no action 'b31' after 'x'"),
        (("show", "river.eqb", "--hand", "72o"), "not in the range of sb"),
        (("search", "river.eqb", "--line", "x"), "three or more ranges"),
        (("search", "river.toml"), "three or more ranges"),
        (("exploit", "river.eqb"), "three or more ranges"),
        (("exploit", "river.toml", "--lock", "x.toml"), "three or more ranges"),
        (("play", "river.eqb"), "cannot be played against"),
        (("match", "river.eqb", "random", "--game", "kuhn"), "cannot be played against"),
        (("serve", "river.eqb", "--data", "library"), "cannot be played against"),
        (("evaluate", "river.eqb"), "cannot be played against"),
    ],
)
def test_what_is_for_two_is_refused_in_a_sentence(folder, monkeypatch, words, message):
    monkeypatch.chdir(folder)
    done = run(*words)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
