"""A game played with classes of hands, written down plainly: walk every history and name sequences by class and line."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from equilibrist.forms.hand_classes.classes import HandClasses
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import CHANCE, TERMINAL

Sequence = tuple[tuple[int, int, str, int], ...]  # (round, class, betting line, action), one for each own action so far


def walk_classes(game: Poker, classes: tuple[HandClasses, HandClasses]) -> dict[tuple[Sequence, Sequence], float]:
    """Payoff to the first player times chance, by the sequences of both."""
    payoff: dict[tuple[Sequence, Sequence], float] = defaultdict(float)

    def visit(state: PokerState, chance: float, own: tuple[Sequence, Sequence]) -> None:
        if state.player == TERMINAL:
            payoff[own] += chance * state.returns()[0]
        elif state.player == CHANCE:
            for index, (_, probability) in enumerate(state.chance()):
                visit(state.child(index), chance * probability, own)
        else:
            p, number = state.player, state.node.round
            cards = distinct(game, (*state.hole[p], *state.board))
            place = (number, int(classes[p].find(np.array([cards]), number)[0]), state.node.line)
            for action in range(len(state.actions())):
                longer = (*own[p], (*place, action))
                visit(state.child(action), chance, (longer, own[1]) if p == 0 else (own[0], longer))

    visit(game.start(), 1.0, ((), ()))
    return payoff


def distinct(game: Poker, cards: tuple[int, ...]) -> tuple[int, ...]:
    """Where suits are merged, cards of one rank are written alike: give them suits again."""
    if not game.rules.deck.merged:
        return cards
    out: list[int] = []
    for card in cards:
        while card in out:
            card += 1
        out.append(card)
    return tuple(out)
