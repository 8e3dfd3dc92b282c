"""ReportOrder: which line is solved on which flops, how far, and where the report looks; read from a spot file without a board."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from equilibrist.cards.deck import Deck
from equilibrist.cards.suit_symmetry import SuitSymmetry
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.reading import parse_toml, read_text
from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.forms.boards.street_betting import IP
from equilibrist.games.spots.flops import WeightedFlop, read_flops
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, solver_on_spots, target_chips

UNTIL = "0.5%"
DEFAULT_FLOPS = 25
KEYS = ("flops", "until", "lines", "solver", "iterations")  # of a report; all others are the spot's
_EXPECTED = "expected a spot without a board, and lines such as flops = 47"


@dataclass(frozen=True)
class ReportOrder:
    """Everything that a report's numbers depend on; where and by how many workers it is computed does not matter."""

    spot: Spot  # on the first flop; the others differ by the board alone
    flops: tuple[WeightedFlop, ...]
    until: str = UNTIL  # chips or a share of the pot
    lines: tuple[str, ...] = ("",)  # on the flop; "" is its first decision
    solver: str = DEFAULT_SPOT_SOLVER
    iterations: int | None = None  # at most, on each flop

    @classmethod
    def from_toml(cls, path: str | Path, **given: Any) -> ReportOrder:
        """Read a file; what is `given` counts instead of what the file says (None: the file counts)."""
        text = read_text(path, "The report file", _EXPECTED)
        table = parse_toml(text, f"The report file '{path}'", _EXPECTED)
        return cls.from_table(table, folder=Path(path).parent, **given)

    @classmethod
    def from_table(cls, table: Any, *, folder: Path | None = None, **given: Any) -> ReportOrder:
        """From the keys of a spot file, less the board, and those of a report."""
        wanted = {key: table[key] for key in KEYS if key in table} | {k: v for k, v in given.items() if v is not None}
        if "board" in table:
            raise ParameterError("A report has no 'board': it solves many flops; give them as 'flops', or use 'solve'.")
        flops = tuple(read_flops(wanted.get("flops", DEFAULT_FLOPS)))
        rest = {key: value for key, value in table.items() if key not in KEYS}
        spot = Spot.from_table({"board": flops[0][0], **rest}, folder)
        return cls(
            spot,
            flops,
            _text(wanted.get("until", UNTIL), "until"),
            _lines(wanted.get("lines", ())),
            _text(wanted.get("solver", DEFAULT_SPOT_SOLVER), "solver"),
            _whole(wanted.get("iterations")),
        )

    def checked(self) -> tuple[ReportOrder, CompiledSpot]:
        """The order with its lines spelt as the betting spells them, and the betting; refuses what cannot be solved."""
        solver_on_spots(self.solver)
        target_chips(self.until, self.spot)
        if self.spot.locks:
            raise NotApplicableError("A report solves spots without locks; leave 'lock' out.")
        self._check_suits()
        here = compile_spot(self.spot)
        return replace(self, lines=tuple(dict.fromkeys(spelt_line(here, line) for line in ("", *self.lines)))), here

    def _check_suits(self) -> None:
        """A flop stands for those like it only where the ranges treat suits alike."""
        for name, held in zip(PLAYERS, self.spot.ranges, strict=True):
            if not SuitSymmetry(Deck(), 2, [held.weights]).alike:
                raise NotApplicableError(
                    f"'range.{name}' tells suits apart, so that no flop stands for others; give the same weight to all suits of a hand."
                )

    def to_json(self) -> dict[str, Any]:
        """What is kept in a folder."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        spot = {key: value for key, value in self.spot.table().items() if key != "board"}
        return {**told, "spot": spot, "flops": [list(flop) for flop in self.flops], "lines": list(self.lines)}

    @property
    def hash(self) -> str:
        """Of everything that the numbers depend on."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()


def spelt_line(spot: CompiledSpot, line: str) -> str:
    """The labels of a line, which must end on the flop where somebody acts."""
    forest, node = spot.forests[0], 0
    for token in (part for part in line.split(":") if part):
        if forest.kind[node] > IP:
            raise ParameterError(
                f"The line '{line}' goes on after the flop's betting is over; lines of a report stay on the flop."
            )
        node = forest.child(node, token)
    if forest.kind[node] > IP:
        raise ParameterError(f"Nobody acts on the flop after '{line}'; give a line such as x, or leave it out.")
    return forest.line(node)


def _lines(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        raise ParameterError(f'\'lines\' must be a list of lines such as ["x", "x:b120"], but {given!r} was given.')
    return tuple(given)


def _text(given: Any, name: str) -> str:
    if not isinstance(given, str):
        raise ParameterError(f"'{name}' must be text such as \"{UNTIL}\", but {given!r} was given.")
    return given


def _whole(given: Any) -> int | None:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
        raise ParameterError(f"'iterations' must be a whole number of at least 1, but {given!r} was given.")
    return given


def order_from_json(told: dict[str, Any]) -> ReportOrder:
    """An order as a folder keeps it."""
    flops = tuple((str(name), float(weight)) for name, weight in told["flops"])
    spot = Spot.from_table({"board": flops[0][0], **told["spot"]})
    rest = {
        field.name: told[field.name] for field in fields(ReportOrder) if field.name not in ("spot", "flops", "lines")
    }
    return ReportOrder(spot, flops, lines=tuple(told["lines"]), **rest)
