"""Equity: what share of the pot hands and ranges win if all cards come without further betting.

Two ranges are compared exactly on any street, before the flop too: boards that differ only by an exchange of suits are
looked at once. More players are exact where the deals are few enough, otherwise sampled with an interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards._kernels.equity import add_features, add_showdowns, count_winners
from equilibrist.cards._kernels.showdown import CARDS
from equilibrist.cards.evaluator import evaluate
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, parse_range
from equilibrist.cards.runouts import Runouts, Sums, board_cards, runouts_of
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError

FEW_PAIRS = 2048  # pairs of hands, with their images under exchanges of suits, that are quicker compared one by one
FEW_DEALS = 10**6  # deals to several players, with their images, that are listed
FEW_COMPARISONS = 10**9  # (board, deal, player) triples that are enumerated; where there are more, sampling
SAMPLES_AT_ONCE = 1 << 16
FUTILE_TRIES = 5 * 10**6  # deals drawn, all with a card used twice, before ranges are said to collide
MOST_PLAYERS = 6
BINS = 50
Z95 = 1.959963984540054  # two-sided 95 % of the normal distribution


_HANDS = hands_of(STANDARD)
_EVERY = np.arange(_HANDS.count)
_CARD_BITS = (np.uint64(1) << _HANDS.low.astype(np.uint64)) | (np.uint64(1) << _HANDS.high.astype(np.uint64))


@dataclass(frozen=True)
class EquityResult:
    """Shares by player, and by hand in pair order (nan for hands that cannot be held)."""

    win: tuple[float, ...]  # wins alone
    tie: tuple[float, ...]  # splits with somebody
    equity: tuple[float, ...]  # share of the pot
    reach: tuple[
        Floats, ...
    ]  # [player][hand] probability that the player holds the hand, given all ranges and the board
    hand_win: tuple[Floats, ...]
    hand_tie: tuple[Floats, ...]
    hand_equity: tuple[Floats, ...]
    boards: int  # complete boards possible once all hands are known
    samples: int = 0  # deals drawn; 0: enumerated, exact
    seed: int | None = None
    interval: tuple[tuple[float, float], ...] | None = None  # 95 %, where sampled

    @property
    def exact(self) -> bool:
        return self.samples == 0


@dataclass(frozen=True)
class StrengthFeatures:
    """Equity against a random hand over all runouts, for all hands at once (nan for hands that meet the board)."""

    ehs: Floats  # [hand] mean: E[HS]
    ehs_squared: Floats  # [hand] mean of squares: E[HS^2]
    histogram: Floats  # [hand, bin] shares of runouts; rows sum to one


def equity(first: Range | str, second: Range | str, board: str | Sequence[int] = "") -> EquityResult:
    """Range against range, exactly; `board` is empty or has three to five cards."""
    ranges, runouts = _checked((first, second), board)
    if _largest_listing(ranges, runouts) <= FEW_PAIRS:
        return _enumerated(_listed(ranges, runouts), runouts)
    return _swept(ranges, runouts)


def multiway_equity(
    ranges: Sequence[Range | str], board: str | Sequence[int] = "", *, samples: int = 500_000, seed: int = 0
) -> EquityResult:
    """Two to six ranges; exact for two and where there are few deals, sampled (`samples` deals, 95 % interval) otherwise."""
    if not 2 <= len(ranges) <= MOST_PLAYERS:
        raise ParameterError(f"Equity is for two to {MOST_PLAYERS} ranges, but {len(ranges)} were given.")
    if len(ranges) == 2:
        return equity(ranges[0], ranges[1], board)
    held, runouts = _checked(ranges, board)
    if _largest_listing(held, runouts) <= FEW_DEALS:
        listing = _listed(held, runouts)
        if listing.distinct.size * len(runouts.boards) <= FEW_COMPARISONS:
            return _enumerated(listing, runouts)
    if samples < 1:
        raise ParameterError(f"At least one deal must be sampled, but samples={samples} was given.")
    return _sampled(held, runouts, samples, seed)


@lru_cache(maxsize=8)
def strength_features(board: str = "", bins: int = BINS) -> StrengthFeatures:
    """E[HS], E[HS^2] and equity histograms of every hand ([Ganzfried15, chapter 5]; [Lu16, §3.3.2])."""
    runouts = runouts_of(board_cards(board))

    def work(strengths: NDArray[np.uint16], multiplicity: NDArray[np.uint8]) -> list[Sums]:
        points, squares = np.zeros(_HANDS.count, np.int64), np.zeros(_HANDS.count)
        histogram = np.zeros((_HANDS.count, bins), np.int64)
        add_features(strengths, multiplicity, _EVERY, _HANDS.low, _HANDS.high, points, squares, histogram)
        return [points, squares, histogram]

    summed = runouts.sum_over_boards(work)
    points, squares, histogram = (sums[runouts.images].mean(axis=0) for sums in summed)
    count = histogram.sum(axis=1)
    return StrengthFeatures(
        ehs=_ratio(points, 1980.0 * count),
        ehs_squared=_ratio(squares, count),
        histogram=_ratio(histogram, np.broadcast_to(count[:, None], histogram.shape)),
    )


def _checked(ranges: Sequence[Range | str], board: str | Sequence[int]) -> tuple[list[Range], Runouts]:
    cards = board_cards(board)
    held = []
    for number, given in enumerate(ranges, start=1):
        whole = parse_range(given) if isinstance(given, str) else given
        if whole.deck != STANDARD:
            raise NotApplicableError("Equity is computed for the deck of 52 cards; give ranges of that deck.")
        left = whole.without(cards)
        if not len(left.hands):
            reason = "shares a card with the board" if len(whole.hands) else "has weight 0"
            raise ParameterError(f"Range {number} is empty: every hand of '{_short(whole)}' {reason}.")
        held.append(left)
    return held, runouts_of(cards)


def _short(held: Range) -> str:
    text = str(held)
    return text if len(text) <= 40 else text[:39] + "…"


class _Tally:
    """Sums by player and hand over deals, each weighted."""

    def __init__(self, players: int) -> None:
        self.mass, self.won, self.tied, self.share = np.zeros((4, players, _HANDS.count))

    def add(self, deals: Longs, weight: Floats, outcomes: Sequence[Floats]) -> None:
        """`deals` [deal, player] hands, `weight` [deal], `outcomes` won, tied, share [deal, player]."""
        for player in range(deals.shape[1]):
            hands = deals[:, player]
            self.mass[player] += np.bincount(hands, weight, _HANDS.count)
            for sums, values in zip((self.won, self.tied, self.share), outcomes, strict=True):
                sums[player] += np.bincount(hands, weight * values[:, player], _HANDS.count)

    def result(self, boards: int, samples: int = 0, seed: int | None = None) -> EquityResult:
        total = self.mass.sum(axis=1, keepdims=True)
        win, tie, equity = ((sums / total).sum(axis=1).tolist() for sums in (self.won, self.tied, self.share))
        return EquityResult(
            win=tuple(win),
            tie=tuple(tie),
            equity=tuple(equity),
            reach=tuple(self.mass / total),
            hand_win=tuple(_ratio(self.won, self.mass)),
            hand_tie=tuple(_ratio(self.tied, self.mass)),
            hand_equity=tuple(_ratio(self.share, self.mass)),
            boards=boards,
            samples=samples,
            seed=seed,
            interval=tuple(_wilson(share, samples) for share in equity) if samples else None,
        )


def _ratio(above: Floats, below: Floats) -> Floats:
    """Quotient, nan where there is nothing to divide by."""
    quotient = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=quotient, where=below > 0.0)
    return quotient


def _wilson(share: float, samples: int) -> tuple[float, float]:
    """Wilson's 95 % interval; cautious here, since split pots vary less than wins and losses of the same mean."""
    spread = Z95 * math.sqrt(share * (1.0 - share) / samples + Z95**2 / (4.0 * samples**2))
    centre, scale = share + Z95**2 / (2.0 * samples), 1.0 + Z95**2 / samples
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True)
class _Listing:
    """Deals one by one, and what canonical boards must be asked about them."""

    deals: Longs  # [deal, player] hands
    weight: Floats  # [deal]
    distinct: Longs  # [distinct, player] the deals and their images under exchanges of suits
    place: NDArray[np.intp]  # [exchange, deal] where each image is among the distinct


