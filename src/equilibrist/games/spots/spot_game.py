"""SpotGame: a postflop spot as a game that can be played: hands dealt by the ranges, betting by the menus, later cards from the deck."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import evaluate
from equilibrist.cards.range_text import STANDARD, hand_name, hands_of
from equilibrist.core.player import Chips
from equilibrist.core.reading import parse_json
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_rules import spot_label, spot_start
from equilibrist.games.spots.spot_values import PREFIX
from equilibrist.games.spots.street_menus import chips_text

_HANDS = hands_of(STANDARD)


def spot_game_name(spot: Spot) -> str:
    """The name of a spot's game: all of the spot but its locks, which are strategies, not rules."""
    table = {key: value for key, value in spot.table().items() if key != "lock"}
    return PREFIX + json.dumps(table, separators=(",", ":"))


def load_spot_game(text: str) -> SpotGame:
    """From a spot file (`turn.toml`) or from the name that a spot's game has."""
    if not text.startswith(PREFIX):
        return SpotGame(Spot.from_toml(Path(text)))
    table = parse_json(
        text.removeprefix(PREFIX), f"The spot in '{text[:60]}'", "give a spot file (.toml) instead of its name"
    )
    return SpotGame(Spot.from_table(table))


class SpotGame(Game):
    """Two players, oop first; payoffs are chips net of half the starting pot, so that a fold at once loses half of it."""

    players = 2

    def __init__(self, spot: Spot) -> None:
        self.spot = spot.changed(lock=()) if spot.locks else spot
        self.name = spot_game_name(spot)
        self.pot = spot.pot
        self.zero_sum = not spot.rake.rate
        self.deck: Deck = STANDARD
        self.first = spot_start(self.spot)
        self._labels: dict[tuple[object, ...], tuple[str, ...]] = {}

    @property
    def short_name(self) -> str:
        spot = self.spot
        return f"spot {spot.board_text}, pot {chips_text(spot.pot)}, stack {chips_text(spot.stack)}"

    def start(self) -> SpotState:
        return SpotState(self, (), self.spot.board, self.first, "")

    def labels(self, node: BettingNode) -> tuple[str, ...]:
        """The actions of a betting situation; remembered, as every hand comes here again."""
        if node.player < 0:
            return ()
        key = (node.round, node.player, node.paid, node.at_start, node.bets, node.waiting, node.last_raise, node.caller)
        found = self._labels.get(key)
        if found is None:
            found = tuple(spot_label(node, index, node.after(index)) for index in range(len(node.labels)))
            self._labels[key] = found
        return found

    def paid(self, node: BettingNode) -> tuple[float, float]:
        """Chips that each player has put in since the spot began."""
        oop, ip = (round(paid - self.spot.pot / 2.0, 9) for paid in node.paid)
        return oop, ip

    @cached_property
    def _weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[1326] of both players; oop's count for as much as ip holds beside them."""
        oop, ip = self.spot.weights(0), self.spot.weights(1)
        by_card = np.bincount(_HANDS.low, ip, 52) + np.bincount(_HANDS.high, ip, 52)
        beside = ip.sum() - by_card[_HANDS.low] - by_card[_HANDS.high] + ip
        return oop * np.maximum(beside, 0.0) * (self._partners > 0), ip

    @cached_property
    def _partners(self) -> NDArray[np.int64]:
        """[1326] hands of ip that share no card with each hand, counted so that rounding leaves nobody over."""
        held = (self.spot.weights(1) > 0).astype(np.int64)
        by_card = np.bincount(_HANDS.low, held, 52) + np.bincount(_HANDS.high, held, 52)
        found: NDArray[np.int64] = np.rint(held.sum() - by_card[_HANDS.low] - by_card[_HANDS.high] + held).astype(int)
        return found

    @cached_property
    def first_hands(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Hands of oop and how likely each is dealt."""
        return _dealt(self._weights[0])

    def second_hands(self, first: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Hands of ip beside one of oop's."""
        taken = (_HANDS.low[first], _HANDS.high[first])
        free = ~np.isin(_HANDS.low, taken) & ~np.isin(_HANDS.high, taken)
        return _dealt(np.where(free, self._weights[1], 0.0))

    def payoffs(self, node: BettingNode, hands: tuple[int, ...], board: tuple[int, ...]) -> tuple[float, float]:
        """What both players have won; rake is taken from what both have matched, an uncalled bet goes back before."""
        stake = self.spot.pot / 2.0 + min(self.paid(node))
        taken = float(self.spot.rake.of(np.array([2.0 * stake]))[0])
        if any(node.folded):
            winner = 1 - node.folded.index(True)
        else:
            cards = np.array([[*_cards(hand), *board] for hand in hands], dtype=np.uint8)
            oop, ip = evaluate(cards).tolist()
            if oop == ip:
                return -taken / 2.0, -taken / 2.0
            winner = int(ip > oop)
        return (stake - taken, -stake) if winner == 0 else (-stake, stake - taken)


class SpotState(State):
    """A betting situation and the cards dealt so far."""

    __slots__ = ("board", "game", "hands", "line", "node", "player")

    def __init__(
        self,
        game: SpotGame,
        hands: tuple[int, ...],  # numbers of the hands dealt so far: oop's, then ip's
        board: tuple[int, ...],
        node: BettingNode,
        line: str,
    ) -> None:
        self.game, self.hands, self.board, self.node, self.line = game, hands, board, node, line
        self.player = CHANCE if len(hands) < 2 else node.player

    def actions(self) -> Sequence[str]:
        return self.game.labels(self.node)

    def chance(self) -> Sequence[tuple[str, float]]:
        if len(self.hands) < 2:
            hands, shares = self._deals()
            return [(hand_name(int(hand)), float(share)) for hand, share in zip(hands, shares, strict=True)]
        left = self._left()
        return [(STANDARD.label(card), 1.0 / len(left)) for card in left]

    def sample_chance(self, rng: random.Random) -> int:
        if len(self.hands) == 2:
            return rng.randrange(len(self._left()))
        _, shares = self._deals()
        return min(int(np.searchsorted(np.cumsum(shares), rng.random(), side="right")), len(shares) - 1)

    def child(self, index: int) -> SpotState:
        if len(self.hands) < 2:
            hand = int(self._deals()[0][index])
            return SpotState(self.game, (*self.hands, hand), self.board, self.node, self.line)
        if self.player != CHANCE:
            line = self._after(self.game.labels(self.node)[index])
            return SpotState(self.game, self.hands, self.board, self.node.after(index), line)
        card = self._left()[index]
        line = self._after(STANDARD.label(card))
        return SpotState(self.game, self.hands, (*self.board, card), self.node.after_deal, line)

    def infoset(self, player: int) -> str:
        own = hand_name(self.hands[player]) if len(self.hands) > player else ""
        seen = self.public()
        return f"{own}:{seen}" if own and seen else own or seen

    def public(self) -> str:
        return self.line if len(self.hands) == 2 else f"deal {len(self.hands) + 1}"

    def returns(self) -> tuple[float, ...]:
        return self.game.payoffs(self.node, self.hands, self.board)

    def chips(self, seat: int, public: bool = False) -> Chips:
        """The table as the player to act sees it; amounts paid are those since the spot began."""
        node, spot, paid = self.node, self.game.spot, self.game.paid(self.node)
        facing = round(max(node.paid) - max(node.at_start), 9)
        raises = [float(label[1:]) for label in self.actions() if label[0] in "br"] if node.player >= 0 else []
        return Chips(
            hole=() if public else _cards(self.hands[seat]),
            board=self.board,
            round=spot.street + self._dealt_since + 1,
            pot=round(spot.pot + sum(paid), 9),
            to_call=round(max(paid) - paid[seat], 9),
            paid=paid,
            behind=(round(spot.stacks[0] - paid[0], 9), round(spot.stacks[1] - paid[1], 9)),
            folded=tuple(node.folded),
            round_base=facing,
            raise_bounds=(min(raises), max(raises)) if raises else None,
            big_blind=1.0,
            unit=spot.chip,
        )

    def dealt(self, seat: int) -> tuple[str, str] | None:
        if self._dealt_since:
            return "reveal", STANDARD.label(self.board[-1])
        return ("deal", hand_name(self.hands[seat])) if len(self.hands) == seat + 1 else None

    def shown(self) -> dict[int, str]:
        if self.player != TERMINAL or any(self.node.folded):
            return {}
        return {seat: hand_name(hand) for seat, hand in enumerate(self.hands)}

    @property
    def _dealt_since(self) -> int:
        """Cards dealt since the spot began."""
        return len(self.board) - len(self.game.spot.board)

    def _deals(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return self.game.second_hands(self.hands[0]) if self.hands else self.game.first_hands

    def _left(self) -> list[int]:
        used = {*self.board, *(card for hand in self.hands for card in _cards(hand))}
        return [card for card in range(52) if card not in used]

    def _after(self, move: str) -> str:
        return f"{self.line}:{move}" if self.line else move


def _cards(hand: int) -> tuple[int, int]:
    return int(_HANDS.low[hand]), int(_HANDS.high[hand])


def _dealt(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Hands of any weight, and their shares."""
    hands: Any = np.flatnonzero(weights > 0.0)
    return hands, weights[hands] / weights[hands].sum()
