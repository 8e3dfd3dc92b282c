"""The door for everything that is written: a file is whole or not there, refusals say why in the system's own words; values for JSON."""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from equilibrist.core.errors import FormatError

Target = str | os.PathLike[str]


@contextlib.contextmanager
def whole_file(path: Target) -> Iterator[BinaryIO]:
    """A file to write to: a temporary neighbour that takes the target's place at the end, or vanishes if anything goes wrong.

    A link keeps pointing where it does; devices and pipes, which nothing may take the place of, are written to as they are.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with _refused(path, "give the name of a file"), target.open("wb") as out:
            yield out
        return
    with _refused(path, "choose a folder that exists and is writable"):
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with _refused(path, "the earlier file, if any, is untouched"):
            with os.fdopen(handle, "wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            os.chmod(temporary, 0o666 & ~_umask())  # as any other file of the user, not private as temporary ones are
            os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def write_text(path: Target, text: str) -> None:
    """A text, encoded as UTF-8."""
    with whole_file(path) as out:
        out.write(text.encode("utf-8"))


def make_folder(path: Target) -> None:
    """A folder and those around it, where they are not there yet."""
    with _refused(path, "choose a place where folders can be made"):
        Path(path).mkdir(parents=True, exist_ok=True)


def plain(value: Any) -> Any:
    """Tuples and sets become lists, NaN and infinity null, numpy's numbers and arrays plain ones; all else its text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)


def reason(error: OSError) -> str:
    """Why the system refused; not every error has its number and text."""
    return error.strerror or " ".join(str(error).split()) or type(error).__name__


@contextlib.contextmanager
def _refused(path: Target, advice: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FormatError(f"Cannot write '{path}': {reason(error)}; {advice}.") from None


def _sync_folder(folder: Path) -> None:
    """So that the new name outlives a power cut; where folders cannot be synced, that is up to the system."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
