"""The data folder: its owner's alone, used by one server at a time, and free of what writes that never ended left behind."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.core.writing import reason

PARTS = ("solutions", "agents")
LOCK = "serve.lock"
CATALOGUE = "catalogue.sqlite"


class DataFolder:
    """A folder that this server has for itself until `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            new = not path.exists()
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            for part in PARTS:
                (path / part).mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise FormatError(
                f"The data folder '{path}' cannot be made ({reason(error)}); choose another one with --data."
            ) from None
        self._lock = _locked(path / LOCK)
        if new or (path / CATALOGUE).exists():  # a folder of ours, not one that people keep other things in
            _make_private(path)
        for part in PARTS:
            _make_private(path / part)
        self.sweep()

    def sweep(self) -> int:
        """Remove files that a killed server was still writing; nobody else writes here, since the folder is locked."""
        left = [file for part in PARTS for file in (self.path / part).glob(".*.part")]
        for file in left:
            with contextlib.suppress(OSError):
                file.unlink()
        return len(left)

    def close(self) -> None:
        os.close(self._lock)


def _make_private(path: Path) -> None:
    """Readable by the owner only; left alone where that cannot be said, as on file systems without owners."""
    with contextlib.suppress(OSError):
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)


def _locked(path: Path) -> int:
    """Descriptor of a file held open and locked until the process ends, however it ends; refuses where another server holds it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise FormatError(
            f"The data folder '{path.parent}' cannot be written ({reason(error)}); choose another one with --data."
        ) from None
    try:
        import fcntl
    except ImportError:  # where files cannot be locked in this way, nothing is refused
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise NotApplicableError(
            f"Another server uses the data folder '{path.parent}'; stop it, or choose another one with --data."
        ) from None
    except OSError:  # a file system without locks
        return file
    return file
