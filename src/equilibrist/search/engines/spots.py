"""Hold'em decisions searched again on their boards, by every technique ([Brown20, §5.1]).

`search_spot` takes a `Spot` (which may begin in the middle of a street): the searcher's range in it and, for techniques that need
them, alternative payoffs of the opponent's hands. `search_from` takes both from a node of a solved spot, so that a coarse solution is
a blueprint and bets that it does not know are answered.
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
from equilibrist.cards.ranges import Range
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.solution import SolveRecord
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.search.alternatives import smallest_margin
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.depth_limited.spots import solve_street, start_street, street_only
from equilibrist.search.engines.boards import board_engine
from equilibrist.search.engines.spot_rest import spot_at, street_paid
from equilibrist.search.gadget_run import GadgetGap, GadgetRun, on_host
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.node_alternatives import HANDS, alternatives_at
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.iteration_loop import Loop, Stop
from equilibrist.solvers.postflop.gpu.devices import refuse_gpu
from equilibrist.solvers.postflop.solutions.spot_node import NOBODY, SpotNode
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import solve_spot, start_spot, target_chips
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

DEPTHS = ("end", "street")
DEFAULT_SEARCH_SOLVER = "dcfr(gamma=5)"  # to 1 % of the pot the fewest iterations: docs/search.md
FINE = 0.002  # of the pot; searches that are to come closer have 32-bit tables, others 16-bit ones, which are faster


@dataclass(frozen=True)
class SpotSearch:
    """What was found for the searcher, and what the opponent's hands can get against it."""

    solution: SpotSolution = field(repr=False)  # below a gadget, the opponent's part is of no use outside this search
    searcher: str
    technique: Technique
    hands: Longs  # numbers of the opponent's hands
    values: Floats  # their shares of the pot when they respond best
    alternative: Floats | None  # what they are compared with
    mass: Floats  # reach of the searcher's hands they can meet
    exploitability: float  # chips, of the spot with its gadget; half of what both could gain
    seconds: float

    @property
    def margin(self) -> float:
        """Smallest amount by which a hand gets less than its alternative; negative: some hand gets more."""
        return smallest_margin(self.alternative, self.values, self.mass)

    @property
    def tolerance(self) -> float:
        """By how much, at most, the opponent's best response to the whole strategy can have risen, in chips where this spot is reached."""
        if self.alternative is None or not self.technique.safe:
            return float("nan")
        over = np.where(self.mass > 0, np.maximum(self.values - self.alternative, 0.0) * self.mass, 0.0)
        return float(over.sum() / self.mass.sum())


@dataclass(frozen=True)
class _Task:
    """One search, checked."""

    spot: Spot
    seat: int
    technique: Technique
    solver: str
    stop: Stop
    threads: int
    bits: int
    device: str
    below: Continuations | None
    alternative: Floats | None = None  # [1326]
    deviation: Floats | None = None  # [1326]


