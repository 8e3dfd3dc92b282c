"""Many spots from spot files, from a folder of them, or from JSON lines: one object a line with the keys of a spot file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.cards.ranges import Range
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, ParameterError
from equilibrist.core.reading import HAND_BYTES, parse_json, read_text
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import LARGEST, PLAYERS

SPOT_ENDING, LINES_ENDING = ".toml", ".jsonl"
MOST_SPOTS = 100_000
LONGEST_NAME = 100
_EXPECTED = 'expected one JSON object a line, such as {"board": "Ks7h2d9c3s", "pot": 100, "stack": 300, "range": {…}, "bets": {…}}'
_NAME = re.compile(r"[^\s./\\][^/\\\x00-\x1f]*")


@dataclass(frozen=True)
class NamedSpot:
    """A spot, what its files are called, and its own goal, if it has one."""

    name: str
    spot: Spot
    until: str | float | None = None


def is_spot_list(path: str) -> bool:
    """Whether a path stands for several spots: a folder, or JSON lines."""
    return path.endswith(LINES_ENDING) or os.path.isdir(path)


def read_spots(paths: Sequence[str]) -> list[NamedSpot]:
    """All spots of spot files, folders of them and JSON lines, in this order; their names must differ."""
    found = list[NamedSpot]()
    for path in paths:
        for each in _spots_at(path):
            found.append(each)
            if len(found) > MOST_SPOTS:
                raise ParameterError(f"More than {MOST_SPOTS:,} spots were given; solve them in several runs.")
    by_name: dict[str, NamedSpot] = {}
    for each in found:
        if each.name.lower() in by_name:  # some disks do not tell capitals apart
            raise ParameterError(
                f"Two spots are called '{each.name}', and each needs a file of its own; rename one of them."
            )
        by_name[each.name.lower()] = each
    return found


def _spots_at(path: str) -> Iterator[NamedSpot]:
    if os.path.isdir(path):
        files = sorted(str(file) for file in Path(path).glob(f"*{SPOT_ENDING}"))
        if not files:
            raise ParameterError(f"There is no spot file (*{SPOT_ENDING}) in the folder '{path}'; give another.")
        for file in files:
            yield from _spots_at(file)
    elif path.endswith(LINES_ENDING):
        yield from _read_lines(Path(path))
    elif path.endswith(SPOT_ENDING):
        yield NamedSpot(Path(path).stem, _read_file(path))
    else:
        raise ParameterError(
            f"Several are solved at once where all are spots, but '{path}' is none; give spot files (.toml), a folder of them, or JSON "
            "lines (.jsonl)."
        )


def _read_file(path: str) -> Spot:
    try:
        return Spot.from_toml(path)
    except (ParameterError, NotApplicableError) as error:
        raise ParameterError(f"'{path}': {error}") from None


def _read_lines(path: Path) -> Iterator[NamedSpot]:
    text = read_text(path, "The file of spots", _EXPECTED, most=HAND_BYTES)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise FormatError(f"The file of spots '{path}' is empty; {_EXPECTED}.")
    digits = len(str(lines[-1][0]))
    for number, line in lines:
        where = f"Line {number} of '{path}'"
        table: dict[str, Any] = parse_json(line, where, _EXPECTED, dict)
        name, until = table.pop("name", f"{path.stem}-{number:0{digits}d}"), table.pop("until", None)
        _check_name(name, where)
        try:
            yield NamedSpot(name, Spot.from_table(_with_weights(table), path.parent), until)
        except EquilibristError as error:
            raise ParameterError(f"{where}: {error}") from None


def _check_name(name: object, where: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        shown = repr(name) if len(repr(name)) <= LONGEST_NAME else "too long a one"
        raise ParameterError(
            f"{where}: a spot's 'name' becomes that of a file, but {shown} was given; use letters, figures and hyphens."
        )


def _with_weights(table: dict[str, Any]) -> dict[str, Any]:
    """Ranges may also be lists of 1,326 weights, in the order of `Range.weights`."""
    ranges = table.get("range")
    if not isinstance(ranges, dict):
        return table
    return {**table, "range": {key: _range(value, key) for key, value in ranges.items()}}


def _range(value: object, key: str) -> object:
    if not isinstance(value, list) or key not in PLAYERS:
        return value
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in value)
    if not numbers or any(abs(each) > LARGEST for each in value):  # whole numbers may be too large for an array
        raise ParameterError(f"In 'range.{key}': a list holds 1,326 weights from 0 to 1, and nothing else.")
    return Range(np.array(value, dtype=np.float64))
