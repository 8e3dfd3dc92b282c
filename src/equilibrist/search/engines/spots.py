"""Hold'em decisions searched again on their boards, from beliefs and what the opponent could have had ([Brown20] 5.1).

`search_spot` takes a `Spot` (which may begin in the middle of a street): the searcher's range in it and, for safe techniques, alternative
payoffs of the opponent's hands. `search_from` takes both from a place of a solved spot, so that a coarse solution is a blueprint and bets
that it does not know are answered.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.deck import Deck
from equilibrist.cards.isomorphism import symmetries
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, parse_cards
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.solution import SolveRecord
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.spots.bet_sizes import PLAYERS, menus_table
from equilibrist.games.spots.spot import NO_LIMIT, Spot
from equilibrist.search.alternatives import smallest_margin
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.depth_limited.spots import solve_street, start_street, street_only
from equilibrist.search.engines.spot_boards import EntryGap, SpotEntryRun
from equilibrist.search.gadgets import Doorstep, Entry, Maxmargin, Resolve
from equilibrist.solvers.iteration_loop import Loop, Stop
from equilibrist.solvers.postflop.solutions.spot_node import NOBODY, Cursor
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import solve_spot, start_spot, target_chips
from equilibrist.solvers.postflop.vector_cfr import BoardRun

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ENTRIES: Mapping[str, Entry] = {"resolve": Resolve(), "maxmargin": Maxmargin()}
TECHNIQUES = ("unsafe", *ENTRIES)
DEPTHS = ("end", "street")
DEFAULT_SEARCH_SOLVER = "dcfr(gamma=5)"  # to 1 % of the pot the fewest iterations: docs/search.md
FINE = 0.002  # of the pot; searches that are to come closer have 32-bit tables, others 16-bit ones, which are faster
HANDS = 1326


@dataclass(frozen=True)
class SpotSearch:
    """What was found for the searcher, and what the opponent's hands can get against it."""

    solution: SpotSolution = field(repr=False)  # with an entry, the opponent's part is of no use outside this search
    searcher: str
    technique: str
    hands: Ints  # numbers of the opponent's hands
    values: Floats  # their shares of the pot when they respond best
    alternative: Floats | None  # what they are compared with
    mass: Floats  # reach of the searcher's hands they can meet
    exploitability: float  # chips, of the spot with its entry; half of what both could gain
    seconds: float

    @property
    def margin(self) -> float:
        """Smallest amount by which a hand gets less than its alternative; negative: some hand gets more."""
        return smallest_margin(self.alternative, self.values, self.mass)

    @property
    def tolerance(self) -> float:
        """By how much, at most, the opponent's best response to the whole strategy can have risen, in chips where this spot is reached."""
        if self.alternative is None:
            return float("nan")
        over = np.maximum(self.values - self.alternative, 0.0)
        return float((over * self.mass).sum() / self.mass.sum())


def search_spot(
    spot: Spot,
    searcher: str,
    technique: str = "unsafe",
    *,
    alternative: npt.ArrayLike | None = None,
    solver: str = DEFAULT_SEARCH_SOLVER,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    bits: int | None = None,
    depth: str = "end",
    continuations: Continuations | None = None,
) -> SpotSearch:
    """Solve a spot for one player. `alternative` [1326]: the share of the pot each of the opponent's hands would have elsewhere, NaN where
    a hand cannot be held; safe techniques need it, and take every such hand for possible.

    With `depth="street"` this street alone is searched, and `continuations` say what happens below it. Tables have 16 bits unless the
    target is fine or `bits` says otherwise; depth-limited ones have 32.
    """
    if searcher not in PLAYERS:
        raise ParameterError(f"The searcher is 'oop' or 'ip', but {searcher!r} was given.")
    if technique not in TECHNIQUES:
        raise ParameterError(f"Spots are searched by {', '.join(TECHNIQUES)}, but '{technique}' was given.")
    below = _continuations(depth, continuations)
    seat, stop = PLAYERS.index(searcher), Stop(target_chips(until, spot), iterations, seconds)
    if technique == "unsafe":
        begin = time.perf_counter()
        if below is None:
            found = solve_spot(
                spot,
                solver,
                until=until,
                iterations=iterations,
                seconds=seconds,
                threads=threads,
                bits=_bits(bits, stop, spot),
            )
        else:
            found = solve_street(spot, solver, stop, below, seat, threads)
        run = found.boards.run
        own = run.streets[0].boards.player[1 - seat]
        hands = own.pair[0, : own.count[0]].astype(np.int64)
        door = Doorstep(
            _met(run.weights[seat], hands), np.zeros(len(hands), dtype=np.int32), run.weights[1 - seat][hands]
        )
        values, spent = run.values(1 - seat, respond=True), time.perf_counter() - begin
        return _result(found, seat, technique, hands, door, values, found.exploitability, spent)
    if alternative is None:
        raise NotApplicableError(
            f"The technique '{technique}' needs to know what the opponent's hands would get elsewhere; give alternative=[1326 shares of "
            "the pot], search from a solved spot with search_from, or use 'unsafe'."
        )
    return _with_entry(
        spot, seat, technique, _checked(alternative, spot), solver, stop, threads, _bits(bits, stop, spot), below
    )


