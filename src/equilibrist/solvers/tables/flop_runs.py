"""Heads-up pots played on weighted flops inside the CFR of a table.

The betting before the flop goes on in spots: each line on which two players see a flop with chips behind has one spot for each flop f of a
weighted subset, and vector CFR runs on all of them in the same iterations as before the flop ([Brown20, §3.1.5]): a seat that learns hands
its opponent's reach at the end of the line down to the spots, learns there, and takes counterfactual values back. So nothing is alternated
or guessed: it is CFR on one game, and best responses, hence gains, go through the flops.

With w_f flops that f stands for, n_a combinations of a class a, r_b what the opponent plays of a class b, u_f(h, h') what h wins from h' in
the spot (net of half the pot) and s_f(h, h') the same when both check down on the same boards, the line is worth to class a

    check-down over all boards + sum_f w_f / C(48, 3) sum_{h in a} sum_{h'} r_{h'} (u_f - s_f)(h, h') / (1225 n_a).

C(48, 3) flops can come once two hands are known. Because only what betting adds is taken from the subset, equities stay those of all
boards: a subset of flops (and a sample of turns and rivers, weighted by Horvitz and Thompson) cannot make a hand stronger than it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.cards.flop_texture import flop_texture
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, parse_cards
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.forms.boards.street_boards import StreetBoards
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.spots.spot import Spot
from equilibrist.games.tables.betting import Situation
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.games.tables.flop_spots import flop_keys, positions
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop.board_runs import DealtBoards, start_on_boards
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.tables.flop_worth import FLOP_TABLES, folded_chance

FLOPS_OF_TWO = math.comb(48, 3)  # once two hands are known
HANDS_OF_OTHER = math.comb(50, 2)
LEARN, VALUE, RESPOND = range(3)


@dataclass(frozen=True)
class PlayedLine:
    """One line and its spots."""

    end: int
    seats: tuple[int, int]  # out of position, in position
    spots: tuple[BoardCFR, ...]  # [flop]
    checked: tuple[BoardCFR, ...]  # [flop] the same without bets


class FlopRuns:
    """All lines of a table that are played on flops."""

    def __init__(self, tree: TableTree, ends: Sequence[int], solver: CFR, team: Team) -> None:
        leaves = tree.table.leaves
        assert isinstance(leaves, FlopLeaves), "asked for only where flops are played"
        self.tree, self.ends = tree, np.array(ends, np.int64)
        self.names = [flop for flop, _ in leaves.flops]
        weights = np.array([weight for _, weight in leaves.flops])
        share = weights / (FLOPS_OF_TWO * HANDS_OF_OTHER * tree.table.big_blind)
        self._share: Floats = share[:, None] / combinations()
        dealt: dict[tuple[int, tuple[int, int]], dict[bool, tuple[StreetBoards, ...]]] = {}
        self.lines = [self._line(end, solver, dealt) for end in ends]
        self.team = team
        self._cell: Longs = hands_of(STANDARD).cell.astype(np.int64)
        self.worth = np.zeros((2, len(ends), 2, CLASSES))  # [value or best, line, player, class] when last measured

    def _line(self, end: int, solver: CFR, dealt: dict[Any, Any]) -> PlayedLine:
        seats = positions(self.tree.flop_ends[end])
        spots, checked = list[BoardCFR](), list[BoardCFR]()
        for number, (spot, bare) in enumerate(line_spots(self.tree, end)):
            shared = dealt.setdefault((number, seats), {})  # boards know hands, but no betting
            for one, runs in ((spot, spots), (bare, checked)):
                here = replace(one, _dealt=shared)
                runs.append(start_on_boards(solver, DealtBoards.of_spot(here)))
        return PlayedLine(end, seats, tuple(spots), tuple(checked))

    @property
    def memory_bytes(self) -> int:
        return sum(run.memory_bytes for line in self.lines for run in (*line.spots, *line.checked))

    def learn(self, seat: int, iteration: int, reach: Floats, met: Floats, out: Floats) -> None:
        """A seat learns on all its flops; what they are worth beyond checking down is added to out [end, class].

        `reach` and `met` [row, class] are those of `EndValues`.
        """
        self._add(seat, LEARN, iteration, reach, met, out)

    def measure(self, seat: int, reach: Floats, met: Floats, value: Floats, best: Floats) -> None:
        """Add to value and best [end, class] what the average strategies and best responses win beyond checking down."""
        for mode, out in ((VALUE, value), (RESPOND, best)):
            self._add(seat, mode, 0, reach, met, out)

    def _add(self, seat: int, mode: int, iteration: int, reach: Floats, met: Floats, out: Floats) -> None:
        here = [(number, line) for number, line in enumerate(self.lines) if seat in line.seats]
        jobs = [
            partial(self._of_flop, line, flop, line.seats.index(seat), mode, iteration, self._reach(line, seat, reach))
            for _, line in here
            for flop in range(len(self.names))
        ]
        found = iter(self.team.run(jobs))
        for number, line in here:
            total = np.sum([next(found) for _ in self.names], axis=0)
            if mode != LEARN:
                self.worth[mode - VALUE, number, line.seats.index(seat)] = total
            out[line.end] += total * folded_chance(self.tree, line.end, met)

    def _reach(self, line: PlayedLine, seat: int, reach: Floats) -> Floats:
        other = line.seats[1 - line.seats.index(seat)]
        row: Floats = reach[self.tree.rows[line.end, other]]
        return row

    def _of_flop(self, line: PlayedLine, flop: int, player: int, mode: int, iteration: int, reach: Floats) -> Floats:
        """[class] of one flop: what the spot is worth beyond checking it down."""
        run, bare = line.spots[flop], line.checked[flop]
        theirs, own = (self._cell[_hands(run, p)] for p in (1 - player, player))
        met = reach[theirs]
        if mode == LEARN:
            run.iteration = iteration
            found = run.learn(player, met)
        else:
            found = run.values(player, respond=mode == RESPOND, reach=met)
        beyond = found - bare.values(player, reach=met)
        sums: Floats = np.bincount(own, beyond, minlength=CLASSES) * self._share[flop]
        return sums

    def count(self, iteration: int) -> None:
        """So many iterations have been made."""
        for line in self.lines:
            for run in line.spots:
                run.iteration = iteration

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The live tables by name, and what was last measured."""
        out: dict[str, npt.NDArray[Any]] = {"flop_ends": self.ends, "flop_worth": self.worth.copy()}
        for number, line in enumerate(self.lines):
            for name, run in zip(self.names, line.spots, strict=True):
                out |= {f"{FLOP_TABLES}{number}.{name}.{key}": table for key, table in run.state().items()}
        return out

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for number, line in enumerate(self.lines):
            for name, run in zip(self.names, line.spots, strict=True):
                begin = f"{FLOP_TABLES}{number}.{name}."
                run.restore({key.removeprefix(begin): table for key, table in state.items() if key.startswith(begin)})
        self.worth = np.array(state["flop_worth"])


