"""A user's own game from a Python file: named, solved, saved, and never run because a file names it."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from equilibrist.agents.registry import agent_game, load_agent
from equilibrist.core.artifact import Artifact, artifact_kind, load_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError, UnknownNameError
from equilibrist.games import user_files
from equilibrist.games.catalogue import load_game, recorded_game
from equilibrist.games.user_files import GameNeededError
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.hand_classes.bucket_solution import solve_buckets
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.solve import solve
from user_game import write_game

RUN = CliRunner()


@pytest.fixture
def game(tmp_path, monkeypatch):
    """Name of a game file in the folder that a test stands in, with nothing named yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_files, "_named", {})
    user_files._run.cache_clear()
    write_game(tmp_path)
    return "my_game.py:HideAndSeek"


def forget(monkeypatch):
    """As in a process that has just started."""
    monkeypatch.setattr(user_files, "_named", {})
    user_files._run.cache_clear()


def runs(tmp_path):
    mark = tmp_path / "my_game.ran"
    return mark.read_text().count("ran") if mark.exists() else 0


def test_the_name_is_what_was_typed(game):
    assert load_game(game).name == game
    assert load_game(f"{game}(hands=3)").name == f"{game}(hands=3)"
    assert load_game(f"{game}(hands=2)").name == game
    assert load_game("my_game.py:Frozen(hands=3)").name == "my_game.py:Frozen(hands=3)"
    assert load_game("my_game.py:three_hands").start().actions() == ("hand0", "hand1", "hand2")


def test_a_changed_file_is_run_again(game, tmp_path):
    assert load_game(game).start().actions() == ("hand0", "hand1")
    assert runs(tmp_path) == 1
    load_game(game)
    assert runs(tmp_path) == 1
    path = tmp_path / "my_game.py"
    path.write_text(path.read_text().replace('f"hand{n}"', 'f"fist{n}"'))
    assert load_game(game).start().actions() == ("fist0", "fist1")


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("nowhere.py:Game", UnknownNameError, "no file 'nowhere.py'"),
        ("my_game.py:HideAndSek", UnknownNameError, "no 'HideAndSek'. Did you mean 'HideAndSeek'"),
        ("my_game.py:", FormatError, "named as 'my_game.py:MyGame'"),
        ("my_game.py:HideAndSeek(fists=3)", ParameterError, "no parameter 'fists'"),
        ("my_game.py:HideAndSeek(hands=many)", ParameterError, "takes a number such as 2"),
        ("my_game.py:HideAndSeek(hands=1)", FormatError, "ValueError: two hands at least"),
        ("my_game.py:not_a_game", FormatError, "makes 'int', not a game"),
        ("my_game.py:NoRules", FormatError, "cannot be made"),
        ("my_game.py:HideAndSeek+guess:hand9", EquilibristError, "fixed set of actions"),
        ("broken.py:Game", FormatError, "cannot be run: SyntaxError"),
    ],
)
def test_bad_files_get_one_sentence(game, tmp_path, text, error, sentence):
    (tmp_path / "broken.py").write_text("class Game(")
    with pytest.raises(error, match=sentence) as caught:
        load_game(text)
    assert "\n" not in str(caught.value)


def test_files_may_import_their_neighbours(game, tmp_path):
    (tmp_path / "theirs.py").write_text(
        "from my_game import HideAndSeek\n\n\ndef small():\n    return HideAndSeek(2)\n"
    )
    before = list(sys.path)
    try:
        assert load_game("theirs.py:small").name == "theirs.py:small"
    finally:
        sys.modules.pop("my_game", None)
    assert sys.path == before


def test_a_file_names_no_code_to_run(game, tmp_path, monkeypatch):
    solve(game, iterations=50).save("own.eqb")
    forget(monkeypatch)
    before = runs(tmp_path)
    solution = load_solution("own.eqb")
    assert solution.game == game
    for opening in (lambda: recorded_game(solution.game), lambda: load_agent("own.eqb"), lambda: agent_game("own.eqb")):
        with pytest.raises(GameNeededError, match=f"--game '{game}'"):
            opening()
    assert runs(tmp_path) == before
    load_game(game)
    assert recorded_game(solution.game).name == game
    assert agent_game("own.eqb") == game


def test_another_game_than_the_one_solved_is_refused(game, monkeypatch):
    solve(game, iterations=50).save("own.eqb")
    forget(monkeypatch)
    load_game("my_game.py:three_hands")
    with pytest.raises(
        FormatError, match="of another game than 'my_game.py:three_hands': at 'hide' it has the actions"
    ):
        load_agent("own.eqb")


def out(*arguments, code=0, typed=None):
    result = RUN.invoke(app, list(arguments), input=typed)
    assert result.exit_code == code, result.output
    return result.output


