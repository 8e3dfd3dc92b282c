"""Ladders: every pair of three or more players meets in a duplicate match of its own; no ratings, only means with intervals."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from equilibrist.agents.matches.ledger import Ledger
from equilibrist.agents.matches.match import (
    MatchResult,
    MatchSettings,
    MatchStoppedError,
    ledger_key,
    play_match,
    read_match,
    result_facts,
)
from equilibrist.agents.registry import load_agent
from equilibrist.core.errors import CannotWriteError, EquilibristError, FormatError, NotApplicableError, ParameterError
from equilibrist.core.numbers import whole_number
from equilibrist.core.player import Player
from equilibrist.evaluation.play.statistics import Z95, Estimate
from equilibrist.games.catalogue import load_game

log = logging.getLogger(__name__)

FEWEST = 3  # players; two meet in a match
MOST = 50
IN_MEMORY = ":memory:"  # SQLite's name for a ledger without a file


@dataclass(frozen=True)
class LadderOrder:
    """All that a ladder's results depend on; the last fields are those of every pair's match."""

    players: tuple[str, ...]
    game: str
    hands: int = 1000
    seed: int = 0
    block: int = 100
    seconds: float | None = None
    until_interval: float | None = None
    aivat: str = "auto"
    patience: int | None = None

    def __post_init__(self) -> None:
        count = len(self.players)
        if not FEWEST <= count <= MOST:
            raise ParameterError(
                f"A ladder is for {FEWEST} to {MOST} players, but {count} were given; two meet in 'equilibrist match'."
            )
        twice = next((name for name in self.players if self.players.count(name) > 1), None)
        if twice is not None:
            raise ParameterError(f"'{twice}' was named twice; name every player of a ladder once.")
        whole_number("seed", self.seed)
        self.match(*self.pairs[0])  # its settings are checked as those of any match

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Who meets whom, by places in `players`."""
        return list(combinations(range(len(self.players)), 2))

    def match(self, one: int, other: int) -> MatchSettings:
        """The match of a pair; every pair, and every seed of a ladder, has deals of its own, so that results are independent."""
        pairs = self.pairs
        return MatchSettings(
            players=(self.players[one], self.players[other]),
            game=self.game,
            hands=self.hands,
            seed=self.seed * len(pairs) + pairs.index((one, other)),
            duplicate=True,
            block=self.block,
            seconds=self.seconds,
            until_interval=self.until_interval,
            aivat=self.aivat,
            patience=self.patience,
        )


@dataclass(frozen=True)
class PairResult:
    """What two players made of each other."""

    pair: tuple[int, int]
    result: MatchResult | None = None  # None: not a block was played, or the match was stopped
    stopped: str = ""  # why the match cannot go on

    @property
    def finished(self) -> bool:
        return bool(self.stopped) or (self.result is not None and self.result.finished)

    def mbb(self, player: int) -> Estimate | None:
        """What one of the two won, in thousandths of a big blind, luck corrected where it could be."""
        if self.result is None:
            return None
        each = (self.result.adjusted or self.result.estimates)[self.pair.index(player)]
        return self.result.scaled(each)

    @property
    def faults(self) -> tuple[int, ...]:
        return self.result.faults if self.result else (0, 0)


