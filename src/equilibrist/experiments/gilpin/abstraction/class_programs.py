"""Linear programs of poker with classes of hands: how large they are, and what hands that cannot lose leave out of them.

Nothing is built. In the last round a hand that cannot lose need not fold, nor call where it may raise, nor check where that ends the
betting: this is the rule behind the published counts of dominated sequences ([Gilpin09, §5.2.1]).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Bools
from equilibrist.forms.hand_classes.betting_rounds import BettingRound, betting_rounds
from equilibrist.forms.hand_classes.classes import HandClasses
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.forms.hand_classes.showdowns import showdowns
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.linear_programs.program_size import ProgramSize


def size_with_classes(rules: PokerRules, classes: Sequence[int]) -> ProgramSize:
    """Of a two-player game in which players tell apart so many classes in each betting round."""
    rounds = betting_rounds(rules)
    sequences = tuple(1 + sum(b.columns[p].count * classes[b.number] for b in rounds) for p in range(2))
    infosets = tuple(sum(b.columns[p].infosets * classes[b.number] for b in rounds) for p in range(2))
    return ProgramSize((sequences[0], sequences[1]), (infosets[0], infosets[1]))


def size_of_form(form: KroneckerForm) -> ProgramSize:
    """The same with the non-zeros that the classes imply."""
    return ProgramSize(form.sequences, form.infosets, form.payoff_nonzeros)


def idle_columns(betting: BettingRound, player: int) -> npt.NDArray[np.int64]:
    """Columns (walk order) of a last round that a hand which cannot lose need not play.

    Folding; and whatever shows the cards at once where one may bet or raise instead.
    """
    columns = betting.columns[player]
    mine = np.flatnonzero(betting.closer == player)
    place = columns.place[betting.leaf_column[mine, player], 1]
    folds = place[mine < betting.folds]
    shows = place[mine >= betting.folds]
    ends = np.isin(np.arange(columns.count), place)
    infoset = np.repeat(np.arange(columns.infosets), columns.actions)
    goes_on = np.zeros(columns.infosets, np.bool_)
    goes_on[infoset[~ends]] = True  # some action bets or raises
    return np.sort(np.concatenate([folds, shows[goes_on[infoset[shows]]]]))


def cannot_lose(rules: PokerRules, classes: HandClasses) -> Bools:
    """[classes of the last round]: no opponent's hand beats any hand of the class."""
    loses = np.zeros(classes.counts[-1], np.bool_)
    for part in showdowns(rules):
        hands = classes.table[-1][part.hand[classes.seen[-1]]]
        loses[hands[part.outcomes()[:, :, 2] > 0]] = True
    return ~loses


def unbeatable_sequences(form: KroneckerForm) -> Bools:
    """[sequences of both players]: what classes that cannot lose need not play in the last round."""
    gone = np.zeros(int(form.offset[2]), np.bool_)
    for p in range(2):
        layout, betting = form.layouts[p], form.rounds[-1]
        rows = np.flatnonzero(cannot_lose(form.rules, form.hand_classes(p)))
        first = int(form.offset[p] + layout.base[-1])
        gone[(first + rows[:, None] * layout.count[-1] + idle_columns(betting, p)).ravel()] = True
    return gone


def unbeatable_hands(rules: PokerRules) -> int:
    """Complete hands, all cards told apart and boards in order, that cannot lose: 7,152 in Rhode Island hold'em."""
    return sum(int(((part.outcomes()[:, :, 2] == 0) * part.weight[:, None]).sum()) for part in showdowns(rules))


def idle_counts(rules: PokerRules) -> tuple[int, int]:
    """Sequences that a hand which cannot lose need not play: (245, 294) in Rhode Island hold'em, 5 and 6 after each history."""
    last = betting_rounds(rules)[-1]
    return len(idle_columns(last, 0)), len(idle_columns(last, 1))
