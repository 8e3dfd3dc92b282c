"""What a batch takes to a device, against the deals one by one and sums over pairs of hands; groups follow one another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from equilibrist.cards.range_text import hand_number
from equilibrist.core.arrays import Longs
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_arrays import SpotArrays
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop.batches import device_groups
from equilibrist.solvers.postflop.batches.device_batch import batch_bytes
from equilibrist.solvers.postflop.batches.grouped_spots import BatchSpots, compile_spots, group_spots
from equilibrist.solvers.postflop.gpu.cuda_device import Properties
from equilibrist.solvers.postflop.gpu.hand_tables import device_places, hand_tables
from equilibrist.solvers.registry import make_solver
from reference.host_device import HostModule, use_host


def some_spots(cards: int, share: float, number: int = 5) -> BatchSpots:
    draw = np.random.default_rng(cards)
    boards = draw.random((number, 52)).argsort(axis=1)[:, :cards]
    ranges = np.where(draw.random((number, 2, 1326)) < share, draw.random((number, 2, 1326)), 0.0)
    text = {3: "2c3c4d", 4: "2c3c4d5h", 5: "2c3c4d5h7s"}[cards]
    pattern = Spot(board=text, pot=10, stack=20, range={"oop": "AA", "ip": "KK"}, bets={"bet": "a"})
    return compile_spots(SpotArrays.of(pattern, boards=boards, ranges=ranges))


@pytest.mark.parametrize(("cards", "share"), [(5, 1.0), (5, 0.1), (4, 0.3)])
def test_a_group_is_laid_out_as_its_spots_are(cards: int, share: float) -> None:
    spots = some_spots(cards, share)
    (group,) = group_spots(spots)
    layout = device_groups.lay_out_group(spots, group)
    hands = Deal.holdem(()).hands
    apart = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    draw = np.random.default_rng(1)
    found = [draw.random(rows.shape).astype(np.float32) for rows in layout.rows]
    values = [layout.values(p, found[p]) for p in range(2)]
    for k in range(len(group)):
        one = spots.compiled(k)
        first, second = (np.asarray(each) for each in one.weights)
        assert layout.normaliser[k] == pytest.approx(first @ apart @ second)
        for p, own in enumerate(one.boards[0].player):
            count, pair = int(own.count[0]), own.pair[0, : own.count[0]]
            assert layout.rows[p].shape[1] % 32 == 0
            assert layout.rows[p][k, :count] == pytest.approx(np.asarray(one.weights[p])[pair], rel=1e-6)
            assert not layout.rows[p][k, count:].any()
            met = apart @ np.asarray(one.weights[1 - p])
            expected = np.full(1326, np.nan)
            expected[pair] = found[p][k, :count] / met[pair]
            assert values[p][k] == pytest.approx(expected, nan_ok=True)


def test_hands_are_those_of_each_river_by_itself() -> None:
    spots = some_spots(5, 0.4)
    (group,) = group_spots(spots)
    layout = device_groups.lay_out_group(spots, group)
    for k in range(len(group)):
        (alone,) = spots.compiled(k).boards
        for p in range(2):
            count = int(alone.player[p].count[0])
            single = hand_tables(alone, p, device_places(alone.player[p]))
            joined = layout.hands[0][p]
            assert np.array_equal(joined.places[k, :count], single.places[0, :count])
            assert np.array_equal(joined.starts[k], single.starts[0])
            assert np.array_equal(joined.order[k, :count], single.order[0, :count])
            assert (joined.order[k, count:] == layout.rows[p].shape[1]).all()


def test_a_hand_that_meets_none_is_worth_nothing_that_can_be_said() -> None:
    """All of the opponent's hands hold one of its cards; what is left of their sum is rounding."""
    hands = {name: hand_number(name) for name in ("AsAh", "2s2h", "AsKs", "AsQs", "AsJs", "AhKh")}
    ranges = np.zeros((2, 1326))
    ranges[0, [hands["AsAh"], hands["2s2h"]]] = 1.0
    ranges[1, [hands[name] for name in ("AsKs", "AsQs", "AsJs", "AhKh")]] = 0.1, 0.2, 0.3, 0.7
    pattern = Spot(board="3c4d5h7s8s", pot=10, stack=20, range={"oop": "AA", "ip": "KK"}, bets={"bet": "a"})
    layout = device_groups.lay_out_group(compile_spots(SpotArrays.of(pattern, ranges=ranges)), np.arange(1))
    values = layout.values(0, np.ones_like(layout.rows[0]))
    assert values[0, hands["2s2h"]] == pytest.approx(1 / 1.3)
    assert np.isnan(values[0, hands["AsAh"]])


