"""Sittings: a person at a table of two to nine, the others being one kind of player.

A hand is its seed and what was done in it, and is played again for every look. Nothing waits in memory between two clicks, so
tables outlive the server and disturb nobody.
"""

from __future__ import annotations

import contextlib
import filecmp
import random
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from equilibrist.agents.policy_player import PolicyPlayer
from equilibrist.agents.registry import AGENTS, load_agent, refuse_three_seats
from equilibrist.agents.review.decision_review import DecisionReviewer, Valued
from equilibrist.agents.review.hindsight import Decided, ExactReview, range_after
from equilibrist.agents.review.table_review import value_at_table
from equilibrist.core.artifact import artifact_kind
from equilibrist.core.errors import EquilibristError, NotApplicableError, UnknownNameError, suggest
from equilibrist.core.player import Event, Player, View
from equilibrist.core.solution import Solution
from equilibrist.core.writing import link_or_copy
from equilibrist.evaluation.play.referee import HandRecord, play_hand
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.rules import Game
from equilibrist.interfaces.cli.play.play import parse_action
from equilibrist.interfaces.web.data.store import SittingRow
from equilibrist.interfaces.web.time_limits import OvertimeError, time_left
from equilibrist.solvers.saved_solutions import KINDS, load_solution

GAMES = {
    "nolimit-holdem(stack=2000)": "No-limit hold'em, 20 big blinds",
    "nolimit-holdem(stack=10000)": "No-limit hold'em, 100 big blinds",
    "nolimit-holdem(stack=10000,players=3)": "No-limit hold'em, three players, 100 big blinds",
    "nolimit-holdem(stack=10000,players=6)": "No-limit hold'em, six players, 100 big blinds",
    "limit-holdem": "Limit hold'em",
    "leduc": "Leduc poker",
    "kuhn": "Kuhn poker",
}
SOLVABLE = ("kuhn", "leduc")  # small enough to play their equilibrium at once
EQUILIBRIUM = "equilibrium"
KEPT_PLAYERS = 8
KEPT_VALUES = 500  # decisions looked at afterwards
DECISION_SECONDS = 8.0  # for a player that searches
REVIEW_SECONDS = 6.0  # for solving the rest of a hand
BLUEPRINT_KIND = "poker-blueprint"
SEARCHING = "(search=river)"


class Waiting(BaseException):
    """It is the person's turn; no fault of a player, so the referee lets it through."""


@dataclass
class RemotePerson:
    """Plays the actions that were sent and then waits; remembers all that its seat sees."""

    script: list[str]
    seat: int = 0
    view: View | None = None
    events: list[Event] = field(default_factory=list)
    decided: list[Decided] = field(default_factory=list)

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        self.seat = seat

    def observe(self, event: Event) -> None:
        self.events.append(event)

    def act(self, view: View, deadline: float | None = None) -> str:
        self.view = view
        if len(self.decided) == len(self.script):
            raise Waiting
        self.decided.append(Decided(view, self.script[len(self.decided)]))
        return self.decided[-1].action


@dataclass
class Watched:
    """A player whose decisions are kept with the views they were taken from, and after how many of the person's."""

    player: Player
    person: RemotePerson
    known: list[str]  # what all of them have done already, which is not asked again
    done: list[str]  # the same in this playing, shared by all of them
    decided: list[tuple[int, Decided]] = field(default_factory=list)

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        self.player.reset(seat, rules, rng)

    def observe(self, event: Event) -> None:
        self.player.observe(event)

    def act(self, view: View, deadline: float | None = None) -> str:
        place = len(self.done)
        label = self.known[place] if place < len(self.known) else self.player.act(view, deadline)
        self.done.append(label)
        self.decided.append((len(self.person.decided), Decided(view, label)))
        return label


@dataclass(frozen=True)
class SeenHand:
    """A hand as far as it has been played."""

    person: RemotePerson
    opponents: list[Watched]  # the next seat first
    record: HandRecord | None  # None: it is the person's turn

    @property
    def opponent(self) -> Watched:
        """The only one, heads-up."""
        return self.opponents[0]


@dataclass(frozen=True)
class ValuedMove:
    """One own decision looked at afterwards; without a value there is a reason."""

    own: Decided
    held: dict[str, float] | None  # the opponent's range at the time
    value: Valued | None
    reason: str = ""


@dataclass
class Seated:
    """The players of all other seats, and what reviewing decisions against them needs."""

    game: Game
    players: list[Player]
    lock: threading.Lock = field(default_factory=threading.Lock)
    _review: list[ExactReview | None] = field(default_factory=list)

    @property
    def player(self) -> Player:
        """The next seat."""
        return self.players[0]

    @property
    def review(self) -> ExactReview | None:
        if not self._review:
            self._review.append(ExactReview.of(self.game, self.player))
        return self._review[0]


