"""What the passes over boards read and write: one street's betting, hands, tables and scratch memory.

All arrays are flat. Tables are laid out [board, block, slot, hand], node rows [node, hand], terminal tables [hand, lane]; hands of a board
are sorted by strength on the last street.
"""

from typing import Any, NamedTuple

import numpy as np

# what a pass does
LEARN, VALUE, RESPOND, GAIN = 0, 1, 2, 3  # GAIN: as LEARN, but regrets of this iteration are only written down
# kinds of nodes beyond the two players
FOLD, SHOWDOWN, DEAL = 2, 3, 4

ZERO = np.float32(0.0)
ONE = np.float32(1.0)


class Ends(NamedTuple):
    """Where lines end, by the reach rows of one player, L lanes padded to sixteens.

    A bet that is called or folded to is one lane: both ends meet the same hands. Lanes with showdowns alone come first, those with folds
    alone last.
    """

    row: Any  # [L] reach row; padding: one that is always zero
    showdown: Any  # [L] node of the showdown there; none: a row that nobody reads
    fold: Any  # [L] node of the fold there; none: a row that nobody reads
    lanes: int  # L
    shown: int  # lanes up to the last showdown, in sixteens
    unfolded: int  # lanes before the first fold, in sixteens


class Forest(NamedTuple):
    """The betting lines of one street: N nodes in breadth-first order, roots first."""

    kind: Any  # [N] player who acts, FOLD, SHOWDOWN or DEAL
    first_child: Any  # [N]
    children: Any  # [N] how many
    slot: Any  # [N] first slot of the acting player
    next_root: Any  # [N] root of the next street, at deals
    row0: Any  # [N] row with player 0's reach: that of the node, or of a node above where it did not act since
    row1: Any  # [N] the same for player 1
    ends0: Ends  # by player 0's reach
    ends1: Ends
    roots: int


class Street(NamedTuple):
    """One street: its betting, and its B boards."""

    forest: Forest
    group_start: Any  # [B + 1] first group of equal strength of each board
    groups: Any  # [2 G] first place of each group, for each player
    first_below: Any  # [B + 1] first board of the next street below each board
    factor: Any  # [] float32 probability of one particular board, given the one before and both hands


class Hands(NamedTuple):
    """One player's hands on B boards, P places each."""

    order: Any  # [B * P] place on the board before; the padding points at a column that is zero
    card1: Any  # [B * P]
    card2: Any  # [B * P]
    twin: Any  # [B * P] place of the same hand in the other player's list or -1
    images: Any  # [images * P] where relabellings of suits take each place
    first_image: Any  # [B + 1] first image of each board
    share: Any  # [B] float32 weight of its values on the board before
    count: Any  # [B] hands
    places: int  # P
    blocks: int
    size: int  # places of a block


class Tables(NamedTuple):
    """What one player learns: E = boards * blocks * slots * size entries, N nodes, K locks.

    With `compressed` the tables are 16-bit, one scale per (board, block, node); a node is then unpacked into rows of the scratch memory
    before it is worked on.
    With `shared` a part of the player's hands follows the strategy `model` from beginning to end and learns nothing; reach that comes
    from a board above then has a second half, that of this part.
    `gain` and `memory` serve minimisers that have no fused pass.
    """

    regret: Any  # [E]
    average: Any  # [E]
    basis: Any  # [E] what strategies are made of: the regrets, or with predictive regret matching the last one counted again
    slots: int  # of the player on this street
    predictive: bool
    locked: bool
    lock_of: Any  # [boards * N] number of the lock at a node or -1
    lock_start: Any  # [K] where `fixed` of a lock begins
    bound: Any  # [K * P] share of its strategy that a hand does not choose; regrets and averages are those of the rest
    fixed: Any  # [lock_start + action * P + place] what it does with that share
    compressed: bool
    regret16: Any  # [E] with sign
    average16: Any  # [E] without sign
    basis16: Any  # [E] with sign
    regret_scale: Any  # [boards * blocks * N]
    average_scale: Any  # [boards * blocks * N]
    basis_scale: Any  # [boards * blocks * N]
    noise: Any  # [NOISES + 1 + 16] see `pack_fairly`
    shared: bool
    model: Any  # [E]
    gain: Any  # [E] regrets of this iteration
    memory: Any  # [E] what a minimiser remembers besides


class Payoff(NamedTuple):
    """What one player is paid, by lanes of the opponent's reach."""

    difference: Any  # [L] for weaker minus stronger reach at a showdown
    both: Any  # [L] for any reach at a showdown: nothing without rake
    folded: Any  # [L] for any reach at a fold
    raked: bool


class Scratch(NamedTuple):
    """Memory of one thread for passes of one player: its own values, the opponent's reach. R rows, one per node and two more."""

    reach: Any  # [R * hands]
    value: Any  # [R * hands]
    terminal_reach: Any  # [places * L]
    showdown_value: Any  # [places * shown] what showdowns pay
    fold_value: Any  # [places * (L - unfolded)] what folds pay
    cards: Any  # [cards * 16] reach by card, sixteen lanes at a time
    regret_rows: Any  # [actions * hands] a node of 16-bit tables, unpacked
    average_rows: Any  # [actions * hands]
    spare: Any  # [places]
    model_reach: Any  # [R * hands] of hands that follow a model


class Side(NamedTuple):
    """One player on one street."""

    hands: Hands
    tables: Tables
    payoff: Payoff
    scratch: Scratch


class Links(NamedTuple):
    """What comes from the street before and goes back there, R roots."""

    reach: Any  # [R * reach_width] the opponent's
    reach_width: int
    value: Any  # [R * value_width] mine
    value_width: int


class Weights(NamedTuple):
    """Factors of this iteration."""

    positive: Any  # [] float32, of positive regrets
    negative: Any  # [] float32
    keep: Any  # [] float32, of the average so far


class Games(NamedTuple):
    """How far each of G games of one street has come; their betting has one shape, their weights follow one another.

    Rows of weights have as many places as `Hands` says, `group_start` is [2 G]: groups of each are counted anew.
    """

    open: Any  # [G] whether it is played
    iteration: Any  # [G] made so far
    last: Any  # [G] iteration to end at
    check: Any  # [G] float64, when to look next; inf: never
    goal: Any  # [G] float64, exploitability to end at
    normaliser: Any  # [G] float64, weight of all pairs of hands
    found: Any  # [G] float64, exploitability at the last check
    found_at: Any  # [G] its iteration
    first_group: Any  # [G] row of `groups` where it begins
