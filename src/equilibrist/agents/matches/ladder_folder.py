"""A ladder in a folder: what was ordered and by which files it is played (`ladder.json`), and the matches of all pairs (`ledger.db`)."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from equilibrist.agents.matches.identity import match_identity
from equilibrist.agents.matches.ladder import Ladder, LadderOrder, read_ladder
from equilibrist.agents.matches.ledger import Ledger
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError
from equilibrist.core.reading import parse_json, read_bytes
from equilibrist.core.writing import held_folder, make_folder, write_text
from equilibrist.games.catalogue import recorded_game

ORDER, LEDGER = "ladder.json", "ledger.db"
FORMAT = 1


class _Identity(msgspec.Struct, forbid_unknown_fields=True):
    version: str
    files: dict[str, str]  # SHA-256 by path


class _Saved(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    hash: str
    order: LadderOrder
    identity: _Identity


def is_ladder(folder: Path) -> bool:
    """Whether a ladder was begun there."""
    return (folder / ORDER).is_file()


@contextlib.contextmanager
def open_to_play(folder: Path, order: LadderOrder) -> Iterator[Ledger]:
    """The ledger of a ladder, begun or gone on with; refused where another ladder or other files are, or somebody is at work."""
    if folder.is_dir() and not is_ladder(folder) and any(not each.name.startswith(".") for each in folder.iterdir()):
        raise NotApplicableError(f"'{folder}' holds other files and no ladder; choose a new folder with --out.")
    make_folder(folder)
    with held_folder(folder):
        identity = _Identity(**match_identity(order.players, order.game))
        if is_ladder(folder):
            _refuse_other(_read(folder), order, identity, folder)
        else:
            _write(folder, order, identity)
        with Ledger(folder / LEDGER) as ledger:
            yield ledger


def refuse_changed(folder: Path, players: Iterable[str]) -> None:
    """Refuse to go on when the game's or these players' files are no longer those that the ladder was begun with."""
    saved = _read(folder)
    kept = {path: digest for path, digest in saved.identity.files.items() if Path(path).is_file()}
    now = match_identity(players, saved.order.game)
    _refuse_other(saved, saved.order, _Identity(now["version"], kept | now["files"]), folder)


def open_ladder(folder: Path) -> Ladder:
    """A ladder as far as it was played; one of a game of a Python file needs somebody to name the game first."""
    order = _read(folder).order
    recorded_game(order.game)
    if not (folder / LEDGER).is_file():
        return read_ladder(order, Ledger(":memory:"))
    with Ledger(folder / LEDGER) as ledger:
        return read_ladder(order, ledger)


def _write(folder: Path, order: LadderOrder, identity: _Identity) -> None:
    order = msgspec.convert(asdict(order), LadderOrder)  # numbers as they will be read back
    told = {
        "format": FORMAT,
        "hash": _hash(order, identity),
        "order": asdict(order),
        "identity": msgspec.to_builtins(identity),
    }
    write_text(folder / ORDER, json.dumps(told, indent=1, ensure_ascii=False))


def _read(folder: Path) -> _Saved:
    path = folder / ORDER
    if not path.is_file():
        raise FormatError(
            f"'{folder}' is no ladder: it has no {ORDER}; make one with 'equilibrist ladder PLAYER PLAYER PLAYER --out {folder}'."
        )
    try:
        found = parse_json(read_bytes(path, "The ladder"), "it", "a ladder was expected", _Saved)
        if found.format != FORMAT:
            raise FormatError(f"it has format {found.format}, but this version reads {FORMAT}")
        if found.hash != _hash(found.order, found.identity):
            raise FormatError("its content does not match its hash")
    except EquilibristError as error:
        raise FormatError(f"'{path}' is damaged ({error}); play the ladder again in a new folder.") from None
    return found


def _hash(order: LadderOrder, identity: _Identity) -> str:
    text = json.dumps([asdict(order), msgspec.to_builtins(identity)], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _refuse_other(saved: _Saved, order: LadderOrder, identity: _Identity, folder: Path) -> None:
    """A folder goes on with the order, the files and the version that it was begun with."""
    before, now = asdict(saved.order), asdict(order)
    found = [_differing(name, before[name], now[name]) for name in now if before[name] != now[name]]
    if saved.identity.version != identity.version:
        found.append(_differing("version", saved.identity.version, identity.version))
    if before["players"] == now["players"] and before["game"] == now["game"]:  # others have other files anyway
        files = {**saved.identity.files, **identity.files}
        changed = (path for path in files if saved.identity.files.get(path) != identity.files.get(path))
        found += [f"the content of '{path}'" for path in changed]
    if found:
        raise NotApplicableError(
            f"'{folder}' holds a ladder that differs in {', '.join(found)}; give the same order to go on, or another folder with --out."
        )


def _differing(name: str, before: Any, now: Any) -> str:
    told = [", ".join(value) if isinstance(value, tuple) else str(value) for value in (before, now)]
    return f"{name.replace('_', ' ')} ({told[0]} there, {told[1]} given)"
