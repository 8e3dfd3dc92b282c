"""TableNode: one place of a solved table: who acts, with which hands, how, and what hands and actions are worth."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, NAMES, combinations
from equilibrist.cards.ranges import Range, from_classes
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.writing import whole_file
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import chips_text
from equilibrist.games.tables.betting import NOBODY, Situation, play_line
from equilibrist.games.tables.flop_spots import flop_keys, positions
from equilibrist.solvers.postflop.solutions.node_report import weighted_mean
from equilibrist.solvers.tables.table_worth import RARE, TableWorth

SPOT_BETS = {"bet": "66%", "raise": "2.5x"}  # of a spot that is made of a line, where the table names none
FAINT = 0.005  # of the most frequent hand: what is less is left out of a spot


class TableNode:
    """The place after a line; results by class are in the order of the 13×13 grid, `hands` numbers them."""

    hands: ClassVar[Longs] = np.arange(CLASSES)

    def __init__(self, worth: TableWorth, line: str) -> None:
        self._worth, self.tree = worth, worth.tree
        self.situation: Situation = play_line(self.tree.table, line)
        self.line = ":".join(self.situation.line)
        self.number = self.tree.place.get(self.line, -1)

    def __repr__(self) -> str:
        where = f"after {self.line}" if self.line else "at the beginning"
        who = f"{self.player} acts ({', '.join(self.actions)})" if self.player else "the betting is over"
        return f"TableNode({where}: {who}, pot {chips_text(round(self.pot, 9))})"

    @property
    def players(self) -> tuple[str, ...]:
        """The seats in order of action."""
        return self.tree.table.names

    @property
    def player(self) -> str | None:
        """The seat that acts, or nobody where the betting is over."""
        return None if self.is_over else self.players[self.situation.seat]

    @property
    def is_over(self) -> bool:
        return self.situation.seat == NOBODY

    @property
    def labels(self) -> tuple[str, ...]:
        """As in lines: f, r2.5, a."""
        return () if self.is_over else self.tree.labels[self.number]

    @property
    def actions(self) -> tuple[str, ...]:
        """In words: "fold", "raise to 2.5", "all-in 20"."""
        return tuple(_words(self.situation, label) for label in self.labels)

    @property
    def pot(self) -> float:
        return self.situation.pot

    @property
    def stacks(self) -> tuple[float, ...]:
        """Chips behind, seat by seat."""
        return self.situation.behind

    def play(self, move: str) -> TableNode:
        """Where an action (by name or label) leads."""
        if self.is_over:
            raise ParameterError(
                f"The betting is over after '{self.line}', so '{move[:40]}' cannot follow; go back first."
            )
        label = dict(zip(self.actions, self.labels, strict=True)).get(move, move)
        return TableNode(self._worth, ":".join(self.situation.play(label).line))

    @property
    def before(self) -> TableNode | None:
        """The place of the decision before."""
        return self.at(self.tree.lines[self._path[-1][0]]) if self._path else None

    def at(self, line: str) -> TableNode:
        """The place after a line from the beginning, such as `f:r2.5:f`."""
        return TableNode(self._worth, line)

    def seat(self, player: int | str | None = None) -> int:
        """The number of a seat: by name, by number from 0, or the one that acts (the first where nobody does)."""
        if player is None:
            return max(0, self.situation.seat)
        return self.tree.table.seat(player) if isinstance(player, str) else player

    def reach(self, player: int | str | None = None) -> Floats:
        """[class] how much of each class a seat still has after its own actions."""
        row: Floats = self._rows[self.seat(player)]
        return row

    def range(self, player: int | str | None = None) -> Range:
        """The same as a range."""
        return from_classes(np.clip(self.reach(player), 0.0, 1.0))

    @property
    def absent(self) -> tuple[str, ...]:
        """Seats that never come here with any hand; where there is one, nothing was learned here."""
        left = self._rows @ combinations()
        return tuple(name for name, hands in zip(self.players, left, strict=True) if hands < RARE)

    @cached_property
    def _rows(self) -> Floats:
        """[seat, class]."""
        tree = self.tree
        out = np.stack([tree.table.weights(seat) for seat in range(tree.table.seats)])
        for decision, place in self._path:
            out[tree.seat[decision]] = out[tree.seat[decision]] * self._worth.strategy[tree.slots[place]]
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
    def strategy(self) -> Floats:
        """[class, action] of the seat that acts; rows sum to one."""
        if self.is_over:
            return np.zeros((CLASSES, 0))
        found: Floats = self._worth.strategy[self.tree.slots_of(self.number)].T
        return found

    @property
    def frequencies(self) -> Floats:
        """[action] over all hands that the seat that acts still has."""
        if self.is_over:
            return np.zeros(0)
        weight = combinations() * self.reach()
        total = weight.sum()
        mean: Floats = weight @ self.strategy / total if total > 0.0 else self.strategy.mean(axis=0)
        return mean

    def met(self, player: int | str | None = None) -> Floats:
        """[class] how likely the others come here with hands that leave it a seat's cards."""
        self._check_acting()
        return self._worth.met(self.seat(player), self.number, self._rows)

    def ev(self, player: int | str | None = None) -> Floats:
        """[class] what a seat expects at the end of the hand, big blinds or prize money; nan where the others never come here."""
        self._check_acting()
        return self._expected(self.seat(player), [self.number])[:, 0]

    def range_ev(self, player: int | str | None = None) -> float:
        """The same of a seat's whole range here."""
        weight = combinations() * self.reach(player) * self.met(player)
        return float(weighted_mean(self.ev(player), weight))

    @property
    def ev_by_action(self) -> Floats:
        """[class, action] of the seat that acts."""
        self._check_acting()
        first, stop = self.tree.first[self.number : self.number + 2]
        return self._expected(self.situation.seat, self.tree.children[first:stop].tolist())

    @property
    def values_kept(self) -> bool:
        """Whether what all seats expect is worked out once for all places."""
        return self._worth.keeps_all

    def _expected(self, seat: int, places: list[int]) -> Floats:
        """[class, place] at decisions, or at ends (-1 - end), given that the others come here."""
        values, ends = self._worth.of(seat)
        met = self.met(seat)[:, None]
        below = np.stack([values[place] if place >= 0 else ends[-1 - place] for place in places], axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            out: Floats = np.where(met > RARE, below / met, np.nan)
        return out

    def _check_acting(self) -> None:
        if self.is_over:
            raise ParameterError(
                f"Nobody acts after '{self.line}', so there are no values of hands; take a shorter line."
            )

    def to_spot(self, board: str, bets: Mapping[str, Any] | None = None, **more: Any) -> Spot:
        """The flop that two players see after this line: both ranges, pot, stacks and rake; further keys are those of a spot."""
        return Spot(board=board, **self.spot_keys(bets), **more)

    def spot_keys(self, bets: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The keys of a spot file but its board."""
        here = self.situation
        if here.seat != NOBODY or len(here.staying) != 2:
            who = f"{self.player} acts" if self.player else f"{len(here.staying)} stay in"
            raise NotApplicableError(
                f"Two players see no flop after '{self.line}': {who} there; give a line that ends with a call."
            )
        if min(here.behind[seat] for seat in here.staying) <= 0.0:
            raise NotApplicableError(f"Somebody is all-in after '{self.line}', so that nothing is left to play for.")
        oop, ip = positions(here)
        held = {"oop": _spot_range(self.reach(oop)), "ip": _spot_range(self.reach(ip))}
        return flop_keys(here, SPOT_BETS) | {"range": held} | ({} if bets is None else {"bets": dict(bets)})

    def summary(self) -> dict[str, Any]:
        """Who acts and how often it does what."""
        return {
            "line": self.line,
            "player": self.player,
            "pot": self.pot,
            "stacks": dict(zip(self.players, self.stacks, strict=True)),
            "actions": list(self.labels),
            "frequencies": self.frequencies.tolist(),
        }

    def to_json(self) -> dict[str, Any]:
        """The same with all hands that are still there by name: weight, what each does, what each action is worth."""
        return self.summary() | {"hands": self._by_name()}

    def _by_name(self) -> dict[str, dict[str, Any]]:
        if self.is_over:
            return {}
        reach, strategy, values, ev = self.reach(), self.strategy, self.ev_by_action, self.ev()
        return {
            NAMES[c]: {
                "weight": float(reach[c]),
                "strategy": strategy[c].tolist(),
                "ev": float(ev[c]),
                "ev_by_action": values[c].tolist(),
            }
            for c in range(CLASSES)
            if reach[c] > RARE
        }

    def to_csv(self, path: str | Path) -> None:
        """One line per class: weight, share and value of every action."""
        with whole_file(path) as out:
            rows = [["hand", "weight", *self.labels, *(f"ev_{label}" for label in self.labels)]]
            for name, hand in self._by_name().items():
                rows.append([name, hand["weight"], *hand["strategy"], *hand["ev_by_action"]])
            out.write(csv_text(rows).encode())


def _spot_range(reach: Floats) -> str:
    """A range as a spot takes it: only ratios count, and hands that are hardly there are left out."""
    shares = np.round(reach / max(float(reach.max()), RARE), 3)
    return str(from_classes(np.where(shares >= FAINT, np.minimum(shares, 1.0), 0.0)))


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
