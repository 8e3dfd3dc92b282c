"""TableSolution: strategies of all seats of a table, what they are worth, and the file they are kept in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from equilibrist.cards.allins.classes import CLASSES, NAMES, class_number
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.artifact import Artifact
from equilibrist.core.errors import FormatError, NotApplicableError, TooLargeError, UnknownNameError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.core.solution import NORMALISED, BaseSolution, SolveRecord, check_numbers, read_evaluation, read_record
from equilibrist.forms.table_tree.table_tree import TableTree, grow_table
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.games.tables.table import Table
from equilibrist.games.tables.table_names import table_name
from equilibrist.solvers.seat_evaluation import SeatEvaluation
from equilibrist.solvers.tables.flop_worth import FLOP_TABLES, PlayedWorth
from equilibrist.solvers.tables.future_values import kept_futures
from equilibrist.solvers.tables.model import model_sentences
from equilibrist.solvers.tables.reached import reached
from equilibrist.solvers.tables.table_node import TableNode
from equilibrist.solvers.tables.table_worth import TableWorth

MOST_WRITTEN = 500_000  # infosets that are written out by name


@dataclass(frozen=True, eq=False, repr=False)
class TableSolution(BaseSolution):
    """Average strategies of all seats, and how good they are in the model."""

    kind: ClassVar[str] = "table-solution"

    table: Table
    record: SolveRecord
    evaluation: SeatEvaluation
    tree: TableTree = field(repr=False)
    strategy: Floats = field(repr=False)  # [slot, class]
    state: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict, repr=False)

    @property
    def game(self) -> str:
        """The table as JSON behind a prefix."""
        return table_name(self.table)

    @property
    def title(self) -> str:
        table = self.table
        return f"table of {table.seats}, {min(table.stacks) / table.big_blind:.4g} bb and more"

    @property
    def unit(self) -> str:
        return self.table.unit

    @property
    def gains(self) -> dict[str, float]:
        """What each seat's best response gains, by name."""
        return dict(zip(self.table.names, self.evaluation.gains, strict=True))

    @property
    def exploitability(self) -> float:
        """The largest of the gains."""
        return self.evaluation.exploitability

    @property
    def ev(self) -> dict[str, float]:
        """Big blinds won, or prize money, by name of the seat."""
        return dict(zip(self.table.names, self.evaluation.value, strict=True))

    @property
    def model(self) -> list[str]:
        """What the model keeps and what it leaves out."""
        chances = reached(self.tree, self.strategy)[1] if self.tree.flop_ends else np.zeros(0)
        return [*model_sentences(self.tree, self.flop_ends.tolist(), chances), *self._conserved()]

    @property
    def flop_ends(self) -> Longs:
        """Ends that are played on flops."""
        ends: Longs = self.state.get("flop_ends", np.zeros(0, np.int64))
        return ends

    @property
    def flop_worth(self) -> PlayedWorth | None:
        """What betting after the flop is worth where flops are played; None where they are checked down."""
        if "flop_worth" not in self.state:
            return None
        value, best = self.state["flop_worth"]
        return PlayedWorth(self.flop_ends, value, best)

    @property
    def without_flops(self) -> bool:
        """Whether the tables of flops were left out."""
        return bool(len(self.flop_ends)) and not any(name.startswith(FLOP_TABLES) for name in self.state)

    def saved_without_flops(self) -> TableSolution:
        """The same without the tables of flops, which going on needs and nothing else."""
        kept = {name: table for name, table in self.state.items() if not name.startswith(FLOP_TABLES)}
        return replace(self, state=kept)

    def _conserved(self) -> list[str]:
        """How far values are from adding up, where the model does not keep that."""
        table = self.table
        if table.seats == 2 or table.rake.rate:
            return []
        total = f"{sum(self.value):.5g} {self.unit} instead of {table.prize_pool:g}"
        return [f"The values of all seats add up to {total}: a sign of what the model leaves out."]

    @property
    def infosets(self) -> int:
        return self.tree.decisions * CLASSES

    @cached_property
    def root(self) -> TableNode:
        """Where the betting begins."""
        return self.at("")

    def at(self, line: str) -> TableNode:
        """The place after a line such as `f:f:a`."""
        return TableNode(self._worth, line)

    @cached_property
    def _worth(self) -> TableWorth:
        return TableWorth(self.tree, self.strategy, self.flop_worth)

    @cached_property
    def reached(self) -> Floats:
        """[decision] how likely the betting comes there, hands taken for independent."""
        return reached(self.tree, self.strategy)[0]

    def likely_lines(self, seat: str | int, most: int) -> list[str]:
        """Where a seat acts most often: its first decisions in the order of how often they come."""
        number = self.table.seat(seat) if isinstance(seat, str) else seat
        mine = [d for d in range(self.tree.decisions) if self.tree.seat[d] == number]
        found = sorted(mine, key=lambda d: -self.reached[d])[:most]
        return [self.tree.lines[d] for d in found]

    @property
    def policy(self) -> TablePolicy:
        return TablePolicy(self)

    def tabular(self) -> TabularPolicy:
        """The policy of every infoset by name; only where there are not too many."""
        tree = self.tree
        if self.infosets > MOST_WRITTEN:
            raise TooLargeError(
                f"This table has {self.infosets:,} infosets, but at most {MOST_WRITTEN:,} are written out; look at lines one by one."
            )
        places = [(d, c) for d in range(tree.decisions) for c in range(CLASSES)]
        index = InfosetIndex(
            keys=tuple(f"{NAMES[c]}:{tree.lines[d]}" for d, c in places),
            player=np.array([tree.seat[d] for d, _ in places], np.int32),
            actions=tuple(tree.labels[d] for d, _ in places),
            public=tuple(tree.lines[d] for d, _ in places),
        )
        rows = [self.strategy[tree.slots_of(d)].T.ravel() for d in range(tree.decisions)]
        return TabularPolicy(index, np.concatenate(rows))

    def to_json(self) -> dict[str, Any]:
        """What `solve TABLE.toml --json` prints."""
        return {
            **super().to_json(),
            "kind": "table",
            "seats": list(self.table.names),
            "ev": self.ev,
            "gains": self.gains,
            "largest_gain": self.exploitability,
            "decisions": self.tree.decisions,
            "model": self.model,
            "root": self.root.summary(),
        }

    def to_artifact(self) -> Artifact:
        arrays = {"strategy": self.strategy, **{f"state.{name}": array for name, array in self.state.items()}}
        entries: dict[str, Any] = {"table": self.table.to_toml()}
        if self.tree.depth:
            arrays["future_pays"], entries["future_gain"] = self.tree.pays, self.tree.future_gain
        return Artifact(self.kind, self.header(**entries), arrays)

    @classmethod
    def from_artifact(cls, artifact: Artifact, path: str) -> TableSolution:
        """What a file holds; refuses what is inconsistent."""
        header = artifact.header
        table = Table.from_text(str(header["table"]))
        if table.fgs.depth:
            kept = np.array(artifact.arrays["future_pays"], dtype=np.float64)
            tree = kept_futures(table, kept, float(header["future_gain"]))
        else:
            tree = grow_table(table)
        strategy = np.array(artifact.arrays["strategy"], dtype=np.float64)
        check_strategy(tree, strategy)
        state = {name[6:]: array for name, array in artifact.arrays.items() if name.startswith("state.")}
        small = {name: np.array(array) for name, array in state.items() if not name.startswith(FLOP_TABLES)}
        check_numbers(small)  # tables of flops stay in the file until they are needed, and are checked then
        state |= small
        check_flops(tree, small)
        evaluation = read_evaluation(header, table.seats)
        if evaluation is None or evaluation.best_response_value is None:
            raise FormatError("it states no values")
        return cls(
            table=table,
            record=read_record(header),
            evaluation=SeatEvaluation(evaluation.value, evaluation.best_response_value),
            tree=tree,
            strategy=strategy,
            state=state,
        )