class PlayerCatalogue:
    """Players by name; files are taken from the folder `agents` of the data folder only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "agents"
        self._seated: OrderedDict[tuple[str, str], Seated] = OrderedDict()
        self._lock = threading.Lock()
        self._valued: OrderedDict[tuple[str, int, int], ValuedMove] = OrderedDict()

    def files(self) -> list[str]:
        """Names of files that can play."""
        return sorted(path.name for path in self.folder.glob("*.eqb") if artifact_kind(path) in KINDS)

    def names(self) -> list[tuple[str, str, str | None]]:
        """Name, what it is, and the only game it plays, if there is one."""
        found: list[tuple[str, str, str | None]] = [
            (EQUILIBRIUM, "the solved game: plays an equilibrium (Kuhn and Leduc)", None)
        ]
        found += [(entry.name, entry.summary, None) for entry in AGENTS.entries().values() if not entry.learns]
        for name in self.files():
            found.append((name, "a file of the agents folder; it plays its own game", None))
            if artifact_kind(self.folder / name) == BLUEPRINT_KIND:
                found.append((name + SEARCHING, "the same, solving rivers as they come (hold'em)", None))
        return found

    def check(self, agent: str, game: str) -> None:
        """Refuse names that are not on the lists, and players that do not play the game."""
        known = [name for name, _, _ in self.names()]
        if agent not in known:
            raise UnknownNameError(f"There is no player '{agent[:60]}' here.{suggest(agent, known)}")
        if game not in GAMES and game != self.file_game(agent):
            raise UnknownNameError(f"There is no table for '{game[:60]}'; expected one of {', '.join(GAMES)}.")
        if agent == EQUILIBRIUM and game not in SOLVABLE:
            raise NotApplicableError(f"The equilibrium is played in {' and '.join(SOLVABLE)}; choose another player.")
        try:
            seated = self.seated(agent, game)
            with seated.lock:
                seated.player.reset(0, seated.game, random.Random(0))
        except EquilibristError as error:
            raise NotApplicableError(f"'{agent}' does not play '{game}': {error}") from None

    def file_game(self, agent: str) -> str | None:
        """The game that a file plays; None where the name is no file."""
        return getattr(load_agent(str(self.folder / agent)), "game", None) if self._is_file(agent) else None

    def add_file(self, file: Path) -> str:
        """Copy a saved solution into the folder, so that it can be played against; refuses what is not one."""
        refuse_three_seats(load_solution(file).kind, file.name)
        target = self.folder / file.name
        if not target.exists():
            link_or_copy(file, target)
        elif not filecmp.cmp(file, target, shallow=False):
            raise NotApplicableError(f"There is another '{file.name}' among the players already; rename the file.")
        return file.name

    def solution(self, name: str) -> Solution:
        """A file of the folder, to be looked at."""
        if name not in self.files():
            raise UnknownNameError(f"There is no file '{name[:60]}' among the players.{suggest(name, self.files())}")
        return load_solution(self.folder / name)

    def stamp(self, name: str) -> int:
        """When a file of the folder was written; refuses other names."""
        if name not in self.files():
            raise UnknownNameError(f"There is no file '{name[:60]}' among the players.{suggest(name, self.files())}")
        return (self.folder / name).stat().st_mtime_ns

    def _is_file(self, agent: str) -> bool:
        return agent.removesuffix(SEARCHING) in self.files()

    def seated(self, agent: str, game: str) -> Seated:
        """The player at a table; made once."""
        with self._lock:
            held = self._seated.get((agent, game))
            if held is None:
                rules = recorded_game(game)
                held = Seated(rules, [self._make(agent, rules) for _ in range(rules.players - 1)])
                self._seated[agent, game] = held
                while len(self._seated) > KEPT_PLAYERS:
                    self._seated.popitem(last=False)
            self._seated.move_to_end((agent, game))
            return held

    def _make(self, agent: str, game: Game) -> Player:
        if agent == EQUILIBRIUM:
            from equilibrist.solvers.solve import solve

            solved = solve(game, "dcfr", until=1e-4)
            return PolicyPlayer(solved.policy, solved.game, solved.evaluation)
        return load_agent(str(self.folder / agent) if self._is_file(agent) else agent)

    def look(self, row: SittingRow, number: int) -> SeenHand:
        """Play a hand as far as the person has."""
        seated = self.seated(row.agent, row.game)
        person = RemotePerson(list(row.hands[number]))
        known, done = row.replies[number] if number < len(row.replies) else [], list[str]()
        opponents = [Watched(player, person, known, done) for player in seated.players]
        count = len(opponents) + 1
        own = number % count  # seats change every hand; neighbours stay
        seats: list[Player] = [person, *opponents]
        seats = [seats[(seat - own) % count] for seat in range(count)]
        draws = [own_chance(row, seat, number) for seat in range(count)]
        record = None
        with seated.lock, contextlib.suppress(Waiting):
            dealt = random.Random(f"{row.seed}/cards/{number}")
            record = play_hand(seated.game, seats, dealt, draws, time_left(DECISION_SECONDS))
        return SeenHand(person, opponents, record)

    def value(self, row: SittingRow, number: int, move: int, threads: int) -> ValuedMove:
        """What the actions of one own decision of a hand that is over were worth, and what the opponent could hold then."""
        key = (row.id, number, move)
        known = self._valued.get(key)
        if known is not None:
            return known
        found = self._value(row, number, move, threads)
        with self._lock:
            self._valued[key] = found
            while len(self._valued) > KEPT_VALUES:
                self._valued.popitem(last=False)
        return found

    def _value(self, row: SittingRow, number: int, move: int, threads: int) -> ValuedMove:
        seated, seen = self.seated(row.agent, row.game), self.look(row, number)
        if seen.record is None or move >= len(seen.person.decided):
            raise NotApplicableError("Decisions are valued once the hand is over, and only those that were made.")
        own, seat = seen.person.decided[move], seen.person.seat
        if seated.game.seat_names:
            try:
                return ValuedMove(own, None, value_at_table(seated.game, seated.player, own))
            except NotApplicableError as error:
                return ValuedMove(own, None, None, str(error))
        if len(seated.players) > 1:
            return ValuedMove(own, None, None, "Decisions are valued heads-up, not against several opponents.")
        before = [decision for made, decision in seen.opponent.decided if made <= move]
        chance = own_chance(row, 1 - seat, number)
        with seated.lock:
            seated.player.reset(1 - seat, seated.game, chance)
            gone = [*own.view.chips.hole, *own.view.chips.board] if own.view.chips else []
            held = range_after(seated.game, seated.player, before, gone)
            try:
                reviewer = DecisionReviewer(seated.game, seated.player, seat, own_chance(row, 1 - seat, number))
                return ValuedMove(
                    own, held, reviewer.value(own, before, seconds=time_left(REVIEW_SECONDS), threads=threads)
                )
            except OvertimeError:
                raise  # not what this decision is worth
            except EquilibristError as error:
                return ValuedMove(own, held, None, str(error))

    def act(self, row: SittingRow, typed: str) -> SittingRow:
        """The row after an action (`x`, `c`, `f`, `b300`, `50%`, `a`); refuses what is not possible."""
        seen = self.look(row, len(row.hands) - 1)
        if seen.record is not None or seen.person.view is None:
            raise NotApplicableError("This hand is over; deal the next one.")
        label = parse_action(typed, seen.person.view)
        if label is None:
            raise NotApplicableError(f"'{typed}' is not possible here; choose one of the actions on offer.")
        hands = [*row.hands[:-1], [*row.hands[-1], label]]
        after = _copy(row, hands=hands)
        ended = self.look(after, len(hands) - 1)
        _remember(after, ended)
        if ended.record is not None:
            after.results = [*row.results, float(ended.record.returns[ended.person.seat])]
        return after

    def deal(self, row: SittingRow) -> SittingRow:
        """The next hand; one in which the opponent ends everything at once is over at its beginning."""
        if len(row.results) < len(row.hands):
            raise NotApplicableError("The hand is not over; finish it first.")
        after = _copy(row, hands=[*row.hands, []])
        seen = self.look(after, len(after.hands) - 1)
        _remember(after, seen)
        if seen.record is not None:
            after.results = [*row.results, float(seen.record.returns[seen.person.seat])]
        return after


def own_chance(row: SittingRow, seat: int, number: int) -> random.Random:
    """What a player draws from in one hand."""
    return random.Random(f"{row.seed}/{seat}/{number}")


def _remember(row: SittingRow, seen: SeenHand) -> None:
    """Write down what the opponent did in the last hand."""
    number = len(row.hands) - 1
    earlier = [*row.replies[:number], *([] for _ in range(number - len(row.replies)))]
    row.replies = [*earlier, list(seen.opponent.done)]


def _copy(row: SittingRow, *, hands: list[list[str]]) -> SittingRow:
    return msgspec.structs.replace(row, hands=hands)
