"""Walks find what the rules say, stores keep it, averages are exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.core.policy import normalise
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.learning.encoders.infosets import encode
from equilibrist.learning.regression.experience import (
    ExactAverage,
    Walks,
    empty_store,
    load_store,
    store_arrays,
    strategies_of,
)
from random_games import small_zero_sum_games
from reference.naive_deep_cfr import expected_regrets, naive_average


def some_strategy(game, seed):
    random, first = np.random.default_rng(seed), game.infosets.first_slot
    return normalise(game.infosets, random.random(int(first[-1])) + 0.05).probabilities


def number_of(game, who, key):
    keys = game.infosets.keys
    return next(i for i, each in enumerate(keys) if game.infosets.player[i] == who and each.split("|")[-1] == key)


def row_of(game, strategy):
    def row(who, key):
        return strategy[slice(*game.infosets.first_slot[(i := number_of(game, who, key)) : i + 2])].tolist()

    return row


@pytest.mark.parametrize("player", [0, 1])
def test_walks_find_the_regrets_of_the_rules(player):
    """Means over samples are counterfactual regrets divided by the others' reach; visits are that reach ([Brown20, §4.1])."""
    game = compiled("kuhn")
    strategy, walks = some_strategy(game, player), 200_000
    regrets, strategies = (empty_store(game, 0, 2, False) for _ in range(2))
    found = Walks(game, seed=player)
    found.collect(player, walks, 2.0, strategy, regrets, strategies)
    _, wanted = expected_regrets(game.game.start(), player, row_of(game, strategy))
    for key, (visits, regret) in wanted.items():
        i = number_of(game, player, key)
        first = game.infosets.first_slot[i]
        assert regrets.weight[i] / (2.0 * walks) == pytest.approx(visits, abs=0.005)
        mean = regrets.total[first : first + 2] / regrets.weight[i] * found.scale
        assert mean == pytest.approx(np.array(regret) / visits, abs=0.02)
    assert not regrets.weight[game.infosets.player != player].any()
    other = game.infosets.player == 1 - player
    met = strategies.weight > 0.0
    assert not met[~other].any()
    slots = np.repeat(met, 2)
    assert (strategies.total / np.repeat(np.where(met, strategies.weight, 1.0), 2))[slots] == pytest.approx(
        strategy[slots]
    )
    assert found.nodes > 5 * walks


def test_sampled_regrets_by_visits_are_advantages():
    """[Brown20, Lemma 11] on Leduc poker: sampled regrets of an infoset, divided by visits, within three standard errors."""
    game, walks = compiled("leduc"), 100_000
    strategy = some_strategy(game, 11)
    samples, spare = empty_store(game, 2_000_000, 3, False), empty_store(game, 0, 3, False)
    found = Walks(game, seed=12)
    found.collect(0, walks, 1.0, strategy, samples, spare)
    count, first = int(samples.offered[0]), game.infosets.first_slot
    infoset, values = samples.infoset[:count], samples.sample[:count].astype(np.float64) * found.scale
    _, wanted = expected_regrets(game.game.start(), 0, row_of(game, strategy))
    off = []
    for key, (visits, regret) in wanted.items():
        i = number_of(game, 0, key)
        mine = values[infoset == i, : first[i + 1] - first[i]]
        if len(mine) < 2000:
            continue
        error = mine.std(axis=0, ddof=1) / np.sqrt(len(mine))
        off += ((mine.mean(axis=0) - np.array(regret) / visits) / error).tolist()
    assert len(off) > 80
    assert np.abs(off).max() < 3.0
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(1.0, abs=0.2)  # errors are as large as they say


def test_samples_and_sums_are_one_experience():
    game = compiled("leduc")
    strategy = some_strategy(game, 3)
    sums, samples = empty_store(game, 0, 3, False), empty_store(game, 200_000, 3, False)
    for store in (sums, samples):
        spare = empty_store(game, 0, 3, False)
        Walks(game, seed=5).collect(0, 500, 1.0, strategy, store, spare)
    count = int(samples.offered[0])
    assert count < 200_000
    weight, total = np.zeros(len(game.infosets)), np.zeros(game.infosets.slots)
    first = game.infosets.first_slot
    for k in range(count):
        i = samples.infoset[k]
        weight[i] += samples.sample_weight[k]
        total[first[i] : first[i + 1]] += samples.sample_weight[k] * samples.sample[k, : first[i + 1] - first[i]]
    assert weight == pytest.approx(sums.weight)
    assert total == pytest.approx(sums.total, abs=1e-4)


