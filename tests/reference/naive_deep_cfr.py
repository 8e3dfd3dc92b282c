"""What a walk of Deep CFR finds, from the rules alone, and averages of strategies weighted by own reach."""

from __future__ import annotations

from collections import defaultdict

from equilibrist.games.rules import CHANCE, TERMINAL


def expected_regrets(state, player, strategy, reach=1.0, found=None):
    """Value of a state to `player`; `found[key]` is [visits, regrets] in expectation over walks of `player`.

    A walk takes all own actions and samples the rest, so an infoset is visited as often as the others and chance lead there.
    `strategy(who, key)` lists probabilities.
    """
    if found is None:
        found = defaultdict(lambda: [0.0, None])
    who = state.player
    if who == TERMINAL:
        return state.returns()[player], found
    if who == CHANCE:
        mix = [chance for _, chance in state.chance()]
    else:
        mix = strategy(who, state.infoset(who))
    shares = [1.0] * len(mix) if who == player else mix
    values = [expected_regrets(state.child(k), player, strategy, reach * shares[k], found)[0] for k in range(len(mix))]
    mean = sum(p * value for p, value in zip(mix, values, strict=True))
    if who == player:
        entry = found[state.infoset(who)]
        before = entry[1] or [0.0] * len(values)
        entry[0] += reach
        entry[1] = [old + reach * (value - mean) for old, value in zip(before, values, strict=True)]
    return mean, found


def naive_average(parents, strategies, weights):
    """Rows of the average of one player's strategies, each weighted by how often own play leads to an infoset.

    `parents[key]` is (infoset, action) before it or None; a strategy has a list of probabilities for each key.
    """
    out = {}
    for key in parents:
        total = [0.0] * len(strategies[0][key])
        for strategy, weight in zip(strategies, weights, strict=True):
            reach, above = weight, parents[key]
            while above is not None:
                reach *= strategy[above[0]][above[1]]
                above = parents[above[0]]
            total = [x + reach * p for x, p in zip(total, strategy[key], strict=True)]
        out[key] = [x / sum(total) if sum(total) > 0.0 else 1.0 / len(total) for x in total]
    return out
