"""Matches: players meet over many hands, in blocks that are the same whoever plays them when."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.agents.matches.identity import match_identity
from equilibrist.agents.matches.ledger import Ledger
from equilibrist.agents.matches.subprocess_player import SubprocessPlayer
from equilibrist.agents.registry import load_agent
from equilibrist.compute.interrupts import InterruptsEndAll
from equilibrist.compute.machine import cores
from equilibrist.compute.saving import Autosave, save_somewhere
from equilibrist.compute.workers import ProcessWorkers
from equilibrist.core.errors import EquilibristError, LostWorkerError, NotApplicableError, ParameterError
from equilibrist.core.numbers import finite_number, whole_number
from equilibrist.core.player import Player, StrategicPlayer
from equilibrist.evaluation.play.aivat import SMALL_DECK, Aivat, PolicyValues, fits_exact_values, states_its_strategy
from equilibrist.evaluation.play.referee import HandRecord, play_hand
from equilibrist.evaluation.play.statistics import Estimate, estimate, one_tailed_t
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import Game

log = logging.getLogger(__name__)

DEFAULT_GAME = "nolimit-holdem(stack=2000)"  # twenty big blinds, heads-up
MOST_PLAYERS = 9
FEWEST_SAMPLES = 100  # before an interval is believed
KEPT_FAULTS = 20  # of each block, written out; all are counted


class MatchStoppedError(EquilibristError):
    """A match that cannot go on: a table died, or a player broke the rules too often."""


@dataclass(frozen=True)
class MatchSettings:
    """All that a result depends on."""

    players: tuple[str, ...]
    game: str = DEFAULT_GAME
    hands: int = 1000
    seed: int = 0
    duplicate: bool = False  # every deal is played once from each seat
    block: int = 100  # deals in a row by the same players, who remember each other; then all are made anew
    seconds: float | None = None  # for one decision
    until_interval: float | None = None  # stop when the first player's 95 % interval is plus or minus this many mbb
    aivat: str = (
        "auto"  # luck corrected: full (by stated strategies too), chance (deals alone), off; auto: full in small games
    )
    patience: int | None = None  # faults of one player in a block before the match is stopped

    def __post_init__(self) -> None:
        if not 2 <= len(self.players) <= MOST_PLAYERS:
            raise ParameterError(f"A match is for 2 to {MOST_PLAYERS} players, but {len(self.players)} were given.")
        if self.aivat not in ("auto", "full", "chance", "off"):
            raise ParameterError(f"'aivat' is auto, full, chance or off, but {self.aivat!r} was given.")
        for name, least in (("hands", 1), ("block", 1), ("seed", 0)):
            whole_number(name, getattr(self, name), least=least)
        if self.patience is not None:
            whole_number("patience", self.patience)
        for name in ("seconds", "until_interval"):
            if getattr(self, name) is not None:
                finite_number(name, getattr(self, name))

    @property
    def seatings(self) -> int:
        return len(self.players) if self.duplicate else 1

    @property
    def deals(self) -> int:
        return max(1, self.hands // self.seatings)

    @property
    def blocks(self) -> int:
        return -(-self.deals // self.block)


@dataclass(frozen=True)
class MatchResult:
    """What was played and what it says; estimates are chips per hand."""

    settings: MatchSettings
    hands: int
    estimates: tuple[Estimate, ...]  # by player
    adjusted: tuple[Estimate, ...] | None  # with luck corrected
    method: str | None  # "aivat" or "chance"
    big_blind: float | None
    faults: tuple[int, ...]  # by player
    payoffs: str = "points"  # what they are called in games without blinds
    seats: tuple[str, ...] = ()  # by player, where each kept its own
    fault_texts: tuple[str, ...] = ()
    finished: bool = True
    blocks: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    @property
    def unit(self) -> str:
        return "mbb/g" if self.big_blind else f"{self.payoffs} per game / 1000"

    def scaled(self, result: Estimate) -> Estimate:
        """Thousandths of a big blind per hand (of a point, in games without blinds)."""
        return result.scaled(1000.0 / (self.big_blind or 1.0))


def play_match(
    settings: MatchSettings,
    tables: int = 1,
    ledger: Ledger | None = None,
    records: bool = False,
    progress: Callable[[int, int], None] | None = None,
    makers: Callable[[str], Player] = load_agent,
    tell: Callable[[str], None] = log.info,
) -> MatchResult:
    """Play all blocks that the ledger does not hold yet; the result depends on settings, version and the content of files alone.

    `tell` hears whether the ledger's entries are used.
    """
    whole_number("tables", tables, least=1)
    game = load_game(settings.game)
    if game.players != len(settings.players):
        other = f"name one for each seat: {', '.join(game.seat_names)}"
        other = other if game.seat_names else f"try nolimit-holdem(players={len(settings.players)})"
        raise ParameterError(
            f"'{game.short_name}' is for {game.players} players, but {len(settings.players)} were given; {other}."
        )
    for text in settings.players:
        makers(text)  # refuse now what would fail at every table
    keeper = _Keeper(ledger, settings, records, tell) if ledger else None
    done: dict[int, dict[str, Any]] = dict(keeper.known) if keeper else {}
    for block in sorted(done):
        _check_patience(settings, done[block])  # a match that was stopped stays stopped
    interrupted = False
    try:
        for block, data in _played(settings, tables, records, done, makers):
            done[block] = compact(data)
            if keeper:
                keeper.add(block, data)
            _check_patience(settings, data)
            if progress:
                progress(sum(each["hands"] for each in done.values()), settings.deals * settings.seatings)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True  # what was played counts
    done, finished = _needed(settings, game, done)
    finished = finished and not interrupted
    result = summarise(settings, game, [done[block] for block in sorted(done)], finished)
    if keeper:
        keeper.end(done, result_facts(result) if finished else None)
    return result


def read_match(settings: MatchSettings, ledger: Ledger) -> MatchResult | None:
    """A match as far as a ledger holds it, without playing; None: not a block of it. `MatchStoppedError`: it was stopped for faults."""
    number = ledger.find(ledger_key(settings, records=False))
    known: dict[int, dict[str, Any]] = {} if number is None else ledger.blocks(number, compact)
    if not known:
        return None
    for block in sorted(known):
        _check_patience(settings, known[block])
    game = load_game(settings.game)
    done, finished = _needed(settings, game, known)
    return summarise(settings, game, [done[block] for block in sorted(done)], finished)


def _needed(
    settings: MatchSettings, game: Game, done: dict[int, dict[str, Any]]
) -> tuple[dict[int, dict[str, Any]], bool]:
    """Blocks that count, and whether they are all: of an interval, those up to the first look at which it was small enough."""
    last = settings.blocks - 1 if settings.until_interval is None else _enough(settings, game, done)
    return {block: data for block, data in done.items() if block <= last}, all(
        block in done for block in range(last + 1)
    )


def ledger_key(settings: MatchSettings, records: bool) -> dict[str, Any]:
    """What a ledger knows a match by, besides the files."""
    return asdict(settings) | {"records": records}


class _Keeper:
    """This very match in the ledger: the blocks it has already, and new ones as soon as they can be written."""

    def __init__(self, ledger: Ledger, settings: MatchSettings, records: bool, tell: Callable[[str], None]) -> None:
        """What is used again, or why it is not, is said."""
        self.ledger, self.tell, self.autosave = ledger, tell, Autosave(0.0, tell)
        self.wanted = ledger_key(settings, records)
        self.identity = match_identity(settings.players, settings.game)
        self.waiting: dict[int, dict[str, Any]] = {}
        others = ledger.others(self.wanted, self.identity)
        self.number = ledger.match(self.wanted, self.identity)
        self.known: dict[int, dict[str, Any]] = ledger.blocks(self.number, compact)
        if self.known:
            kept, of = sum(each["hands"] for each in self.known.values()), settings.deals * settings.seatings
            tell(f"{kept:,} of {of:,} hands are read from '{ledger.path}': same files, version, settings and seed.")
        elif others:
            tell(
                f"The ledger '{ledger.path}' has a match with these settings, but {others}: all hands are played anew."
            )

    def add(self, block: int, data: dict[str, Any]) -> None:
        """Keep a block; what cannot be written now waits for the next one."""
        self.waiting[block] = data
        self.autosave.save(self._write)

    def _write(self) -> None:
        for block in sorted(self.waiting):
            self.ledger.add_block(self.number, block, self.waiting[block])
            del self.waiting[block]

    def end(self, done: dict[int, dict[str, Any]], result: dict[str, Any] | None) -> None:
        """Write what is left; where the ledger still cannot be written, all of the match goes to a ledger elsewhere."""

        def write(path: Path) -> None:
            if path == self.ledger.path:
                self._write()
                if result is not None:
                    self.ledger.set_result(self.number, result)
                return
            with Ledger(path) as other:
                number = other.match(self.wanted, self.identity)
                for block in sorted(done):
                    other.add_block(number, block, done[block])
                if result is not None:
                    other.set_result(number, result)

        place, why = save_somewhere(self.ledger.path, write)
        if why:
            self.tell(f"{why} All hands played are in the ledger '{place}' instead.")


def _played(
    settings: MatchSettings, tables: int, records: bool, done: dict[int, Any], makers: Callable[[str], Player]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Missing blocks as they are finished, until the interval is small enough."""
    game = load_game(settings.game)
    missing = [block for block in range(settings.blocks) if block not in done]
    if tables <= 1:
        for block in missing:
            if settings.until_interval is not None and _enough(settings, game, done) < settings.blocks - 1:
                return
            with InterruptsEndAll():
                played = play_block(settings, block, records, makers)
            yield block, played
        return
    if makers not in (load_agent, SubprocessPlayer):
        raise NotApplicableError("Players that are not made by name can only play at one table.")
    yield from _parallel(settings, tables, records, done, missing, game, makers)


