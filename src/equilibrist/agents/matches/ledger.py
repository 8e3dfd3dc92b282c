"""The ledger: matches and their blocks of hands in one SQLite file, each block written whole or not at all."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from equilibrist.core.errors import CannotWriteError, FormatError
from equilibrist.version import __version__

_TABLES = """
CREATE TABLE IF NOT EXISTS matches (
    id INTEGER PRIMARY KEY, began REAL NOT NULL, version TEXT NOT NULL, settings TEXT NOT NULL UNIQUE, result TEXT
);
CREATE TABLE IF NOT EXISTS blocks (
    match INTEGER NOT NULL REFERENCES matches(id), number INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (match, number)
);
"""
_STOPS = "CREATE TABLE IF NOT EXISTS stops (settings TEXT PRIMARY KEY, text TEXT NOT NULL)"  # made when there is one

LARGEST_BLOCK = 256 << 20  # bytes of one block, unpacked
IDENTITY = "identity"  # beside the settings: version and files; entries without one are older and never used again


def _key(settings: dict[str, Any], identity: dict[str, Any] | None) -> str:
    return json.dumps(settings | ({IDENTITY: identity} if identity is not None else {}), sort_keys=True)


def _without(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != IDENTITY}


class Ledger:
    """Matches by their settings and identity: the same of both are the same match, which goes on where it was left."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with self._spoken():
            self._file = sqlite3.connect(self.path, timeout=30.0)
            self._file.executescript(_TABLES)
            self._file.execute("PRAGMA synchronous = FULL")

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def match(self, settings: dict[str, Any], identity: dict[str, Any] | None = None) -> int:
        """The number of the match with these settings, played by the same files and version, new or old."""
        text = _key(settings, identity)
        with self._spoken(), self._file:
            self._file.execute(
                "INSERT OR IGNORE INTO matches (began, version, settings) VALUES (?, ?, ?)",
                (time.time(), __version__, text),
            )
            found = self._file.execute("SELECT id FROM matches WHERE settings = ?", (text,)).fetchone()
        return int(found[0])

    def find(self, settings: dict[str, Any]) -> int | None:
        """The number of the latest match with these settings, whatever files played it; None: there is none."""
        plain = json.loads(json.dumps(settings))
        with self._spoken():
            rows = self._file.execute("SELECT id, settings FROM matches ORDER BY id DESC")
            return next((int(number) for number, text in rows if _without(json.loads(text)) == plain), None)

    def others(self, settings: dict[str, Any], identity: dict[str, Any]) -> str | None:
        """Why entries with the same settings are not this match, if there are such; None: there are none."""
        mine, plain = _key(settings, identity), json.loads(json.dumps(settings))
        with self._spoken():
            texts = [row[0] for row in self._file.execute("SELECT settings FROM matches WHERE settings <> ?", (mine,))]
            found = [each for each in map(json.loads, texts) if _without(each) == plain]
        if not found:
            return None
        if any(IDENTITY in each for each in found):
            return "it was played with other files or by another version of equilibrist"
        return "it was written down without the content of its files, by an earlier version of equilibrist"

    def blocks(self, match: int, read: Callable[[Any], Any] = lambda block: block) -> dict[int, Any]:
        """All finished blocks of a match by number, each as `read` makes it when it is met."""
        with self._spoken():
            rows = self._file.execute("SELECT number, data FROM blocks WHERE match = ?", (match,))
            return {int(number): read(json.loads(_unpacked(data))) for number, data in rows}

    def add_block(self, match: int, number: int, block: Any) -> None:
        """Keep a finished block."""
        data = zlib.compress(json.dumps(block, default=lambda array: array.tolist()).encode(), 1)
        with self._spoken(), self._file:
            self._file.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?)", (match, number, data))

    def set_result(self, match: int, result: dict[str, Any]) -> None:
        with self._spoken(), self._file:
            self._file.execute("UPDATE matches SET result = ? WHERE id = ?", (json.dumps(result), match))

    def stop(self, settings: dict[str, Any]) -> str:
        """Why the match with these settings was stopped; empty: no such thing is noted."""
        plain = json.loads(json.dumps(settings))
        with self._spoken():
            return next((text for found, text in self._stops() if json.loads(found) == plain), "")

    def set_stop(self, settings: dict[str, Any], text: str) -> None:
        """Note why a match was stopped; an empty text: that it is played again."""
        plain = json.loads(json.dumps(settings))
        with self._spoken(), self._file:
            for found in [found for found, _ in self._stops() if json.loads(found) == plain]:
                self._file.execute("DELETE FROM stops WHERE settings = ?", (found,))
            if text:
                self._file.execute(_STOPS)
                self._file.execute("INSERT INTO stops VALUES (?, ?)", (_key(settings, None), text))

    def _stops(self) -> list[tuple[str, str]]:
        """Settings and texts; older ledgers have no such table, and may be read where nothing can be written."""
        if not self._file.execute("SELECT 1 FROM sqlite_master WHERE name = 'stops'").fetchone():
            return []
        return [(str(found), str(text)) for found, text in self._file.execute("SELECT settings, text FROM stops")]

    def matches(self) -> list[dict[str, Any]]:
        """Everything played, oldest first."""
        with self._spoken():
            rows = self._file.execute("SELECT id, began, version, settings, result FROM matches ORDER BY id").fetchall()
            return [
                {
                    "id": row[0],
                    "began": row[1],
                    "version": row[2],
                    "settings": json.loads(row[3]),
                    "result": json.loads(row[4]) if row[4] else None,
                }
                for row in rows
            ]

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        """What SQLite complains about, in a sentence that says what to do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise CannotWriteError(
                f"The ledger '{self.path}' cannot be written or read ({error}); what it holds so far is kept."
            ) from None
        except (sqlite3.DatabaseError, zlib.error, ValueError, TypeError, RecursionError) as error:
            raise FormatError(
                f"'{self.path}' is not a ledger of matches or is damaged ({error}); move it away or choose another file."
            ) from None


def _unpacked(data: bytes) -> bytes:
    """A block as it was before it was packed, as far as blocks go: a few bytes may stand for gigabytes."""
    packer = zlib.decompressobj()
    found = packer.decompress(data, LARGEST_BLOCK)
    if packer.unconsumed_tail:
        raise ValueError(f"a block has more than {LARGEST_BLOCK:,} bytes")
    return found
