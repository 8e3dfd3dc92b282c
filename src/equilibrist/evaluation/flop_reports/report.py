"""FlopReport: what many solved flops say together, as tables of plain numbers.

Means weigh every flop by how often it comes given both ranges: the flops that it stands for times the pairs of hands that it leaves. So
the mean equity over all flops is the equity of the ranges before the flop. At a line each flop counts by how often play gets there, too.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from equilibrist.cards.flop_texture import KINDS, FlopTexture, flop_texture
from equilibrist.cards.ranges import parse_cards
from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.core.writing import plain
from equilibrist.evaluation.flop_reports.order import ReportOrder, spelt_line
from equilibrist.evaluation.flop_reports.summary import FlopSummary, LineSummary
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.street_menus import PLAYERS

Row = Mapping[str, Any]


@dataclass(frozen=True)
class LineMeaning:
    """A place of a report: who acts and what can be done, on every flop the same."""

    line: str
    player: str
    labels: tuple[str, ...]
    actions: tuple[str, ...]  # in words
    pot: float


@dataclass(frozen=True)
class FlopRow:
    """One flop at one line."""

    flop: str
    texture: FlopTexture
    weight: float  # flops that it stands for
    share: float  # of all flops of the report, given the ranges; they sum to one
    solved: FlopSummary
    here: LineSummary

    @property
    def counted(self) -> float:
        """Its weight in means."""
        return self.share * self.here.reach


@dataclass(frozen=True)
class Mean:
    """Several flops together at one line; nan where play never gets there."""

    name: str
    flops: int
    weight: float
    share: float
    reach: float
    ev: tuple[float, float]
    equity: tuple[float, float]
    frequencies: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "flops": self.flops,
            "weight": self.weight,
            "share": self.share,
            "reach": self.reach,
            "ev": dict(zip(PLAYERS, self.ev, strict=True)),
            "equity": dict(zip(PLAYERS, self.equity, strict=True)),
            "frequencies": list(self.frequencies),
        }


@dataclass(frozen=True)
class FlopReport:
    """All flops that are solved, in the order of the report."""

    order: ReportOrder
    solved: tuple[FlopSummary, ...]
    places: tuple[LineMeaning, ...]  # by line of the order

    @property
    def finished(self) -> bool:
        return len(self.solved) == len(self.order.flops)

    @property
    def converged(self) -> bool:
        return all(each.converged for each in self.solved)

    @property
    def percent_of_pot(self) -> float:
        """The largest exploitability of a flop."""
        return 100.0 * max((each.exploitability for each in self.solved), default=math.nan) / self.order.spot.pot

    @cached_property
    def weights(self) -> dict[str, float]:
        return dict(self.order.flops)

    def place(self, line: str = "") -> LineMeaning:
        """What a line of the report is about."""
        return self.places[self._number(line)]

    def rows(self, line: str = "") -> tuple[FlopRow, ...]:
        """Every flop at a line."""
        number = self._number(line)
        likely = [self.weights[each.flop] * each.pairs for each in self.solved]
        total = math.fsum(likely)
        return tuple(
            FlopRow(
                each.flop,
                flop_texture(parse_cards(each.flop)),
                self.weights[each.flop],
                share / total,
                each,
                each.lines[number],
            )
            for each, share in zip(self.solved, likely, strict=True)
        )

    def mean(self, line: str = "", rows: Iterable[FlopRow] | None = None, name: str = "all") -> Mean:
        """The mean over all flops, or some."""
        return _mean(name, tuple(self.rows(line) if rows is None else rows), len(self.place(line).labels))

    def by(self, kind: str, line: str = "", rows: Sequence[FlopRow] | None = None) -> tuple[Mean, ...]:
        """Means over groups of flops: by `texture`, `suits`, `pairs`, `straights` or `high`."""
        check_kind(kind)
        chosen = self.rows(line) if rows is None else rows
        groups = [(word, [row for row in chosen if getattr(row.texture, kind) == word]) for word in KINDS[kind]]
        return tuple(self.mean(line, group, word) for word, group in groups if group)

    def sorted_rows(self, key: str, line: str = "", rows: Sequence[FlopRow] | None = None) -> tuple[FlopRow, ...]:
        """Rows by a column, the largest first (flops as they come); columns are those of `columns`."""
        look = self.columns(line)
        if key not in look:
            raise UnknownNameError(
                f"There is no column '{key}' to sort by; expected one of {', '.join(look)}.{suggest(key, look)}"
            )
        chosen = self.rows(line) if rows is None else rows
        if key == "flop":
            return tuple(chosen)
        return tuple(sorted(chosen, key=lambda row: _falling(look[key](row))))

    def columns(self, line: str = "") -> dict[str, Callable[[FlopRow], Any]]:
        """Names of a row's numbers, and how to look at them."""
        out: dict[str, Callable[[FlopRow], Any]] = {
            "flop": lambda row: row.flop,
            "weight": lambda row: row.weight,
            "share": lambda row: row.share,
            "reach": lambda row: row.here.reach,
            "exploitability": lambda row: row.solved.exploitability,
        }
        for p, name in enumerate(PLAYERS):
            out |= {f"ev_{name}": _part("ev", p), f"equity_{name}": _part("equity", p)}
        return out | {label: _part("frequencies", a) for a, label in enumerate(self.place(line).labels)}

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values: means, groups and flops at every line."""
        told = {
            "kind": "flop-report",
            "finished": self.finished,
            "converged": self.converged,
            "order": self.order.to_json(),
            "solved": len(self.solved),
            "percent_of_pot": self.percent_of_pot,
            "lines": [self._line_json(place.line) for place in self.places],
        }
        return plain(told)  # type: ignore[no-any-return]

    def _line_json(self, line: str) -> dict[str, Any]:
        place, look = self.place(line), self.columns(line)
        return {
            "line": line,
            "player": place.player,
            "labels": place.labels,
            "actions": place.actions,
            "pot": place.pot,
            "mean": self.mean(line).to_json() if self.solved else None,
            "by": {kind: [mean.to_json() for mean in self.by(kind, line)] for kind in KINDS},
            "flops": [{name: value(row) for name, value in look.items()} | _words(row) for row in self.rows(line)],
        }

    def to_csv(self) -> str:
        """One row for each flop and line; actions that a line does not have stay empty."""
        labels = list(dict.fromkeys(label for place in self.places for label in place.labels))
        fixed = [name for name in self.columns() if name not in labels]
        names = ["flop", *KINDS, "line", "player", *fixed[1:], "converged", "iterations", *labels]
        out = io.StringIO()
        writer = csv.DictWriter(out, names, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        for place in self.places:
            look = self.columns(place.line)
            for row in self.rows(place.line):
                told = {name: value(row) for name, value in look.items()} | _words(row)
                writer.writerow(told | {"line": place.line, "player": place.player} | _solved(row))
        return out.getvalue()

    def named_line(self, line: str) -> str:
        """A line of the report as it is spelt there: `bet` or `b120:` may be asked for, too."""
        return line if line in self.order.lines else spelt_line(compile_spot(self.order.spot), line)

    def _number(self, line: str) -> int:
        known = self.order.lines
        if line not in known:
            named = ", ".join(each or "the beginning" for each in known)
            raise ParameterError(
                f"The report does not look at the line '{line}', but at {named}; order it with --line."
            )
        return known.index(line)


def check_kind(kind: str) -> None:
    """Refuse what flops cannot be grouped by."""
    if kind not in KINDS:
        raise UnknownNameError(f"Flops are grouped by {', '.join(KINDS)}, not by '{kind}'.{suggest(kind, KINDS)}")


def chosen_rows(rows: Sequence[FlopRow], words: Sequence[str]) -> tuple[FlopRow, ...]:
    """Those that have all of the words: `monotone`, `paired`, `A` (the highest card)."""
    known = [word for kind in KINDS.values() for word in kind]
    for word in words:
        if word not in known:
            raise UnknownNameError(
                f"There is no kind of flop '{word}'; expected one of {', '.join(known)}.{suggest(word, known)}"
            )
    return tuple(row for row in rows if all(word in _words(row).values() for word in words))


def _part(name: str, number: int) -> Callable[[FlopRow], Any]:
    """One of several numbers at the line."""
    return lambda row: getattr(row.here, name)[number]


def _words(row: FlopRow) -> dict[str, str]:
    return {kind: getattr(row.texture, kind) for kind in KINDS}


def _solved(row: FlopRow) -> dict[str, Any]:
    return {"converged": row.solved.converged, "iterations": row.solved.iterations}


def _falling(value: float | None) -> float:
    return math.inf if value is None else -value


def _mean(name: str, rows: Sequence[FlopRow], actions: int) -> Mean:
    share = math.fsum(row.share for row in rows)
    here = [row for row in rows if row.counted > 0.0]
    counted = math.fsum(row.counted for row in here)

    def of(look: Callable[[FlopRow], float | None]) -> float:
        values = [(row.counted, look(row)) for row in here]
        known = [(weight, value) for weight, value in values if value is not None]
        total = math.fsum(weight for weight, _ in known)
        return math.fsum(weight * value for weight, value in known) / total if total > 0.0 else math.nan

    return Mean(
        name=name,
        flops=len(rows),
        weight=math.fsum(row.weight for row in rows),
        share=share,
        reach=counted / share if share > 0.0 else math.nan,
        ev=(of(_part("ev", 0)), of(_part("ev", 1))),
        equity=(of(_part("equity", 0)), of(_part("equity", 1))),
        frequencies=tuple(of(_part("frequencies", a)) for a in range(actions)),
    )
