"""What a best response wins from a player on the last street: from any player of a two-player poker game that can state its strategy.

Hands are dealt and played by the player against itself. Where the last street begins, the ranges of both seats are known by Bayes' rule,
and the rest is answered exactly: all hands apart, the player's replies asked for line by line, so that a player that searches, searches.
The responder has the player's own bets and, if wanted, others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.cards.evaluator import hand_index
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.player import Event, Player, StrategicPlayer, Strategy, View
from equilibrist.evaluation.play.referee import chance_label, view_of
from equilibrist.evaluation.play.statistics import Estimate, estimate
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import CHANCE, TERMINAL

FAINT = 1e-12  # share of the hands below which a line is left alone


@dataclass(frozen=True)
class LastStreetGain:
    """One hand that was dealt."""

    line: str  # betting and cards before the street; empty: the hand never got there
    gain: tuple[float, float] = (
        0.0,
        0.0,
    )  # chips that a best response in each seat wins more than the player, given the line


@dataclass(frozen=True)
class LastStreetResponse:
    """What is known of a player, chips a hand; intervals are 95 %."""

    gain: tuple[Estimate, Estimate]
    mean: Estimate
    there: int  # hands in which somebody acts on the street
    hands: int

    @property
    def reached(self) -> float:
        """Share of the hands in which somebody acts on the street."""
        return self.there / self.hands

    @property
    def each(self) -> float:
        """The mean gain of a hand that gets there."""
        return self.mean.mean * self.hands / max(self.there, 1)


def refuse_other_games(game: Poker) -> None:
    """Ranges are of two players, and of hands with suits."""
    if game.players != 2 or game.rules.deck.merged or len(game.rules.board) < 2:
        raise NotApplicableError(
            f"Responses on the last street are for two players, cards with suits and a board, not '{game.name}'."
        )


class LastStreetResponder:
    """Looks at a player's last streets."""

    def __init__(
        self, game: Poker, make: Callable[[], Player], sizes: Sequence[float | str] = (), readings: int = 1
    ) -> None:
        """`sizes`: bets that the responder has besides the player's own, as shares of the pot (`a` all-in).

        A player that reads bets in a way that is drawn hand by hand is taken `readings` times, and the responder knows none of them.
        """
        refuse_other_games(game)
        if readings < 1:
            raise ParameterError(f"A player is taken at least once, but readings={readings} was given.")
        self.game, self.sizes, self.last = game, tuple(sizes), len(game.rules.board) - 1
        self.seats: list[list[StrategicPlayer]] = [[], []]
        for players in self.seats:
            for _ in range(readings):
                player = make()
                if not isinstance(player, StrategicPlayer):
                    raise NotApplicableError(
                        "A response needs a player that can state its strategy for every hand; take a solution, a blueprint or a bot."
                    )
                players.append(player)
        self.could_bet = False  # whether any response so far had a bet or a raise
        self._deal = Deal(game.rules.deck, game.rules.hole, (), ())

    def hand(self, name: str) -> LastStreetGain:
        """One hand; `name` decides all that is drawn."""
        cards, draws = random.Random(f"{name}/cards"), random.Random(f"{name}/actions")
        for seat, players in enumerate(self.seats):
            for number, player in enumerate(players):
                player.reset(seat, self.game, random.Random(f"{name}/{seat}/{number}"))
        state, reach = self.game.start(), [np.ones(len(self._deal.hands)) for _ in range(2)]
        while state.player != TERMINAL:
            if state.player == CHANCE:
                following = state.child(state.sample_chance(cards))
                self._tell(None, chance_label(state, following), following)
            elif state.node.round == self.last:
                return LastStreetGain(state.public(), self.gains(state, reach))
            else:
                following = self._played(state, reach, draws)
            state = following
        return LastStreetGain("")

    def gains(self, state: PokerState, reach: Sequence[Floats]) -> tuple[float, float]:
        """Where the last street begins; `reach` [hand] of both seats."""
        street = _Street(self, state.board, reach)
        pairs = street.pairs
        if pairs <= 0.0:
            return 0.0, 0.0
        best = [street.worth(seat, state.node, state.line, respond=True) for seat in range(2)]
        own = street.worth(0, state.node, state.line, respond=False)
        return (best[0] - own) / pairs, (best[1] + own) / pairs

    def strategy(self, player: StrategicPlayer, seat: int, node: BettingNode, line: str, board: tuple[int, ...]) -> Strategy:  # fmt: skip
        """What a player states at a public place."""
        found = player.strategy(self.view(seat, node, line, board))
        if found is None:
            raise NotApplicableError("The player cannot state its strategy everywhere, so no response to it is known.")
        return found

    def view(self, seat: int, node: BettingNode, line: str, board: tuple[int, ...]) -> View:
        return view_of(PokerState(self.game, node, ((), ()), board, line), seat, public=True)

    def _played(self, state: PokerState, reach: list[Floats], draws: random.Random) -> PokerState:
        """The next action by the player's own strategy, and what it tells of its hands."""
        seat = state.player
        stated = self.strategy(self.seats[seat][0], seat, state.node, state.line, state.board)
        row = stated.probabilities[int(hand_index(np.array([sorted(state.hole[seat])]))[0])]
        chosen = draws.choices(range(len(row)), row.tolist())[0]
        reach[seat] = reach[seat] * stated.probabilities[:, chosen]
        label = stated.actions[chosen]
        following = state.child(list(state.actions()).index(label))
        self._tell(seat, label, following)
        return following

    def _tell(self, seat: int | None, label: str, state: PokerState) -> None:
        kind = "action" if seat is not None else "reveal" if state.board else "deal"
        if kind != "deal":  # nobody is told its own cards: strategies are asked for every hand
            for player in (*self.seats[0], *self.seats[1]):
                player.observe(Event(kind, seat, label, state.public()))