def search_spot(
    spot: Spot,
    searcher: str,
    technique: str | Technique = "unsafe",
    *,
    alternative: npt.ArrayLike | None = None,
    deviation: npt.ArrayLike | None = None,
    solver: str = DEFAULT_SEARCH_SOLVER,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    bits: int | None = None,
    device: str = "cpu",
    depth: str = "end",
    continuations: Continuations | None = None,
) -> SpotSearch:
    """Solve a spot for one player. `alternative` [1326]: the share of the pot each of the opponent's hands would have elsewhere, NaN where
    a hand cannot be held; all techniques but `unsafe` need it, and take every such hand for possible. Distributional ones also need
    its `deviation`.

    With `depth="street"` this street alone is searched, and `continuations` say what happens below it. Tables have 16 bits unless the
    target is fine or `bits` says otherwise; depth-limited ones and those on a GPU (`device`: cpu, cuda, auto) have 32.
    """
    if searcher not in PLAYERS:
        raise ParameterError(f"The searcher is 'oop' or 'ip', but {searcher!r} was given.")
    chosen, stop = find_technique(technique), Stop(target_chips(until, spot), iterations, seconds)
    task = _Task(
        spot=spot,
        seat=PLAYERS.index(searcher),
        technique=chosen,
        solver=solver,
        stop=stop,
        threads=threads,
        bits=_bits(bits, stop, spot) if device == "cpu" else bits or 32,
        device=device,
        below=_continuations(depth, continuations),
        alternative=None if alternative is None else _checked(alternative, spot, "Alternative payoffs"),
        deviation=None if deviation is None else _checked(deviation, spot, "Deviations"),
    )
    if task.below is not None:
        refuse_gpu(
            device, "Spots searched to the end run on a GPU, but one street is searched on the CPU; leave 'device' out."
        )
    if not chosen.gadget.needs_values:
        return _believing(task)
    if task.alternative is None:
        raise NotApplicableError(
            f"The technique '{chosen.name}' needs to know what the opponent's hands would get elsewhere; give alternative=[1326 shares of "
            "the pot], search from a solved spot with search_from, or use 'unsafe'."
        )
    return _with_gadget(task)


def search_from(
    place: SpotNode,
    searcher: str,
    technique: str | Technique = "resolve",
    *,
    bet: str | None = None,
    bets: Mapping[str, Any] | None = None,
    thresholds: Mapping[str, Any] | None = None,
    **how: Any,
) -> SpotSearch:
    """Search again from a node of a solved spot, with its ranges and its values as alternatives.

    `bet` is what the opponent has done instead of anything the solution knows (`b165`, `r400`): the search begins after it, and the
    alternatives are those before it. `bets` and `thresholds` are the menus from here on; the solution's own, if absent.
    """
    chosen = find_technique(technique)
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
    if not chosen.gadget.needs_values:
        return search_spot(spot, searcher, chosen, **how)
    alternative, deviation = alternatives_at(place, opponent, chosen)
    if bet is not None:  # the pot that shares are counted in is the one before the bet
        alternative += spot.opening.paid[opponent] - float(place.forest.paid[place.node, opponent] - street_paid(place))
    return search_spot(spot, searcher, chosen, alternative=alternative, deviation=deviation, **how)


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