def _bits(asked: int | None, stop: Stop, spot: Spot) -> int:
    if asked is not None:
        return asked
    coarse = stop.seconds is not None if stop.exploitability is None else stop.exploitability >= FINE * spot.pot
    return 16 if coarse else 32


def _continuations(depth: str, given: Continuations | None) -> Continuations | None:
    """What happens below the searched street; nothing where the search goes to the end."""
    if depth not in DEPTHS:
        raise ParameterError(f"A search goes to the {' or the '.join(DEPTHS)}, but depth={depth!r} was given.")
    if depth == "end":
        if given is not None:
            raise ParameterError('Continuations are for depth-limited search; give depth="street" with them.')
        return None
    return given or Continuations()


def search_from(
    place: Cursor,
    searcher: str,
    technique: str = "resolve",
    *,
    bet: str | None = None,
    bets: Mapping[str, Any] | None = None,
    thresholds: Mapping[str, Any] | None = None,
    **how: Any,
) -> SpotSearch:
    """Search again from a place of a solved spot, with its ranges and its values as alternatives.

    `bet` is what the opponent has done instead of anything the solution knows (`b165`, `r400`): the search begins after it, and the
    alternatives are those before it. `bets` and `thresholds` are the menus from here on; the solution's own, if absent.
    """
    if place.is_deal or place.is_over:
        raise NotApplicableError(
            f"Nobody acts after '{place.line}', so there is nothing to search; give a place where a player acts."
        )
    spot, opponent = spot_at(place), 1 - PLAYERS.index(searcher) if searcher in PLAYERS else 0
    if bet is not None:
        if place.player == searcher:
            raise ParameterError(f"{searcher} itself acts after '{place.line}', so '{bet}' is no answer to search for.")
        spot = spot.changed(line=":".join((*spot.line, bet)))
    spot = spot.changed(
        **({} if bets is None else {"bets": bets}), **({} if thresholds is None else {"thresholds": thresholds})
    )
    alternative = None
    if technique != "unsafe":
        alternative = np.full(HANDS, np.nan)
        alternative[place.hands_of(opponent)] = place.best_response_ev(opponent)
        if bet is not None:  # the pot that shares are counted in is the one before the bet
            alternative += spot.opening.paid[opponent] - float(
                place.forest.paid[place.node, opponent] - _street_paid(place)
            )
    return search_spot(spot, searcher, technique, alternative=alternative, **how)


def spot_at(place: Cursor) -> Spot:
    """The rest of a solved spot as a spot of its own: this street with what was done on it, ranges as they get here."""
    done = [part for part in place.line.split(":") if part]
    dealt = [number for number, part in enumerate(done) if part[0] not in "xcfbr"]
    line = done[dealt[-1] + 1 :] if dealt else [*place.boards.spot.line, *done]
    return _rest(place, _street_paid(place), place.cards, ":".join(line))


def _rest(place: Cursor, paid: float, cards: tuple[int, ...], line: str) -> Spot:
    """A spot with a solved spot's menus and rules, and the ranges of one place."""
    whole, ranges = place.boards.spot, {}
    for seat, name in enumerate(PLAYERS):
        weights, reach = np.zeros(HANDS), place.reach(seat)
        if not reach.max(initial=0.0) > 0.0:
            raise NotApplicableError(
                f"{name} never gets to '{place.line}' in this solution; search from a place that is played."
            )
        weights[place.hands_of(seat)] = reach / reach.max()
        ranges[name] = Range(weights)
    kept = ("chip", "thresholds", "rake", "betting")
    table: dict[str, Any] = {key: value for key, value in whole.table().items() if key in kept}
    if whole.betting.kind == NO_LIMIT:
        table["bets"] = menus_table(whole.menus[len(cards) - len(whole.board) :])
    stacks = {name: stack - paid for name, stack in zip(PLAYERS, whole.stacks, strict=True)}
    board = "".join(STANDARD.label(card) for card in cards)
    return Spot(board=board, pot=whole.pot + 2.0 * paid, stacks=stacks, range=ranges, line=line, **table)


def spot_after(place: Cursor, card: str) -> Spot:
    """The next street as a spot of its own, where a card comes in a solved spot: ranges as they get there."""
    if not place.is_deal:
        raise NotApplicableError(
            f"No card comes after '{place.line}'; give a place where the betting of a street is over."
        )
    (dealt,) = parse_cards(card)
    if dealt in place.cards:
        raise ParameterError(f"'{card}' is on the board {place.board} already.")
    return _rest(place, float(place.forest.paid[place.node].min()), (*place.cards, dealt), "")


