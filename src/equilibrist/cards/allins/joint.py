"""Three players' classes and their showdown together: one table of probabilities, for classes or for groups of classes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.allins.triples import OUTCOMES, TRIPLES, TripleTable, reordered
from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.core.errors import ParameterError

DEALS = 1326.0 * 1225.0 * 1128.0  # of two cards to each of three players


@dataclass(frozen=True)
class JointShowdowns:
    """How likely three hands and their order are, all at once. In groups of classes a player knows the group alone."""

    weight: Floats32  # [outcome, hand, hand, hand] of first, second and third player; sums to one
    standard_error: float  # of a share of one triple of classes
    groups: Longs  # [class] the group of each

    @property
    def hands(self) -> int:
        return int(self.weight.shape[1])

    @property
    def prior(self) -> Floats:
        """[hand] how likely a player holds it."""
        prior: Floats = self.weight.sum(axis=(0, 2, 3), dtype=np.float64)
        return prior


def joint_showdowns(table: TripleTable, groups: Longs | None = None) -> JointShowdowns:
    """All ordered triples with their deals and outcomes; exchanging players exchanges outcomes and changes nothing else."""
    if len(table.triples) != TRIPLES:
        raise ParameterError(f"A table of {TRIPLES:,} triples is needed, but {len(table.triples):,} were given.")
    known = np.arange(CLASSES) if groups is None else np.asarray(groups, np.int64)
    if known.shape != (CLASSES,) or known.min() < 0 or not np.bincount(known).all():
        raise ParameterError(f"Groups are numbers from 0 on without a gap, one for each of {CLASSES} classes of hands.")
    shares = _symmetric(table)
    places = [_places(table.triples, order) for order in ORDERS]
    member = np.zeros((CLASSES, int(known.max()) + 1), np.float32)
    member[np.arange(CLASSES), known] = 1.0
    weight = np.empty((len(OUTCOMES), *(member.shape[1],) * 3), np.float32)
    for outcome in range(len(OUTCOMES)):
        one = np.empty(CLASSES**3, np.float32)
        for order, place in zip(ORDERS, places, strict=True):
            one[place] = shares[reordered(outcome, order)]
        cube = one.reshape((CLASSES,) * 3)
        weight[outcome] = cube if groups is None else _added_up(cube, member)
    return JointShowdowns(weight, table.standard_error, known)


ORDERS = list(permutations(range(3)))


def _places(triples: Longs, order: tuple[int, ...]) -> Longs:
    """Where triples lie in the cube when the k-th class is held at place `order[k]`."""
    held = np.empty_like(triples)
    held[:, order] = triples
    place: Longs = (held[:, 0] * CLASSES + held[:, 1]) * CLASSES + held[:, 2]
    return place


def _added_up(cube: Floats32, member: Floats32) -> Floats32:
    """[group, group, group] sums over the classes of each."""
    for _ in range(3):
        cube = np.tensordot(cube, member, axes=(0, 0))  # the first axis becomes the last
    return cube


def _symmetric(table: TripleTable) -> Floats32:
    """[outcome, triple] probabilities; equal classes of a triple fare equally, whatever the samples say."""
    shares = table.counts * (table.deals / (DEALS * table.samples))[:, None]
    x, y, z = table.triples.T
    for alike, ways in (
        ((x == y) & (y != z), [(0, 1, 2), (1, 0, 2)]),
        ((x != y) & (y == z), [(0, 1, 2), (0, 2, 1)]),
        ((x == y) & (y == z), ORDERS),
    ):
        columns = [[reordered(outcome, order) for outcome in range(len(OUTCOMES))] for order in ways]
        shares[alike] = np.mean([shares[alike][:, column] for column in columns], axis=0)
    return np.ascontiguousarray(shares.T, np.float32)
