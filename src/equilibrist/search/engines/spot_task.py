"""What a search of a spot is asked for, checked, and what it has found; with one gadget, or with those of many spots side by side."""

from __future__ import annotations

from dataclasses import dataclass, field

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
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.node_alternatives import HANDS
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.solutions.spot_node import NOBODY
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import target_chips
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
class SearchTask:
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

    def record(self, seconds: float, *, converged: bool) -> SolveRecord:
        """How the solution below a gadget came about."""
        settings = {"technique": self.technique.name, "searcher": PLAYERS[self.seat]}
        return SolveRecord(self.solver, seconds=seconds, converged=converged, threads=self.threads, settings=settings)


def search_task(
    spot: Spot,
    searcher: str,
    technique: str | Technique,
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
) -> SearchTask:
    """What `search_spot` was asked for, checked."""
    if searcher not in PLAYERS:
        raise ParameterError(f"The searcher is 'oop' or 'ip', but {searcher!r} was given.")
    chosen, stop = find_technique(technique), Stop(target_chips(until, spot), iterations, seconds)
    if chosen.gadget.needs_values and alternative is None:
        raise NotApplicableError(
            f"The technique '{chosen.name}' needs to know what the opponent's hands would get elsewhere; give alternative=[1326 shares of "
            "the pot], search from a solved spot with search_from, or use 'unsafe'."
        )
    return SearchTask(
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


def believed(task: SearchTask, found: SpotSolution, seconds: float) -> SpotSearch:
    """The solution of a spot as what a search that believes its ranges has found."""
    seat, run = task.seat, found.boards.run
    hands = hands_on(run, 1 - seat)
    group = np.zeros(len(hands), dtype=np.int32)
    inputs = GadgetInputs(_met(run.weights[seat], hands), group, run.weights[1 - seat][hands])
    return searched(task, found, hands, inputs, run.values(1 - seat, respond=True), found.exploitability, seconds)


def spot_with_gadget(task: SearchTask) -> tuple[Spot, bool]:
    """The spot below a gadget, where every hand with an alternative may come; whether boards that differ by suits are alike."""
    alternative, seat, spot = task.alternative, task.seat, task.spot
    assert alternative is not None
    everyone = Range((~np.isnan(alternative)).astype(np.float64))
    spot = spot.changed(range={PLAYERS[seat]: spot.ranges[seat], PLAYERS[1 - seat]: everyone})
    return spot, _alike(spot, alternative, task.deviation)


def gadget_inputs(task: SearchTask, weights: Floats, hands: Longs) -> GadgetInputs:
    """What a gadget is told: of the searcher's `weights` [1326] and the opponent's hands."""
    assert task.alternative is not None
    return GadgetInputs(
        mass=_met(weights, hands),
        group=np.zeros(len(hands), dtype=np.int32),
        reach=np.ones(len(hands)),
        alternative=task.alternative[hands] - _begun(task.spot, 1 - task.seat),
        deviation=None if task.deviation is None else task.deviation[hands],
    )


def hands_on(run: BoardCFR, player: int) -> Longs:
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


def searched(
    task: SearchTask,
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