COMMANDS = {
    "show": ("show", "own.eqb"),
    "verify": ("verify", "own.eqb"),
    "postprocess": ("postprocess", "own.eqb"),
    "match": ("match", "own.eqb", "random", "--hands", "20"),
    "match on tables": ("match", "own.eqb", "random", "--hands", "20", "--block", "5", "--tables", "2"),
    "match apart": ("match", "own.eqb", "random", "--hands", "20", "--isolate"),
    "play": ("play", "own.eqb", "--hands", "1", "--seed", "1"),
    "evaluate": ("evaluate", "own.eqb", "--hands", "20", "--against", "random"),
    "responses": ("evaluate", "own.eqb", "--responses", "fbr", "--runs", "2"),
    "resume": ("solve", "--resume", "own.eqb", "--iterations", "100"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_ask_for_the_game_again(command, game, tmp_path, monkeypatch):
    assert game in out("solve", game, "--iterations", "60", "--out", "own.eqb")
    forget(monkeypatch)
    before = runs(tmp_path)
    said = out(*COMMANDS[command], code=2)
    assert said.strip() == (
        f"The game '{game}' is code in a Python file, which does not run because a saved file names it; "
        f"name it yourself with --game '{game}' (in Python: call load_game first)."
    )
    assert runs(tmp_path) == before


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "responses"])
def test_commands_work_with_the_game_given(command, game, monkeypatch):
    out("solve", game, "--iterations", "60", "--out", "own.eqb")
    forget(monkeypatch)
    words = list(COMMANDS[command])
    given = [game] if command == "resume" else ["--game", game]
    out(*words, *given, typed="hand1\n" * 4)


def test_the_path_may_differ(game, tmp_path, monkeypatch):
    out("solve", game, "--iterations", "60", "--out", "own.eqb")
    forget(monkeypatch)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    out("verify", "../own.eqb", "--game", "../my_game.py:HideAndSeek")
    found = json.loads(
        out("match", "../own.eqb", "random", "--hands", "10", "--game", "../my_game.py:HideAndSeek", "--json")
    )
    assert found["game"] == "../my_game.py:HideAndSeek"


@pytest.mark.parametrize("command", ["show", "verify", "match", "play"])
def test_commands_refuse_another_game(command, game, monkeypatch):
    out("solve", game, "--iterations", "60", "--out", "own.eqb")
    forget(monkeypatch)
    assert "is of another game than" in out(*COMMANDS[command], "--game", f"{game}(hands=3)", code=2)


def test_the_folder_of_a_ladder_runs_no_code(game, tmp_path, monkeypatch):
    played = out("ladder", "random", "random()", "random( )", "--hands", "4", "--game", game, "--out", "run")
    forget(monkeypatch)
    before = runs(tmp_path)
    assert f"name it yourself with --game '{game}'" in out("ladder", "run", code=2)
    assert runs(tmp_path) == before
    assert out("ladder", "run", "--game", game) == played
    assert "is a ladder of" in out("ladder", "run", "--game", "kuhn", code=2)


def test_a_game_given_needlessly_must_be_the_right_one(game):
    out("solve", "kuhn", "--iterations", "20", "--out", "kuhn.eqb")
    out("show", "kuhn.eqb", "--game", "kuhn")
    assert "is a solution of 'kuhn'" in out("show", "kuhn.eqb", "--game", "leduc", code=2)


def on_boards():
    return solve("leduc", "dcfr(on=boards)", iterations=3)


def in_buckets():
    small = load_game("bucket-holdem(buckets=2,boards=0,rounds=2,ranks=5)")
    return solve_buckets(small, make_solver("dcfr"), Stop(iterations=3))


@pytest.mark.parametrize(("made", "kind"), [(on_boards, "boards"), (in_buckets, "buckets")])
def test_solutions_of_boards_and_buckets_run_no_code_either(made, kind, game, tmp_path):
    made().save("made.eqb")
    assert artifact_kind("made.eqb") == kind
    artifact = load_artifact("made.eqb", artifact_kind("made.eqb"))
    save_artifact("evil.eqb", Artifact(artifact.kind, {**artifact.header, "game": game}, artifact.arrays))
    for command in ("show", "verify"):
        assert f"--game '{game}'" in out(command, "evil.eqb", code=2)
    assert runs(tmp_path) == 0


def test_hand_files_run_no_code(game, tmp_path):
    from equilibrist.interfaces.protocols.hand_lines import read_hand_lines

    (tmp_path / "hands.jsonl").write_text(json.dumps({"game": game}) + "\n")
    with pytest.raises(FormatError, match="name it yourself"):
        read_hand_lines(tmp_path / "hands.jsonl")
    assert runs(tmp_path) == 0


def test_trainings_run_no_code(game, tmp_path):
    from equilibrist.solvers.blueprint.plan import BlueprintPlan

    with pytest.raises(GameNeededError):
        BlueprintPlan(game).rules  # noqa: B018
    assert runs(tmp_path) == 0


def test_the_browser_runs_no_code(game, tmp_path):
    pytest.importorskip("fastapi")
    from equilibrist.interfaces.web.data.play_sessions import PlayerCatalogue

    out("solve", game, "--iterations", "60", "--out", "own.eqb")
    ran = runs(tmp_path)
    user_files._named.clear()
    tables = PlayerCatalogue(tmp_path)
    (tmp_path / "agents").mkdir(exist_ok=True)
    (tmp_path / "own.eqb").rename(tmp_path / "agents" / "own.eqb")
    with pytest.raises(EquilibristError, match="--game"):
        tables.check("own.eqb", game)
    with pytest.raises(EquilibristError):
        tables.check("random", game)
    assert runs(tmp_path) == ran
    load_game(game)
    tables.check("own.eqb", game)


def test_the_command_line_from_end_to_end(tmp_path):
    path, _ = write_game(tmp_path)

    def run(*words, code=0):
        done = subprocess.run(
            [sys.executable, "-m", "equilibrist", *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    assert path.exists()
    run("solve", "my_game.py:HideAndSeek(hands=3)", "--until", "1e-3", "--out", "own.eqb")
    assert "name it yourself" in run("verify", "own.eqb", code=2)
    assert "They agree" in run("verify", "own.eqb", "--game", "my_game.py:HideAndSeek(hands=3)")
