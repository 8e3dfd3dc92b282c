"""Stage abstraction: a game cut off before its last round, whose leaves are worth what simulated players would win ([Gilpin09, §7.2]).

Somebody's play of the last round is recorded as (place in the betting, value of the hand, action). The table of frequencies, smoothed,
then plays both sides of that round from any pot: that is the payoff of a truncated leaf. Earlier betting is ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.cards.deck import Deck
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.forms.betting_tree.betting_tree import DECISION, BettingTree, betting_tree
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.rules import PokerRules

Sample = tuple[str, float, str]  # betting of the round so far, value of the hand, action
OPPONENTS = 990  # hands of an opponent on the river
WIDTH = 25.0  # of one bucket of hand values


def hand_value(wins: float, ties: float, losses: float, *, symmetric: bool = False) -> float:
    """Value of a hand against all hands of an opponent: `w - l + d/2` as printed, or `w - l`."""
    return wins - losses + (0.0 if symmetric else ties / 2)


def truncated_payoff(share: float, win: float, lose: float) -> float:
    """The simple form: the pot goes to the better hand at once, without more betting."""
    return share * (win - lose)


def last_round(share: float, bet: float, cap: int) -> BettingTree:
    """The betting of one limit round that begins with `share` chips of each player in the pot."""
    rules = PokerRules(Deck(13, 4), board=(0,), menus=(Menu((f"{bet:g}c",)),), caps=(cap,), ante=share)
    return betting_tree(rules)


@dataclass(frozen=True)
class ActionTable:
    """How often each action is taken, by place in the betting and value of the hand."""

    rows: Mapping[str, Floats]  # line -> [bucket of values, action]; the middle bucket is that of value 0
    width: float = WIDTH

    def bucket(self, value: float, line: str) -> int:
        """The nearest multiple of the width; values beyond the ends count as the ends."""
        most = len(self.rows[line]) - 1
        number = math.floor(value / self.width + 0.5) + most // 2
        return min(max(number, 0), most)

    def probabilities(self, line: str, value: float) -> Floats:
        """Of the actions at a place."""
        return np.asarray(self.rows[line][self.bucket(value, line)])


def action_table(
    tree: BettingTree, samples: Iterable[Sample], *, highest: float = OPPONENTS, width: float = WIDTH
) -> ActionTable:
    """Frequencies of recorded play, each bucket averaged once with its two neighbours."""
    buckets = 2 * math.ceil(highest / width) + 1
    labels = {tree.line(int(n)): tree.actions(int(n)) for n in tree.decisions}
    empty = ActionTable({line: np.zeros((buckets, len(names))) for line, names in labels.items()}, width)
    for line, value, action in samples:
        if line not in labels or action not in labels[line]:
            raise ParameterError(f"A sample has '{action}' after '{line}', but this round does not offer it.")
        empty.rows[line][empty.bucket(value, line), labels[line].index(action)] += 1.0
    return smoothed_table(empty.rows, width=width)


def smoothed_table(counts: Mapping[str, Floats], *, width: float = WIDTH) -> ActionTable:
    """From how often each action was taken [bucket of values, action] at every place; expected numbers will do."""
    return ActionTable({line: _smoothed(np.asarray(rows)) for line, rows in counts.items()}, width)


def _smoothed(counts: Floats) -> Floats:
    """Shares of each bucket and its neighbours; buckets that were never met take those of the nearest that was."""
    met = np.flatnonzero(counts.sum(axis=1))
    if not len(met):
        return np.full(counts.shape, 1.0 / counts.shape[1])
    nearest = met[np.abs(np.arange(len(counts))[:, None] - met).argmin(axis=1)]
    shares = counts[nearest] / counts[nearest].sum(axis=1, keepdims=True)
    padded = np.vstack([np.zeros((1, shares.shape[1])), shares, np.zeros((1, shares.shape[1]))])
    smooth = padded[:-2] + padded[1:-1] + padded[2:]
    return np.asarray(smooth / smooth.sum(axis=1, keepdims=True))


def play_out(tree: BettingTree, table: ActionTable, values: tuple[float, float], strengths: tuple[int, int]) -> Floats:
    """[2] expected net chips when both players act by the table, for two hands and who of them would win."""
    worth: npt.NDArray[np.float64] = np.zeros((len(tree), 2))
    for n in range(len(tree) - 1, -1, -1):  # children stand after their parents
        if tree.kind[n] != DECISION:
            worth[n] = tree.payoffs(n, strengths)
            continue
        first = int(tree.first_child[n])
        row = table.probabilities(tree.line(n), values[int(tree.player[n])])
        worth[n] = row @ worth[first : first + int(tree.children[n])]
    return np.asarray(worth[0])


def round_worth(tree: BettingTree, table: ActionTable) -> tuple[Floats, Floats]:
    """[bucket, bucket, outcome] what both players' acting by the table is worth to the first: its part of the pot, and bets won.

    The tree has one chip of each player in the pot and bets of one chip (`last_round(1, 1, cap)`); the outcome is 0 where the first
    player has the weaker hand, 1 where hands are equal, 2 where it has the better one. Net chips are `share · part + bet · bets`.
    """
    count = len(table.rows[""])
    share, bets = np.zeros((2, len(tree), count, count, 3))
    for n in range(len(tree) - 1, -1, -1):  # children stand after their parents
        if tree.kind[n] == DECISION:
            first, player = int(tree.first_child[n]), int(tree.player[n])
            for action, chances in enumerate(table.rows[tree.line(n)].T):
                weight = chances[:, None, None] if player == 0 else chances[None, :, None]
                share[n] += weight * share[first + action]
                bets[n] += weight * bets[first + action]
            continue
        sign = np.arange(-1.0, 2.0) if not tree.folded[n] else np.full(3, 1.0 if tree.folded[n] == 2 else -1.0)
        share[n] = sign
        bets[n] = sign * (float(tree.paid[n].min()) - 1.0)
    return share[0], bets[0]
