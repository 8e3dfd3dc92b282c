"""Local best response: a cheap player that knows a strategy and shows how badly it can be beaten ([Lisy17]; [Brown20, §5.2.3]).

It keeps the opponent's range by Bayes' rule and takes the action that is best if nobody bets afterwards. What it wins is
a lower bound of what a best response would win.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.player import Event, Player, StrategicPlayer, Strategy, View
from equilibrist.evaluation.play.aivat import SMALL_DECK, Aivat
from equilibrist.evaluation.play.referee import HandRecord, play_hand, view_of
from equilibrist.evaluation.play.statistics import Estimate, estimate
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.poker.rollouts import Rollouts
from equilibrist.games.rules import CHANCE

GRID = tuple(0.33 * 2.0**x for x in range(11))


@dataclass(frozen=True)
class RoundOptions:
    """What may be considered in a round: raises as shares of the pot (`a` all-in), folding, or only calls."""

    raises: tuple[float | str, ...] = ()
    may_fold: bool = True
    first_only: bool = False  # the raises are for the first action of the hand, which must raise or fold


CALL_ONLY = RoundOptions(may_fold=False)
FOLD_OR_CALL = RoundOptions()
OPENING = RoundOptions((0.75,), first_only=True)

# the three settings of [Brown20, §5.2.3 and Table 5.6], one stage a round
SETTINGS: dict[int, tuple[RoundOptions, ...]] = {
    1: (OPENING, FOLD_OR_CALL, FOLD_OR_CALL, FOLD_OR_CALL),
    2: (RoundOptions((0.75,), may_fold=False, first_only=True), RoundOptions(GRID), FOLD_OR_CALL, FOLD_OR_CALL),
    3: (CALL_ONLY, CALL_ONLY, RoundOptions((1.0, "a")), RoundOptions((1.0, "a"))),
}


class LocalBestResponse:
    """A player against one opponent whose strategy it may ask for."""

    def __init__(self, game: Poker, opponent: StrategicPlayer, setting: int = 1, runouts: int = 200) -> None:
        if game.players != 2 or game.rules.deck.merged:
            raise NotApplicableError(f"Local best response is for two players and cards with suits, not '{game.name}'.")
        if setting not in SETTINGS:
            raise ParameterError(f"Local best response has the settings 1, 2 and 3, but {setting} was given.")
        stages = SETTINGS[setting]
        self.stages = (*stages, *[stages[-1]] * len(game.rules.board))[: len(game.rules.board)]
        self.game, self.opponent = game, opponent
        self.rollouts = Rollouts(game.rules, most=runouts)

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        self.seat, self.node, self.line = seat, self.game.first, ""
        self.board: tuple[int, ...] = ()
        self.weights: Floats = np.ones(len(self.rollouts.hands))
        self.acted = False
        self.opponent.reset(1 - seat, rules, rng)

    def observe(self, event: Event) -> None:
        if event.kind == "action":
            if event.player != self.seat:
                self._learn(event.label)
            self.node = self.node.play(event.label)
        elif event.kind == "reveal":
            deck = self.game.rules.deck
            names = {deck.label(card): card for card in range(deck.size)}
            width = len(deck.label(0))
            dealt = [names[event.label[i : i + width]] for i in range(0, len(event.label), width)]
            self.board, self.node = (*self.board, *dealt), self.node.after_deal
        self.line = event.public_state
        self.opponent.observe(event)

    def act(self, view: View, deadline: float | None = None) -> str:
        assert view.chips is not None
        held, stage = view.chips.hole, self.stages[view.chips.round]
        first, self.acted = not self.acted, True
        worth = self._answers(view, stage, held)
        raises = stage.raises if first or not stage.first_only else ()
        for label in self._raises(view, raises):
            worth[label] = self._raise_worth(label, held, view)
        if stage.first_only and first and any(label[0] in "br" for label in worth):
            del worth[view.passive()]
        return max(worth, key=lambda label: worth[label])

    def _answers(self, view: View, stage: RoundOptions, held: tuple[int, ...]) -> dict[str, float]:
        assert view.chips is not None
        wins = self.rollouts.equity_against(held, self.weights, self.board)
        call = wins * view.chips.pot - (1.0 - wins) * view.chips.to_call
        worth = {view.passive(): call}
        if stage.may_fold and "f" in view.actions:
            worth["f"] = 0.0
        return worth

    def _raises(self, view: View, sizes: Sequence[float | str]) -> list[str]:
        labels = [view.raise_by(1e9 if size == "a" else float(size)) for size in sizes]
        return [label for label in dict.fromkeys(labels) if label[0] in "br"]

    def _raise_worth(self, label: str, held: tuple[int, ...], view: View) -> float:
        """The pot where they fold, equity against the hands that do not where they do not."""
        assert view.chips is not None
        after = self.node.play(label)
        stays = self.weights.copy()
        strategy = self._strategy(after, f"{self.line}:{label}" if self.line else label)
        if "f" in strategy.actions:
            stays *= 1.0 - strategy.probabilities[:, strategy.actions.index("f")]
        free = self.rollouts.free((*held, *self.board))
        total = float(self.weights[free].sum())
        folds = 1.0 - float(stays[free].sum()) / total if total > 0 else 0.0
        wins = self.rollouts.equity_against(held, stays, self.board)
        cost = after.paid[self.seat] - self.node.paid[self.seat]
        pot, bet = view.chips.pot, cost - view.chips.to_call
        return folds * pot + (1.0 - folds) * (wins * (pot + bet) - (1.0 - wins) * cost)

    def _strategy(self, node: BettingNode, line: str) -> Strategy:
        assert node.player != CHANCE
        state = PokerState(self.game, node, ((), ()), self.board, line)
        found = self.opponent.strategy(view_of(state, 1 - self.seat, public=True))
        if found is None:
            raise NotApplicableError("The player cannot state its strategy there, so no local best response is known.")
        return found

    def _learn(self, label: str) -> None:
        """Bayes' rule; an action that the strategy never takes teaches nothing."""
        strategy = self._strategy(self.node, self.line)
        if label in strategy.actions:
            updated = self.weights * strategy.probabilities[:, strategy.actions.index(label)]
            if updated.sum() > 0:
                self.weights = updated


