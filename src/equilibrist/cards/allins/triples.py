"""Three hands all-in before the flop, by class: how often each of the 13 orders comes, and how many deals there are.

[Ganzfried15, §9.7.1] enumerates boards for every deal up to suits, a month on 16 processors. Here deals are sampled, the same number
for each of the 818,805 triples of classes, and kept with their standard error; `exact_showdowns` enumerates single triples.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import lookup_tables
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.machine import cores
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Array, Floats, Longs
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.writing import make_folder

_LOG = logging.getLogger(__name__)

TRIPLES = CLASSES * (CLASSES + 1) * (CLASSES + 2) // 6  # 818,805; [Ganzfried15, §9.7.1] prints 881,805
SAMPLES = 10_000
MOST_SAMPLES = 65_535  # counts are kept in 16 bits
PART = 2048  # triples of one job
SEED = 1
KIND = "allin-triples"

Report = Callable[[str, float | None], None]


def no_report(text: str, share: float | None) -> None:
    pass


OUTCOMES = np.array(
    [ranks for ranks in product(range(3), repeat=3) if set(ranks) == set(range(max(ranks) + 1))]
)  # [outcome, hand]: 0 for the best hands, equal numbers split; 13 in all


def _codes() -> Longs:
    """Outcome of three comparisons: first with second, first with third, second with third (0 worse, 1 equal, 2 better)."""
    codes = np.full(27, -1, np.int64)
    for number, (a, b, c) in enumerate(OUTCOMES):
        codes[9 * (1 + np.sign(b - a)) + 3 * (1 + np.sign(c - a)) + 1 + np.sign(c - b)] = number
    return codes


CODES = _codes()


# -- numbering -----------------------------------------------------------------------------------------------------


def triple_index(first: npt.ArrayLike, second: npt.ArrayLike, third: npt.ArrayLike) -> Longs:
    """Place of three classes in the table, in any order: the colexicographic index of a multiset ([Ganzfried15, §9.7.2])."""
    x, y, z = np.sort(np.broadcast_arrays(first, second, third), axis=0).astype(np.int64)
    place: Longs = x + y * (y + 1) // 2 + z * (z + 1) * (z + 2) // 6
    return place


def listed_triples(classes: int = CLASSES) -> Longs:
    """[triple, 3]: all of them, ascending in a row, at their index."""
    z, y, x = np.nonzero(np.tri(classes, dtype=bool)[:, :, None] & np.tri(classes, dtype=bool)[None])
    return np.column_stack([x, y, z])


def reordered(outcome: int, order: Sequence[int]) -> int:
    """The same outcome when hand k is taken from place `order[k]`."""
    return int(np.flatnonzero((OUTCOMES[outcome][list(order)] == OUTCOMES).all(axis=1))[0])


def canonical_deal(
    hands: Sequence[tuple[int, int]], deck: Deck = STANDARD
) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """Hands ordered by their lowest card, suits renamed in the order in which they appear ([Ganzfried15, §9.7.1]); and whose they were."""
    order = tuple(sorted(range(len(hands)), key=lambda player: sorted(hands[player])))
    names: dict[int, int] = {}
    out = []
    for player in order:
        cards = [deck.suits * deck.rank(c) + names.setdefault(deck.suit(c), len(names)) for c in sorted(hands[player])]
        out.append((min(cards), max(cards)))
    return tuple(out), order


# -- hands of a class ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClassHands:
    """Hands of every class as kernels read them."""

    held: Longs  # [class, 12] hands in pair order
    sizes: Longs  # [class] 6, 4 or 12
    masks: npt.NDArray[np.uint64]  # [hand] a bit for each card


@cache
def class_hands() -> ClassHands:
    hands = hands_of(STANDARD)
    held, sizes = np.zeros((CLASSES, 12), np.int64), np.bincount(hands.cell, minlength=CLASSES)
    for cell in range(CLASSES):
        held[cell, : sizes[cell]] = np.flatnonzero(hands.cell == cell)
    one = np.uint64(1)
    return ClassHands(held, sizes, (one << hands.low.astype(np.uint64)) | (one << hands.high.astype(np.uint64)))


def deals_of(triples: Longs) -> Longs:
    """W: deals of three classes that use no card twice, exactly; they sum to 1326 x 1225 x 1128 over ordered triples."""
    from equilibrist.cards.allins._kernels.triples import count_deals

    out, hands = np.zeros(len(triples), np.int64), class_hands()
    count_deals(np.ascontiguousarray(triples), hands.held, hands.sizes, hands.masks, out)
    return out


# -- the table -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TripleTable:
    """Sampled showdowns of some triples of classes."""

    triples: Longs  # [triple, 3] classes, ascending
    counts: npt.NDArray[np.uint16]  # [triple, outcome] out of `samples`
    samples: int

    @cached_property
    def deals(self) -> Longs:
        """[triple] how many deals each has."""
        return deals_of(self.triples)

    @property
    def standard_error(self) -> float:
        """Of the largest share that an outcome can have in doubt; deals taken in turn make it smaller still."""
        return 0.5 / float(np.sqrt(self.samples))

    def shares(self, row: int) -> Floats:
        """[outcome] of one triple."""
        shares: Floats = self.counts[row] / self.samples
        return shares


# -- building ------------------------------------------------------------------------------------------------------


class Sampler(Protocol):
    """Who plays showdowns out; the counts are the same for all."""

    @property
    def at_once(self) -> int:
        """Triples of one call."""

    def __call__(
        self, triples: Longs, seeds: npt.NDArray[np.uint64], samples: int, counts: npt.NDArray[np.uint16]
    ) -> None:
        """`counts[triple, outcome]` of so many showdowns, each triple from its own seed."""


class OnProcessors:
    """Threads of the CPU; all of them unless a number is given."""

    def __init__(self, threads: int | None = None) -> None:
        self.team = Team(threads or cores())

    @property
    def at_once(self) -> int:
        return PART * self.team.threads

    def __call__(
        self, triples: Longs, seeds: npt.NDArray[np.uint64], samples: int, counts: npt.NDArray[np.uint16]
    ) -> None:
        parts = [slice(a, a + PART) for a in range(0, len(triples), PART)]
        self.team.run([partial(_sample, triples[part], seeds[part], samples, counts[part]) for part in parts])


def sample_triples(
    triples: Longs,
    *,
    samples: int = SAMPLES,
    seed: int = SEED,
    threads: int | None = None,
    sampler: Sampler | None = None,
    checkpoints: Checkpoints | None = None,
    report: Report = no_report,
) -> TripleTable:
    """Showdowns of these triples; the same whoever plays them out, and after an interruption it goes on where it was."""
    if not 1 <= samples <= MOST_SAMPLES:
        raise ParameterError(
            f"From 1 to {MOST_SAMPLES:,} samples are drawn for each triple, but {samples:,} were asked for."
        )
    triples = np.ascontiguousarray(triples, np.int64)
    play, kept = sampler or OnProcessors(threads), checkpoints or Checkpoints(None, "")
    found = kept.load("counts")
    if found is None:
        found = {"counts": np.zeros((len(triples), len(OUTCOMES)), np.uint16), "done": np.zeros(1, np.int64)}
    counts, done = found["counts"], found["done"]
    doing = f"all-ins of three hands, {samples:,} samples for each of {len(triples):,} triples"
    report(doing, int(done[0]) / len(triples))
    with HeldInterrupts() as held:
        while done[0] < len(triples):
            part = slice(int(done[0]), min(int(done[0]) + play.at_once, len(triples)))
            play(triples[part], _seeds(triple_index(*triples[part].T), seed), samples, counts[part])
            done[0] = part.stop
            report(doing, part.stop / len(triples))
            kept.save_now_and_then("counts", lambda: found)
            if held.asked:
                kept.save("counts", found)
            held.checkpoint()
    return TripleTable(triples, counts, samples)


def _sample(triples: Longs, seeds: npt.NDArray[np.uint64], samples: int, counts: npt.NDArray[np.uint16]) -> None:
    from equilibrist.cards.allins._kernels.triples import sample_showdowns

    counts[:] = 0
    hands, tables = class_hands(), lookup_tables(STANDARD, 7)
    sample_showdowns(
        triples, seeds, samples, hands.held, hands.sizes, hands.masks, *hand_keys(), CODES, tables, counts
    )  # fmt: skip


def _seeds(places: Longs, seed: int) -> npt.NDArray[np.uint64]:
    """A counter for each triple, far from those of the others."""
    with np.errstate(over="ignore"):
        mixed = (places.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD1342543DE82EF95) + np.uint64(seed)
        mixed ^= mixed >> np.uint64(32)
        return mixed * np.uint64(0x9FB21C651E98DF25)


@cache
def hand_keys() -> tuple[Array, Array]:
    """[hand] keys and places of both cards, as the evaluator adds them up."""
    keys, places = lookup_tables(STANDARD, 7)[:2]
    hands = hands_of(STANDARD)
    return keys[hands.low] + keys[hands.high], places[hands.low] + places[hands.high]


def triple_table_file(samples: int = SAMPLES) -> Path:
    return cache_folder() / "allins" / f"triples-{samples}.eqb"


def triple_table(
    samples: int = SAMPLES, *, sampler: Callable[[], Sampler] = OnProcessors, report: Report = no_report
) -> TripleTable:
    """The table of all triples: from the user's cache folder, or made now, by whom `sampler` gives, and kept there."""
    path = triple_table_file(samples)
    if path.is_file():
        try:
            return load_triples(path, samples)
        except FormatError as error:
            _LOG.warning("%s It is made again.", error)
    kept = Checkpoints(path.parent / f"triples-{samples}", f"{KIND} {samples} {SEED}")
    made = sample_triples(listed_triples(), samples=samples, sampler=sampler(), checkpoints=kept, report=report)
    try:
        make_folder(path.parent)
        save_triples(made, path)
    except (OSError, FormatError) as error:
        _LOG.warning(
            "The table of all-ins cannot be kept in '%s' (%s); it is made again next time.", path.parent, error
        )
    else:
        kept.clear()
    return made


def save_triples(table: TripleTable, path: Path) -> None:
    """Counts alone: which triple a row is follows from its number."""
    save_artifact(path, Artifact(KIND, {"samples": table.samples, "seed": SEED}, {"counts": table.counts}))


def load_triples(path: Path, samples: int) -> TripleTable:
    """Read a table back; one of other sizes, or whose rows do not add up, is refused."""
    found = load_artifact(path, KIND)
    counts = found.arrays.get("counts")
    if counts is None or counts.shape != (TRIPLES, len(OUTCOMES)) or counts.dtype != np.uint16:
        raise FormatError(f"'{path}' is damaged: it has no counts of {TRIPLES:,} triples and {len(OUTCOMES)} outcomes.")
    table = TripleTable(listed_triples(), counts, samples)
    told = found.header.get("samples") == samples and found.header.get("seed") == SEED
    if not told or (counts.sum(axis=1) != np.where(table.deals > 0, samples, 0)).any():
        raise FormatError(f"'{path}' holds other samples than {samples:,} for each triple.")
    return table
