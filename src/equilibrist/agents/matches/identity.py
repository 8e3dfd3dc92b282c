"""What a match depends on besides its settings: the package's version and the content of every file that its players and game name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from equilibrist.agents.registry import AGENTS
from equilibrist.core.catalogue import Makers
from equilibrist.games.catalogue import GAMES
from equilibrist.version import __version__

TRAINED = "blueprint.eqb"  # what is played from the folder of a training


def match_identity(players: Iterable[str], game: str) -> dict[str, Any]:
    """The version, and the SHA-256 of files by the path that was given."""
    found: dict[str, str] = {}
    named: list[tuple[str, Makers[Any, Any]]] = [*((text, AGENTS) for text in players), (game, GAMES)]
    for text, catalogue in named:
        for path in (*_named_files(text), *_plugged_file(text, catalogue)):
            found.setdefault(str(path), _sha256(path))
    return {"version": __version__, "files": found}


def _named_files(text: str) -> Iterator[Path]:
    """Files in a name: `a.eqb(post=purify)`, `tartanian7(blueprint=FOLDER)`, `my_game.py:MyGame(size=3)`."""
    start, ending, rest = text.partition(".eqb")
    code, colon, call = text.partition(".py:")
    words = [start + ending, code + ".py" if colon else "", *re.split(r"[(),=\[\]]", rest + "," + call + "," + text)]
    for word in dict.fromkeys(word.strip().strip("'\"") for word in words):
        if not word or len(word) > 4096 or "\0" in word:
            continue
        path = Path(word) / TRAINED if Path(word).is_dir() else Path(word)
        if path.is_file():
            yield path


def _plugged_file(text: str, catalogue: Makers[Any, Any]) -> Iterator[Path]:
    """The file of a player or game that another package has added."""
    point = catalogue.plugins.get(re.split(r"[(\s]", text, maxsplit=1)[0])
    spec = find_spec(point.module) if point else None
    if spec is not None and spec.origin and Path(spec.origin).is_file():
        yield Path(spec.origin)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
