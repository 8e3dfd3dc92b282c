"""No result is lost by kill -9, at whatever moment: 200 kills over all long commands in the slow part, a few in the quick one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from equilibrist.interfaces.cli.app import COMMANDS
from robustness.command_lines import all_options, every_command
from robustness.long_commands import LONG_COMMANDS, WRITE_NOTHING

HERE = Path(__file__).parent
KILLS = 200
READ = {
    "--warm-start",
    "--lock",
    "--resume",
    "--compare",
    "--token-file",
    "--menu",
    "--data",
    "--values",
    "--blueprint",
}  # or, `--data` and `--values`, a folder of the command's own


def killed(name, kills, seed):
    """In a process that has started no threads, so that it may fork."""
    command = [sys.executable, str(HERE / "killing.py"), name, str(kills), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_every_command_is_in_one_of_the_tables():
    lines = [command.start.split() for command in LONG_COMMANDS.values()]
    writing = {words[0] for words in lines}
    assert not writing & set(WRITE_NOTHING)
    assert writing | set(WRITE_NOTHING) == set(COMMANDS), (
        "a command is in no table of tests/robustness/long_commands.py"
    )
    for name in every_command():
        if name == [
            "train",
            "improve",
        ]:  # a few lines of text from hands and a blueprint of hold'em, which takes minutes to make
            continue
        options = {option for option, takes in all_options(name) if takes == "path"} - READ
        tried = {word for words in lines if words[: len(name)] == name for word in words}
        assert options <= tried, f"{name} writes files that no line of the table asks for: {options - tried}"


@pytest.mark.parametrize(
    "name", ["train", *(pytest.param(name, marks=pytest.mark.slow) for name in ("match", "serve"))]
)
def test_some_kills_lose_nothing(name):
    found = killed(name, 3, seed=1)
    assert found["kills"] == 3
    assert found["left over"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", list(LONG_COMMANDS))
def test_many_kills_lose_nothing(name):
    found = killed(name, -(-KILLS // len(LONG_COMMANDS)), seed=2)
    sys.stdout.write(json.dumps(found) + "\n")
    assert found["left over"] == 0
