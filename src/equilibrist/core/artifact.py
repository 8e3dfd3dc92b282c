"""One file: a JSON header and named arrays (safetensors), written whole or not at all, never executed."""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec
import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import FormatError
from equilibrist.core.writing import reason, whole_file

MAGIC = "equilibrist"
FORMAT_VERSION = 1
CHECKED_ON_OPENING = 1 << 26  # bytes: larger files are checked when they are read as a whole, and by `verify`
_DTYPES = {
    code: np.dtype(name)
    for code, name in (
        ("F64", "<f8"), ("F32", "<f4"), ("F16", "<f2"), ("I64", "<i8"), ("I32", "<i4"), ("I16", "<i2"), ("I8", "i1"),
        ("U64", "<u8"), ("U32", "<u4"), ("U16", "<u2"), ("U8", "u1"), ("BOOL", "?"),
    )
}  # fmt: skip
_METADATA = ("magic", "format", "kind", "header")  # and a checksum, since there is one
_CHECKSUM = re.compile(
    rb'\{"__metadata__":\{"magic":"equilibrist","format":"\d+","kind":"[a-z-]+","checksum":"([0-9a-f]{8})"'
)
_CODES = {dtype: code for code, dtype in _DTYPES.items()}


@dataclass(frozen=True)
class Artifact:
    """A header (plain JSON values) and arrays."""

    kind: str
    header: Mapping[str, Any]
    arrays: Mapping[str, npt.NDArray[Any]]


def save_artifact(path: str | os.PathLike[str], artifact: Artifact) -> None:
    """The file is whole or not there."""
    with whole_file(path) as out:
        _write(out, artifact)


def artifact_kind(path: str | os.PathLike[str]) -> str | None:
    """What a file of ours holds, from its first bytes alone, so that damaged files are known too; None for foreign ones."""
    try:
        with Path(path).open("rb") as file:
            length = struct.unpack("<Q", file.read(8))[0]
            start = file.read(min(length, 1 << 20))
    except (OSError, struct.error):
        return None
    found = re.match(rb'\{"__metadata__":\{"magic":"equilibrist","format":"\d+","kind":"([a-z-]+)"', start)
    return found.group(1).decode() if found else None


def _write(out: BinaryIO, artifact: Artifact) -> None:
    """The safetensors layout, array by array, so that large tables are not copied first; widest items first keeps all aligned."""
    from equilibrist.core import checksum  # late: what only reads a name needs none of it

    header = msgspec.json.encode(dict(artifact.header)).decode()
    fields: dict[str, Any] = {
        "__metadata__": {
            "magic": MAGIC,
            "format": str(FORMAT_VERSION),
            "kind": artifact.kind,
            "checksum": checksum.BLANK,
            "header": header,
        }
    }
    arrays = sorted(artifact.arrays.items(), key=lambda item: (-item[1].itemsize, item[0]))
    end = 0
    for name, array in arrays:
        start, end = end, end + array.nbytes
        fields[name] = {"dtype": _CODES[array.dtype], "shape": list(array.shape), "data_offsets": [start, end]}
    text = msgspec.json.encode(fields)
    text += b" " * (-len(text) % 8)
    out.write(struct.pack("<Q", len(text)))
    out.write(checksum.sealed(text, (array for _, array in arrays)))
    for _, array in arrays:
        out.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)  # `tofile` would not say why it failed


def load_artifact(path: str | os.PathLike[str], kind: str) -> Artifact:
    """Read a file of ours back; foreign, truncated or newer files are refused."""
    opened = open_artifact(path, kind)
    check_artifact(path)
    return Artifact(kind, opened.header, {name: np.array(array) for name, array in opened.arrays.items()})


