"""TableNode: one place of a solved table: who acts, with which hands, how, and what every action is worth."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, NAMES, combinations
from equilibrist.cards.ranges import Range, from_classes
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.writing import whole_file
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import chips_text
from equilibrist.games.tables.betting import NOBODY, Situation, play_line
from equilibrist.solvers.tables._kernels.passes import respond_up
from equilibrist.solvers.tables.table_cfr import EndValues

USUAL_BETS = {"bet": "66%", "raise": "2.5x"}  # of a spot that is made of a line
FAINT = 0.005  # of the most frequent hand: what is less is left out of a spot
RARE = 1e-9  # reach below which a hand is not there


class TableNode:
    """The place after a line; `seat` is the name of who acts, or None where the betting is over."""

    def __init__(self, tree: TableTree, strategy: Floats, line: str) -> None:
        self.tree, self.strategy = tree, strategy
        self.situation: Situation = play_line(tree.table, line)
        self.line = ":".join(self.situation.line)
        self.number = tree.place.get(self.line, -1)

    @property
    def seat(self) -> str | None:
        return None if self.situation.seat == NOBODY else self.tree.table.names[self.situation.seat]

    @property
    def labels(self) -> tuple[str, ...]:
        return () if self.seat is None else self.tree.labels[self.number]

    @property
    def actions(self) -> tuple[str, ...]:
        """The labels in words."""
        here = self.situation
        return tuple(_words(here, label) for label in self.labels)

    @property
    def pot(self) -> float:
        return self.situation.pot

    @property
    def stacks(self) -> dict[str, float]:
        """Chips behind, by seat."""
        return dict(zip(self.tree.table.names, self.situation.behind, strict=True))

    def reach(self, seat: str | int) -> Floats:
        """[class] how much of each class a seat still has after its own actions."""
        number = self.tree.table.seat(seat) if isinstance(seat, str) else seat
        row: Floats = self._rows[number]
        return row

    def range(self, seat: str | int) -> Range:
        """The same as a range."""
        return from_classes(np.clip(self.reach(seat), 0.0, 1.0))

    @property
    def absent(self) -> tuple[str, ...]:
        """Seats that never come here with any hand; where there is one, nothing was learned here."""
        names, left = self.tree.table.names, self._rows @ combinations()
        return tuple(name for name, hands in zip(names, left, strict=True) if hands < RARE)

    @cached_property
    def _rows(self) -> Floats:
        """[seat, class]."""
        tree = self.tree
        out = np.stack([tree.table.weights(seat) for seat in range(tree.table.seats)])
        for decision, place in self._path:
            out[tree.seat[decision]] = out[tree.seat[decision]] * self.strategy[tree.slots[place]]
        return out

    @cached_property
    def _path(self) -> list[tuple[int, int]]:
        """Decisions on the way here, and the place of the action that was taken."""
        tree, out = self.tree, []
        words = self.line.split(":") if self.line else []
        decision = 0
        while decision >= 0 and len(words) > (done := tree.lines[decision].count(":") + bool(tree.lines[decision])):
            place = int(tree.first[decision]) + tree.labels[decision].index(words[done])
            out.append((decision, place))
            decision = int(tree.children[place])
        return out

    @property
    def mix(self) -> Floats:
        """[class, action] of the seat to act."""
        if self.seat is None:
            return np.zeros((CLASSES, 0))
        found: Floats = self.strategy[self.tree.slots_of(self.number)].T
        return found

    @property
    def frequencies(self) -> Floats:
        """[action] over all hands that the seat to act still has."""
        if self.seat is None:
            return np.zeros(0)
        weight = combinations() * self.reach(self.situation.seat)
        total = weight.sum()
        mean: Floats = weight @ self.mix / total if total > 0.0 else self.mix.mean(axis=0)
        return mean

    @cached_property
    def values(self) -> Floats:
        """[class, action] what the seat to act expects at the end of the hand; nan where the others never come here."""
        tree, seat = self.tree, self.situation.seat
        ends = EndValues(tree, Team(1))
        for each in range(tree.table.seats):
            ends.play(each, self.strategy)
        if ends.three is not None:
            ends.look()
        worth = ends.of(seat)
        values, best = np.empty((2, tree.decisions, CLASSES))
        lock, fixed, free = tree.locks
        respond_up(
            seat,
            tree.seat,
            tree.first,
            tree.slots,
            tree.children,
            lock,
            fixed,
            free,
            worth,
            self.strategy,
            values,
            best,
        )
        met = ends.chance[self.number] if tree.table.bunching else np.ones(CLASSES)
        for other in range(tree.table.seats):
            if other != seat and not tree.table.bunching:
                met = met * ends.meets(self._rows[other])
        below = [
            values[child] if child >= 0 else worth[-1 - child]
            for child in tree.children[tree.first[self.number] : tree.first[self.number + 1]]
        ]
        with np.errstate(invalid="ignore", divide="ignore"):
            out: Floats = np.where(met[:, None] > RARE, np.stack(below, axis=1) / met[:, None], np.nan)
        return out

    def to_spot(self, board: str, bets: Mapping[str, Any] | None = None, **more: Any) -> Spot:
        """The flop that two players see after this line: both ranges, pot, stacks and rake; further keys are those of a spot."""
        return Spot(board=board, **self.spot_keys(bets), **more)

    def spot_keys(self, bets: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The keys of a spot file but its board."""
        table, here = self.tree.table, self.situation
        if here.seat != NOBODY or len(here.staying) != 2:
            who = f"{self.seat} acts" if self.seat else f"{len(here.staying)} stay in"
            raise NotApplicableError(
                f"Two players see no flop after '{self.line}': {who} there; give a line that ends with a call."
            )
        if min(here.behind[seat] for seat in here.staying) <= 0.0:
            raise NotApplicableError(f"Somebody is all-in after '{self.line}', so that nothing is left to play for.")
        oop, ip = sorted(here.staying, key=lambda seat: _position(seat, table.seats))
        keys: dict[str, Any] = {
            "pot": here.pot,
            "stacks": {"oop": here.behind[oop], "ip": here.behind[ip]},
            "range": {"oop": _spot_range(self.reach(oop)), "ip": _spot_range(self.reach(ip))},
            "bets": dict(bets or USUAL_BETS),
        }
        if table.rake.rate:
            keys["rake"] = {"rate": table.rake.rate} | (
                {"cap": table.rake.cap} if math.isfinite(table.rake.cap) else {}
            )
        return keys

    def hands(self) -> dict[str, dict[str, Any]]:
        """By class that is still there: weight, what it does, what each action is worth."""
        if self.seat is None:
            return {}
        reach, mix, values = self.reach(self.situation.seat), self.mix, self.values
        return {
            NAMES[c]: {
                "weight": float(reach[c]),
                "strategy": mix[c].tolist(),
                "ev": float(mix[c] @ values[c]),
                "ev_by_action": values[c].tolist(),
            }
            for c in range(CLASSES)
            if reach[c] > RARE
        }

    def summary(self) -> dict[str, Any]:
        """Who acts and how often it does what."""
        return {
            "line": self.line,
            "seat": self.seat,
            "pot": self.pot,
            "stacks": self.stacks,
            "actions": list(self.labels),
            "frequencies": self.frequencies.tolist(),
        }

    def to_json(self) -> dict[str, Any]:
        return self.summary() | {"hands": self.hands()}

    def to_csv(self, path: str | Path) -> None:
        """One line per class: weight, share and value of every action."""
        with whole_file(path) as out:
            rows = [["hand", "weight", *self.labels, *(f"ev_{label}" for label in self.labels)]]
            for name, hand in self.hands().items():
                rows.append([name, hand["weight"], *hand["strategy"], *hand["ev_by_action"]])
            out.write(csv_text(rows).encode())


def _spot_range(reach: Floats) -> str:
    """A range as a spot takes it: only ratios count, and hands that are hardly there are left out."""
    shares = np.round(reach / max(float(reach.max()), RARE), 3)
    return str(from_classes(np.where(shares >= FAINT, np.minimum(shares, 1.0), 0.0)))


def _position(seat: int, seats: int) -> int:
    """Who acts first after the flop: the blinds, then the others in turn; heads-up the big blind."""
    return (seat + 2) % seats if seats > 2 else 1 - seat


def csv_text(rows: list[list[Any]]) -> str:
    """Rows as a CSV file has them."""
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _words(here: Situation, label: str) -> str:
    """`fold`, `call 1`, `raise to 2.5`, `all-in 20`."""
    total = dict(here.actions)[label]
    if label in ("f", "x"):
        return "fold" if label == "f" else "check"
    if label == "c":
        word = "call" if here.raises else "limp"
        return f"{word} {chips_text(round(total - here.bets[here.seat], 9))}"
    return f"{'all-in' if label == 'a' else 'raise to'} {chips_text(total)}"
