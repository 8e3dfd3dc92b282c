"""What commands write is whole or not there, and what the system refuses is told in one sentence with its reason."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app
from equilibrist.interfaces.cli.guard import guarded

RUN = CliRunner()
WRITERS = {  # command -> its words before the file
    "kuhn.efg": ("convert", "kuhn"),
    "limit.game": ("convert", "limit-holdem"),
    "leduc.bml": ("betting", "leduc", "--bml"),
    "kuhn.eqb": ("solve", "kuhn", "--iterations", "5", "--out"),
    "kuhn.png": ("solve", "kuhn", "--iterations", "5", "--png"),
    "hands.phhs": ("match", "always-call", "random", "--game", "limit-holdem", "--hands", "2", "--histories"),
}


def told(result) -> str:
    assert result.exit_code == 2, result.output
    lines = result.stderr.strip().splitlines()
    assert len(lines) >= 1
    assert "Errno" not in result.stderr
    assert "None" not in lines[-1]
    assert "Traceback" not in result.stderr
    return lines[-1]


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if name.endswith(".png"):
        pytest.importorskip("matplotlib")
    target = tmp_path / name
    target.write_text("earlier")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    sentence = told(RUN.invoke(app, [*WRITERS[name], str(target)]))
    assert sentence == f"Cannot write '{target}': No space left on device; the earlier file, if any, is untouched."
    assert target.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("place", ["nowhere", "folder"])
def test_places_where_nothing_can_be_written(tmp_path: Path, place: str, name: str) -> None:
    target = tmp_path / "nowhere" / name if place == "nowhere" else tmp_path / name
    if place == "folder":
        target.mkdir()
    assert str(target) in told(RUN.invoke(app, [*WRITERS[name], str(target)]))


@pytest.mark.parametrize(
    "error", [FileNotFoundError(2, "No such file or directory", "x.toml"), OSError("odd"), OSError()]
)
def test_what_nobody_foresaw_is_one_sentence_too(error: OSError, capsys: pytest.CaptureFixture[str]) -> None:
    @guarded
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as left:
        command()
    assert left.value.exit_code == 2
    shown = capsys.readouterr().err.strip()
    assert "cannot be read or written (" in shown
    assert len(shown.splitlines()) == 1
    assert "Errno" not in shown
    assert "None" not in shown