def _street_paid(place: Cursor) -> float:
    """What each player had paid when this street began."""
    node = place.node
    while place.forest.parent[node] >= 0:
        node = int(place.forest.parent[node])
    return float(place.forest.paid[node].min()) if place.path else 0.0


def _checked(alternative: npt.ArrayLike, spot: Spot) -> Floats:
    given = np.asarray(alternative, dtype=np.float64)
    if given.shape != (HANDS,) or np.isinf(given).any():
        raise ParameterError(
            f"Alternative payoffs are {HANDS} shares of the pot, one for each hand (NaN where it cannot be held), but {given.size} numbers "
            "were given or some are infinite."
        )
    if np.isnan(given).all():
        raise ParameterError(
            "No hand of the opponent has an alternative payoff; give a share of the pot for each hand."
        )
    if spot.rake.rate:
        raise NotApplicableError(
            "Safe search compares what one side loses with what the other gains, which rake breaks; search without rake, or unsafely."
        )
    return given


def _with_entry(
    spot: Spot,
    seat: int,
    technique: str,
    alternative: Floats,
    solver: str,
    stop: Stop,
    threads: int,
    bits: int,
    below: Continuations | None,
) -> SpotSearch:
    begin = time.perf_counter()
    cpu = time.process_time()
    everyone = Range((~np.isnan(alternative)).astype(np.float64))
    spot = spot.changed(range={PLAYERS[seat]: spot.ranges[seat], PLAYERS[1 - seat]: everyone})
    alike = _alike(spot, alternative)
    run: BoardRun
    if below is None:
        run = start_spot(spot, solver, threads=threads, isomorphism=alike, bits=bits)
    else:
        run = start_street(spot, solver, below, seat, threads=threads, isomorphism=alike)
    found = run.streets[0].boards.player[1 - seat]
    hands = found.pair[0, : found.count[0]].astype(np.int64)
    begun = spot.pot / 2.0 + spot.opening.paid[1 - seat]
    door = Doorstep(
        mass=_met(run.weights[seat], hands),
        group=np.zeros(len(hands), dtype=np.int32),
        reach=np.ones(len(hands)),
        alternative=alternative[hands] - begun,
    )
    entering = SpotEntryRun(run, seat, ENTRIES[technique], door)
    loop: Loop[EntryGap] = Loop(entering, stop, None, 0.0)

    def solution(stopped: bool) -> SpotSearch:
        gap = loop.final_evaluation().exploitability
        reached = stop.exploitability is not None and gap <= stop.exploitability
        whole = SpotSolution.of_run(
            run,
            spot,
            SolveRecord(
                solver=solver,
                seconds=loop.elapsed(),
                cpu_seconds=time.process_time() - cpu,
                threads=threads,
                converged=reached and not stopped,
                interrupted=stopped,
                settings={"technique": technique, "searcher": PLAYERS[seat]},
            ),
        )
        if below is not None:
            whole = street_only(whole, run, below, seat)
        return _result(whole, seat, technique, hands, door, entering.answer(), gap, time.perf_counter() - begin)

    return loop.finish(solution)


def _alike(spot: Spot, alternative: Floats) -> bool:
    """Whether boards that differ by suits only may stand for each other: alternatives must not tell suits apart either."""
    deal = Deal.holdem(spot.board)
    hands = deal.hands.astype(np.int64)
    weights = [spot.weights(0), spot.weights(1)]
    known = np.where(np.isnan(alternative), -1e9, alternative)
    return len(symmetries(deal.board, [*weights, known], Deck(), hands)) == len(
        symmetries(deal.board, weights, Deck(), hands)
    )


def _met(weights: Floats, hands: Ints) -> Floats:
    """Weight of the other player's hands that share no card with each hand."""
    pairs = hands_of(STANDARD)
    by_card = np.bincount(pairs.low, weights, 52) + np.bincount(pairs.high, weights, 52)
    left = weights.sum() - by_card[pairs.low[hands]] - by_card[pairs.high[hands]] + weights[hands]
    return np.where(left > NOBODY * weights.sum(), left, 0.0)


def _result(
    solution: SpotSolution,
    seat: int,
    technique: str,
    hands: Ints,
    door: Doorstep,
    answer: Floats,
    gap: float,
    seconds: float,
) -> SpotSearch:
    begun = solution.spot.pot / 2.0 + solution.spot.opening.paid[1 - seat]
    worth = np.divide(answer, door.mass, out=np.full(len(hands), np.nan), where=door.mass > 0)
    return SpotSearch(
        solution=solution,
        searcher=PLAYERS[seat],
        technique=technique,
        hands=hands,
        values=worth + begun,
        alternative=None if door.alternative is None else door.alternative + begun,
        mass=door.mass,
        exploitability=gap,
        seconds=seconds,
    )