def _parallel(
    settings: MatchSettings,
    tables: int,
    records: bool,
    done: dict[int, Any],
    missing: list[int],
    game: Game,
    makers: Callable[[str], Player],
) -> Iterator[tuple[int, dict[str, Any]]]:
    def blocks() -> Iterator[int]:
        for number, block in enumerate(missing):
            begun = number < tables or settings.until_interval is None
            if not begun and _enough(settings, game, done) < settings.blocks - 1:
                return
            yield block

    table = partial(_numbered, play_block, settings, records, makers)
    try:
        yield from ProcessWorkers(tables).as_done(table, blocks())
    except LostWorkerError:
        raise MatchStoppedError(
            "A table ended without a word (its process was killed or ran out of memory); finished blocks are in the "
            "ledger if one was given: give the same command again to go on."
        ) from None


def _numbered(
    play: Callable[..., dict[str, Any]],
    settings: MatchSettings,
    records: bool,
    makers: Callable[[str], Player],
    block: int,
) -> tuple[int, dict[str, Any]]:
    return block, play(settings, block, records, makers)


def play_block(
    settings: MatchSettings, block: int, records: bool = False, makers: Callable[[str], Player] = load_agent
) -> dict[str, Any]:
    """One block from every seating: results by deal and player, faults, and the hands themselves if asked for."""
    game = load_game(settings.game)
    count, first = len(settings.players), block * settings.block
    deals = range(first, min(first + settings.block, settings.deals))
    won = np.zeros((len(deals), settings.seatings, count))
    fair, by_deals = np.zeros_like(won), np.zeros_like(won)
    faults = [0] * count
    texts: list[str] = []
    kept: list[dict[str, Any]] = []
    methods: set[str] = set()
    fits = settings.aivat != "off" and isinstance(game, Poker) and game.players == 2 and not game.rules.deck.merged
    small = isinstance(game, Poker) and game.rules.deck.size <= SMALL_DECK
    full = settings.aivat == "full" or (settings.aivat == "auto" and small)
    for seating in range(settings.seatings):
        players = [makers(text) for text in settings.players]  # memories end with the seating
        adjusters: dict[tuple[bool | int, ...], Aivat] = {}
        for place, deal in enumerate(deals):
            turn = seating if settings.duplicate else 0 if game.seat_names else deal
            seats = [(seat + turn) % count for seat in range(count)]  # who sits where
            record = _hand(settings, game, [players[p] for p in seats], seats, deal, seating)
            won[place, seating, seats] = record.returns
            if fits:
                assert isinstance(game, Poker)
                outs = fair[place, seating], by_deals[place, seating]
                methods.add(_adjust(game, record, [players[p] for p in seats], adjusters, outs, seats, full))
            for fault in record.faults:
                faults[seats[fault.seat]] += 1
                if len(texts) < KEPT_FAULTS:
                    texts.append(f"{settings.players[seats[fault.seat]]}, deal {deal}: {fault.kind}, {fault.text}")
            if records:
                kept.append(_kept(record, deal, seats))
    return {
        "won": won.mean(axis=1).tolist(),
        "fair": fair.mean(axis=1).tolist() if methods else None,
        "by_deals": by_deals.mean(axis=1).tolist() if "aivat" in methods else None,
        "method": min(methods, default=None),  # `aivat` where any hand had it
        "hands": len(deals) * settings.seatings,
        "faults": faults,
        "texts": texts,
        "records": kept,
    }


