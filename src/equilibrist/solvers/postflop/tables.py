"""What the postflop solver works on: forests and boards packed for the kernels, empty tables, payoffs, scratch memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.lanes import LANES, LEAST, aligned
from equilibrist.core.arrays import Floats, Floats32
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import StreetBoards
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop._kernels.short_tables import NOISES
from equilibrist.solvers.postflop.locks.locked_nodes import LockArrays, PlacedLock, bind, lock_arrays


def table_names(bits: int, predictive: bool, apart: bool = False) -> tuple[str, ...]:
    """The tables that a run keeps."""
    if apart:
        return ("regret", "average", "basis", "memory")
    kinds = ("regret", "average", "basis") if predictive else ("regret", "average")
    if bits == 32:
        return kinds
    return (*(f"{kind}16" for kind in kinds), *(f"{kind}_scale" for kind in kinds))


_NOISE_SIZE = NOISES + 1 + LANES
# evenly spread between -1/2 and 1/2, in a fixed disorder
_NOISE = np.random.default_rng(1).permutation((np.arange(_NOISE_SIZE) + 0.5) / _NOISE_SIZE - 0.5).astype(np.float32)


@dataclass
class Street:
    """One street's forest, boards and solver tables, as the kernels want them."""

    betting: StreetForest
    forest: Any  # kernels.Forest: the same, packed
    boards: StreetBoards
    hands: tuple[Any, Any]  # kernels.Hands of each player
    tables: tuple[Any, Any]  # kernels.Tables of each player
    payoff: tuple[Any, Any]  # kernels.Payoff of each player
    factor: np.float32  # probability of one particular board, given the one before and both hands
    groups: npt.NDArray[np.int32]  # flat
    card_numbers: int  # cards of the deck, and one number for each player that no card has

    def shape(self, player: int) -> tuple[int, int, int, int]:
        """[board, block, slot, hand] of the player's tables."""
        hands = self.hands[player]
        return len(self.boards.cards), hands.blocks, self.tables[player].slots, hands.size

    def packed(self) -> kernels.Street:
        """Betting and boards, for the kernels."""
        return kernels.Street(self.forest, self.boards.group_start, self.groups, self.boards.first_child, self.factor)

    def largest_payoff(self, player: int) -> float:
        """The most that a terminal pays a player or takes from it, per unit of reach."""
        payoff = self.payoff[player]
        return float(max(np.abs(each).max(initial=0.0) for each in (payoff.difference, payoff.folded)))

    def averages(self, board: int, player: int) -> Floats:
        """[slot, place]: what a player's average strategy on one board is made of; scales of 16-bit tables are left out."""
        tables = self.tables[player]
        whole = tables.average16 if tables.compressed else tables.average
        table = whole.reshape(self.shape(player))[board]
        rows: Floats = np.moveaxis(table, 1, 0).reshape(tables.slots, self.hands[player].places).astype(np.float64)
        return rows

    def strategies(self, board: int, player: int) -> Floats:
        """[slot, place]: average strategy of a player at all its nodes of one board; without locks."""
        acting = np.flatnonzero(self.forest.kind == player)
        weights = self.averages(board, player)
        if not len(acting):
            return weights
        children = self.forest.children[acting]
        total = np.repeat(np.add.reduceat(weights, self.forest.slot[acting], axis=0), children, axis=0)
        even = np.repeat(1.0 / children, children)[:, None]
        return np.where(total > LEAST, weights / np.where(total > LEAST, total, 1.0), even)

    def strategy(self, board: int, node: int) -> Floats:
        """[action, place]: average strategy of the player who acts at a node of one board."""
        player = int(self.forest.kind[node])
        first, n = int(self.forest.slot[node]), int(self.forest.children[node])
        tables = self.tables[player]
        whole = tables.average16 if tables.compressed else tables.average  # a node's scale cancels
        table = whole.reshape(self.shape(player))[board, :, first : first + n]
        weights = np.moveaxis(table, 1, 0).reshape(n, -1).astype(np.float64)
        total = weights.sum(axis=0)
        played = total > LEAST
        free = np.where(played, weights / np.where(played, total, 1), 1 / n)
        return bind(tables, board, node, len(self.forest.kind), free)


