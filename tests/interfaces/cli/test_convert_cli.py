"""`equilibrist convert`: to Gambit files, and from spots of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import equilibrist as eq
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.cli.app import app
from equilibrist.interfaces.protocols.acpc import read_game

TEXAS = """set_pot 50
set_effective_stack 200
set_board Qs,Jh,2h,8d,3c
set_range_ip AA,KK,QQ:0.5,AKs
set_range_oop QQ,JJ,AQs,T9s
set_bet_sizes oop,river,bet,50
set_bet_sizes ip,river,bet,75
set_bet_sizes ip,river,allin
set_allin_threshold 0.67
build_tree
start_solve
"""


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in arguments], prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_game_goes_to_gambit_and_comes_back(tmp_path: Path) -> None:
    shown = run("convert", "kuhn", tmp_path / "kuhn.efg")
    assert shown.exit_code == 0
    assert "kuhn, written to" in shown.stdout
    assert eq.solve(str(tmp_path / "kuhn.efg"), "lp").value[0] == pytest.approx(-1 / 18, abs=1e-9)


def test_a_texas_solver_spot_is_solved(tmp_path: Path) -> None:
    (tmp_path / "texas.txt").write_text(TEXAS)
    shown = run("convert", tmp_path / "texas.txt", tmp_path / "spot.toml")
    assert shown.exit_code == 0
    assert "Spot(" in shown.stdout
    spot = Spot.from_toml(tmp_path / "spot.toml")
    assert (spot.pot, spot.stack, spot.board_text) == (50.0, 200.0, "QsJh2h8d3c")
    assert run("solve", tmp_path / "spot.toml", "--until", "1%").exit_code == 0


def test_a_libratus_subgame_has_a_stack(tmp_path: Path) -> None:
    reach = " ".join(["0.5"] * 2652)
    (tmp_path / "subgame.txt").write_text(f"-round 4 -board 2c5d9hJsAc -pot 1000 -reach {reach}")
    assert run("convert", tmp_path / "subgame.txt", tmp_path / "spot.toml", "--stack", "5000").exit_code == 0
    assert Spot.from_toml(tmp_path / "spot.toml").stack == 4500.0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("kuhn", "kuhn.txt"), "must end in .efg"),
        (("kuhn", "nowhere/kuhn.efg"), "does not exist"),
        (("kuhn", "kuhn.efg", "--stack", "3"), "leave it out"),
        (("texas.txt", "spot.toml", "--stack", "3"), "leave 'stack' out"),
        (("absent.txt", "spot.toml"), "cannot be read"),
        (("binary.txt", "spot.toml"), "is not text"),
        (("words.txt", "spot.toml"), "unknown command 'hello'"),
        (("limit-holdem", "game.efg"), "limit-holdem"),
    ],
)
def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], sentence: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("texas.txt").write_text(TEXAS)
    Path("words.txt").write_text("hello world")
    Path("binary.txt").write_bytes(b"\xff\xfe\x00")
    shown = run("convert", *words)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert sentence in shown.stderr
    assert not Path("spot.toml").exists()


def test_a_poker_game_goes_to_an_acpc_definition_and_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "limit.game"
    assert "limit-holdem, written to" in run("convert", "limit-holdem", file).stdout
    again = read_game(file.read_text())
    assert again.rules.caps == eq.load_game("limit-holdem").rules.caps
    assert again.rules.menus == eq.load_game("limit-holdem").rules.menus
    for source, says in (("kuhn", "antes"), ("rps", "Only poker games")):
        refused = run("convert", source, tmp_path / "other.game")
        assert refused.exit_code == 2
        assert says in refused.stderr


def test_the_rest_of_a_solved_spot_is_a_spot_of_its_own(tmp_path: Path) -> None:
    turn = Spot(
        board="Td9d6hQd", pot=200, stack=900, range={"oop": "TT+,AQs,KJs", "ip": "QQ-88,ATs+,KJs"}, bets={"bet": "75%"}
    )
    file = tmp_path / "turn.eqb"
    eq.solve(turn, iterations=20).save(file)
    for line, board, pot in (("x:b150:c:2c", "Td9d6hQd2c", 500.0), ("x", "Td9d6hQd", 200.0)):
        assert run("convert", file, tmp_path / "rest.toml", "--line", line).exit_code == 0
        rest = Spot.from_toml(tmp_path / "rest.toml")
        assert (rest.board_text, rest.pot) == (board, pot)
    assert rest.line == ("x",)
    for words, says in (
        (("convert", file, tmp_path / "rest.toml", "--line", "x:2c"), "No card comes"),
        (("convert", "kuhn", tmp_path / "kuhn.efg", "--line", "x"), "solved spot"),
    ):
        refused = run(*words)
        assert refused.exit_code == 2
        assert says in refused.stderr