def _hand(
    settings: MatchSettings, game: Game, players: list[Player], seats: list[int], deal: int, seating: int
) -> HandRecord:
    cards = random.Random(f"{settings.seed}/cards/{deal}")
    draws = [random.Random(f"{settings.seed}/{seating}/{p}/{deal}") for p in seats]
    return play_hand(game, players, cards, draws, settings.seconds)


def _adjust(
    game: Poker,
    record: HandRecord,
    players: list[Player],
    adjusters: dict[tuple[bool | int, ...], Aivat],
    outs: tuple[Any, Any],
    seats: list[int],
    full: bool,
) -> str:
    """Results with luck corrected: by stated strategies, too, where they are known, and by the deals alone."""
    if () not in adjusters:
        adjusters[()] = Aivat(game, (False, False))
    outs[0][seats] = outs[1][seats] = adjusters[()].adjusted(record, players)
    known = [full and states_its_strategy(game, player, seat) for seat, player in enumerate(players)]
    if record.faults or not any(known):  # what the referee played in a player's place is nobody's strategy
        return "chance"
    key = (*known, *seats)
    if key not in adjusters:
        adjusters[key] = Aivat(game, known, _exact_values(game, players) if all(known) else None)
    outs[0][seats] = adjusters[key].adjusted(record, players)
    return "aivat"