def open_artifact(path: str | os.PathLike[str], kind: str) -> Artifact:
    """The same without reading the arrays: they are maps of the file, and what is written to them stays in memory."""
    from equilibrist.core.reading import HEADER_BYTES, parse_json  # late: what only writes needs none of it

    target = Path(path)
    if not os.path.isfile(target):
        raise FormatError(f"There is no file '{target}'; give the path of a file written by equilibrist.")
    if not _looks_like_ours(target):
        raise FormatError(f"'{target}' was not written by equilibrist (or is damaged); expected a {kind} file (.eqb).")
    try:
        with target.open("rb") as file:
            length = int(struct.unpack("<Q", file.read(8))[0])
            if length > HEADER_BYTES:
                raise ValueError(f"a header of {length:,} bytes, but {HEADER_BYTES:,} are read at most")
            header, damaged = f"The header of '{target}'", "the file is damaged or incomplete, write it again"
            text = file.read(length)
        fields = parse_json(text, header, damaged, dict[str, dict[str, Any]])
        metadata = fields.pop("__metadata__", {})
        if metadata.get("magic") != MAGIC:
            raise FormatError(f"'{target}' was not written by equilibrist; expected a {kind} file (.eqb).")
        if int(metadata.get("format", "0")) > FORMAT_VERSION:
            raise FormatError(f"'{target}' was written by a newer equilibrist; upgrade to read it.")
        if set(metadata) - {"checksum"} != set(_METADATA) or ("checksum" in metadata) != bool(_CHECKSUM.match(text)):
            raise ValueError(f"its metadata are not {', '.join(_METADATA)} and a checksum")
        if metadata.get("kind") != kind:
            names = {
                "solution": "a solved game",
                "spot-solution": "a solved spot",
                "three-way-solution": "a solved spot of three players",
            }
            held, wanted = (names.get(str(name), f"a {name}") for name in (metadata.get("kind"), kind))
            raise FormatError(f"'{target}' holds {held}, but {wanted} was expected.")
        told = parse_json(metadata["header"], header, damaged)
        entries = {name: msgspec.convert(entry, _Entry) for name, entry in fields.items()}
        arrays = _map_arrays(target, 8 + length, entries)
        if target.stat().st_size <= CHECKED_ON_OPENING:
            check_artifact(target)
    except OSError as error:
        raise FormatError(f"Cannot read '{target}': {reason(error)}; check that you may read it.") from None
    except (ValueError, KeyError, TypeError, OverflowError, msgspec.MsgspecError) as error:
        raise FormatError(f"'{target}' is damaged or incomplete ({error}); write it again.") from None
    return Artifact(kind, told, arrays)


def check_artifact(path: str | os.PathLike[str]) -> bool:
    """Whether a file of ours has a checksum (earlier versions wrote none); refused where it is not that of its contents."""
    from equilibrist.core import checksum

    target = Path(path)
    try:
        with target.open("rb") as file:
            text = file.read(int(struct.unpack("<Q", file.read(8))[0]))
        found = _CHECKSUM.match(text)
        if found is not None and not checksum.holds(target, text, found[1].decode()):
            raise FormatError(
                f"'{target}' is damaged: its checksum is not that of its contents; copy it again, or write it again."
            )
    except (OSError, OverflowError, struct.error) as error:
        raise FormatError(f"'{target}' cannot be read ({error}); write it again.") from None
    return found is not None


class _Entry(msgspec.Struct):
    """Where an array lies, counted from the end of the header."""

    dtype: str
    shape: tuple[Annotated[int, msgspec.Meta(ge=0)], ...]
    data_offsets: tuple[int, int]


def _map_arrays(path: Path, begin: int, entries: Mapping[str, _Entry]) -> dict[str, npt.NDArray[Any]]:
    """Views into one map of the file; the arrays must fill it without gaps."""
    size = path.stat().st_size
    end = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].data_offsets):
        if entry.dtype not in _DTYPES or entry.data_offsets[0] != end:
            raise ValueError(f"the entry of '{name}' is wrong")
        end += math.prod(entry.shape) * _DTYPES[entry.dtype].itemsize
        if entry.data_offsets[1] != end:
            raise ValueError(f"the size of '{name}' is wrong")
    if size != begin + end:
        raise ValueError(f"{begin + end:,} bytes were expected, but there are {size:,}")
    if not end:
        return {name: np.zeros(entry.shape, _DTYPES[entry.dtype]) for name, entry in entries.items()}
    mapped = np.memmap(path, dtype=np.uint8, mode="c")  # private pages; a plain array, since kernels know no subclass
    data: npt.NDArray[np.uint8] = np.asarray(mapped)
    return {
        name: data[begin + entry.data_offsets[0] : begin + entry.data_offsets[1]]
        .view(_DTYPES[entry.dtype])
        .reshape(entry.shape)
        for name, entry in entries.items()
    }


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
