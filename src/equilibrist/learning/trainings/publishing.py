"""Networks as a safetensors file with a card of how they were made in its header, for other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.writing import plain, whole_file

NETS = "nets.safetensors"
CARD = "card"
IN_CARD = ("game", "method", "iterations", "seconds", "counts", "unit", "version")


def publish_nets(path: Path, nets: Mapping[str, Mapping[str, npt.NDArray[Any]]], header: Mapping[str, Any]) -> None:
    """Weights under `net.layer`; a method without nets writes nothing."""
    from safetensors.numpy import save

    arrays = {
        f"{name}.{key.removeprefix('.')}": np.ascontiguousarray(value)
        for name, weights in nets.items()
        for key, value in weights.items()
    }
    if not arrays:
        return
    card = {key: header[key] for key in IN_CARD if key in header}
    if header.get("curve"):
        card["exploitability"] = header["curve"][-1]["exploitability"]
    with whole_file(path) as out:
        out.write(save(arrays, {CARD: json.dumps(plain(card))}))


def read_card(path: Path) -> dict[str, Any]:
    """How the networks in a file were made."""
    from safetensors import safe_open

    with safe_open(path, framework="np") as file:
        found: dict[str, Any] = json.loads((file.metadata() or {}).get(CARD, "{}"))
    return found
