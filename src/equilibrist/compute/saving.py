"""Saves that never end the work: one that fails is told with the system's reason and tried again, the last one finds another place."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from equilibrist.core.errors import CannotWriteError

Tell = Callable[[str], None]


class Autosave:
    """Saves every so often while something else is at work."""

    def __init__(self, seconds: float, tell: Tell) -> None:
        self.seconds, self.tell = seconds, tell
        self.failed = ""  # why the last save was not written
        self._next = time.monotonic() + seconds

    @property
    def due(self) -> bool:
        return time.monotonic() >= self._next

    def save(self, write: Callable[[], object]) -> bool:
        """Whether it was written; the reason is told when it is new."""
        try:
            write()
        except CannotWriteError as error:
            if str(error) != self.failed:
                self.tell(f"{error} The work goes on, and saving is tried again.")
            self.failed = str(error)
        else:
            if self.failed:
                self.tell("Saving works again.")
            self.failed = ""
        self._next = time.monotonic() + self.seconds
        return not self.failed


def save_somewhere(target: Path, write: Callable[[Path], None]) -> tuple[Path, str]:
    """Write a result to its target, or else to the home folder or the folder of temporary files; where it lies, and why not there."""
    try:
        write(target)
    except CannotWriteError as error:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        for folder in (Path.home(), Path(tempfile.gettempdir())):
            other = folder / f"{target.stem}-{stamp}{target.suffix}"
            if other.exists() or not folder.is_dir():
                continue
            try:
                write(other)
            except CannotWriteError:
                continue
            return other, str(error)
        raise
    return target, ""