def _padded(count: int) -> int:
    return -(-count // LANES) * LANES


def make_street(
    forest: StreetForest,
    boards: StreetBoards,
    chance: float,
    cards: int,
    predictive: bool,
    bits: int,
    apart: bool = False,
    elsewhere: bool = False,
) -> Street:
    """`apart`: with room for minimisers that run apart from the passes; `elsewhere`: without room for tables, which are on a device."""
    packed, hands = pack_betting(forest), pack_hands(boards)
    number = 0 if elsewhere else len(boards.cards)
    tables = [
        empty_tables(
            number * own.places * forest.slots[p],
            forest.slots[p],
            number * own.blocks * len(forest),
            predictive or apart,
            bits,
            apart,
        )
        for p, own in enumerate(boards.player)
    ]
    return Street(
        betting=forest,
        forest=packed,
        boards=boards,
        hands=hands,
        tables=(tables[0], tables[1]),
        payoff=pack_payoffs(forest, packed),
        factor=np.float32(chance),
        groups=np.ascontiguousarray(boards.groups.ravel()),
        card_numbers=cards + 2,
    )


def lock_street(street: Street, locks: Sequence[PlacedLock]) -> dict[int, LockArrays]:
    """Tell the tables of a street which hands are bound, how far, and to what; by player, not rounded to 32 bits."""
    tables, packed = list(street.tables), dict[int, LockArrays]()
    for p in range(2):
        here = [lock for lock in locks if lock.player == p]
        if here:
            packed[p] = lock_arrays(here, len(street.boards.cards), len(street.forest.kind))
            tables[p] = tables[p]._replace(
                locked=True,
                lock_of=packed[p].lock_of,
                lock_start=packed[p].lock_start,
                bound=packed[p].bound.astype(np.float32),
                fixed=packed[p].fixed.astype(np.float32),
            )
    street.tables = (tables[0], tables[1])
    return packed


def pack_betting(forest: StreetForest) -> kernels.Forest:
    """A street's betting, for the kernels."""
    kind = np.ascontiguousarray(forest.kind, dtype=np.int32)
    rows = [_reach_rows(forest.parent, kind, p) for p in range(2)]
    ends = [_ends(kind, rows[p]) for p in range(2)]
    whole = [np.array(a, dtype=np.int32) for a in (forest.first_child, forest.children, forest.slot, forest.next_root)]
    return kernels.Forest(
        kind=kind,
        first_child=whole[0],
        children=whole[1],
        slot=whole[2],
        next_root=whole[3],
        row0=rows[0],
        row1=rows[1],
        ends0=ends[0],
        ends1=ends[1],
        roots=int(forest.roots),
    )


def pack_hands(boards: StreetBoards) -> tuple[kernels.Hands, kernels.Hands]:
    """Both players' hands on all boards of a street, for the kernels."""
    first, second = (
        kernels.Hands(
            own.order.ravel(),
            own.card1.ravel(),
            own.card2.ravel(),
            own.twin.ravel(),
            own.images.ravel(),
            boards.first_image,
            boards.share.astype(np.float32),
            own.count,
            own.places,
            own.blocks,
            own.block,
        )
        for own in boards.player
    )
    return first, second


def pack_payoffs(forest: StreetForest, packed: kernels.Forest) -> tuple[kernels.Payoff, kernels.Payoff]:
    """What the ends of a street pay each player."""
    return _payoff(forest, packed.ends1, 0), _payoff(forest, packed.ends0, 1)


def empty_tables(entries: int, slots: int, scales: int, predictive: bool, bits: int, apart: bool) -> Any:
    """Empty tables; those that are not used have one entry."""
    wide, narrow = (entries, 1) if bits == 32 else (1, entries)
    scales = scales if bits == 16 else 1

    def floats(size: int) -> Floats32:
        out: Floats32 = aligned(size)
        return out

    regret, regret16, regret_scale = floats(wide), aligned(narrow, np.int16), floats(scales)
    return kernels.Tables(
        regret=regret,
        average=floats(wide),
        basis=floats(wide) if predictive else regret,
        slots=int(slots),
        predictive=predictive,
        locked=False,
        lock_of=np.full(1, -1, dtype=np.int32),
        lock_start=np.zeros(1, dtype=np.int64),
        bound=floats(1),
        fixed=floats(1),
        compressed=bits == 16,
        regret16=regret16,
        average16=aligned(narrow, np.uint16),  # averages are never negative
        basis16=aligned(narrow, np.int16) if predictive else regret16,
        regret_scale=regret_scale,
        average_scale=floats(scales),
        basis_scale=np.zeros_like(regret_scale) if predictive else regret_scale,
        noise=_NOISE,
        shared=False,
        model=floats(1),
        gain=floats(entries if apart else 1),
        memory=floats(entries if apart else 1),
    )


def _ends(kind: npt.NDArray[np.int32], rows: npt.NDArray[np.int32]) -> Any:
    """Lanes of the terminals by the reach rows of one player: a showdown and a fold that meet the same row share one."""
    nodes = len(kind)
    open_lanes: dict[int, list[int]] = {}  # row -> showdowns there that no fold has joined
    for node in np.flatnonzero(kind == kernels.SHOWDOWN).tolist():
        open_lanes.setdefault(int(rows[node]), []).append(node)
    shared, folds = list[tuple[int, int]](), list[tuple[int, int]]()
    for node in np.flatnonzero(kind == kernels.FOLD).tolist():
        waiting = open_lanes.get(int(rows[node]))
        if waiting:
            shared.append((waiting.pop(), node))
        else:
            folds.append((nodes + 1, node))  # no showdown: a row that nobody reads
    shows = [(node, nodes + 1) for waiting in open_lanes.values() for node in waiting]
    lanes = shows + shared + folds
    width = _padded(len(lanes))
    pairs = np.full((width, 2), nodes + 1, dtype=np.int32)
    pairs[: len(lanes)] = np.array(lanes, dtype=np.int32).reshape(-1, 2)
    row = np.full(width, nodes, dtype=np.int32)  # padding: a row that is always zero
    row[: len(lanes)] = rows[pairs[: len(lanes)].min(axis=1)]
    return kernels.Ends(
        row=row,
        showdown=np.ascontiguousarray(pairs[:, 0]),
        fold=np.ascontiguousarray(pairs[:, 1]),
        lanes=width,
        shown=_padded(len(shows) + len(shared)),
        unfolded=len(shows) // LANES * LANES if shared or folds else width,
    )


def _payoff(forest: StreetForest, ends: Any, player: int) -> Any:
    """Chips per unit of reach in each lane: folds pay one side, showdowns by strength, rake comes off the winner."""
    nodes = len(forest.kind)
    shown, folded = np.minimum(ends.showdown, nodes - 1), np.minimum(ends.fold, nodes - 1)
    win, lose, tie = (
        np.where(ends.showdown < nodes, amount[shown], 0.0) for amount in (forest.win, forest.lose, forest.tie)
    )
    assert np.allclose(tie, (win + lose) / 2.0), "a tie pays the mean of winning and losing"
    given_up = np.where(forest.folder[folded] == player, forest.lose[folded], forest.win[folded])
    return kernels.Payoff(
        difference=((win - lose) / 2.0).astype(np.float32),
        both=tie.astype(np.float32),
        folded=np.where(ends.fold < nodes, given_up, 0.0).astype(np.float32),
        raked=bool(np.any(tie != 0.0)),
    )


def _reach_rows(parent: npt.NDArray[Any], kind: npt.NDArray[np.int32], player: int) -> npt.NDArray[np.int32]:
    """Where a player's reach at a node is kept: its own row after own actions, else the row of the node above."""
    rows = np.arange(len(kind), dtype=np.int32)
    for n in range(len(kind)):
        if parent[n] >= 0 and kind[parent[n]] != player:
            rows[n] = rows[parent[n]]
    return rows


def make_scratch(street: Street, me: int) -> Any:
    """Node rows for my values and the opponent's reach (with a zero row and a spare one), terminal tables, card sums."""
    return scratch_for(street.forest, street.hands, me, street.card_numbers, shared=street.tables[1 - me].shared)


def scratch_for(forest: kernels.Forest, hands: Sequence[kernels.Hands], me: int, cards: int, *, shared: bool) -> Any:
    """The same for any betting and hands; `cards` are numbers of cards, `shared` says whether some hands follow a model."""
    mine, theirs = hands[me], hands[1 - me]
    rows = len(forest.kind) + 2
    ends = forest.ends1 if me == 0 else forest.ends0
    node = int(forest.children.max(initial=1)) * max(mine.size, theirs.size)
    sizes = {
        "reach": rows * theirs.size,
        "value": rows * mine.size,
        "terminal_reach": theirs.places * ends.lanes,
        "showdown_value": mine.places * ends.shown,
        "fold_value": mine.places * (ends.lanes - ends.unfolded),
        "cards": cards * LANES,
        "regret_rows": node,
        "average_rows": node,
        "spare": mine.places,
        "model_reach": rows * theirs.size if shared else 1,
    }
    apart = 64 // len(sizes)  # lines of a page between the beginnings
    return kernels.Scratch(**{name: aligned(n, stagger=1 + k * apart) for k, (name, n) in enumerate(sizes.items())})


def decisions_of_hands(forests: Sequence[StreetForest], streets: Sequence[Street]) -> int:
    """Decisions of all hands on all boards, suit-copies counted once each."""
    total = 0
    for forest, street in zip(forests, streets, strict=True):
        for player, own in enumerate(street.boards.player):
            total += int((forest.kind == player).sum()) * int((own.count * street.boards.copies).sum())
    return total
