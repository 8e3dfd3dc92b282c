"""External and outcome sampling on boards: two hands are drawn, the betting is walked, later cards are drawn on the way.

A row of `table` is one infoset, as in `sampling.py`; the rows of one hand on one board lie side by side.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.mccfr._kernels.sampling import (
    draw_action,
    match_again,
    regret_actions,
    regret_sampled,
    uniform,
)

FOLD, SHOWDOWN, DEAL = 2, 3, 4
BEGIN, PLACES, SLOTS = 0, 1, 2  # columns of `pages`


class SpotWalk(NamedTuple):
    """N betting nodes of R streets, B boards of all streets, H hands, W places of them on a board, D cells to draw hands from."""

    nodes: Any  # [N, 5] int32: kind (a player, FOLD, SHOWDOWN, DEAL), first child (DEAL: root below), children, slot, street
    folder: Any  # [N] int32 who has folded
    amounts: Any  # [N, 3] float64: payoff of the winner, of the loser, of each in a tie
    pages: Any  # [2 R, 3] int64: where the rows of a street and player begin, places on a board, slots
    where: Any  # [2, B, H] int32: place of a player's hand on a board, -1 where a card of it lies there
    strength: Any  # [2, B, W] int32 order of hands on the river
    dealt: Any  # [B + 1] int32: first of the boards one street further
    cards: Any  # [H, 2] int32; of hands of one card the same twice
    chance: Any  # [2, D] float64 alias tables: own hand of a cell or the other one
    other: Any  # [2, D] int32
    live: Any  # [2, D] int32: hand of a cell


@kernel
def draw_hand(chance, other, u):
    """A hand from its alias table: one cell, and whether its own hand or the other one in it."""
    cell = u * chance.shape[0]
    i = min(int(cell), chance.shape[0] - 1)
    return i if cell - i < chance[i] else other[i]


@kernel
def draw_board(dealt, where, player, first, second, board, random):
    """A board one street further, dealt evenly among the cards that neither the player nor the other one holds."""
    begin, count = dealt[board], dealt[board + 1] - dealt[board]
    while True:
        child = begin + min(int(uniform(random) * count), count - 1)
        if where[player, child, first] >= 0 and where[1 - player, child, second] >= 0:
            return child


@kernel
def row_of(pages, where, street, player, board, hand):
    """First entry of a hand's rows on a board."""
    page = 2 * street + player
    place = board * pages[page, PLACES] + where[player, board, hand]
    return pages[page, BEGIN] + 3 * place * pages[page, SLOTS]


@kernel
def payoff(n, kind, player, board, mine, theirs, folder, amounts, where, strength):
    """What a leaf pays to the player."""
    if kind == FOLD:
        return amounts[n, 1] if folder[n] == player else amounts[n, 0]
    own = strength[player, board, where[player, board, mine]]
    other = strength[1 - player, board, where[1 - player, board, theirs]]
    return amounts[n, 0] if own > other else amounts[n, 1] if own < other else amounts[n, 2]


@kernel
def draw_pair(spot, player, tally, random):
    """Hands of the walking player and of the other one that share no card."""
    cards, chance, other, live = spot.cards, spot.chance, spot.other, spot.live
    while True:
        mine = live[player, draw_hand(chance[player, : tally[1 + player]], other[player], uniform(random))]
        theirs = live[
            1 - player, draw_hand(chance[1 - player, : tally[2 - player]], other[1 - player], uniform(random))
        ]
        if cards[mine, 0] != cards[theirs, 0] and cards[mine, 0] != cards[theirs, 1]:
            if cards[mine, 1] != cards[theirs, 0] and cards[mine, 1] != cards[theirs, 1]:
                return mine, theirs


