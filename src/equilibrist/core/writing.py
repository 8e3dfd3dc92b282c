"""The door for everything that is written: a file is whole or not there, refusals say why in the system's own words; values for JSON.

A file is written to a neighbour (`.NAME.….part`), which is locked meanwhile. A neighbour that nobody holds was left by a process that
was killed; the next writer of the same target removes it.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from equilibrist.core.errors import CannotWriteError, NotApplicableError

try:
    import fcntl
except ImportError:  # no locks here: what was left behind stays
    fcntl = None  # type: ignore[assignment]

PART = ".part"
Target = str | os.PathLike[str]


@contextlib.contextmanager
def whole_file(path: Target) -> Iterator[BinaryIO]:
    """A file to write to: a temporary neighbour that takes the target's place at the end, or vanishes if anything goes wrong.

    A link keeps pointing where it does; devices and pipes, which nothing may take the place of, are written to as they are.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with _refused(path, "give the name of a file"), target.open("wb") as there:
            yield there
        return
    with _refused(path, "choose a folder that exists and is writable"):
        clear_leftovers(target)
        out, temporary = _neighbour(target)
    try:
        with _refused(path, "the earlier file, if any, is untouched"), out:
            yield out
            out.flush()
            os.fsync(out.fileno())
            os.chmod(temporary, 0o666 & ~_umask())  # as any other file of the user, not private as temporary ones are
            os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def write_text(path: Target, text: str) -> None:
    """A text, encoded as UTF-8."""
    with whole_file(path) as out:
        out.write(text.encode("utf-8"))


def link_or_copy(file: Target, target: Target) -> None:
    """A file under a second name, which costs no room; where that is not possible, a whole copy."""
    try:
        os.link(file, target)
    except OSError:
        with open(file, "rb") as source, whole_file(target) as out:
            shutil.copyfileobj(source, out)


def make_folder(path: Target) -> None:
    """A folder and those around it, where they are not there yet."""
    with _refused(path, "choose a place where folders can be made"):
        Path(path).mkdir(parents=True, exist_ok=True)


def clear_leftovers(target: Path) -> None:
    """Remove what killed writers of a target left beside it."""
    _clear(target.parent, f".{target.name}.")


def clear_folder(folder: Path) -> None:
    """Remove what killed writers left in a folder of ours, whatever their targets were."""
    _clear(folder, ".")


@contextlib.contextmanager
def held_folder(folder: Path) -> Iterator[None]:
    """A folder that one process at a time may work in; a second is refused, and a killed one holds nothing."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise NotApplicableError(
            f"Another process is at work in '{folder}'; wait until it has ended, or stop it first."
        ) from None
    try:
        clear_folder(folder)
        yield
    finally:
        os.close(handle)


def take_mark(path: Path) -> int | None:
    """A file that says somebody is at work, locked until `drop_mark`; nothing where somebody else holds it. A killed process holds none.

    Where there are no locks everybody may have it.
    """
    if fcntl is None:
        return os.open(os.devnull, os.O_RDONLY)
    while True:
        with _refused(path, "choose a folder that exists and is writable"):
            handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        if os.fstat(handle).st_nlink:  # nobody dropped it before it was locked
            return handle
        os.close(handle)


def drop_mark(path: Path, handle: int) -> None:
    """Others may take it."""
    path.unlink(missing_ok=True)
    os.close(handle)


def mark_taken(path: Path) -> bool:
    """Whether somebody is at work."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


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
        raise CannotWriteError(f"Cannot write '{path}': {reason(error)}; {advice}.") from None


def _neighbour(target: Path) -> tuple[BinaryIO, Path]:
    """A new file beside the target, locked as long as it is open."""
    while True:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=PART)
        out = os.fdopen(handle, "wb")
        if fcntl is None:
            return out, Path(name)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:  # nobody took it for a leftover before it was locked
            return out, Path(name)
        out.close()


def _clear(folder: Path, prefix: str) -> None:
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        found = [entry.path for entry in entries if entry.name.startswith(prefix) and entry.name.endswith(PART)]
        for path in found:
            with contextlib.suppress(OSError), open(path, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its writer lives
                os.unlink(path)


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