def _exact_values(game: Poker, players: list[Player]) -> PolicyValues | None:
    """In small games what these two make of every deal; nearly all luck goes."""
    stated = [player for player in players if isinstance(player, StrategicPlayer)]
    return PolicyValues(game, stated) if len(stated) == len(players) and fits_exact_values(game) else None


def _kept(record: HandRecord, deal: int, seats: list[int]) -> dict[str, Any]:
    state = record.state
    hole = [list(cards) for cards in state.hole] if isinstance(state, PokerState) else []
    return {"deal": deal, "seats": seats, "hole": hole, "line": record.line, "returns": list(record.returns)}


def _check_patience(settings: MatchSettings, data: dict[str, Any]) -> None:
    if settings.patience is None:
        return
    for player, count in enumerate(data["faults"]):
        if count > settings.patience:
            raise MatchStoppedError(
                f"'{settings.players[player]}' broke the rules {count} times in one block, more than the {settings.patience} "
                f"allowed; the first time: {data['texts'][0]}."
            )


def _enough(settings: MatchSettings, game: Game, done: dict[int, Any]) -> int:
    """The last block needed: the first of those looked at (1 to 8, then a quarter more each time) with a small interval."""
    look, scale = 1, 1000.0 / (game.big_blind or 1.0)
    while look <= settings.blocks and all(block in done for block in range(look)):
        samples = _samples([done[block] for block in range(look)])
        found = estimate(samples[:, 0])
        if found.samples >= FEWEST_SAMPLES and 1.96 * found.error * scale <= (settings.until_interval or 0.0):
            return look - 1
        look = max(look + 1, look * 5 // 4)
    return settings.blocks - 1


def _samples(blocks: list[dict[str, Any]]) -> Any:
    """[deal, player]: the adjusted results where all blocks have them, as they are what intervals are judged by."""
    name = _adjusted(blocks) or "won"
    return np.concatenate([np.array(_results(block, name)) for block in blocks])


def _adjusted(blocks: list[dict[str, Any]]) -> str | None:
    """Which results have luck corrected; None: there are none.

    They are all by the deals alone if any hand has a fault, since which hands have one may depend on the cards.
    """
    if any(block["fair"] is None for block in blocks):
        return None
    if not any(sum(block["faults"]) for block in blocks):
        return "fair"
    return None if any(_results(block, "by_deals") is None for block in blocks) else "by_deals"


def _results(block: dict[str, Any], name: str) -> Any:
    """Where no strategy is known, what is fair is so by the deals; blocks of older ledgers do not have that beside the rest."""
    return block["fair"] if name == "by_deals" and block["method"] == "chance" else block.get(name)


def compact(block: dict[str, Any]) -> dict[str, Any]:
    """A block with its results in arrays: sixteen bytes a hand instead of some three hundred."""
    names = [name for name in ("won", "fair", "by_deals") if block.get(name) is not None]
    return block | {name: np.asarray(block[name], dtype=np.float64) for name in names}


def summarise(settings: MatchSettings, game: Game, blocks: list[dict[str, Any]], finished: bool) -> MatchResult:
    """Estimates from finished blocks."""
    won = np.concatenate([np.array(block["won"]) for block in blocks])
    players = range(len(settings.players))
    name, adjusted = _adjusted(blocks), None
    by_strategies = name == "fair" and any(block["method"] == "aivat" for block in blocks)
    if name is not None:
        fair = _samples(blocks)
        adjusted = tuple(estimate(fair[:, p]) for p in players)
    return MatchResult(
        settings=settings,
        hands=sum(block["hands"] for block in blocks),
        estimates=tuple(estimate(won[:, p]) for p in players),
        adjusted=adjusted,
        method=None if adjusted is None else "aivat" if by_strategies else "chance",
        big_blind=game.big_blind,
        payoffs=game.unit,
        seats=() if settings.duplicate else game.seat_names,
        faults=tuple(sum(block["faults"][p] for block in blocks) for p in players),
        fault_texts=tuple(text for block in blocks for text in block["texts"])[:KEPT_FAULTS],
        finished=finished,
        blocks=tuple(blocks),
    )


def result_facts(result: MatchResult) -> dict[str, Any]:
    """What `match --json` prints."""

    def facts(each: Estimate) -> dict[str, Any]:
        found = result.scaled(each)
        return {"mbb_per_game": found.mean, "interval": list(found.interval), "standard_error": found.error}

    settings = result.settings
    rows = [
        {"player": name}
        | ({"seat": result.seats[p]} if result.seats else {})
        | facts(result.estimates[p])
        | {
            "aivat": facts(result.adjusted[p]) if result.adjusted else None,
            "p": one_tailed_t((result.adjusted or result.estimates)[p]),
            "faults": result.faults[p],
        }
        for p, name in enumerate(settings.players)
    ]
    return {
        "players": list(settings.players),
        "game": settings.game,
        "hands": result.hands,
        "seed": settings.seed,
        "duplicate": settings.duplicate,
        "mbb_per_game": rows[0]["mbb_per_game"],
        "interval": rows[0]["interval"],
        "aivat": rows[0]["aivat"],
        "method": result.method,
        "unit": result.unit,
        "results": rows,
        "faults": sum(result.faults),
        "fault_texts": list(result.fault_texts),
        "samples": result.estimates[0].samples,
        "finished": result.finished,
    }


def default_tables() -> int:
    """One per processor."""
    return cores()
