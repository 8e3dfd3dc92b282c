"""The catalogue: games, solvers, players, experiments and methods by the name people type, each found by importing one module.

A layer declares one `Catalogue` with a table from modules to the names they define. Looking a name up imports that module alone; a
name that is not built in may come from a plug-in, an entry point that another distribution declares (docs/extending.md).
"""

from __future__ import annotations

import importlib
import inspect
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from equilibrist.core.errors import EquilibristError, ParameterError, UnknownNameError, suggest
from equilibrist.core.names import format_value, parse_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

E = TypeVar("E")
T = TypeVar("T")
Bounds = tuple[float, float]
WHOLE: Bounds = (-(2**63), 2**63 - 1)  # of whole numbers that state none of their own
Table = Mapping[str, Sequence[str]]  # module below the package -> names it defines

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """What a catalogue says about one name."""

    name: str
    summary: str
    make: Callable[..., Any]  # keyword parameters
    parameters: Mapping[str, Any] = field(default_factory=dict)  # name -> default; its kind is the parameter's
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, kw_only=True)  # that a parameter also takes
    also: Mapping[str, tuple[type, ...]] = field(default_factory=dict, kw_only=True)  # kinds beside the default's
    bounds: Mapping[str, Bounds] = field(
        default_factory=dict, kw_only=True
    )  # smallest and largest, also of each in a list
    open: bool = field(default=False, kw_only=True)  # takes more parameters than it lists, and checks them itself


def _listed_entries(module: ModuleType) -> Iterable[tuple[str, Any]]:
    return ((entry.name, entry) for entry in module.ENTRIES)


@dataclass(frozen=True)
class Catalogue(Generic[E]):
    """The names of one kind of thing."""

    kind: str  # "game": the word of refusals
    package: str  # where the table's modules live
    table: Table | Callable[[], Table]
    hint: str  # ends the refusal of an unknown name: where all of them are listed
    group: str = ""  # entry points of plug-ins
    adapt: Callable[[str, Any], E] | None = None  # an entry from what a plug-in's entry point names
    aliases: Mapping[str, str] = field(default_factory=dict)
    read: Callable[[ModuleType], Iterable[tuple[str, E]]] = _listed_entries

    @cached_property
    def homes(self) -> dict[str, str]:
        """Module of each built-in name."""
        table = self.table() if callable(self.table) else self.table
        return {name: module for module, names in table.items() for name in names}

    @cached_property
    def plugins(self) -> dict[str, EntryPoint]:
        """Names that other distributions add; nothing of theirs is imported yet, and a built-in name stays what it is."""
        if not self.group:
            return {}
        from importlib.metadata import entry_points  # late: built-in names need none of it

        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            if point.name in self.homes or point.name in found:
                log.warning(
                    "The %s '%s' of a plug-in (%s) is left out: the name is taken.", self.kind, point.name, point.value
                )
            else:
                found[point.name] = point
        return found

    def names(self) -> list[str]:
        """All names, without importing what they stand for."""
        return [*self.homes, *self.plugins]

    def find(self, name: str) -> E:
        """The entry of a name; only its own module is imported."""
        key = self.aliases.get(name.lower(), name.lower())
        if key in self.homes:
            return self._entries(self.homes[key])[key]
        if name in self.plugins:
            return self._plugged(name)
        known = [*self.names(), *self.aliases]
        raise UnknownNameError(f"There is no {self.kind} '{name}'.{suggest(name, known)} {self.hint}")

    def entries(self) -> dict[str, E]:
        """Every entry; imports all modules. A plug-in that cannot be loaded is left out with a warning."""
        built_in = {name: self._entries(module)[name] for name, module in self.homes.items()}
        return built_in | self.plugged_entries()

    def plugged_entries(self) -> dict[str, E]:
        """Entries of plug-ins."""
        found = {}
        for name in self.plugins:
            try:
                found[name] = self._plugged(name)
            except EquilibristError as error:
                log.warning("%s", error)
        return found

    def _entries(self, module: str) -> dict[str, E]:
        return dict(self.read(importlib.import_module(f"{self.package}.{module}")))

    def _plugged(self, name: str) -> E:
        point = self.plugins[name]
        try:
            found = point.load()
        except Exception as error:  # code of others: whatever it raises is told as one sentence
            raise UnknownNameError(
                f"The {self.kind} '{name}' comes from the plug-in '{point.value}', which cannot be loaded "
                f"({type(error).__name__}: {error}); mend or uninstall it."
            ) from error
        assert self.adapt is not None, f"the {self.kind} catalogue has plug-ins, but no way to read them"
        return self.adapt(name, found)


