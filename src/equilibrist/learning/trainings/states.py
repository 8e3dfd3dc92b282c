"""The small state of a training, in files that are small enough to be sent around."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError

STATE = "state.eqb"
KIND = "learning"
PART_BYTES = 14_000_000  # of arrays in one file

Arrays = Mapping[str, npt.NDArray[Any]]


def save_state(folder: Path, header: Mapping[str, Any], arrays: Arrays) -> None:
    """`state.eqb` and further parts where it would grow too large; the parts first, so that it never names what is not there."""
    parts = in_parts(arrays)
    names = [_part_name(header["iterations"], number) for number in range(1, len(parts))]
    for name, part in zip(names, parts[1:], strict=True):
        save_artifact(folder / name, Artifact(KIND, {"iterations": header["iterations"]}, part))
    save_artifact(folder / STATE, Artifact(KIND, {**header, "parts": len(names)}, parts[0]))
    for old in folder.glob(_part_name("*", "*")):
        if old.name not in names:
            old.unlink(missing_ok=True)


def load_state(folder: Path) -> Artifact:
    """All parts together; one that is missing is named."""
    state = load_artifact(folder / STATE, KIND)
    arrays = dict(state.arrays)
    for number in range(1, int(state.header.get("parts", 0)) + 1):
        name = _part_name(state.header["iterations"], number)
        if not (folder / name).exists():
            raise FormatError(
                f"'{folder}' lacks {name}, which belongs to its {STATE}; put it back, or start again in a new folder."
            )
        arrays |= load_artifact(folder / name, KIND).arrays
    return Artifact(KIND, state.header, arrays)


def in_parts(arrays: Arrays, most: int = PART_BYTES) -> list[dict[str, npt.NDArray[Any]]]:
    """Arrays in their order, as many to a part as it may hold."""
    out: list[dict[str, npt.NDArray[Any]]] = [{}]
    room = most
    for name, array in arrays.items():
        if array.nbytes > room and out[-1]:
            out.append({})
            room = most
        out[-1][name] = array
        room -= array.nbytes
    return out


def _part_name(iteration: int | str, number: int | str) -> str:
    return f"state-{iteration}-{number}.eqb"
