"""Hands that share no card, summed exactly: how likely up to four folded seats hold what they have folded, beside two hands that are known.

A hand is an edge between two of 52 cards, and a range is a symmetric matrix of weights. Disjoint hands of k ranges are counted by
inclusion and exclusion over equal cards: a sum over all partitions of the 2k cards into blocks of equal ones, with Möbius' weights
prod (-1)^(b-1) (b-1)!. Each partition is a graph of at most four edges, whose sum over cards falls into its components, and a component is
reduced edge by edge: ends are summed into their neighbour, parallel edges are multiplied, and edges in a row are one matrix product.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Bools, Floats, Longs
from equilibrist.core.errors import ParameterError

MOST_FOLDED = 4
SETS_AT_ONCE = 64  # some 80 MB of matrices
CARDS, SUITS = STANDARD.size, STANDARD.suits

Edge = tuple[int, int, int]  # two vertices and the range between them
Component = tuple[Edge, ...]
Report = Callable[[str, float | None], None]


def folds_beside(folded: Sequence[Floats], report: Report = lambda text, share: None) -> Floats:
    """[class, class] chance that seats with random hands fold as `folded` [class] says, given one hand of each class in play.

    Means over the hands of both classes that share no card; 0 where there are none.
    """
    if not len(folded) <= MOST_FOLDED:
        raise ParameterError(f"Up to {MOST_FOLDED} folded seats are counted exactly, but {len(folded)} were given.")
    sets, place, first, second = _dead_cards()
    chances = np.ones(len(sets))
    if folded:
        matrices = [_matrix(np.asarray(each, np.float64)) for each in folded]
        for begin in range(0, len(sets), SETS_AT_ONCE):
            part = slice(begin, begin + SETS_AT_ONCE)
            chances[part] = _disjoint_sums(matrices, sets[part])
            report("hands of folded seats", min(1.0, (begin + SETS_AT_ONCE) / len(sets)))
        chances /= math.prod(math.comb(CARDS - 4 - 2 * number, 2) for number in range(len(folded)))
    sums = np.zeros((CLASSES, CLASSES))
    counts = np.zeros((CLASSES, CLASSES))
    np.add.at(sums, (first, second), chances[place])
    np.add.at(counts, (first, second), 1.0)
    mean: Floats = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0.0)
    return mean


def _matrix(weights: Floats) -> Floats:
    """[card, card] of a range by class."""
    hands = hands_of(STANDARD)
    out = np.zeros((CARDS, CARDS))
    out[hands.low, hands.high] = out[hands.high, hands.low] = weights[hands.cell]
    return out


@lru_cache(maxsize=1)
def _dead_cards() -> tuple[Bools, Longs, Longs, Longs]:
    """[set, card] cards that are left by two hands, once for all that are alike up to suits; and of each pair of a class's first hand
    with another hand its set and both classes."""
    hands = hands_of(STANDARD)
    firsts = np.array([int(np.flatnonzero(hands.cell == cell)[0]) for cell in range(CLASSES)])
    one, other = (each.ravel() for each in np.meshgrid(firsts, np.arange(hands.count), indexing="ij"))
    four = np.stack([hands.low[one], hands.high[one], hands.low[other], hands.high[other]], axis=1).astype(np.int64)
    apart = (
        (four[:, 0] != four[:, 2])
        & (four[:, 0] != four[:, 3])
        & (four[:, 1] != four[:, 2])
        & (four[:, 1] != four[:, 3])
    )
    one, other, four = one[apart], other[apart], four[apart]
    ranks, suits = four // SUITS, four % SUITS
    codes = []
    for order in permutations(range(SUITS)):
        cards = np.sort(ranks * SUITS + np.array(order)[suits], axis=1)
        codes.append(((cards[:, 0] * CARDS + cards[:, 1]) * CARDS + cards[:, 2]) * CARDS + cards[:, 3])
    alike = np.min(codes, axis=0)
    _, shown, place = np.unique(alike, return_index=True, return_inverse=True)
    left = np.ones((len(shown), CARDS), bool)
    left[np.arange(len(shown))[:, None], four[shown]] = False
    return left, place.ravel(), hands.cell[one].astype(np.int64), hands.cell[other].astype(np.int64)


# -- sums over disjoint hands --------------------------------------------------------------------------------------


def _disjoint_sums(matrices: Sequence[Floats], left: Bools) -> Floats:
    """[set] sums of products of weights over hands without a common card, of the cards that are left."""
    alive = left[:, :, None] & left[:, None, :]
    sums = ComponentSums([np.where(alive, matrix, 0.0) for matrix in matrices])
    total = np.zeros(len(left))
    for components, weight in _partitions(len(matrices)):
        term = np.full(len(left), float(weight))
        for component in components:
            term = term * sums.of(component)
        total += term
    whole: Floats = total / 2.0 ** len(matrices)  # both orders of the cards of each hand
    return whole


@lru_cache(maxsize=MOST_FOLDED + 1)
def _partitions(ranges: int) -> tuple[tuple[tuple[Component, ...], int], ...]:
    """Partitions of all cards of so many hands into blocks of equal ones, as components of their graphs, with their weights."""
    found: Counter[tuple[Component, ...]] = Counter()
    for blocks in _growing(2 * ranges):
        edges = [(blocks[2 * number], blocks[2 * number + 1], number) for number in range(ranges)]
        if all(a != b for a, b, _ in edges):  # a hand has two cards
            sizes = Counter(blocks).values()
            weight = math.prod((-1) ** (size - 1) * math.factorial(size - 1) for size in sizes)
            found[tuple(sorted(_components(edges)))] += weight
    return tuple((key, weight) for key, weight in found.items() if weight)


def _growing(length: int) -> Iterator[list[int]]:
    """All partitions: the block of each element, a new block being the next number."""
    blocks = [0] * length

    def place(number: int, used: int) -> Iterator[list[int]]:
        if number == length:
            yield blocks
            return
        for block in range(used + 1):
            blocks[number] = block
            yield from place(number + 1, max(used, block + 1))

    return place(0, 0)


def _components(edges: list[Edge]) -> Iterator[Component]:
    """Connected parts, their vertices numbered as they are met along edges in the order of ranges."""
    waiting = list(edges)
    while waiting:
        part, seen = [waiting.pop(0)], set[int]()
        seen |= set(part[0][:2])
        grown = True
        while grown:
            joined = [edge for edge in waiting if seen & set(edge[:2])]
            waiting = [edge for edge in waiting if edge not in joined]
            part, grown = part + joined, bool(joined)
            seen |= {vertex for edge in joined for vertex in edge[:2]}
        yield _canonical(tuple(sorted(part, key=lambda edge: edge[2])))


@lru_cache(maxsize=8192)
def _canonical(edges: Component) -> Component:
    """The same graph with the least names of its vertices."""
    vertices = sorted({vertex for edge in edges for vertex in edge[:2]})
    found = []
    for names in permutations(range(len(vertices))):
        name = dict(zip(vertices, names, strict=True))
        found.append(tuple((min(name[a], name[b]), max(name[a], name[b]), number) for a, b, number in edges))
    return min(found)


class ComponentSums:
    """Sums over cards of connected graphs; what several share is found once."""

    def __init__(self, matrices: list[Floats]) -> None:
        self.matrices = matrices  # [range] of [set, card, card]
        self._known: dict[object, Floats] = {}

    def of(self, component: Component) -> Floats:
        """[set] sum over all cards at the vertices."""
        if component not in self._known:
            self._known[component] = self._reduced(component)
        return self._known[component]

    def _reduced(self, component: Component) -> Floats:
        edges: dict[tuple[int, int], object] = {}
        weights: dict[int, object] = defaultdict(lambda: "ones")
        for a, b, number in component:
            edges[a, b] = number if (a, b) not in edges else ("both", edges[a, b], number)
        while edges:
            degree = Counter(vertex for pair in edges for vertex in pair)
            vertex = min(degree, key=lambda each: (degree[each], each))
            touching = [pair for pair in edges if vertex in pair]
            others = [pair[0] if pair[1] == vertex else pair[1] for pair in touching]
            to_vertex = [
                _turned(edges.pop(pair), pair[0] == vertex) for pair in touching
            ]  # [other's card, vertex's card]
            last = others[0]
            if len(touching) == 1:  # an end: summed into its neighbour
                weights[last] = ("times", weights[last], ("sum", to_vertex[0], weights[vertex]))
            else:  # between two others: their matrices in a row
                row: object = ("row", to_vertex[0], weights[vertex], _turned(to_vertex[1], True))
                key, way = (others[0], others[1]), row
                if others[0] > others[1]:
                    key, way = (others[1], others[0]), _turned(row, True)
                edges[key] = way if key not in edges else ("both", edges[key], way)
        total: Floats = self._array(weights[last]).sum(axis=1)
        return total

    def _array(self, what: object) -> Floats:
        """[set, card, card] of an edge, [set, card] of a vertex; symmetric matrices need no turning but rows do."""
        if isinstance(what, int):
            return self.matrices[what]
        if what not in self._known:
            self._known[what] = self._made(what)
        return self._known[what]

    def _made(self, what: object) -> Floats:
        if what == "ones":
            return np.ones(self.matrices[0].shape[:2])
        assert isinstance(what, tuple)
        kind, *parts = what
        if kind == "both" or kind == "times":
            product: Floats = self._array(parts[0]) * self._array(parts[1])
            return product
        if kind == "turned":
            return self._array(parts[0]).transpose(0, 2, 1)
        if kind == "sum":
            matrix, weight = self._array(parts[0]), self._array(parts[1])
            summed: Floats = (
                matrix.sum(axis=2) if parts[1] == "ones" else np.matmul(matrix, weight[:, :, None])[:, :, 0]
            )
            return summed
        left, weight, right = (self._array(part) for part in parts)
        chained: Floats = np.matmul(left if parts[1] == "ones" else left * weight[:, None, :], right)
        return chained


def _turned(edge: object, wanted: bool) -> object:
    """The matrix of an edge seen from its other end; those of ranges are symmetric."""
    return ("turned", edge) if wanted and not _symmetric(edge) else edge


def _symmetric(edge: object) -> bool:
    if isinstance(edge, tuple):
        return edge[0] == "both" and all(_symmetric(part) for part in edge[1:])
    return True
