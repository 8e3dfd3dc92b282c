"""Files written whole or not at all, and what killed writers leave behind."""

import errno
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from equilibrist.core import writing
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import CannotWriteError
from equilibrist.core.writing import clear_folder, whole_file, write_text

WRITER = """
import sys, time
from equilibrist.core.writing import whole_file
with whole_file(sys.argv[1]) as out:
    out.write(b"half")
    out.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


def busy_writer(target):
    """A process in the middle of writing a file."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "writing\n"
    return process


def parts(folder):
    return sorted(path.name for path in folder.glob(".*.part"))


def test_what_a_killed_writer_left_is_removed_by_the_next_one_only(tmp_path):
    """A living writer's neighbour stays, also one of another target."""
    target = tmp_path / "a.eqb"
    dead, living, other = busy_writer(target), busy_writer(target), busy_writer(tmp_path / "b.eqb")
    try:
        assert len(parts(tmp_path)) == 3
        dead.kill()
        dead.wait()
        write_text(target, "whole")
        assert target.read_text() == "whole"
        assert len(parts(tmp_path)) == 2
        other.kill()
        other.wait()
        write_text(target, "again")
        assert len(parts(tmp_path)) == 2  # another target's
        clear_folder(tmp_path)
        assert len(parts(tmp_path)) == 1
    finally:
        for process in (living, other):
            process.kill()
            process.wait()


def test_the_name_is_synced_after_the_content(tmp_path, monkeypatch):
    """Content, new name, folder, in this order: so a loss of power leaves the old file or the new one."""
    done = []
    sync, rename = os.fsync, os.replace
    monkeypatch.setattr(
        os,
        "fsync",
        lambda handle: (done.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file"), sync(handle)),
    )
    monkeypatch.setattr(os, "replace", lambda a, b: (done.append("rename"), rename(a, b)))
    write_text(tmp_path / "a", "x")
    assert done == ["file", "rename", "folder"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_the_systems_own_reason_is_said_and_the_earlier_file_stays(tmp_path, monkeypatch, code):
    path = tmp_path / "a.eqb"
    save_artifact(path, Artifact("kind", {}, {"x": np.arange(3)}))

    def refuse(handle):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(writing.os, "fsync", refuse)
    with pytest.raises(CannotWriteError, match=os.strerror(code)):
        save_artifact(path, Artifact("kind", {}, {"x": np.arange(9)}))
    assert load_artifact(path, "kind").arrays["x"].tolist() == [0, 1, 2]
    assert parts(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_under_large_tables_has_a_reason(tmp_path, monkeypatch):
    """`ndarray.tofile` gave none: 'Cannot write …: None'."""
    full = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(writing, "_neighbour", lambda target: (os.fdopen(full, "wb"), tmp_path / "part"))
    with pytest.raises(CannotWriteError, match="No space left on device"):
        save_artifact(tmp_path / "a.eqb", Artifact("kind", {}, {"x": np.zeros(1_000_000)}))


def test_an_error_inside_leaves_no_trace(tmp_path):
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "a") as out:
        out.write(bytes([1 // 0]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "array", [np.zeros((0, 3)), np.array([True, False]), np.arange(6).reshape(2, 3).T, np.float32(2.5) * np.ones(())]
)
def test_arrays_of_any_shape_come_back(tmp_path, array):
    save_artifact(tmp_path / "a.eqb", Artifact("kind", {}, {"x": array}))
    found = load_artifact(tmp_path / "a.eqb", "kind").arrays["x"]
    assert found.shape == array.shape
    assert np.array_equal(found, array)


def test_many_writers_at_once_lose_nothing(tmp_path):
    """Each cleans up after dead writers while the others are at work."""
    code = "import sys\nfrom equilibrist.core.writing import write_text\nfor n in range(200): write_text(sys.argv[1], 'x' * 999)"
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "a")]) for _ in range(3)]
    begun = time.monotonic()
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert (tmp_path / "a").read_text() == "x" * 999
    assert parts(tmp_path) == []
    assert time.monotonic() - begun < 60
