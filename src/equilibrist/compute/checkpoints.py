"""Checkpoints: arrays that let interrupted work go on, each written whole or not at all, and only read back by the work they belong to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from equilibrist.compute.saving import Autosave
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.core.writing import make_folder

log = logging.getLogger(__name__)

KIND = "checkpoint"
ENDING = ".eqc"

Arrays = Mapping[str, NDArray[Any]]


class Checkpoints:
    """A folder of named arrays for the work called `key`; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, key: str, *, seconds: float = 30.0) -> None:
        self.folder, self.key = folder, key
        self._autosave = Autosave(seconds, log.warning)

    def load(self, name: str) -> dict[str, NDArray[Any]] | None:
        """What was last saved under a name; None if there is nothing, or nothing of this work that can be read."""
        if self.folder is None or not self._path(name).is_file():
            return None
        try:
            found = load_artifact(self._path(name), KIND)
        except FormatError:
            return None
        return dict(found.arrays) if found.header.get("key") == self.key else None

    def save(self, name: str, arrays: Arrays) -> None:
        """Keep arrays; where that cannot be done it is said, and the work goes on without."""
        if self.folder is not None:
            self._autosave.save(lambda: self._write(name, arrays))

    def _write(self, name: str, arrays: Arrays) -> None:
        assert self.folder is not None
        make_folder(self.folder)
        save_artifact(self._path(name), Artifact(KIND, {"key": self.key, "name": name}, arrays))

    def save_now_and_then(self, name: str, arrays: Callable[[], Arrays]) -> None:
        """Save if the last such save is long enough ago; when that is never changes a result."""
        if self.folder is not None and self._autosave.due:
            self.save(name, arrays())

    def keep(self, name: str, make: Callable[[], Arrays]) -> dict[str, NDArray[Any]]:
        """Arrays that are made once: from the checkpoint, or now."""
        found = self.load(name)
        if found is None:
            found = dict(make())
            self.save(name, found)
        return found

    def drop(self, name: str) -> None:
        if self.folder is not None:
            self._path(name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget everything, once the work is done."""
        if self.folder is None or not self.folder.is_dir():
            return
        for path in (*self.folder.glob(f"*{ENDING}"), *self.folder.glob(f".*{ENDING}.*.part")):
            path.unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _path(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}{ENDING}"
