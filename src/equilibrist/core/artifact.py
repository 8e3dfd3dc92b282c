"""One file: a JSON header and named arrays (safetensors), written whole or not at all, never executed."""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import FormatError

MAGIC = "equilibrist"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Artifact:
    """A header (plain JSON values) and arrays."""

    kind: str
    header: Mapping[str, Any]
    arrays: Mapping[str, npt.NDArray[Any]]


def save_artifact(path: str | os.PathLike[str], artifact: Artifact) -> None:
    """Write to a temporary neighbour, then rename over the target."""
    from safetensors.numpy import save

    target = Path(path)
    header = msgspec.json.encode(dict(artifact.header)).decode()
    metadata = {"magic": MAGIC, "format": str(FORMAT_VERSION), "kind": artifact.kind, "header": header}
    data = save({name: np.ascontiguousarray(array) for name, array in artifact.arrays.items()}, metadata=metadata)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent or ".", prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise FormatError(
            f"Cannot write '{target}': {error.strerror}; choose a folder that exists and is writable."
        ) from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise FormatError(
            f"Cannot write '{target}': {error.strerror}; the earlier file, if any, is untouched."
        ) from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load_artifact(path: str | os.PathLike[str], kind: str) -> Artifact:
    """Read a file of ours back; foreign, truncated or newer files are refused."""
    from safetensors import SafetensorError, safe_open

    target = Path(path)
    if not target.is_file():
        raise FormatError(f"There is no file '{target}'; give the path of a file written by equilibrist.")
    if not _looks_like_ours(target):
        raise FormatError(f"'{target}' was not written by equilibrist (or is damaged); expected a {kind} file (.eqb).")
    try:
        with safe_open(str(target), framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("magic") != MAGIC:
                raise FormatError(f"'{target}' was not written by equilibrist; expected a {kind} file (.eqb).")
            if int(metadata.get("format", "0")) > FORMAT_VERSION:
                raise FormatError(f"'{target}' was written by a newer equilibrist; upgrade to read it.")
            if metadata.get("kind") != kind:
                raise FormatError(f"'{target}' holds a {metadata.get('kind')}, but a {kind} was expected.")
            header = msgspec.json.decode(metadata["header"])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError, KeyError, msgspec.DecodeError) as error:
        raise FormatError(f"'{target}' is damaged or incomplete ({error}); write it again.") from None
    return Artifact(kind, header, arrays)


def _looks_like_ours(path: Path) -> bool:
    """A safetensors file begins with the length of its header and an opening brace."""
    with path.open("rb") as file:
        start = file.read(9)
    if len(start) < 9 or start[8:9] != b"{":
        return False
    return int(struct.unpack("<Q", start[:8])[0]) <= path.stat().st_size


def encode_texts(texts: list[str]) -> npt.NDArray[np.uint8]:
    """Strings as bytes, one per line."""
    return np.frombuffer("\n".join(texts).encode(), dtype=np.uint8).copy()


def decode_texts(data: npt.NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode().split("\n")
