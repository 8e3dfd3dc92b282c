"""What the postflop engine has found, as a policy of the plain rules of `spot_game` and `locked_spot_game`."""

from __future__ import annotations

import numpy as np

from reference.spot_game import cards_of


def run_policy(run, rules, free=lambda state, row: row):
    """The engine's average strategy at every infoset of the plain rules; `free` says what of it a state decides."""
    table = {}
    for path in [(), *[(b,) for b in range(len(run.streets[1].boards.cards) if len(run.streets) > 1 else 0)]]:
        street, board = run.streets[len(path)], path[-1] if path else 0
        cards = street.boards.cards[board]
        for node in np.flatnonzero(street.forest.kind < 2):
            player = int(street.forest.kind[node])
            strategy = street.strategy(board, int(node))
            for place, pair in enumerate(street.boards.player[player].pair[board]):
                if pair >= 0:
                    table[(len(path), cards[4] if path else None, int(node), player, cards_of(int(pair)))] = strategy[
                        :, place
                    ]
    out = rules.infosets.uniform().probabilities.copy()
    infosets = rules.infosets
    seen = set()
    stack = [rules.game.start()]
    while stack:
        state = stack.pop()
        if state.player >= 0:
            i = infosets.number(state.infoset(state.player)) if state.infoset(state.player) in infosets.keys else None
            if i is None:
                i = infosets.number(f"{state.player + 1}|{state.infoset(state.player)}")
            if i not in seen:
                seen.add(i)
                river = state.board[4] if state.depth else None
                row = table.get((state.depth, river, state.node, state.player, state.hands[state.player]))
                if row is not None:
                    out[infosets.first_slot[i] : infosets.first_slot[i + 1]] = free(state, row)
        count = len(state.chance()) if state.player == -1 else len(state.actions()) if state.player >= 0 else 0
        stack += [state.child(k) for k in range(count)]
    assert len(seen) == len(infosets)
    return type(infosets.uniform())(infosets, out)