class _Street:
    """The last street of one hand."""

    def __init__(self, responder: LastStreetResponder, board: tuple[int, ...], reach: Sequence[Floats]) -> None:
        self.responder, self.board, deal = responder, board, responder._deal
        self.live: Longs = np.flatnonzero(~np.isin(deal.hands, board).any(axis=1))
        hands = deal.hands[self.live]
        shared = (hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
        strength = np.asarray(deal.strengths(board))[self.live].astype(np.int64)
        self.apart = (~shared).astype(np.float64)
        self.beats = np.sign(strength[:, None] - strength[None, :]) * self.apart
        self.reach = [own[self.live] for own in reach]
        self._stated: dict[tuple[int, int, str], Strategy] = {}

    @property
    def pairs(self) -> float:
        """Weight of all pairs of hands."""
        return float(self.reach[0] @ self.apart @ self.reach[1])

    def worth(self, me: int, node: BettingNode, line: str, *, respond: bool) -> float:
        """My chips over all pairs of hands, by a best response or by what I state myself."""
        readings = len(self.responder.seats[1 - me])
        theirs = np.repeat(self.reach[1 - me][:, None] / readings, readings, axis=1)
        return float(self.reach[me] @ self._values(me, node, line, theirs, respond))

    def _values(self, me: int, node: BettingNode, line: str, theirs: Floats, respond: bool) -> Floats:
        """[hand] of mine against their hands and readings [hand, reading]."""
        if node.player == TERMINAL or theirs.sum() <= FAINT * self.reach[1 - me].sum():
            return self._end(me, node, theirs) if node.player == TERMINAL else np.zeros(len(self.live))
        if node.player != me:
            return self._answered(me, node, line, theirs, respond)
        stated = self._strategy(me, 0, node, line)
        options = self._options(me, node, line, stated, respond)
        below = {label: self._values(me, node.play(label), f"{line}:{label}", theirs, respond) for label in options}
        if respond:
            return np.asarray(np.max(list(below.values()), axis=0))
        rows = stated.probabilities[self.live]
        total: Floats = sum(
            (rows[:, n] * below[label] for n, label in enumerate(stated.actions)), np.zeros(len(self.live))
        )
        return total

    def _answered(self, me: int, node: BettingNode, line: str, theirs: Floats, respond: bool) -> Floats:
        """Where the player acts: readings may do different things, and what follows is known to nobody but by what was done."""
        stated = [self._strategy(1 - me, number, node, line) for number in range(theirs.shape[1])]
        total = np.zeros(len(self.live))
        for label in dict.fromkeys(label for each in stated for label in each.actions):
            played = np.zeros_like(theirs)
            for number, each in enumerate(stated):
                if label in each.actions:
                    played[:, number] = theirs[:, number] * each.probabilities[self.live, each.actions.index(label)]
            total += self._values(me, node.play(label), f"{line}:{label}", played, respond)
        return total

    def _options(self, me: int, node: BettingNode, line: str, stated: Strategy, respond: bool) -> list[str]:
        """What I may do: what I state; as a responder also fold, call, and the sizes that were given."""
        if not respond:
            return list(stated.actions)
        view = self.responder.view(me, node, line, self.board)
        sizes = [view.raise_by(1e9 if size == "a" else float(size)) for size in self.responder.sizes]
        options = list(dict.fromkeys((view.fold(), view.passive(), *stated.actions, *sizes)))
        self.responder.could_bet |= len(options) > len({view.fold(), view.passive()})
        return options

    def _strategy(self, seat: int, number: int, node: BettingNode, line: str) -> Strategy:
        key = (seat, number, line)
        if key not in self._stated:
            player = self.responder.seats[seat][number]
            self._stated[key] = self.responder.strategy(player, seat, node, line, self.board)
        return self._stated[key]

    def _end(self, me: int, node: BettingNode, theirs: Floats) -> Floats:
        chips, met = min(node.paid), theirs.sum(axis=1)
        if any(node.folded):
            return np.asarray((-chips if node.folded[me] else chips) * (self.apart @ met))
        return np.asarray(chips * (self.beats @ met))


def last_street_gains(
    responder: LastStreetResponder, hands: int, seed: int = 0
) -> Generator[LastStreetGain, None, None]:
    """Hand by hand."""
    for number in range(hands):
        yield responder.hand(f"{seed}/{number}")


def judge_last_street(found: Sequence[LastStreetGain]) -> LastStreetResponse:
    """What hands that were dealt alike say together."""
    gain = np.array([each.gain for each in found])
    there = sum(bool(each.line) for each in found)
    mean = gain.mean(axis=1)
    return LastStreetResponse(
        (estimate(gain[:, 0]), estimate(gain[:, 1])),
        estimate(mean),
        there,
        len(found),
    )