def _largest_listing(ranges: Sequence[Range], runouts: Runouts) -> int:
    """How many images of deals a listing may have to look at."""
    return math.prod(len(held.hands) for held in ranges) * len(runouts.images)


def _listed(ranges: Sequence[Range], runouts: Runouts) -> _Listing:
    """All choices of one hand per player that share no card."""
    deals, taken = np.zeros((1, 0), np.int64), np.zeros(1, np.uint64)
    for held in ranges:
        before, hand = np.nonzero((taken[:, None] & _CARD_BITS[held.hands]) == 0)
        deals = np.column_stack([deals[before], held.hands[hand]])
        taken = taken[before] | _CARD_BITS[held.hands[hand]]
    if not len(deals):
        raise _collision()
    weight = np.prod([held.weights[deals[:, player]] for player, held in enumerate(ranges)], axis=0)
    images = runouts.images[:, deals].reshape(-1, len(ranges))
    keys = images @ _HANDS.count ** np.arange(len(ranges))  # 1326^6 fits into 63 bits
    _, one_of_each, place = np.unique(keys, return_index=True, return_inverse=True)
    return _Listing(deals, weight, images[one_of_each], place.reshape(len(runouts.images), len(deals)))


def _enumerated(listing: _Listing, runouts: Runouts) -> EquityResult:
    """Every deal on every board; counts are whole numbers, so single hands come out without rounding."""
    players = listing.deals.shape[1]

    def work(strengths: NDArray[np.uint16], multiplicity: NDArray[np.uint8]) -> list[Sums]:
        won, tied, sixtieths = np.zeros((3, *listing.distinct.shape), np.int64)
        count_winners(strengths, multiplicity, listing.distinct, won, tied, sixtieths)
        return [won, tied, sixtieths]

    boards = runouts.of_deal(players) * len(runouts.images)
    won, tied, sixtieths = (sums[listing.place].sum(axis=0) / boards for sums in runouts.sum_over_boards(work))
    tally = _Tally(players)
    tally.add(listing.deals, listing.weight, (won, tied, sixtieths / 60.0))
    return tally.result(runouts.of_deal(players))


