"""A game of your own from a Python file: `my_game.py:MyGame`, `my_game.py:MyGame(roads=3)`.

The code of a file runs because a person names it, never because a saved solution, a training or a request does: those are given the
game that was named in this process, or are refused (`recorded_game` of games/catalogue.py).
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from equilibrist.core.catalogue import Entry, build, signature_parameters, summary_of
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, UnknownNameError, suggest
from equilibrist.core.names import Name, parse_name
from equilibrist.games.rules import Game

_FORM = re.compile(r"(?P<path>.+?\.py):(?P<maker>[A-Za-z_]\w*\s*(?:\(.*\))?)\s*(?P<added>\+.*)?\Z", re.DOTALL)

_named: dict[str, Game] = {}  # what people have named in this process, the latest last


class GameNeededError(NotApplicableError):
    """A saved file names a game of a Python file that nobody has named in this process."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The game '{name}' is code in a Python file, which does not run because a saved file names it; "
            f"name it yourself with --game '{name}' (in Python: call load_game first)."
        )


def load_user_game(text: str) -> Game:
    """Run a Python file and make the game that it defines; a person typed `text`."""
    found = _FORM.match(text)
    if found is None:
        raise FormatError(
            f"Cannot read {text!r}: a game of your own is named as 'my_game.py:MyGame' or 'my_game.py:MyGame(size=3)'."
        )
    path, name = found["path"], parse_name(found["maker"])
    maker = _maker(path, name.base)
    entry = Entry(f"{path}:{name.base}", summary_of(maker), maker, signature_parameters(maker))
    game = with_name(_make(entry, name.parameters), entry, name.parameters)
    for place in (found["added"] or "").split("+")[1:]:
        line, _, action = place.rpartition(":")
        game = game.with_action(line, action)
    _named.pop(text, None)
    _named[text] = _named[game.name] = game
    return game


def named_game(name: str) -> Game:
    """The game that a saved file means: named in this process under the same text, or else the one named last."""
    if name in _named:
        return _named[name]
    if not _named:
        raise GameNeededError(name)
    return next(reversed(_named.values()))


def named_texts() -> tuple[str, ...]:
    """What people have named, for processes that are started to help this one."""
    return tuple(_named)


def _make(entry: Entry, parameters: Mapping[str, Any]) -> Any:
    try:
        return build("game", entry, parameters)
    except EquilibristError:
        raise
    except Exception as error:  # code of others: whatever it raises is told as one sentence
        raise FormatError(
            f"The game '{entry.name}' cannot be made: {type(error).__name__}: {error}; "
            "'check_game' tells which rule of games is broken."
        ) from error


def with_name(game: Any, entry: Entry, parameters: Mapping[str, Any]) -> Game:
    """The game under the name that people typed, so that its solutions record it."""
    if not isinstance(game, Game):
        raise FormatError(f"'{entry.name}' makes {type(game).__name__!r}, not a game; it must give a subclass of Game.")
    given = {key: value for key, value in parameters.items() if value != entry.parameters.get(key)}
    text = str(Name(entry.name, given))
    try:
        object.__setattr__(game, "name", text)  # also where the game is a frozen dataclass
    except AttributeError:
        raise FormatError(f"The name of '{entry.name}' cannot be set; make 'name' a plain attribute.") from None
    return game


def _maker(path: str, name: str) -> Callable[..., Any]:
    module = _module(path)
    made = [key for key, value in vars(module).items() if isinstance(value, type) and issubclass(value, Game)]
    own = [key for key in made if vars(module)[key].__module__ == module.__name__]
    found = getattr(module, name, None)
    if not callable(found):
        known = f" Its games are {', '.join(own)}." if own else " It defines no game."
        raise UnknownNameError(f"'{path}' defines no '{name}'.{suggest(name, own)}{known}")
    maker: Callable[..., Any] = found
    return maker


def _module(path: str) -> ModuleType:
    file = Path(path)
    if not os.path.isfile(file):
        raise UnknownNameError(f"There is no file '{path}'; give the path of a Python file, such as my_game.py:MyGame.")
    return _run(file.resolve(), file.stat().st_mtime_ns, path)


class _FromSource(SourceFileLoader):
    """Without bytecode, which is taken for a changed file's if it was changed in the same second and is as long as before."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


@functools.lru_cache(maxsize=64)
def _run(file: Path, changed: int, shown: str) -> ModuleType:
    """Run a file as a module of its own; its folder is searched for what it imports, as with `python file.py`."""
    name = f"equilibrist_user_{file.stem}_{abs(hash(file)):x}"
    loader = _FromSource(name, str(file))
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(file.parent))
    try:
        loader.exec_module(module)
    except Exception as error:  # code of others: whatever it raises is told as one sentence
        del sys.modules[spec.name]
        raise FormatError(f"'{shown}' cannot be run: {type(error).__name__}: {error}.") from error
    finally:
        sys.path.remove(str(file.parent))
    return module
