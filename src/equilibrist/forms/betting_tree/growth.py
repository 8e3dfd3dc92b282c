"""Growing the arrays of a betting tree in room of a given size."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.betting_tree._kernels import betting_tree as kernels
from equilibrist.forms.betting_tree.menu_tables import MenuTables
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL

MOST_NODES = 2**31 - 1  # indices are 32 bits


def bytes_per_node(players: int) -> int:
    """While growing; afterwards a tree is smaller."""
    return 60 + 8 * players


def first_decision(rules: PokerRules) -> BettingNode:
    """Where betting begins, after deals without betting."""
    root = first_node(rules)
    while root.player == CHANCE:
        root = root.after_deal
    if root.player == TERMINAL:
        raise NotApplicableError("Nobody can bet under these rules, so there is no betting tree; give deeper stacks.")
    return root


def grow(rules: PokerRules, room: int) -> dict[str, npt.NDArray[Any]] | None:
    """The arrays of `BettingTree` by name, or None if the tree has more than `room` nodes."""
    root, tables = first_decision(rules), MenuTables.of(rules)
    player, kind, round, step = (np.zeros(room, np.int8) for _ in range(4))
    parent, first_child, children, folded = (np.zeros(room, np.int32) for _ in range(4))
    amount, last, paid = np.zeros(room), np.zeros(room), np.zeros((room, rules.players))
    state = np.zeros((room, 3), np.int32)
    parent[0], step[0], player[0], round[0], paid[0] = -1, -1, root.player, root.round, root.paid
    state[0], last[0] = (root.waiting, root.bets, 0), root.last_raise
    stacks = np.array([rules.stack_of(p) for p in range(rules.players)], dtype=np.float64)
    first = np.array([rules.first_to_act(r) for r in range(len(rules.board))], dtype=np.int64)
    count = kernels.grow(
        stacks, np.array(rules.caps, dtype=np.float64), first, float(rules.minimum_bet), rules.raise_at_least_last,
        rules.half_street, any(rules.blinds), tables.first, tables.last, tables.lift, tables.kinds, tables.values,
        tables.shares, tables.commit_rule, player, kind, round, parent, first_child, children, step, amount, paid, folded,
        state, last, np.zeros(room, np.int32), np.zeros(tables.widest),
    )  # fmt: skip
    if count < 0:
        return None
    arrays: dict[str, npt.NDArray[Any]] = {
        "player": player, "kind": kind, "round": round, "parent": parent, "first_child": first_child, "children": children,
        "step": step, "amount": amount, "paid": paid, "folded": folded,
    }  # fmt: skip
    return {name: array[:count].copy() for name, array in arrays.items()}
