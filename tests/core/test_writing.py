"""Files are whole or not there, refusals say why, and what JSON does not know becomes null, a list or text."""

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from fractions import Fraction

import numpy as np
import pytest

from equilibrist.core import writing
from equilibrist.core.errors import FormatError
from equilibrist.core.writing import (
    drop_mark,
    make_folder,
    mark_taken,
    plain,
    reason,
    take_mark,
    whole_file,
    write_text,
)


def test_values_become_what_json_knows():
    given = {
        1: (1.5, float("nan"), -float("inf")),
        "numpy": [np.float32(0.5), np.int64(3), np.bool_(True), np.array([[1.0, np.nan]]), np.float64("inf")],
        "set": {2},
        "other": Fraction(1, 3),
        "flags": [True, None, "text", 7],
    }
    told = plain(given)
    assert told == {
        "1": [1.5, None, None],
        "numpy": [0.5, 3, True, [[1.0, None]], None],
        "set": [2],
        "other": "1/3",
        "flags": [True, None, "text", 7],
    }
    json.dumps(told, allow_nan=False)


def test_a_text_replaces_the_earlier_one(tmp_path):
    target = tmp_path / "text.toml"
    write_text(target, "one\n")
    os.chmod(target, 0o600)
    write_text(target, "zwölf\n")
    assert target.read_bytes() == "zwölf\n".encode()
    assert stat.S_IMODE(target.stat().st_mode) & 0o600 == 0o600
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), OSError(), KeyboardInterrupt()])
def test_what_goes_wrong_leaves_the_earlier_file(tmp_path, failure):
    target = tmp_path / "kept"
    write_text(target, "earlier")
    expected = FormatError if isinstance(failure, OSError) else KeyboardInterrupt

    def fail():
        with whole_file(target) as out:
            out.write(b"half")
            raise failure

    with pytest.raises(expected) as told:
        fail()
    assert target.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [target]
    assert "None" not in str(told.value)
    assert "Errno" not in str(told.value)


def test_refusals_name_the_file_and_the_reason(tmp_path):
    with pytest.raises(FormatError, match=r"Cannot write '.*nowhere/x': No such file or directory; choose a folder"):
        write_text(tmp_path / "nowhere" / "x", "")
    with pytest.raises(FormatError, match=r"Cannot write '.*': Is a directory; give the name of a file"):
        write_text(tmp_path, "")
    write_text(tmp_path / "file", "")
    with pytest.raises(FormatError, match=r"Cannot write '.*file/in': Not a directory; choose"):
        make_folder(tmp_path / "file" / "in")
    assert reason(OSError("8 requested and 0 written")) == "8 requested and 0 written"
    assert reason(OSError()) == "OSError"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_text(tmp_path / "link", "through")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "through"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are Unix's")
def test_pipes_and_devices_stay_what_they_are(tmp_path):
    """A solution saved to /dev/null once took its place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard = []
    listener = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    listener.start()
    write_text(pipe, "through")
    listener.join(timeout=10.0)
    assert heard == ["through"]
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_mark_is_one_processs_until_it_ends(tmp_path):
    """However it ends: what a killed process has marked is free at once."""
    mark = tmp_path / "a.claim"
    code = (
        "import sys, time; from pathlib import Path; from equilibrist.core.writing import take_mark; "
        "take_mark(Path(sys.argv[1])); print('taken', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(mark)], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"taken\n"
        assert mark_taken(mark)
        assert take_mark(mark) is None
        other.send_signal(signal.SIGKILL)
    assert not mark_taken(mark)
    handle = take_mark(mark)
    assert mark_taken(mark)
    assert take_mark(mark) is None
    drop_mark(mark, handle)
    assert not mark.exists()
    assert not mark_taken(mark)


def test_a_mark_that_was_dropped_meanwhile_is_not_taken(tmp_path, monkeypatch):
    """Its name may be somebody else's by then."""
    mark, flock, seen = tmp_path / "a.claim", writing.fcntl.flock, []

    def dropped(handle, how):
        if not seen:
            mark.unlink()
        seen.append(handle)
        flock(handle, how)

    monkeypatch.setattr(writing.fcntl, "flock", dropped)
    handle = take_mark(mark)
    assert len(seen) == 2
    assert os.fstat(handle).st_ino == mark.stat().st_ino
    drop_mark(mark, handle)
