"""Tables of a run in a file: whether they are there, and how a run takes them over without reading them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.artifact import CHECKED_ON_OPENING, Artifact
from equilibrist.core.errors import FormatError
from equilibrist.core.solution import check_numbers
from equilibrist.solvers.postflop.tables import table_names
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

_SHORT: dict[str, Any] = {"regret16": np.int16, "basis16": np.int16, "average16": np.uint16}


def check_tables(artifact: Artifact, streets: int, kinds: Sequence[str]) -> None:
    """All tables must be there; whether they fit the boards is seen when the boards are worked out."""
    for kind in kinds:
        for name in (f"{kind}.{depth}.{player}" for depth in range(streets) for player in range(2)):
            table = artifact.arrays.get(name)
            expected = _SHORT.get(kind, np.float32)
            if table is None or table.dtype != expected or table.ndim != 1:
                raise FormatError(f"the table {name} is missing or of another type")


def adopt(run: BoardCFR, arrays: Mapping[str, npt.NDArray[Any]], path: str, iterations: int) -> None:
    """Put the tables of a file into a run; missing ones stay zero and take no memory until they are written."""
    left = int(np.ravel(arrays["iteration"])[0]) if "iteration" in arrays else iterations
    if left != iterations:
        raise FormatError(
            f"'{path}' is damaged: it says {iterations:,} iterations, but its tables are of iteration {left:,}; write it again."
        )
    run.iteration = iterations
    for depth, street in enumerate(run.streets):
        adopted = []
        for player, tables in enumerate(street.tables):
            own = {
                name: arrays.get(f"{name}.{depth}.{player}")
                for name in table_names(run.bits, tables.predictive, run.apart)
            }
            found = {name: table for name, table in own.items() if table is not None}
            if any(table.shape != getattr(tables, name).shape for name, table in found.items()):
                raise FormatError(f"'{path}' is damaged: its tables do not fit what was solved; write it again.")
            _check_sound(found, depth, path)
            changed = tables._replace(**found)
            if not tables.predictive:
                changed = changed._replace(
                    basis=changed.regret, basis16=changed.regret16, basis_scale=changed.regret_scale
                )
            adopted.append(changed)
        street.tables = (adopted[0], adopted[1])


def _check_sound(tables: Mapping[str, npt.NDArray[Any]], depth: int, path: str) -> None:
    """Refuse tables that no solver wrote; the later streets of large files are looked at by `verify` alone."""
    if depth and sum(table.nbytes for table in tables.values()) > CHECKED_ON_OPENING:
        return
    for name, table in tables.items():
        if not np.issubdtype(table.dtype, np.floating):
            continue
        signed = name.startswith(("regret", "basis")) and not name.endswith("scale")
        if not np.isfinite(table).all() or (not signed and table.size and table.min() < 0.0):
            raise FormatError(
                f"'{path}' is damaged: its table '{name}' holds what is no number or negative; write it again."
            )


def restore(run: BoardCFR, arrays: Mapping[str, npt.NDArray[Any]], path: str) -> None:
    """Put a run whose tables are not those of vector CFR alone where a file left it."""
    try:
        check_numbers(arrays)
        run.restore(arrays)
    except (KeyError, ValueError, FormatError) as error:
        raise FormatError(
            f"'{path}' is damaged: its tables do not fit what was solved ({error}); write it again."
        ) from None
