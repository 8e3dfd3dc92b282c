"""After a hand: what the opponent could hold, and what each own decision was worth against it, as far as that can be computed.

Ranges need an opponent that states its strategy (`StrategicPlayer`); exact values need a game small enough to ask the opponent everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from equilibrist.agents.tabulate import tabulate
from equilibrist.cards.equity import equity
from equilibrist.cards.evaluator import all_hands
from equilibrist.cards.range_text import STANDARD
from equilibrist.cards.ranges import Range
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError
from equilibrist.core.player import Player, StrategicPlayer, View
from equilibrist.forms.compiled import Compiled
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import Game
from equilibrist.solvers.cfr._kernels.history_cfr import reach_down
from equilibrist.solvers.responses.best_response import best_response

SMALL = 200_000  # histories of a game in which every decision is valued


@dataclass(frozen=True)
class Decided:
    """An action and the view it was taken from."""

    view: View
    action: str


def public_view(view: View) -> View:
    """What everybody knows of a place."""
    return replace(view, infoset="", chips=replace(view.chips, hole=()) if view.chips else None)


def range_after(
    game: Game, player: Player, decisions: Sequence[Decided], gone: Sequence[int] = ()
) -> dict[str, float] | None:
    """Weight of every hand that a player can hold after its decisions, the largest being 1; None where that is not known.

    `gone` are cards that it cannot hold.
    """
    if not isinstance(game, Poker) or not isinstance(player, StrategicPlayer) or game.rules.deck.merged:
        return None
    weights = hand_weights(game, player, decisions, gone)
    if weights is None or not weights.max() > 0.0:
        return None
    weights /= weights.max()
    hands = all_hands(game.rules.deck, game.rules.hole)
    return {game.hole_label(tuple(map(int, hands[i]))): float(weights[i]) for i in np.flatnonzero(weights)[::-1]}


def hand_weights(
    game: Poker, player: StrategicPlayer, decisions: Sequence[Decided], gone: Sequence[int]
) -> Floats | None:
    """[hand] how likely a player does what it did with each hand; None where it does not say. `gone` are cards it cannot hold."""
    hands = all_hands(game.rules.deck, game.rules.hole)
    weights: Floats = np.where(np.isin(hands, list(gone)).any(axis=1), 0.0, 1.0)
    for decision in decisions:
        stated = player.strategy(public_view(decision.view))
        if stated is None:
            return None
        if decision.action not in stated.actions:
            return None  # it did what it says it never does
        weights = weights * stated.probabilities[:, stated.actions.index(decision.action)]
    return weights


def equity_against(
    game: Game, player: Player, decisions: Sequence[Decided], hole: Sequence[int], board: Sequence[int]
) -> float | None:
    """All-in equity of a hold'em hand against the range of a player; None before the flop and where the range is not known."""
    holdem = isinstance(game, Poker) and game.rules.deck == STANDARD and len(hole) == 2
    if not holdem or len(board) < 3 or not isinstance(player, StrategicPlayer) or not isinstance(game, Poker):
        return None
    weights = hand_weights(game, player, decisions, [*hole, *board])
    if weights is None or not weights.max() > 0.0:
        return None
    mine = np.zeros(len(weights))
    high, low = max(hole), min(hole)
    mine[high * (high - 1) // 2 + low] = 1.0
    return float(equity(Range(mine), Range(weights / weights.max()), tuple(board)).equity[0])


class ExactReview:
    """Values of every action against one opponent in a small game: what it is worth to take it and to play on perfectly."""

    def __init__(self, game: Game, opponent: Player) -> None:
        self.compiled = Compiled(game)
        policy = tabulate(opponent, game)
        tree = self.compiled.tree
        reach = np.empty((tree.histories, tree.players + 1))
        reach_down(tree.nodes, policy.probabilities, reach)
        self.response = [best_response(self.compiled, policy, seat) for seat in range(2)]
        others = [np.prod(np.delete(reach, seat, axis=1), axis=1) for seat in range(2)]
        acting = [tree.player == seat for seat in range(2)]
        self.arrival = [
            np.bincount(tree.infoset[acting[seat]], others[seat][acting[seat]], len(tree.infosets)) for seat in range(2)
        ]

    @classmethod
    def of(cls, game: Game, opponent: Player) -> ExactReview | None:
        """None where the game is too large or the opponent cannot be written out."""
        if isinstance(game, Poker) and game.dealer.hole_count > SMALL:  # counting on would take seconds
            return None
        size = game.histories()
        if size is None or size > SMALL or game.players != 2:
            return None
        try:
            return cls(game, opponent)
        except EquilibristError:
            return None

    def values(self, seat: int, infoset: str) -> dict[str, float] | None:
        """Expected chips of each action, given that the infoset is reached; None where this opponent never lets it come to that."""
        infosets = self.compiled.infosets
        number = infosets.number(infoset)
        arrival = float(self.arrival[seat][number])
        if arrival <= 0.0:
            return None
        first, end = infosets.first_slot[number], infosets.first_slot[number + 1]
        worth = self.response[seat].slot_value[first:end] / arrival
        return dict(zip(infosets.actions[number], worth.tolist(), strict=True))
