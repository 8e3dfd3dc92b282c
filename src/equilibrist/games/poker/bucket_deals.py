"""BucketDeals: how often nested percentile buckets of hold'em hands meet, and who wins; the cards of a game played with buckets.

A hand's strength on a street is E[HS²]: the mean, over all ways to complete the board, of the square of its equity against a
random hand. Hands fall into `buckets` percentiles before the flop; on each later street every bucket sequence so far is cut
again into as many percentiles of its own, so a bucket never forgets ([Davis15, §5.2.2]). Strengths are exact sums of
whole numbers; boards are drawn, or all of them are taken. What is counted on these boards *is* the game.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards._kernels.scores import add_scores, score_boards
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import boards_strengths, pairs
from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.cards.streets import STREETS
from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.threads import Team, share_out
from equilibrist.core.arrays import Longs
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.games.poker._kernels.bucket_deals import count_wins

Cards = NDArray[np.int8]
Report = Callable[[str, float | None], None]

KIND = "bucket-deals"
VERSION = 1  # raised whenever the same recipe would give other deals
COMPLETIONS_AT_ONCE = 2048  # complete boards whose strengths are held together
KEY_BITS = 33  # a sum of squared scores of one board needs fewer
MOST_CLASSES = 4096

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class BucketRecipe:
    """Everything that decides the deals."""

    deck: Deck
    board: tuple[int, ...]  # public cards before each betting round: (0, 3, 1, 1)
    buckets: int
    boards: int  # drawn with replacement; 0: all of them, up to suits
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.buckets <= 9 or self.buckets ** len(self.board) > MOST_CLASSES:
            raise ParameterError(
                f"A street has 1 to 9 buckets, and all streets together at most {MOST_CLASSES:,} sequences of them, but "
                f"{self.buckets} buckets on {len(self.board)} streets were asked for."
            )
        if self.boards < 0 or self.seed < 0:
            raise ParameterError(f"Boards and seed are at least 0, but {self.boards} and {self.seed} were given.")
        if len(self.board) < 2:
            raise ParameterError("A game of buckets needs a flop; play at least 2 rounds.")

    def to_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "deck": [self.deck.ranks, self.deck.suits],
            "board": list(self.board),
            "buckets": self.buckets,
            "boards": self.boards,
            "seed": self.seed,
        }

    @property
    def hash(self) -> str:
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, eq=False)
class BucketDeals:
    """Complete deals by bucket sequences of both players, in whole numbers; sequence s is followed by s * buckets + 0, 1, …"""

    recipe: BucketRecipe
    wins: Longs  # [sequences, sequences] deals that the first wins from the second
    ties: Longs  # [sequences, sequences] symmetric

    @property
    def parent(self) -> tuple[Longs, ...]:
        """By street [sequences]: the sequence one street earlier."""
        k = self.recipe.buckets
        return tuple(
            np.arange(k ** (r + 1)) // k if r else np.zeros(k, np.int64) for r in range(len(self.recipe.board))
        )

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(len(parent) for parent in self.parent)

    @cached_property
    def matrices(self) -> tuple[tuple[Longs, Longs], ...]:
        """By street: deals [sequences, sequences] and deals won minus lost by the first player."""
        deals, balance = self.wins + self.wins.T + self.ties, self.wins - self.wins.T
        out = []
        for count in self.counts:
            shape = (count, len(deals) // count, count, len(deals) // count)
            out.append((deals.reshape(shape).sum(axis=(1, 3)), balance.reshape(shape).sum(axis=(1, 3))))
        return tuple(out)

    @property
    def hash(self) -> str:
        """Of the numbers themselves."""
        digest = hashlib.sha256()
        for array in (self.wins, self.ties):
            digest.update(np.ascontiguousarray(array, "<i8").tobytes())
        return digest.hexdigest()[:32]


def bucket_deals(recipe: BucketRecipe, *, threads: int = 1, report: Report = lambda text, share: None) -> BucketDeals:
    """The deals of a recipe: from the user's cache folder, or made now and kept there."""
    path = cache_folder() / "deals" / f"{recipe.hash}.eqb"
    if path.is_file():
        try:
            return load_deals(path, recipe)
        except FormatError as error:
            _LOG.warning("%s They are made again.", error)
    made = make_deals(recipe, threads=threads, report=report)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_deals(made, path)
    except (OSError, FormatError) as error:
        _LOG.warning("Deals cannot be kept in '%s' (%s); they will be made again next time.", path.parent, error)
    return made