def _collision() -> ParameterError:
    return ParameterError(
        "The ranges collide completely: no deal gives every player a hand without using a card twice; change one of them."
    )


def _swept(ranges: Sequence[Range], runouts: Runouts) -> EquityResult:
    """Two ranges by strength order with card removal: linear in the number of hands on every board."""
    weights = np.stack([held.weights for held in ranges], axis=1)  # [hand, player]
    met = _weight_met(weights)
    met[met < 1e-12 * weights.sum(axis=0)[::-1]] = 0.0  # what subtraction leaves of nothing
    below, up_to = _showdowns(weights, runouts)
    tally = _Tally(2)
    tally.mass[:] = (weights * met).T
    if not tally.mass.any():
        raise _collision()
    tally.won[:], tally.tied[:] = (weights * below).T, (weights * (up_to - below)).T
    tally.share[:] = tally.won + 0.5 * tally.tied
    return tally.result(runouts.of_deal(2))


def _weight_met(weights: Floats) -> Floats:
    """Weight of the opponent's hands that share no card with each hand, [hand, player]."""
    other = weights[:, ::-1]
    by_card = np.zeros((52, 2))
    np.add.at(by_card, _HANDS.low, other)
    np.add.at(by_card, _HANDS.high, other)
    met: Floats = other.sum(axis=0) - by_card[_HANDS.low] - by_card[_HANDS.high] + other
    return met