def _hands(run: BoardCFR, player: int) -> npt.NDArray[np.int32]:
    """Numbers of a player's hands at the root."""
    own = run.streets[0].boards.player[player]
    return own.pair[0, : own.count[0]]


def line_spots(
    tree: TableTree, end: int, flops: Sequence[int] | None = None
) -> list[tuple[CompiledSpot, CompiledSpot]]:
    """[flop] the spot after a line, and the same without bets; of all flops, or of some by number."""
    leaves, here = tree.table.leaves, tree.flop_ends[end]
    assert isinstance(leaves, FlopLeaves), "asked for only where flops are played"
    named = leaves.flops
    wanted = range(len(named)) if flops is None else flops
    spot = Spot(board=named[0][0], range=_held(tree, here), **flop_keys(here))
    both = compile_spot(spot), compile_spot(spot.without_bets())
    out = []
    for number in wanted:
        first, second = (replace(one.on_board(named[number][0]), sample=leaves.sample(number)) for one in both)
        out.append((first, second))
    return out


def _held(tree: TableTree, here: Situation) -> dict[str, Range]:
    """Every hand that a seat can have, with the same weight: how much of it comes is told by reach."""
    oop, ip = (Range((tree.table.ranges[seat].weights > 0.0).astype(np.float64)) for seat in positions(here))
    return {"oop": oop, "ip": ip}


def flop_bytes(tree: TableTree, ends: Sequence[int]) -> int:
    """Bytes of the tables of these lines, from sizes alone: one flop of each texture is dealt."""
    leaves = tree.table.leaves
    if not isinstance(leaves, FlopLeaves) or not len(ends):
        return 0
    texture = [flop_texture(parse_cards(flop)).texture for flop, _ in leaves.flops]
    shown = {kind: texture.index(kind) for kind in set(texture)}
    total, dealt = 0, dict[Any, dict[bool, tuple[StreetBoards, ...]]]()  # boards know hands, but no betting
    for end in ends:
        for kind, (spot, _) in zip(shown, line_spots(tree, end, list(shown.values())), strict=True):
            shared = dealt.setdefault((kind, positions(tree.flop_ends[end])), {})
            total += texture.count(kind) * replace(spot, _dealt=shared).table_bytes()
    return total