def save_deals(deals: BucketDeals, path: Path) -> None:
    """One file with the recipe and a hash of the numbers."""
    header = {"recipe": deals.recipe.to_json(), "hash": deals.hash}
    save_artifact(path, Artifact(KIND, header, {"wins": deals.wins, "ties": deals.ties}))


def load_deals(path: Path, recipe: BucketRecipe) -> BucketDeals:
    """Read deals back; those of another recipe, or whose numbers do not fit their hash, are refused."""
    artifact = load_artifact(path, KIND)
    size = recipe.buckets ** len(recipe.board)
    arrays = artifact.arrays
    if artifact.header.get("recipe") != recipe.to_json():
        raise FormatError(f"'{path}' holds the deals of another game of buckets.")
    if any(name not in arrays or arrays[name].shape != (size, size) for name in ("wins", "ties")):
        raise FormatError(f"'{path}' is damaged: its tables do not have {size} rows and columns.")
    found = BucketDeals(recipe, arrays["wins"].astype(np.int64), arrays["ties"].astype(np.int64))
    if found.hash != artifact.header.get("hash"):
        raise FormatError(f"'{path}' is damaged: its numbers do not fit their hash.")
    return found


def make_deals(recipe: BucketRecipe, *, threads: int = 1, report: Report = lambda text, share: None) -> BucketDeals:
    """Strengths of all hands on the boards of a recipe, their buckets street by street, and the pairs of these."""
    team = Team(threads)
    boards, weight = drawn_boards(recipe)
    strength = boards_strengths(boards, recipe.deck)
    held = np.nonzero(strength)[1].reshape(len(boards), -1).astype(np.int16)  # [board, hands that it leaves]
    times = np.repeat(weight, held.shape[1])
    sequence = np.zeros(held.shape, np.int64)
    for street, cards in enumerate(np.cumsum(recipe.board)):
        say = partial(_say, report, STREETS[street] if street < len(STREETS) else f"street {street + 1}")
        known, where = np.unique(np.sort(boards[:, :cards], axis=1), axis=0, return_inverse=True)
        keys = _preflop_keys(recipe, team, say) if cards == 0 else squared_scores(known, recipe, team, say)
        key = keys[where.reshape(-1)[:, None] if cards else 0, held]
        sequence = split_by_mass(sequence.ravel(), key.ravel(), times, recipe.buckets).reshape(held.shape)
    wins, ties = _counted(recipe, team, weight, held, strength, sequence, report)
    return BucketDeals(recipe, wins, ties + ties.T)


def _say(report: Report, street: str, share: float) -> None:
    report(f"{street}: strength of hands", share)


def drawn_boards(recipe: BucketRecipe) -> tuple[Cards, Longs]:
    """Complete boards [B, cards], one for each that differs by more than suits, and how often each counts."""
    indexer = HandIndexer([cards for cards in recipe.board if cards], recipe.deck)
    if recipe.boards == 0:
        numbers = np.arange(indexer.size)
        return indexer.unindex(numbers), indexer.multiplicity(numbers)
    shuffled = np.random.default_rng(recipe.seed).random((recipe.boards, recipe.deck.size)).argsort(axis=1)
    found, count = np.unique(indexer.index(shuffled[:, : sum(recipe.board)].astype(np.int8)), return_counts=True)
    return indexer.unindex(found), count.astype(np.int64)