@kernel
def sample_spot_outcomes(spot, iterations, limit, exploration, table, random, tally, frames, values):
    """Outcome sampling: one line of play per walk; the walking player explores ([Lanctot09], 4). Otherwise as `sample_spot`."""
    nodes, folder, amounts, pages, where = spot.nodes, spot.folder, spot.amounts, spot.pages, spot.where
    seen = tally[0]
    for iteration in range(iterations):
        for player in range(2):
            mine, theirs = draw_pair(spot, player, tally, random)
            depth, n, board = 0, 0, 0
            drawn = 1.0  # probability of the walking player's sampled actions
            while True:
                seen += 1
                kind, first, width, street = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 4]
                if kind == player:
                    base = row_of(pages, where, street, player, board, mine) + 3 * nodes[n, 3]
                    u = uniform(random)
                    if u < exploration:
                        action = min(int(u / exploration * width), width - 1)
                    else:
                        action = draw_action(table, base + width, width, (u - exploration) / (1.0 - exploration))
                    p = table[base + width + action]
                    drawn *= exploration / width + (1.0 - exploration) * p
                    frames[depth, 0], frames[depth, 1], frames[depth, 2] = action, n, board
                    values[depth, 0] = p
                    depth += 1
                    n = first + action
                elif kind < FOLD:
                    row = row_of(pages, where, street, kind, board, theirs) + 3 * nodes[n, 3] + width
                    for s in range(row, row + width):
                        table[s + width] += table[s] / drawn
                    n = first + draw_action(table, row, width, uniform(random))
                elif kind == DEAL:
                    board = draw_board(spot.dealt, where, player, mine, theirs, board, random)
                    n = first
                else:
                    break
            value = payoff(n, nodes[n, 0], player, board, mine, theirs, folder, amounts, where, spot.strength) / drawn
            for d in range(depth - 1, -1, -1):
                action, n, board = frames[d, 0], frames[d, 1], frames[d, 2]
                width = nodes[n, 2]
                base = row_of(pages, where, nodes[n, 4], player, board, mine) + 3 * nodes[n, 3]
                value = regret_sampled(table, base, width, action, values[d, 0], value)
                match_again(table, base, width)
        tally[0] = seen
        if seen >= limit:
            return iteration + 1
    return iterations


@kernel
def sample_spot(spot, iterations, limit, table, random, tally, frames, values):
    """One walk per player and iteration; returns the iterations done, fewer than asked for after `limit` nodes.

    `tally[0]` counts nodes of the betting: decisions, leaves and dealt cards, but not the draw of the hands; `tally[1 + player]`
    says how many cells of the alias tables a player uses. `frames` [depth, 3] and `values` [depth, widest] are scratch.
    """
    nodes, folder, amounts, pages, where = spot.nodes, spot.folder, spot.amounts, spot.pages, spot.where
    strength, dealt = spot.strength, spot.dealt
    seen = tally[0]
    for iteration in range(iterations):
        for player in range(2):
            mine, theirs = draw_pair(spot, player, tally, random)
            depth, n, board, value = -1, 0, 0, 0.0
            while True:
                while True:  # down to a leaf; own nodes are remembered
                    seen += 1
                    kind, first, width, street = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 4]
                    if kind == player:
                        depth += 1
                        frames[depth, 0], frames[depth, 1], frames[depth, 2] = 0, n, board
                        n = first
                    elif kind < FOLD:
                        row = row_of(pages, where, street, kind, board, theirs) + 3 * nodes[n, 3] + width
                        u = uniform(random)
                        action = 0
                        for s in range(row, row + width):
                            p = table[s]
                            table[s + width] += p
                            u -= p
                            action += u >= 0.0
                        n = first + min(action, width - 1)
                    elif kind == DEAL:
                        board = draw_board(dealt, where, player, mine, theirs, board, random)
                        n = first
                    else:
                        value = payoff(n, kind, player, board, mine, theirs, folder, amounts, where, strength)
                        break
                while depth >= 0:  # up to an own node with actions left
                    action, n, board = frames[depth, 0], frames[depth, 1], frames[depth, 2]
                    values[depth, action] = value
                    action += 1
                    width = nodes[n, 2]
                    if action < width:
                        frames[depth, 0] = action
                        n = nodes[n, 1] + action
                        break
                    base = row_of(pages, where, nodes[n, 4], player, board, mine) + 3 * nodes[n, 3]
                    value = regret_actions(table, base, width, values, depth)
                    match_again(table, base, width)  # nobody comes here twice in a walk
                    depth -= 1
                if depth < 0:
                    break
        tally[0] = seen
        if seen >= limit:
            return iteration + 1
    return iterations
