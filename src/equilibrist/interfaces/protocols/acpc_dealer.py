"""The dealer's end of the ACPC protocol: programs connect, one port for each seat, and play under our referee."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.player import Event, Player, View
from equilibrist.core.writing import reason
from equilibrist.evaluation.play.referee import Fault, HandRecord, play_hand
from equilibrist.games.poker.game import Poker
from equilibrist.interfaces.protocols.acpc import (
    MatchState,
    acpc_capable,
    read_action,
    score_line,
    speaks_our_version,
)
from equilibrist.interfaces.protocols.hands import PlayedHand, hand_from_record, read_cards
from equilibrist.interfaces.protocols.lines import Lines

LOOPBACK = "127.0.0.1"
MOST_PORT = 65535
STRAY_LINES = 50  # answers to earlier states and comments passed over while waiting for one


class RemotePlayer:
    """A player at the other end of a socket; what it sends is data, never trusted."""

    def __init__(self, lines: Lines, seconds: float | None = None) -> None:
        self.lines, self.seconds = lines, seconds
        self.seat, self.number = 0, -1
        self.game: Poker | None = None
        self.hole: list[tuple[int, ...]] = []
        self.line = ""

    def greet(self, deadline: float | None = None) -> None:
        """Wait for the program to name its version."""
        greeting = self.lines.receive(deadline)
        if not speaks_our_version(greeting):
            raise FormatError(f"The program greets with {greeting[:80]!r}; expected VERSION:2.0.0.")

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        self.seat, self.game = seat, acpc_capable(rules)
        self.hole = [()] * self.game.players
        self.number, self.line = self.number + 1, ""

    def observe(self, event: Event) -> None:
        assert self.game is not None
        if event.kind == "deal":
            self.hole[self.seat] = read_cards(event.label, self.game.rules.deck)
        elif event.kind == "shown" and event.player is not None:
            self.hole[event.player] = read_cards(event.label, self.game.rules.deck)
            return
        self.line = event.public_state
        if event.kind == "result" or self._somebody_acts():
            self._send()

    def act(self, view: View, deadline: float | None = None) -> str:
        """The answer to the last state sent; answers to earlier ones are passed over."""
        if deadline is None and self.seconds is not None:
            deadline = time.monotonic() + self.seconds
        asked, node = str(self._state()), self._hand().last
        for _ in range(STRAY_LINES):
            answer = self.lines.receive(deadline)
            state, _, action = answer.rpartition(":")
            if state == asked:
                return read_action(action, node)
            if not answer.startswith(("#", ";", "MATCHSTATE:")):
                raise FormatError(f"expected the match state and an action, but {answer[:200]!r} was sent")
        raise FormatError(f"{STRAY_LINES} lines came, none of them an answer to the state")

    def _somebody_acts(self) -> bool:
        """Deals that follow an action, and the end of the hand, are told by the state after them."""
        return self._hand().last.player >= 0

    def _hand(self) -> PlayedHand:
        assert self.game is not None
        return hand_from_record(self.game, self.hole, self.line)

    def _state(self) -> MatchState:
        return MatchState(self.seat, self.number, self._hand())

    def _send(self) -> None:
        try:
            self.lines.send(str(self._state()))
        except OSError:  # gone: its next action is a fault, which the referee speaks about
            return


@dataclass(frozen=True)
class DealerResult:
    """Chips won by each program, and what went wrong."""

    hands: int
    totals: tuple[float, ...]
    faults: tuple[Fault, ...]
    stopped: str | None = None
    records: tuple[HandRecord, ...] = ()

    def score(self, names: Sequence[str]) -> str:
        return score_line(self.totals, names)


class ACPCDealer:
    """Listens for each seat, on this machine only unless told otherwise."""

    def __init__(self, game: Poker, host: str = LOOPBACK, ports: Sequence[int] | None = None) -> None:
        self.game = acpc_capable(game)
        wanted = [0] * game.players if ports is None else list(ports)
        if len(wanted) != game.players:
            raise ParameterError(f"Give one port for each of the {game.players} players, not {len(wanted)}.")
        if not all(0 <= port <= MOST_PORT for port in wanted):
            raise ParameterError(f"Ports are numbers up to {MOST_PORT}, but {', '.join(map(str, wanted))} were given.")
        self.sockets = []
        for port in wanted:
            try:
                self.sockets.append(socket.create_server((host, port)))
            except (UnicodeError, TypeError):  # what cannot be encoded is the one or the other
                self.close()
                raise ParameterError(f"'{host}' cannot be the name of a host; give one such as {LOOPBACK}.") from None
            except OSError as error:
                self.close()
                raise ParameterError(
                    f"Cannot listen on {host}:{port} ({reason(error)}); choose another port."
                ) from None

    @property
    def ports(self) -> list[int]:
        return [each.getsockname()[1] for each in self.sockets]

    def close(self) -> None:
        for each in self.sockets:
            each.close()

    def run(
        self,
        hands: int,
        seed: int = 0,
        seconds: float | None = 10.0,
        start_seconds: float = 60.0,
        patience: int = 10,
        seats: dict[int, Player] | None = None,
        progress: Callable[[int, HandRecord], None] | None = None,
    ) -> DealerResult:
        """Play; players of `seats` sit here, for the other seats programs must connect within `start_seconds`."""
        players = self._welcome(seats or {}, seconds, start_seconds)
        count = self.game.players
        faults: list[Fault] = []
        records: list[HandRecord] = []
        stopped = None
        try:
            for number in range(hands):
                order = [(seat + number) % count for seat in range(count)]  # the button moves
                cards = random.Random(f"{seed}/cards/{number}")
                draws = [random.Random(f"{seed}/{p}/{number}") for p in order]
                record = play_hand(self.game, [players[p] for p in order], cards, draws, seconds)
                records.append(record)
                faults += [Fault(order[f.seat], f.kind, f.text, f.played) for f in record.faults]
                if progress:
                    progress(number + 1, record)
                worst = max(range(count), key=lambda p: sum(f.seat == p for f in faults))
                if sum(fault.seat == worst for fault in faults) > patience:
                    text = next(fault.text for fault in faults if fault.seat == worst)
                    stopped = f"Player {worst + 1} made more than {patience} faults (the first: {text})."
                    break
        except KeyboardInterrupt:
            stopped = "Interrupted; the score is that of the hands that were finished."
        finally:
            for player in players:
                if isinstance(player, RemotePlayer):
                    player.lines.close()
        totals = tuple(
            sum(record.returns[(p - number) % count] for number, record in enumerate(records)) for p in range(count)
        )
        return DealerResult(len(records), totals, tuple(faults), stopped, tuple(records))

    def _welcome(self, seats: dict[int, Player], seconds: float | None, start_seconds: float) -> list[Player]:
        players: list[Player] = []
        deadline = time.monotonic() + start_seconds
        for seat, listening in enumerate(self.sockets):
            if seat in seats:
                players.append(seats[seat])
                continue
            listening.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                connection, _ = listening.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                remote = RemotePlayer(Lines(connection), seconds)
                remote.greet(deadline)
            except OSError as error:
                raise FormatError(f"No program took seat {seat + 1} within {start_seconds:g} s ({error}).") from None
            players.append(remote)
        return players
