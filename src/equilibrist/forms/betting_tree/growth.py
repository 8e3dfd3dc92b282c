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
    if rules.dead:
        raise NotApplicableError("An ante that only some players post has no place in a betting tree.")
    root, tables = first_decision(rules), MenuTables.of(rules)
    tree = kernels.Grown(
        player=np.zeros(room, np.int8),
        kind=np.zeros(room, np.int8),
        round=np.zeros(room, np.int8),
        parent=np.zeros(room, np.int32),
        first_child=np.zeros(room, np.int32),
        children=np.zeros(room, np.int32),
        step=np.zeros(room, np.int8),
        amount=np.zeros(room),
        paid=np.zeros((room, rules.players)),
        folded=np.zeros(room, np.int32),
        state=np.zeros((room, 3), np.int32),
        last=np.zeros(room),
    )
    tree.parent[0], tree.step[0], tree.player[0], tree.round[0], tree.paid[0] = (
        -1,
        -1,
        root.player,
        root.round,
        root.paid,
    )
    tree.state[0], tree.last[0] = (root.waiting, root.bets, 0), root.last_raise
    betting = kernels.BettingRules(
        stacks=np.array([rules.stack_of(p) for p in range(rules.players)], dtype=np.float64),
        caps=np.array(rules.caps, dtype=np.float64),
        first_actor=np.array([rules.first_to_act(r) for r in range(len(rules.board))], dtype=np.int64),
        minimum_bet=float(rules.minimum_bet),
        at_least_last=rules.raise_at_least_last,
        half_street=rules.half_street,
        blind_is_bet=any(rules.blinds),
        unit=float(rules.bet_unit),
    )
    menus = kernels.Menus(
        tables.first, tables.last, tables.lift, tables.kinds, tables.values, tables.shares, tables.commit_rule
    )
    count = kernels.grow(betting, menus, tree, np.zeros(room, np.int32), np.zeros(tables.widest))
    if count < 0:
        return None
    kept = ("player", "kind", "round", "parent", "first_child", "children", "step", "amount", "paid", "folded")
    return {name: getattr(tree, name)[:count].copy() for name in kept}