@dataclass(frozen=True)
class LocalResponse:
    """Chips per hand that the local best response wins from a player, seats in turn, each deal from both of them."""

    won: Estimate
    adjusted: Estimate  # luck corrected: deals; with small decks, without faults, also the player's decisions, over all its hands


def local_best_response(
    game: Poker, make: Callable[[], Player], setting: int = 1, hands: int = 1000, seed: int = 0, runouts: int = 200
) -> LocalResponse:
    """Play it; luck is corrected by AIVAT ([Burch18]), which is unbiased whatever the responder does, since it sees no hidden card.

    A player that makes a fault in any hand has the deals alone corrected in all of them.
    """
    opponent, asked = make(), make()
    if not isinstance(asked, StrategicPlayer):
        raise NotApplicableError("Local best response needs a player that can state its strategy for every hand.")
    exploiter = LocalBestResponse(game, asked, setting, runouts)
    stated = game.rules.deck.size <= SMALL_DECK  # elsewhere deals alone: more precision for the time
    adjusters = {known: Aivat(game, known) for known in ((False, False), (True, False), (False, True))}
    samples = np.zeros((max(1, hands // 2), 2, 3))  # [deal, seat, won / adjusted by deals / by decisions too]
    for deal, seat in product(range(len(samples)), (0, 1)):
        players: tuple[Player, Player] = (exploiter, opponent) if seat == 0 else (opponent, exploiter)
        record = _hand(game, players, seat, deal, seed)
        stated = stated and not record.faults  # a fault is nobody's strategy, and which hands have one depends on cards
        by_deals = adjusters[False, False].adjusted(record, players)[seat]
        by_all = adjusters[seat == 1, seat == 0].adjusted(record, players)[seat] if stated else by_deals
        samples[deal, seat] = record.returns[seat], by_deals, by_all
    won, adjusted = samples[:, :, [0, 2 if stated else 1]].mean(axis=1).T
    return LocalResponse(estimate(won), estimate(adjusted))


def _hand(game: Poker, players: tuple[Player, Player], seat: int, deal: int, seed: int) -> HandRecord:
    """One hand of the responder in a seat; its own faults are refused."""
    draws = [random.Random(f"{seed}/{seat}/{p}/{deal}") for p in (0, 1)]
    record = play_hand(game, players, random.Random(f"{seed}/cards/{deal}"), draws)
    bad = [fault for fault in record.faults if fault.seat == seat]
    if bad:
        raise NotApplicableError(f"No local best response can be found: {bad[0].text}.")
    return record
