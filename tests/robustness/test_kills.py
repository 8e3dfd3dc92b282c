"""No result is lost by kill -9, at whatever moment: 200 kills over all long commands in the slow part, a few in the quick one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from robustness.killing import LONG_COMMANDS

HERE = Path(__file__).parent
KILLS = 200


def killed(name, kills, seed):
    """In a process that has started no threads, so that it may fork."""
    command = [sys.executable, str(HERE / "killing.py"), name, str(kills), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["train", "match"])
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
