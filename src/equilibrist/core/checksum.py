"""A checksum over a file's header and tables: it finds accidents on the way, not whoever makes it anew."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

BLANK = "0" * 8
_CHUNK = 1 << 22


def sealed(text: bytes, arrays: Iterable[npt.NDArray[Any]]) -> bytes:
    """A header that was written with a blank checksum, with the one of itself and of what follows it."""
    found = zlib.crc32(text)
    for array in arrays:
        if array.size:
            found = zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, found)
    return text.replace(_entry(BLANK), _entry(f"{found:08x}"), 1)


def holds(path: Path, text: bytes, stated: str) -> bool:
    """Whether a file is what it was when it was written; `text` is its header as it stands."""
    found = zlib.crc32(text.replace(_entry(stated), _entry(BLANK), 1))
    with path.open("rb") as file:
        file.seek(8 + len(text))
        while chunk := file.read(_CHUNK):
            found = zlib.crc32(chunk, found)
    return f"{found:08x}" == stated


def _entry(checksum: str) -> bytes:
    return f'"checksum":"{checksum}"'.encode()
