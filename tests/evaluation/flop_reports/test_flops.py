"""Flops: classes and weights against all 22,100, textures, subsets, what people may write."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

from equilibrist.cards.flop_texture import KINDS, flop_texture
from equilibrist.cards.ranges import parse_cards
from equilibrist.core.errors import EquilibristError
from equilibrist.games.spots.flops import FLOPS, SUBSETS, WeightedFlop, all_flops, flop_subset, read_flops

EVERY = list(combinations(range(52), 3))
ORDERS = list(permutations(range(4)))


def lowest(cards: tuple[int, ...]) -> tuple[int, ...]:
    """The first of the flops that differ from this one by suits only, by brute force."""
    return min(tuple(sorted(card - card % 4 + order[card % 4] for card in cards)) for order in ORDERS)


@pytest.fixture(scope="module")
def alike() -> Counter[tuple[int, ...]]:
    """How many of all flops are alike, by brute force."""
    return Counter(map(lowest, EVERY))


def test_weights_of_all_flops_are_those_of_brute_force(alike: Counter[tuple[int, ...]]) -> None:
    found = {lowest(parse_cards(name)): weight for name, weight in all_flops()}
    assert len(found) == len(all_flops()) == 1755
    assert found == alike
    assert sum(found.values()) == FLOPS


def test_textures_count_as_combinatorics_says() -> None:
    """Known numbers: 4 × C(13, 3) flops of one suit, 4 × 13³ of three; 13 × 4 trips, 13 × 12 × 6 × 4 with a pair."""
    counted = {kind: Counter(getattr(flop_texture(cards), kind) for cards in EVERY) for kind in KINDS}
    assert counted["suits"] == {"monotone": 1144, "rainbow": 8788, "two-tone": 12168}
    assert counted["pairs"] == {"trips": 52, "paired": 3744, "unpaired": 18304}
    triples = sum(1 for ranks in combinations(range(13), 3) if straight(ranks))
    assert counted["straights"]["straight"] == 64 * triples
    assert counted["high"]["A"] == FLOPS - len(list(combinations(range(48), 3)))
    assert counted["texture"]["two-tone paired"] == 13 * 12 * 6 * 2


def straight(ranks: tuple[int, ...]) -> bool:
    """Whether two more ranks make five in a row, by trying all."""
    rows = [{12, 0, 1, 2, 3}, *({*range(low, low + 5)} for low in range(9))]
    return any(set(ranks) <= row for row in rows)


def test_all_straights_are_seen() -> None:
    for ranks in combinations(range(13), 3):
        assert (flop_texture([4 * rank for rank in ranks]).straights == "straight") == straight(ranks)


def shares(flops: list[WeightedFlop]) -> dict[str, Counter[str]]:
    """By kind and word, the share of all flops."""
    out: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for name, weight in flops:
        texture = flop_texture(parse_cards(name))
        for kind, counted in out.items():
            counted[getattr(texture, kind)] += weight / FLOPS  # type: ignore[assignment]
    return out


@cache
def all_shares() -> dict[str, Counter[str]]:
    return shares(all_flops())


@pytest.mark.parametrize("count", SUBSETS)
def test_subsets_stand_for_all_flops(count: int) -> None:
    chosen = flop_subset(count)
    assert len({lowest(parse_cards(name)) for name, _ in chosen}) == count
    assert sum(weight for _, weight in chosen) == pytest.approx(FLOPS, abs=1e-6)
    assert min(weight for _, weight in chosen) > 0
    for kind, allowed in (("suits", 0.02), ("pairs", 0.02), ("straights", 0.03), ("high", 0.03)):
        for word in KINDS[kind]:
            assert shares(chosen)[kind][word] == pytest.approx(all_shares()[kind][word], abs=allowed), (kind, word)


def test_flops_are_read_as_people_write_them() -> None:
    assert read_flops("all") == all_flops()
    assert read_flops(25) == read_flops("25") == flop_subset(25)
    assert read_flops("Td9d6h, AsKd2c:7.5 2s2d2c") == [("Td9d6h", 12.0), ("AsKd2c", 7.5), ("2s2d2c", 4.0)]
    assert read_flops(["7h8h9h"]) == [("7h8h9h", 4.0)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (26, "25, 47, 95, 184"),
        ("26", "25, 47, 95, 184"),
        (True, "'flops' must be"),
        ([], "'flops' must be"),
        ([3], "'flops' must be"),
        ("Td9d", "has 2"),
        ("Td9d6h Ts9s6c", "differ by suits only"),
        ("Td9d6h:0", "above 0"),
        ("Td9d6h:nan", "above 0"),
        ("Td9d6h:x", "above 0"),
        ("XdYd6h", "In 'flops'"),
        ("", "'flops' must be"),
    ],
)
def test_bad_flops_are_refused(given: object, said: str) -> None:
    with pytest.raises(EquilibristError, match=said):
        read_flops(given)


def test_weights_are_shares_of_flops() -> None:
    assert np.isclose(sum(weight for _, weight in read_flops(["AsKd2c", "Td9d6h"])), 36.0)
