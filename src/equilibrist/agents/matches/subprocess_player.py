"""SubprocessPlayer: a player in a process of its own, so that one that never answers is stopped instead of waited for.

The table only waits: a deadline or Ctrl-C is kept whatever the player's code does. A player that is stopped forgets what it had learnt. It
is made anew for the next hand; to the end of this one check or fold is played for it.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any
from weakref import finalize

from equilibrist.agents.registry import load_agent
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.core.player import Event, Player, View
from equilibrist.games.catalogue import load_game
from equilibrist.games.user_files import named_texts

GRACE = 0.25  # seconds after a deadline in which an answer is late, but the player is left alone
PATIENCE = 120.0  # seconds to begin a hand or to take note of something
Make = Callable[[str], Player]


class PlayerGoneError(EquilibristError):
    """A player's process ended by itself."""


class PlayerError(EquilibristError):
    """An error in a player's code."""


class SeatProcess:
    """A process that plays for one name; it is used again for the next player of that name."""

    def __init__(self, name: str, make: Make) -> None:
        self.name = name
        context = get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, name, make, named_texts()), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, word: str, *given: Any, until: float | None = None) -> Any:
        """The answer to a question; TimeoutError where there is none by then."""
        try:
            self.line.send((word, *given))
            if until is not None and not self.line.poll(max(until - time.monotonic(), 0.0)):
                raise TimeoutError("gave no answer and was stopped")
            kind, answer = self.line.recv()
        except (EOFError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise PlayerGoneError(f"the process of '{self.name}' ended without a word") from None
        if kind == "refused":
            raise ParameterError(answer)
        if kind == "error":
            raise PlayerError(answer)
        return answer

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.line.close()


# by player, and by what a process knew when it began: games of Python files that people had named, and the folder they lie in
_Key = tuple[str, Make, tuple[str, ...], str]
_idle: dict[_Key, list[SeatProcess]] = defaultdict(list)


class SubprocessPlayer:
    """Passes on what its seat sees and waits for the answer."""

    def __init__(self, name: str, make: Make = load_agent) -> None:
        self._key = name, make, named_texts(), os.getcwd()
        self._sit_down()

    def _sit_down(self) -> None:
        self._seat: SeatProcess | None = _take(self._key)
        self._give_back = finalize(self, _idle[self._key].append, self._seat)

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        if self._seat is None:
            self._sit_down()
        self._note("reset", seat, rules.name, rng)

    def observe(self, event: Event) -> None:
        self._note("observe", event)

    def act(self, view: View, deadline: float | None = None) -> str:
        left = None if deadline is None else deadline - time.monotonic()
        answer: str = self._ask("act", view, left, until=None if deadline is None else deadline + GRACE)
        return answer

    def _note(self, word: str, *given: Any) -> None:
        """Nothing is decided here, so a player that fails is found out at its next decision."""
        with suppress(TimeoutError, PlayerGoneError):
            self._ask(word, *given, until=time.monotonic() + PATIENCE)

    def _ask(self, word: str, *given: Any, until: float | None) -> Any:
        """A seat that does not answer, or is left in the middle of an answer, is never asked again."""
        if self._seat is None:
            raise TimeoutError("was stopped earlier in this hand")
        try:
            return self._seat.ask(word, *given, until=until)
        except (ParameterError, PlayerError):
            raise
        except BaseException:
            self._give_back.detach()
            self._seat.stop()
            self._seat = None
            raise


def _take(key: _Key) -> SeatProcess:
    """A process with a player that remembers nothing."""
    idle = _idle[key]
    while idle:
        seat = idle.pop()
        with suppress(PlayerGoneError):
            seat.ask("make")
            return seat
        seat.stop()
    seat = SeatProcess(key[0], key[1])
    try:
        seat.ask("make")
    except BaseException:
        seat.stop()
        raise
    return seat


def serve(line: Connection, name: str, make: Make, games: Sequence[str] = ()) -> None:
    """The other end: play what is asked until the line is closed; `games` of Python files were named by the person at the table."""
    for text in games:
        with suppress(EquilibristError):  # a file that is gone by now is missed where its game is asked for
            load_game(text)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the table, which stops this process where it must
    player: Any = None
    while True:
        try:
            word, *given = line.recv()
        except EOFError:
            return
        try:
            if word == "make":
                player = make(name)
                line.send(("done", None))
            elif word == "reset":
                seat, game, rng = given
                player.reset(seat, load_game(game), rng)
                line.send(("done", None))
            elif word == "observe":
                player.observe(given[0])
                line.send(("done", None))
            else:
                view, left = given
                line.send(("done", player.act(view, None if left is None else time.monotonic() + left)))
        except EquilibristError as error:
            line.send(("refused", str(error)))
        except Exception as error:
            line.send(("error", f"{type(error).__name__}: {error}"))