class Makers(Catalogue[E], Generic[E, T]):
    """A catalogue of `Entry` values, which make a T from parameters."""

    def make(self, text: str) -> T:
        """What a name with parameters stands for: `leduc(ranks=5)`."""
        name = parse_name(text)
        return self.build(self.find(name.base), name.parameters)

    def build(self, entry: Any, parameters: Mapping[str, Any]) -> T:
        """Make one from parameters, each checked against its default."""
        made: T = build(self.kind, entry, parameters)
        return made


def build(kind: str, entry: Entry, parameters: Mapping[str, Any]) -> Any:
    """Make what an entry describes; unknown, unfit and missing parameters are refused."""
    for key, value in parameters.items():
        if key in entry.parameters:
            check_value(entry, key, value)
        elif not entry.open:
            options = ", ".join(entry.parameters) or "none"
            raise ParameterError(
                f"The {kind} '{entry.name}' has no parameter '{key}' (it has: {options}).{suggest(key, entry.parameters)}"
            )
    try:
        inspect.signature(entry.make).bind(**parameters)
    except TypeError as error:
        raise ParameterError(f"The {kind} '{entry.name}' cannot be made from these parameters: {error}.") from None
    return entry.make(**parameters)


def check_value(entry: Entry, key: str, value: Any) -> None:
    """Refuse a value whose kind is not that of the default."""
    default = entry.parameters[key]
    what, given = f"The parameter '{key}' of '{entry.name}'", f"but {_shown(value)} was given."
    if value in entry.words.get(key, ()) or (default is None and key not in entry.bounds):
        return
    if _has_nan(value):
        raise ParameterError(f"{what} must be a number, {given}")
    _check_bounds(what, value, entry.bounds.get(key))
    if isinstance(default, bool) or isinstance(value, bool):
        if not (isinstance(default, bool) and isinstance(value, bool)):
            takes = "true or false" if isinstance(default, bool) else f"a value such as {format_value(default)}"
            raise ParameterError(f"{what} takes {takes}, {given}")
    elif isinstance(value, entry.also.get(key, ())):
        return
    elif isinstance(default, int | float):
        if not isinstance(value, int | float):
            words = "".join(f", or {word}" for word in entry.words.get(key, ()))
            raise ParameterError(f"{what} takes a number such as {format_value(default)}{words}, {given}")
        if isinstance(default, int) and isinstance(value, float):
            raise ParameterError(f"{what} is a whole number, {given}")
    elif isinstance(default, str):
        if not isinstance(value, str):
            raise ParameterError(f"{what} takes a word such as {default}, {given}")
    elif isinstance(default, tuple) and not _like_list(value, default):
        raise ParameterError(f"{what} takes {_list_words(default)}, {given}")


def _check_bounds(what: str, value: Any, bounds: Bounds | None) -> None:
    """Each number, however deep in lists, lies within the bounds; without any, whole numbers fit in 64 bits."""
    if isinstance(value, tuple | list):
        for item in value:
            _check_bounds(what, item, bounds)
    elif _is_number(value):
        low, high = bounds or (WHOLE if isinstance(value, int) else (-math.inf, math.inf))
        if not low <= value <= high:
            raise ParameterError(f"{what} is {bounds_text((low, high))}, but {_shown(value)} was given.")


def bounds_text(bounds: Bounds) -> str:
    """`1 to 1,000`."""
    return " to ".join(f"{bound:,}" if isinstance(bound, int) else f"{bound:g}" for bound in bounds)


def _like_list(value: Any, default: tuple[Any, ...]) -> bool:
    """Numbers as deep in lists as those of the default; a lone number may stand for a list of one."""
    inner = default[0] if default else 0
    if not isinstance(value, tuple | list):
        return not isinstance(inner, tuple) and _is_number(value)
    return all(_like_list(item, inner) and isinstance(item, tuple | list) if isinstance(inner, tuple) else _is_number(item)
               for item in value)  # fmt: skip


def _list_words(default: tuple[Any, ...]) -> str:
    return f"a list such as {format_value(default)}" if default else "a list of numbers"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_nan(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(_has_nan(item) for item in value)
    return isinstance(value, float) and math.isnan(value)


def _shown(value: Any) -> str:
    """As people type it, words in quotes; what is long is cut."""
    text = repr(value) if isinstance(value, str) else format_value(value)
    return text if len(text) <= 80 else f"{text[:60]} … ({len(text):,} characters)"


def signature_parameters(make: Callable[..., Any]) -> dict[str, Any]:
    """Parameters of a class or function that has no entry, with their defaults; None where it has none."""
    try:
        found = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {p.name: None if p.default is p.empty else p.default for p in found if p.kind in named}


def summary_of(thing: Any) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]