@dataclass(frozen=True)
class MeanResult:
    """A player's mean against others, each of whom counts alike."""

    mean: float
    error: float  # standard error
    opponents: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 %, by the normal distribution."""
        return self.mean - Z95 * self.error, self.mean + Z95 * self.error


@dataclass(frozen=True)
class Ladder:
    """All pairs as far as they have been played."""

    order: LadderOrder
    results: tuple[PairResult, ...]  # in the order of `order.pairs`

    @property
    def finished(self) -> bool:
        return all(each.finished for each in self.results)

    @property
    def done(self) -> int:
        """How many pairs are finished."""
        return sum(each.finished for each in self.results)

    @property
    def hands(self) -> int:
        return sum(each.result.hands for each in self.results if each.result)

    def of(self, one: int, other: int) -> PairResult:
        """The result of two players, in either order."""
        return self.results[self.order.pairs.index((min(one, other), max(one, other)))]

    def mean(self, player: int) -> MeanResult | None:
        """Against everybody whom the player has met in matches that were not stopped; None: against nobody yet."""
        others = (other for other in range(len(self.order.players)) if other != player)
        found = [each for other in others if (each := self.of(player, other).mbb(player)) is not None]
        if not found:
            return None
        count = len(found)
        error = math.sqrt(sum(each.error**2 for each in found)) / count  # deals of pairs are independent
        return MeanResult(sum(each.mean for each in found) / count, error, count)

    def ranking(self) -> list[int]:
        """Players by their means, the best first; those without one last."""
        means = [self.mean(player) for player in range(len(self.order.players))]
        worth = [-math.inf if mean is None else mean.mean for mean in means]
        return sorted(range(len(worth)), key=lambda player: -worth[player])

    @property
    def unit(self) -> str:
        game = load_game(self.order.game)
        return "mbb/g" if game.big_blind else f"{game.unit} per game / 1000"


@dataclass(frozen=True)
class LadderProgress:
    """How far a ladder has come."""

    pair: tuple[str, str]  # who plays now
    number: int  # of the pair, from 1
    pairs: int
    hands: int  # of this pair
    of: int

    @property
    def fraction(self) -> float:
        return (self.number - 1 + self.hands / self.of) / self.pairs


def play_ladder(
    order: LadderOrder,
    ledger: Ledger | None = None,
    tables: int = 1,
    progress: Callable[[LadderProgress], None] | None = None,
    makers: Callable[[str], Player] = load_agent,
    tell: Callable[[str], None] = log.info,
    check: Callable[[tuple[str, ...]], None] = lambda players: None,
) -> Ladder:
    """Play what the ledger does not hold yet, pair after pair; Ctrl-C ends with what was played.

    A match that a player's faults, its code or a table that dies have stopped is marked, and the next pair plays. The ledger keeps
    the mark; but for faults, such a match is tried again when the ladder goes on. `check` is given the players of each pair before it
    plays; what it raises ends the ladder.
    """
    refuse_bad_players(order, makers)
    kept = ledger or Ledger(IN_MEMORY)
    played: dict[tuple[int, int], PairResult] = {}
    try:
        for pair in order.pairs:
            played[pair] = _read_blocks(order, pair, kept)
            if played[pair].finished:
                continue
            check(order.match(*pair).players)
            played[pair] = _play_pair(order, pair, kept, tables, progress, makers, tell)
            if not played[pair].finished:
                break
    except KeyboardInterrupt:
        pass  # between two blocks or matches: the ledger has what was played
    finished = {pair: each for pair, each in played.items() if each.finished}
    return Ladder(order, tuple(finished.get(pair) or read_pair(order, pair, kept) for pair in order.pairs))


def _play_pair(
    order: LadderOrder,
    pair: tuple[int, int],
    ledger: Ledger,
    tables: int,
    progress: Callable[[LadderProgress], None] | None,
    makers: Callable[[str], Player],
    tell: Callable[[str], None],
) -> PairResult:
    settings, pairs = order.match(*pair), order.pairs
    names = (settings.players[0], settings.players[1])

    def show(hands: int, of: int) -> None:
        if progress:
            progress(LadderProgress(names, pairs.index(pair) + 1, len(pairs), hands, of))

    show(0, settings.deals * settings.seatings)
    _note_stop(ledger, settings, "", tell)
    try:
        return PairResult(pair, play_match(settings, tables, ledger, progress=show, makers=makers, tell=tell))
    except (CannotWriteError, FormatError, MemoryError):
        raise  # the ledger's and the machine's business, no player's
    except MatchStoppedError as error:
        stopped = str(error)
    except Exception as error:  # whatever a player's code does, the ladder goes on
        stopped = f"It ended with {type(error).__name__}: {error}"
    _note_stop(ledger, settings, stopped, tell)
    return PairResult(pair, stopped=stopped)


def _note_stop(ledger: Ledger, settings: MatchSettings, text: str, tell: Callable[[str], None]) -> None:
    """In the ledger, if it can be written; empty: the match is played again."""
    try:
        ledger.set_stop(ledger_key(settings, records=False), text)
    except CannotWriteError as error:
        tell(str(error))


def read_pair(order: LadderOrder, pair: tuple[int, int], ledger: Ledger) -> PairResult:
    """A pair as far as the ledger holds it; a match that was stopped counts no hands."""
    stopped = ledger.stop(ledger_key(order.match(*pair), records=False))
    return PairResult(pair, stopped=stopped) if stopped else _read_blocks(order, pair, ledger)


def _read_blocks(order: LadderOrder, pair: tuple[int, int], ledger: Ledger) -> PairResult:
    try:
        return PairResult(pair, read_match(order.match(*pair), ledger))
    except MatchStoppedError as error:
        return PairResult(pair, stopped=str(error))


def read_ladder(order: LadderOrder, ledger: Ledger) -> Ladder:
    """What a ledger holds, without playing."""
    return Ladder(order, tuple(read_pair(order, pair, ledger) for pair in order.pairs))


def refuse_bad_players(order: LadderOrder, makers: Callable[[str], Player] = load_agent) -> None:
    """Refuse now what would fail after hours: a game for more than two, players that there are not or that play other games."""
    game = load_game(order.game)
    if game.players != 2:
        raise ParameterError(
            f"A ladder is of games for two players, but '{game.short_name}' is for {game.players}; 'equilibrist match' plays it."
        )
    for name in order.players:
        player = makers(name)
        try:
            player.reset(0, game, random.Random(0))
        except NotApplicableError as error:
            raise NotApplicableError(f"'{name}' cannot play '{game.short_name}': {error}") from None
        except (EquilibristError, MemoryError):
            raise
        except Exception as error:  # whatever a player's code does, it is told who it was
            raise NotApplicableError(
                f"'{name}' cannot play '{game.short_name}': its code fails with {type(error).__name__}: {error}; "
                "mend it or leave the player out."
            ) from error


def ladder_facts(ladder: Ladder) -> dict[str, Any]:
    """What `ladder --json` prints."""
    order = ladder.order
    return {
        "players": [_player_facts(ladder, player) for player in ladder.ranking()],
        "pairs": [_pair_facts(ladder, each) for each in ladder.results],
        "game": order.game,
        "unit": ladder.unit,
        "hands": ladder.hands,
        "hands_of_a_pair": order.hands,
        "until_interval": order.until_interval,
        "seed": order.seed,
        "aivat": order.aivat,
        "finished_pairs": ladder.done,
        "finished": ladder.finished,
    }


def _player_facts(ladder: Ladder, player: int) -> dict[str, Any]:
    mean = ladder.mean(player)
    faults = sum(each.faults[each.pair.index(player)] for each in ladder.results if player in each.pair)
    return {
        "player": ladder.order.players[player],
        "mbb_per_game": None if mean is None else mean.mean,
        "interval": None if mean is None else list(mean.interval),
        "standard_error": None if mean is None else mean.error,
        "opponents": 0 if mean is None else mean.opponents,
        "faults": faults,
    }


def _pair_facts(ladder: Ladder, each: PairResult) -> dict[str, Any]:
    """The first player's result; `plain` is what was won, before luck was corrected."""
    settings, result = ladder.order.match(*each.pair), each.result
    won = each.mbb(each.pair[0])
    facts = None if result is None else result_facts(result)
    return {
        "players": list(settings.players),
        "seed": settings.seed,
        "hands": 0 if result is None else result.hands,
        "mbb_per_game": None if won is None else won.mean,
        "interval": None if won is None else list(won.interval),
        "standard_error": None if won is None else won.error,
        "plain": None if facts is None else {name: facts[name] for name in ("mbb_per_game", "interval")},
        "method": None if result is None else result.method,
        "faults": list(each.faults),
        "fault_texts": [] if result is None else list(result.fault_texts),
        "finished": each.finished,
        "stopped": each.stopped or None,
    }