def squared_scores(known: Cards, recipe: BucketRecipe, team: Team, say: Callable[[float], None]) -> Longs:
    """[board, pair of hole cards]: sums over all completions of (2 wins + ties against all other hands)²; larger is stronger."""
    deck, missing = recipe.deck, sum(recipe.board) - known.shape[1]
    out = np.zeros((len(known), len(pairs(deck))), np.int64)
    runouts = math.comb(deck.size - known.shape[1], missing)
    step = max(1, COMPLETIONS_AT_ONCE // runouts)
    starts = range(0, len(known), step)

    def work(start: int) -> None:
        some = known[start : start + step]
        full = np.concatenate([_completed(board, deck, missing) for board in some])
        out[start : start + step] = _squares(full, deck, runouts)

    for begin in range(0, len(starts), team.threads):
        say(begin / len(starts))
        team.run([partial(work, start) for start in starts[begin : begin + team.threads]])
    return out


def _completed(board: Cards, deck: Deck, missing: int) -> Cards:
    """[completions, cards] all complete boards that begin with these cards."""
    free = [card for card in range(deck.size) if card not in board]
    rest = np.array(list(itertools.combinations(free, missing)), np.int8).reshape(
        math.comb(len(free), missing), missing
    )
    return np.concatenate([np.broadcast_to(board, (len(rest), len(board))), rest], axis=1)


def _squares(full: Cards, deck: Deck, runouts: int) -> Longs:
    """[boards, pairs]: squared scores, summed over each `runouts` complete boards."""
    strengths = boards_strengths(full, deck)
    low, high = pairs(deck).T.astype(np.int64)
    scores = np.empty(strengths.shape, np.int16)
    score_boards(strengths, np.arange(strengths.shape[1]), low, high, True, scores)
    points, squares, counts = (np.zeros((len(full) // runouts, strengths.shape[1]), np.int64) for _ in range(3))
    add_scores(scores, runouts, points, squares, counts)
    return squares


def _preflop_keys(recipe: BucketRecipe, team: Team, say: Callable[[float], None]) -> Longs:
    """[1, pair]: which strength before the flop, the weakest 0; hands alike but for suits share it. Over all boards up to suits."""
    deck = recipe.deck
    indexer = HandIndexer((sum(recipe.board),), deck)
    starts = range(0, indexer.size, COMPLETIONS_AT_ONCE)

    def work(start: int) -> Longs:
        numbers = np.arange(start, min(start + COMPLETIONS_AT_ONCE, indexer.size))
        summed: Longs = indexer.multiplicity(numbers) @ _squares(indexer.unindex(numbers), deck, 1)
        return summed

    total = np.zeros(len(pairs(deck)), np.int64)
    for begin in range(0, len(starts), team.threads):
        say(begin / len(starts))
        total += np.sum(team.run([partial(work, start) for start in starts[begin : begin + team.threads]]), axis=0)
    alike = HandIndexer((2,), deck).index(pairs(deck).astype(np.int8))
    summed = np.zeros(int(alike.max()) + 1, np.int64)
    np.add.at(summed, alike, total)
    strengths = summed // np.bincount(alike)  # members of a class see the same boards up to suits, so this is exact
    rank: Longs = np.unique(strengths, return_inverse=True)[1][alike][None, :].astype(np.int64)
    return rank


def split_by_mass(parent: Longs, key: Longs, weight: Longs, parts: int) -> Longs:
    """Each parent cut into `parts` of about equal weight by key, equal keys together: new number parent * parts + part.

    A key goes where the middle of its weight lies.
    """
    assert 0 <= key.min(initial=0) <= key.max(initial=0) < 1 << KEY_BITS
    packed = parent << KEY_BITS | key
    order = np.argsort(packed)
    ordered, mass = packed[order], np.cumsum(weight[order])
    last = np.flatnonzero(np.diff(ordered, append=-1))  # of each run of equal keys
    upto = mass[last]
    middle = (upto + np.concatenate([[0], upto[:-1]])) / 2.0
    owner = ordered[last] >> KEY_BITS
    closing = np.flatnonzero(np.diff(owner, append=-1))
    ends = upto[closing]
    begins = np.concatenate([[0], ends[:-1]])
    at = np.repeat(np.arange(len(closing)), np.diff(closing, prepend=-1))
    part = np.minimum(parts * (middle - begins[at]) / (ends - begins)[at], parts - 1).astype(np.int64)
    out = np.empty(len(packed), np.int64)
    out[order] = np.repeat(owner * parts + part, np.diff(last, prepend=-1))
    return out


def _counted(
    recipe: BucketRecipe,
    team: Team,
    weight: Longs,
    held: NDArray[np.int16],
    strength: NDArray[np.uint16],
    sequence: Longs,
    report: Report,
) -> tuple[Longs, Longs]:
    """Wins and ties by pairs of sequences, ties counted once for each unordered pair of hands."""
    size, bucket = recipe.buckets ** len(recipe.board), sequence.astype(np.int16)
    low, high = (np.ascontiguousarray(column) for column in pairs(recipe.deck).T.astype(np.int64))
    tables = [np.zeros((2, size, size), np.int64) for _ in range(team.threads)]
    step = 64 * team.threads
    for begin in range(0, len(weight), step):
        report("pairs of buckets", begin / len(weight))
        spans = share_out(np.arange(min(step, len(weight) - begin) + 1), team.threads)
        team.run(
            [
                partial(
                    count_wins,
                    begin + a,
                    begin + b,
                    weight,
                    held,
                    low,
                    high,
                    strength,
                    bucket,
                    tables[n][0],
                    tables[n][1],
                )
                for n, (a, b) in enumerate(spans)
            ]
        )
    wins, ties = np.sum(tables, axis=0)
    return wins, ties
