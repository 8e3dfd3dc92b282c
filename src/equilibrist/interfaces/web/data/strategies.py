"""Strategies of solved games, opened as far as they are looked at: one way to walk tables of infosets and policies by public state."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError, UnknownNameError, suggest
from equilibrist.core.policy import PublicPolicy, TabularPolicy
from equilibrist.core.solution import Solution
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import recorded_game
from equilibrist.interfaces.strategies import by_public_state, hand_order
from equilibrist.interfaces.web.data.play_sessions import PlayerCatalogue
from equilibrist.interfaces.web.data.public_lines import PublicLines, history_reach
from equilibrist.interfaces.web.data.table_walk import ClassWalk
from equilibrist.interfaces.web.data.walks import Kind, StrategyWalk, WalkedInfoset, WalkStep
from equilibrist.solvers.responses.best_response import counterfactual_values, translate
from equilibrist.solvers.tables.table_solution import TableSolution

OPEN_STRATEGIES = 8
KEPT_STEPS = 500
LARGEST_TREE = 60_000  # infosets; laying out the tree of a larger game takes longer than a request may
NEVER = 1e-12


class TableWalk:
    """A table of all infosets; with the tree of its game, weights and values too."""

    grid = False

    def __init__(self, solution: Solution) -> None:
        self.policy: TabularPolicy = solution.tabular()
        self.tree_of = solution.game if len(self.policy.infosets) <= LARGEST_TREE else None

    @cached_property
    def game(self) -> Compiled | None:
        """None where the game is too large, or one of a Python file that was not given."""
        if self.tree_of is None:
            return None
        try:
            found = Compiled(recorded_game(self.tree_of))
            translate(self.policy, found.infosets)
        except (EquilibristError, ValueError):
            return None
        return found

    @cached_property
    def lines(self) -> PublicLines:
        game = self.game
        return PublicLines.of_tree(game.tree) if game is not None else PublicLines.of_names(self.policy.infosets)

    @cached_property
    def by_line(self) -> dict[str, list[int]]:
        """Infosets of every public state, in the order in which people read hands."""
        infosets, groups = self.policy.infosets, dict[str, list[int]]()
        for number in range(len(infosets)):
            groups.setdefault(infosets.public[number] if infosets.public else "", []).append(number)
        return {
            line: sorted(own, key=lambda i: (int(infosets.player[i]), hand_order(infosets.keys[i])))
            for line, own in groups.items()
        }

    @cached_property
    def measured(self) -> tuple[Floats, Floats, Floats] | None:
        """[I] how likely each infoset is, [I] its value and [slots] that of every action; None without a tree."""
        game = self.game
        if game is None:
            return None
        policy, tree, infosets = translate(self.policy, game.infosets), game.tree, game.infosets
        reach, acting = history_reach(tree, policy), tree.infoset >= 0
        numbers, owner = tree.infoset[acting], infosets.player[tree.infoset[acting]]
        likely = np.bincount(numbers, reach.prod(axis=1)[acting], len(infosets)).astype(np.float64)
        value, slots = np.full(len(infosets), np.nan), np.full(infosets.slots, np.nan)
        widths = np.diff(infosets.first_slot)
        for player in range(tree.players) if game.game.perfect_recall else ():
            others = np.delete(reach, player, axis=1).prod(axis=1)[acting]
            weight = np.bincount(numbers, np.where(owner == player, others, 0.0), len(infosets))
            found = counterfactual_values(game, policy, player)
            with np.errstate(divide="ignore", invalid="ignore"):
                own = weight > NEVER
                value = np.where(own, found.infoset_value / weight, value)
                slots = np.where(np.repeat(own, widths), found.slot_value / np.repeat(weight, widths), slots)
        return likely, value, slots

    @property
    def weighted(self) -> bool:
        return self.measured is not None

    def _there(self, number: int) -> int:
        """The number of an infoset in the tree."""
        assert self.game is not None
        return self.game.infosets.number(self.policy.infosets.keys[number])

    def first(self, line: str) -> str:
        if line in self.by_line:
            return line
        if not line:
            return next(iter(self.by_line), "")
        raise UnknownNameError(f"Nobody decides at '{line[:60]}'.{suggest(line, self.by_line)}")

    def path(self, line: str) -> list[tuple[str, str | None]]:
        return self.lines.path(line)

    def step(self, line: str) -> WalkStep:
        infosets, own = self.policy.infosets, self.by_line.get(line, [])
        if not own:
            return WalkStep(line, "over", note="Nobody decides in this game.")
        labels, player = infosets.actions[own[0]], int(infosets.player[own[0]])
        alike = [i for i in own if infosets.actions[i] == labels and infosets.player[i] == player]
        weights = np.array([self.measured[0][self._there(i)] for i in alike]) if self.measured else np.ones(len(alike))
        mean = np.average([self.policy.row(i) for i in alike], axis=0, weights=weights if weights.any() else None)
        following = {label: self.lines.after.get((line, label), []) for label in labels}
        return WalkStep(line, "decision", player, "", labels, tuple(mean.tolist()), following)

    def rows(self, line: str, offset: int, limit: int) -> tuple[int, list[WalkedInfoset]]:
        own = self.by_line.get(line, [])
        return len(own), [self._row(number) for number in own[offset : offset + limit]]

    def _row(self, number: int) -> WalkedInfoset:
        infosets, key = self.policy.infosets, self.policy.infosets.keys[number]
        weight = value = None
        values: tuple[float | None, ...] | None = None
        if self.measured is not None:
            there, (likely, each, slots) = self._there(number), self.measured
            first = self.game.infosets.first_slot if self.game is not None else infosets.first_slot
            weight, value = float(likely[there]), _known(each[there])
            values = tuple(map(_known, slots[first[there] : first[there + 1]].tolist()))
        public = infosets.public[number] if infosets.public else ""
        hand = key.removesuffix(public).rstrip(":") or key if public else key
        row = tuple(self.policy.row(number).tolist())
        return WalkedInfoset(
            key, hand, int(infosets.player[number]), infosets.actions[number], row, weight, value, values
        )


class PublicWalk:
    """A policy that is looked up by public state: boards, buckets, spots, blueprints."""

    weighted = True

    def __init__(self, policy: PublicPolicy) -> None:
        self.policy, self.grid = policy, policy.has_grid

    def first(self, line: str) -> str:
        tidy = ":".join(token for token in line.strip().split(":") if token and token != "/")  # streets of buckets
        self.policy.find(tidy)
        return tidy

    def path(self, line: str) -> list[tuple[str, str | None]]:
        tokens = line.split(":") if line else []
        return [(":".join(tokens[:n]), tokens[n] if n < len(tokens) else None) for n in range(len(tokens) + 1)]

    def step(self, line: str) -> WalkStep:
        place = self.policy.find(line)
        board, player = self.policy.board(place), self.policy.player(place)
        if player < 0:
            count, cards = self.policy.coming(place)
            kind: Kind = "deal" if count else "over"
            return WalkStep(line, kind, board=board, coming=count, cards=cards, note=self.policy.what_follows(place))
        labels = self.policy.actions(place)
        shares = tuple(self.policy.frequencies(place, player).tolist())
        following = {label: [f"{line}:{label}" if line else label] for label in labels}
        return WalkStep(line, "decision", player, board, labels, shares, following)

    def rows(self, line: str, offset: int, limit: int) -> tuple[int, list[WalkedInfoset]]:
        place = self.policy.find(line)
        player = self.policy.player(place)
        if player < 0:
            return 0, []
        hands, table, labels = (
            self.policy.labels(place, player),
            self.policy.table(place, player),
            self.policy.actions(place),
        )
        order = range(len(hands)) if self.grid else sorted(range(len(hands)), key=lambda i: hand_order(hands[i]))
        reach: npt.NDArray[Any] = self.policy.reach(place, player)
        return len(hands), [
            WalkedInfoset(
                f"{hands[i]}:{line}" if line else hands[i],
                hands[i],
                player,
                labels,
                tuple(table[i].tolist()),
                float(reach[i]),
            )
            for i in order[offset : offset + limit]
        ]


@dataclass
class OpenStrategy:
    """A solved game in memory, with the steps that were looked at."""

    solution: Solution
    walk: StrategyWalk
    stamp: int
    lock: threading.RLock = field(default_factory=threading.RLock)
    steps: OrderedDict[str, WalkStep] = field(default_factory=OrderedDict)

    def step(self, line: str) -> WalkStep:
        """A public state, made once; called with the lock held."""
        if line not in self.steps:
            self.steps[line] = self.walk.step(line)
            while len(self.steps) > KEPT_STEPS:
                self.steps.popitem(last=False)
        return self.steps[line]


class Strategies:
    """Files of the folder `agents`, opened to be looked at."""

    def __init__(self, players: PlayerCatalogue) -> None:
        self.players = players
        self._open: OrderedDict[str, OpenStrategy] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, name: str) -> OpenStrategy:
        stamp = self.players.stamp(name)
        with self._lock:
            held = self._open.get(name)
            if held is None or held.stamp != stamp:
                solution = self.players.solution(name)
                held = OpenStrategy(solution, _walk_of(solution), stamp)
                self._open[name] = held
            self._open.move_to_end(name)
            while len(self._open) > OPEN_STRATEGIES:
                self._open.popitem(last=False)
            return held


def _walk_of(solution: Solution) -> StrategyWalk:
    if isinstance(solution, TableSolution):
        return ClassWalk(solution)
    policy = by_public_state(solution)
    return PublicWalk(policy) if policy is not None else TableWalk(solution)


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
