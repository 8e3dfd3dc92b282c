"""Saves that fail: said, tried again, and in the end made elsewhere."""

import logging

import numpy as np
import pytest

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.saving import Autosave, save_somewhere
from equilibrist.core.errors import CannotWriteError


def full():
    raise CannotWriteError("Cannot write 'x': No space left on device; free some.")


def test_a_failed_autosave_is_said_once_and_tried_again():
    said, written = [], []
    autosave = Autosave(0.0, said.append)
    assert not autosave.save(full)
    assert not autosave.save(full)
    assert len(said) == 1
    assert "No space left on device" in said[0]
    assert "tried again" in said[0]
    assert autosave.due
    assert autosave.save(lambda: written.append(1))
    assert said[1:] == ["Saving works again."]
    assert written == [1]


def test_other_errors_are_not_taken_for_a_full_disk():
    with pytest.raises(ZeroDivisionError):
        Autosave(0.0, print).save(lambda: 1 // 0)


def test_a_result_goes_to_the_home_folder_when_its_own_is_full(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))

    def write(path):
        if path.parent != tmp_path:
            full()
        path.write_text("result")

    place, why = save_somewhere(tmp_path / "full" / "a.eqb", write)
    assert place.parent == tmp_path
    assert (place.name[:2], place.suffix) == ("a-", ".eqb")
    assert place.read_text() == "result"
    assert "No space left" in why
    with pytest.raises(CannotWriteError, match="No space left"):
        save_somewhere(tmp_path / "full" / "a.eqb", lambda path: full())


def test_checkpoints_that_cannot_be_written_do_not_end_the_work(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    kept = Checkpoints(tmp_path / "file" / "parts", "key")
    with caplog.at_level(logging.WARNING):
        found = kept.keep("a", lambda: {"x": np.arange(3)})
    assert found["x"].tolist() == [0, 1, 2]
    assert "Not a directory" in caplog.text