def offered(store, game, rounds=2000):
    """Fill a small store over and over; which of the samples are in it."""
    strategy, spare = game.infosets.uniform().probabilities, empty_store(game, 0, 2, False)
    walks = Walks(game, 0)
    for number in range(rounds):
        walks.collect(0, 1, float(number), strategy, store, spare)
    return store.sample_weight


def test_a_reservoir_keeps_each_sample_with_the_same_chance():
    game, rounds = compiled("kuhn"), 400
    means = []
    for seed in range(30):
        store = empty_store(game, 50, 2, False)
        strategy, spare = game.infosets.uniform().probabilities, empty_store(game, 0, 2, False)
        walks = Walks(game, seed)
        for number in range(rounds):
            walks.collect(0, 1, float(number), strategy, store, spare)
        means.append(store.sample_weight.mean())
    assert np.mean(means) == pytest.approx((rounds - 1) / 2, abs=4 * rounds / np.sqrt(12 * 50 * 30))


def test_a_ring_keeps_the_newest():
    game = compiled("kuhn")
    kept = offered(empty_store(game, 50, 2, True), game, rounds=100)
    assert kept.min() >= 100 - 50  # each walk of the first player gives at least one sample


@given(small_zero_sum_games(), st.integers(0, 1000))
def test_averages_are_those_of_plain_recursion(rules, seed):
    game = Compiled(rules)
    infosets, parent = game.infosets, game.forest.parent_slot
    strategies, weights = [some_strategy(game, seed + k) for k in range(3)], [1.0, 2.0, 5.0]
    average = ExactAverage(game)
    owner = np.repeat(np.arange(len(infosets)), np.diff(infosets.first_slot))
    for player in (0, 1):
        for strategy, weight in zip(strategies, weights, strict=True):
            average.add(player, weight, strategy)
    found = normalise(infosets, average.sums)
    for player in (0, 1):
        own = [i for i in range(len(infosets)) if infosets.player[i] == player]
        parents = {
            i: None if parent[i] < 0 else (owner[parent[i]], parent[i] - infosets.first_slot[owner[parent[i]]])
            for i in own
        }
        rows = [
            {i: strategy[infosets.first_slot[i] : infosets.first_slot[i + 1]].tolist() for i in own}
            for strategy in strategies
        ]
        for i, row in naive_average(parents, rows, weights).items():
            assert found.row(i) == pytest.approx(row)


def test_where_no_advantage_is_positive_the_largest_is_played_or_all_alike():
    game = compiled("kuhn")
    encoding, widths = encode(game), np.diff(game.infosets.first_slot)
    advantages = np.full(encoding.legal.shape, 9.0)  # of outputs that are no action
    advantages[encoding.row, :] = np.where(encoding.legal[encoding.row], -2.0, 9.0)
    first = game.infosets.first_slot
    assert strategies_of(encoding, advantages, widths, False) == pytest.approx(0.5)  # equal: none is best
    advantages[encoding.slot_row[first[0]], encoding.output[first[0]]] = -1.0
    assert strategies_of(encoding, advantages, widths, False)[first[0] : first[1]].tolist() == [1.0, 0.0]
    assert strategies_of(encoding, advantages, widths, True)[first[0] : first[1]].tolist() == [0.5, 0.5]
    advantages[encoding.slot_row[first[0]], encoding.output[first[0] : first[1]]] = [3.0, 1.0]
    assert strategies_of(encoding, advantages, widths, False)[first[0] : first[1]].tolist() == [0.75, 0.25]


def test_what_is_stored_comes_back_and_another_game_is_refused():
    game = compiled("kuhn")
    store = empty_store(game, 0, 2, False)
    Walks(game, 1).collect(0, 10, 1.0, game.infosets.uniform().probabilities, store, empty_store(game, 0, 2, False))
    again = empty_store(game, 0, 2, False)
    load_store(again, store_arrays(store, "a"), "a")
    assert all(np.array_equal(x, y) for x, y in zip(store[:-1], again[:-1], strict=True))
    with pytest.raises(ValueError, match="shape"):
        load_store(empty_store(compiled("leduc"), 0, 3, False), store_arrays(store, "a"), "a")
