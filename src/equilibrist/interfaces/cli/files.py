"""Files that commands read and write, checked before long work begins."""

from __future__ import annotations

import tempfile
from pathlib import Path

from equilibrist.core.errors import ParameterError


def check_writable(path: Path | None, option: str) -> None:
    """Refuse now what could only fail after the work is done."""
    if path is None:
        return
    folder = path.parent
    if path.is_dir():
        raise ParameterError(f"{option} '{path}' is a folder; give the name of a file.")
    if not folder.is_dir():
        raise ParameterError(f"{option} '{path}' lies in a folder that does not exist; create '{folder}' first.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ParameterError(f"{option} '{path}' cannot be written ({error.strerror}); choose another place.") from None