def check_strategy(tree: TableTree, strategy: Floats) -> None:
    """Refuse rows that are no distributions over the actions of their decisions."""
    if strategy.shape != (tree.slot_count, CLASSES):
        raise FormatError("its strategy does not fit its table")
    ordered = strategy[tree.slots]
    sums = np.add.reduceat(ordered, tree.first[:-1], axis=0)
    wrong = ~((ordered.min(axis=1, initial=0.0) >= 0.0).all() and (np.abs(sums - 1.0) <= NORMALISED).all())  # NaN, too
    if wrong:
        raise FormatError("its strategy is no distribution over actions")


def check_flops(tree: TableTree, state: Mapping[str, npt.NDArray[Any]]) -> None:
    """Refuse what is said of flops that this table does not play."""
    ends, worth = state.get("flop_ends"), state.get("flop_worth")
    if (ends is None) != (worth is None) or (ends is None) == isinstance(tree.table.leaves, FlopLeaves):
        if ends is None and worth is None and not tree.flop_ends:
            return
        raise FormatError("what it says of flops does not fit its table")
    if ends is None or worth is None:
        return
    known = ends.ndim == 1 and ends.dtype == np.int64 and len(set(ends.tolist())) == len(ends)
    if not known or not set(ends.tolist()) <= set(tree.flop_ends) or worth.shape != (2, len(ends), 2, CLASSES):
        raise FormatError("what it says of flops does not fit its table")


class TablePolicy:
    """The strategies of a table, looked up by `AKs:f:f:a`: a class of hands and the actions before."""

    has_grid = False  # classes of hands, not hands

    def __init__(self, solution: TableSolution) -> None:
        self.solution = solution

    def __getitem__(self, key: str) -> dict[str, float]:
        hand, _, line = key.partition(":")
        number, tree = class_number(hand), self.solution.tree
        decision = tree.place.get(line)
        if decision is None:  # written in another way, or none
            decision = self._acting(line).number
        shares = self.solution.strategy[tree.slots_of(decision), number]
        return dict(zip(tree.labels[decision], shares.tolist(), strict=True))

    def at(self, public_state: str, player: int) -> Floats:
        """[class, action] of a seat after a line."""
        return self.table(self._acting(public_state), player)

    def find(self, line: str) -> TableNode:
        return self.solution.at(line)

    def player(self, place: TableNode) -> int:
        return place.situation.seat

    def actions(self, place: TableNode) -> tuple[str, ...]:
        return place.labels

    def names(self, place: TableNode) -> tuple[str, ...]:
        return place.actions

    def labels(self, place: TableNode, player: int) -> list[str]:
        return list(NAMES)

    def table(self, place: TableNode, player: int) -> Floats:
        if place.situation.seat != player:
            raise NotApplicableError(f"Seat {player + 1} does not act after '{place.line}'; {place.player} does.")
        return place.strategy

    def frequencies(self, place: TableNode, player: int) -> Floats:
        return place.frequencies

    def reach(self, place: TableNode, player: int) -> Floats:
        return place.reach(player)

    def board(self, place: TableNode) -> str:
        return ""

    def coming(self, place: TableNode) -> tuple[int, tuple[str, ...]]:
        return 0, ()

    def what_follows(self, place: TableNode) -> str:
        return "the betting is over there, choose a shorter line"

    def _acting(self, line: str) -> TableNode:
        place = self.find(line)
        if place.is_over:
            raise UnknownNameError(f"Nobody acts after '{line[:80]}'; {self.what_follows(place)}.")
        return place