def _checked(numbers: npt.ArrayLike, spot: Spot, what: str) -> Floats:
    given = np.asarray(numbers, dtype=np.float64)
    if given.shape != (HANDS,) or np.isinf(given).any():
        raise ParameterError(
            f"{what} are {HANDS} shares of the pot, one for each hand (NaN where it cannot be held), but {given.size} numbers "
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


def _believing(task: _Task) -> SpotSearch:
    """Both ranges are believed: the spot itself is solved, which is what a run with a constant gadget does, and faster."""
    begin, seat, stop = time.perf_counter(), task.seat, task.stop
    if task.below is None:
        how: dict[str, Any] = {"iterations": stop.iterations, "seconds": stop.seconds, "threads": task.threads}
        found = solve_spot(task.spot, task.solver, until=stop.exploitability, bits=task.bits, device=task.device, **how)
    else:
        found = solve_street(task.spot, task.solver, stop, task.below, seat, task.threads)
    run = found.boards.run
    hands = _hands(run, 1 - seat)
    group = np.zeros(len(hands), dtype=np.int32)
    inputs = GadgetInputs(_met(run.weights[seat], hands), group, run.weights[1 - seat][hands])
    values, spent = run.values(1 - seat, respond=True), time.perf_counter() - begin
    return _result(task, found, hands, inputs, values, found.exploitability, spent)


def _with_gadget(task: _Task) -> SpotSearch:
    begin, cpu, seat = time.perf_counter(), time.process_time(), task.seat
    alternative, spot = task.alternative, task.spot
    assert alternative is not None
    everyone = Range((~np.isnan(alternative)).astype(np.float64))
    spot = spot.changed(range={PLAYERS[seat]: spot.ranges[seat], PLAYERS[1 - seat]: everyone})
    alike = _alike(spot, alternative, task.deviation)
    run: BoardCFR
    if task.below is None:
        run = start_spot(spot, task.solver, threads=task.threads, isomorphism=alike, bits=task.bits, device=task.device)
    else:
        run = start_street(spot, task.solver, task.below, seat, threads=task.threads, isomorphism=alike)
    hands, engine = _hands(run, 1 - seat), board_engine(run)
    inputs = GadgetInputs(
        mass=_met(run.weights[seat], hands),
        group=np.zeros(len(hands), dtype=np.int32),
        reach=np.ones(len(hands)),
        alternative=alternative[hands] - _begun(spot, 1 - seat),
        deviation=None if task.deviation is None else task.deviation[hands],
    )
    entering = GadgetRun(engine, seat, task.technique.gadget, inputs, engine.range_of(seat))
    loop: Loop[GadgetGap] = Loop(entering, task.stop, None, 0.0)

    def solution(stopped: bool) -> SpotSearch:
        gap, target = loop.final_evaluation().exploitability, task.stop.exploitability
        whole = SpotSolution.of_run(
            run,
            spot,
            SolveRecord(
                solver=task.solver,
                seconds=loop.elapsed(),
                cpu_seconds=time.process_time() - cpu,
                threads=task.threads,
                converged=target is not None and gap <= target and not stopped,
                interrupted=stopped,
                settings={"technique": task.technique.name, "searcher": PLAYERS[seat]},
            ),
        )
        if task.below is not None:
            whole = street_only(whole, run, task.below, seat)
        return _result(task, whole, hands, inputs, on_host(entering.answer()), gap, time.perf_counter() - begin)

    return loop.finish(solution)


def _hands(run: BoardCFR, player: int) -> Longs:
    own = run.streets[0].boards.player[player]
    hands: Longs = own.pair[0, : own.count[0]].astype(np.int64)
    return hands


def _alike(spot: Spot, *numbers: Floats | None) -> bool:
    """Whether boards that differ by suits only may stand for each other: alternatives must not tell suits apart either."""
    deal = Deal.holdem(spot.board)
    hands = deal.hands.astype(np.int64)
    weights = [spot.weights(0), spot.weights(1)]
    known = [np.where(np.isnan(each), -1e9, each) for each in numbers if each is not None]
    return len(symmetries(deal.board, [*weights, *known], Deck(), hands)) == len(
        symmetries(deal.board, weights, Deck(), hands)
    )


def _met(weights: Floats, hands: Longs) -> Floats:
    """Weight of the other player's hands that share no card with each hand."""
    pairs = hands_of(STANDARD)
    by_card = np.bincount(pairs.low, weights, 52) + np.bincount(pairs.high, weights, 52)
    left = weights.sum() - by_card[pairs.low[hands]] - by_card[pairs.high[hands]] + weights[hands]
    return np.where(left > NOBODY * weights.sum(), left, 0.0)


def _begun(spot: Spot, player: int) -> float:
    """What lies in the pot is nobody's any more: a share of it is a net value and this."""
    return float(spot.pot / 2.0 + spot.opening.paid[player])


def _result(
    task: _Task,
    solution: SpotSolution,
    hands: Longs,
    inputs: GadgetInputs,
    answer: Floats,
    gap: float,
    seconds: float,
) -> SpotSearch:
    begun = _begun(solution.spot, 1 - task.seat)
    worth = np.divide(answer, inputs.mass, out=np.full(len(hands), np.nan), where=inputs.mass > 0)
    return SpotSearch(
        solution=solution,
        searcher=PLAYERS[task.seat],
        technique=task.technique,
        hands=hands,
        values=worth + begun,
        alternative=None if inputs.alternative is None else inputs.alternative + begun,
        mass=inputs.mass,
        exploitability=gap,
        seconds=seconds,
    )
