"""What experiments came to on this machine: one small file each in the cache, written after a run, read by lists."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from equilibrist.compute.kernel import cache_folder
from equilibrist.experiments.findings import ExperimentResult, Status
from equilibrist.version import __version__

LARGEST = 10_000  # bytes of a file that is read


@dataclass(frozen=True)
class Outcome:
    """The last run of an experiment with this version."""

    status: Status
    full: bool


def outcome_file(id: str) -> Path:
    return cache_folder() / "experiments" / "outcomes" / f"{id.replace('/', '-')}.json"


def remember(result: ExperimentResult) -> None:
    """Keep the status; a cache that cannot be written is no reason to fail."""
    path = outcome_file(result.id)
    facts = {"id": result.id, "status": result.status, "full": result.full, "version": __version__}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(facts), encoding="utf-8")
        os.replace(part, path)
    except OSError:
        return


def remembered(ids: Iterable[str]) -> dict[str, Outcome]:
    """What was kept by this version; files that are damaged or of another version count as not there."""
    found = {}
    for id in ids:
        facts = _facts(outcome_file(id))
        if facts.get("id") == id and facts.get("version") == __version__ and facts.get("status") in get_args(Status):
            found[id] = Outcome(cast(Status, facts["status"]), bool(facts.get("full")))
    return found


def _facts(path: Path) -> dict[str, object]:
    try:
        if path.stat().st_size > LARGEST:
            return {}
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}