def test_groups_are_laid_out_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one is solved the next is laid out, and what comes back is in the order of the spots."""
    spots, laid, solved = some_spots(5, 0.05, number=7), list[int](), list[int]()

    class Batch:
        def __init__(self, spots: Any, group: Longs, layout: Any, solver: Any) -> None:
            self.group = group
            self.iterations, self.exploitability = group + 100, group / 10.0

        def solve(self, goals: Any, most: int, told: Any) -> None:
            assert goals.tolist() == [-1.0 if k == 3 else float(k) for k in self.group]
            told(20, 1)
            told(30, 0)
            solved.append(int(self.group[0]))

        def values(self) -> Any:
            return self.group[:, None] * [1.0, -1.0], [np.zeros((len(self.group), 1326))] * 2

    lay_out = device_groups.lay_out_group

    def noted(spots: BatchSpots, group: Longs) -> Any:
        laid.append(int(group[0]))
        return lay_out(spots, group)

    use_host(monkeypatch)
    monkeypatch.setattr(device_groups, "lay_out_group", noted)
    monkeypatch.setattr(device_groups, "start_group", Batch)
    monkeypatch.setattr(device_groups, "fitting_groups", lambda spots, solver: group_spots(spots, 3))
    told, solver = list[int](), make_solver("dcfr(gamma=3)")
    assert isinstance(solver, CFR)
    goals = np.where(np.arange(7) == 3, np.nan, np.arange(7.0))
    parts: Iterator[Any] = device_groups.solve_groups(spots, solver, goals, 30, False, told.append)
    seen = [(group.tolist(), found.values[:, 0].tolist()) for group, found in parts]
    assert seen == [([0, 1, 2], [0, 1, 2]), ([3, 4, 5], [3, 4, 5]), ([6], [6])]
    assert laid == solved == [0, 3, 6]
    assert told == [2, 3, 5, 6, 6, 7]


def test_ranges_are_looked_at_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of all spots at once would take gigabytes."""
    spots, solver, asked = some_spots(5, 0.5, number=7), make_solver("dcfr(gamma=3)"), list[int]()
    assert isinstance(solver, CFR)
    use_host(monkeypatch)
    whole = spots.weights

    def weights(player: int, numbers: Longs) -> Any:
        asked.append(len(numbers))
        return whole(player, numbers)

    held = [(whole(p, np.arange(7)) > 0.0).sum(axis=1).tolist() for p in range(2)]
    monkeypatch.setattr(type(spots), "weights", lambda self, player, numbers: weights(player, numbers))
    monkeypatch.setattr(device_groups, "PIECE", 3)
    assert [device_groups._hands_held(spots, p, np.arange(7)).tolist() for p in range(2)] == held
    device_groups.fitting_groups(spots, solver)
    assert max(asked) <= 4  # the widest of each player, twice


@pytest.mark.parametrize("cards", [4, 5])
def test_groups_fit_on_the_device(cards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a group takes is counted before and when its arrays are made; with less room groups are smaller."""
    spots, solver, device = some_spots(cards, 0.05, number=6), make_solver("dcfr(gamma=3)"), HostModule()
    assert isinstance(solver, CFR)
    use_host(monkeypatch, device)
    assert [len(group) for group in device_groups.fitting_groups(spots, solver)] == [6]

    def planned(group: Longs) -> int:
        layout = device_groups.lay_out_group(spots, group)
        need = batch_bytes(*device_groups._betting_of(spots, group), layout)
        before = device.taken
        device_groups.start_group(spots, group, layout, solver)
        assert 0.3 * need < device.taken - before <= need  # copying tables takes more in passing
        return need

    for games in (6, 3, 2, 1):
        room = planned(np.arange(games)) * 1.3
        free = int(room / device_groups.USED_SHARE)
        monkeypatch.setattr(Properties, "free_bytes", lambda self, free=free: free)
        monkeypatch.setattr(Properties, "reclaimed_bytes", lambda self, free=free: free)
        groups = device_groups.fitting_groups(spots, solver)
        assert np.concatenate(groups).tolist() == list(range(6))
        assert max(map(len, groups)) >= max(1, games // 2)  # narrow ones count as the widest
        assert all(planned(each) <= room for each in groups)
    monkeypatch.setattr(Properties, "free_bytes", lambda self: 2**37)
    monkeypatch.setattr(device_groups, "MOST_BOARDS", 96 if cards == 4 else 2)
    assert [len(each) for each in device_groups.fitting_groups(spots, solver)] == [2, 2, 2]