def _showdowns(weights: Floats, runouts: Runouts) -> tuple[Floats, Floats]:
    """Opponent's weight below and up to each hand, [hand, player], averaged over the boards that a deal can meet."""
    variants: dict[bytes, list[Longs]] = {}  # exchanges of suits that make the same ranges need one enumeration
    for image in runouts.images:
        variants.setdefault(weights[image].tobytes(), []).append(image)
    opposed = np.concatenate([weights[images[0], ::-1] for images in variants.values()], axis=1)  # [hand, lane]
    hands = np.flatnonzero(opposed.any(axis=1))
    inputs = hands, _HANDS.low[hands], _HANDS.high[hands], np.ascontiguousarray(opposed[hands])

    def work(strengths: NDArray[np.uint16], multiplicity: NDArray[np.uint8]) -> list[Sums]:
        below, up_to = np.zeros((2, *inputs[-1].shape))
        lanes, (order, spare) = below.shape[1], np.empty((2, len(hands)), dtype=np.int64)
        room = order, spare, np.empty((2, 256), dtype=np.int64), np.empty(lanes), np.empty((CARDS, lanes))
        add_showdowns(strengths, multiplicity, *inputs, room, below, up_to)
        return [below, up_to]

    averages = np.zeros((2, *weights.shape))
    for average, sums in zip(averages, runouts.sum_over_boards(work), strict=True):
        for lane, images in enumerate(variants.values()):
            for image in images:
                average[image[hands]] += sums[:, 2 * lane : 2 * lane + 2]
    averages /= len(runouts.images) * runouts.of_deal(2)
    return averages[0], averages[1]


def _sampled(ranges: Sequence[Range], runouts: Runouts, samples: int, seed: int) -> EquityResult:
    """Random deals and boards."""
    rng = np.random.default_rng(seed)
    tally = _Tally(len(ranges))
    for start in range(0, samples, SAMPLES_AT_ONCE):
        deals = _draw_deals(ranges, min(SAMPLES_AT_ONCE, samples - start), rng)
        boards = _draw_boards(np.bitwise_or.reduce(_CARD_BITS[deals], axis=1), runouts.board, rng)
        held = np.stack([_HANDS.low[deals], _HANDS.high[deals]], axis=2)  # [deal, player, 2]
        seen = np.broadcast_to(boards[:, None, :], (*deals.shape, 5))
        dealt = np.concatenate([held, seen], axis=2).astype(np.uint8)
        strengths = evaluate(dealt.reshape(-1, 7)).reshape(deals.shape)
        best = strengths == strengths.max(axis=1, keepdims=True)
        winners = best.sum(axis=1, keepdims=True)
        tally.add(deals, np.ones(len(deals)), (best & (winners == 1), best & (winners > 1), best / winners))
    return tally.result(runouts.of_deal(len(ranges)), samples, seed)


def _draw_deals(ranges: Sequence[Range], count: int, rng: np.random.Generator) -> Longs:
    """Hands in proportion to their weights, given that no card is used twice, [deal, player]."""
    cumulative = [np.cumsum(held.weights[held.hands]) for held in ranges]
    drawn: list[Longs] = []
    tries = have = 0
    while have < count:
        if tries >= FUTILE_TRIES and not have:
            raise _collision()
        picks = [np.searchsorted(c[:-1], rng.random(SAMPLES_AT_ONCE) * c[-1], side="right") for c in cumulative]
        deals = np.column_stack([held.hands[pick] for held, pick in zip(ranges, picks, strict=True)])
        fits, taken = np.ones(len(deals), np.bool_), np.zeros(len(deals), np.uint64)
        for player in range(len(ranges)):
            fits &= taken & _CARD_BITS[deals[:, player]] == 0
            taken |= _CARD_BITS[deals[:, player]]
        drawn.append(deals[fits])
        tries, have = tries + len(deals), have + len(drawn[-1])
    return np.concatenate(drawn)[:count]


def _draw_boards(taken: NDArray[np.uint64], board: tuple[int, ...], rng: np.random.Generator) -> Longs:
    """The board completed at random with cards that nobody holds, [deal, 5]."""
    boards = np.empty((len(taken), 5), np.int64)
    boards[:, : len(board)] = board
    taken = taken | np.uint64(sum(1 << card for card in board))
    for place in range(len(board), 5):
        waiting = np.arange(len(taken))
        while len(waiting):  # a card that is taken is drawn again
            boards[waiting, place] = rng.integers(0, 52, len(waiting))
            bit = np.uint64(1) << boards[waiting, place].astype(np.uint64)
            waiting = waiting[taken[waiting] & bit != 0]
        taken = taken | (np.uint64(1) << boards[:, place].astype(np.uint64))
    return boards
