"""Generated safe searches of tiny spots that really take place, counted: none raises a best response beyond what it says.

Rivers and turns with few random hands, random strategies far from any equilibrium; best responses are measured by explicit payoff
matrices (`evaluation/verification/spots.py`), which share nothing with the boards that search works on.
"""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equilibrist import Spot
from equilibrist.cards.ranges import Range
from equilibrist.evaluation.verification.search_safety import check_spot_search
from equilibrist.forms.boards.street_betting import IP, street_forests
from equilibrist.search import techniques
from equilibrist.search.engines.board_subgame import BoardProfile
from equilibrist.solvers.postflop.solve_spot import start_spot

SAFE = ("resolve", "maxmargin", "reach-resolve", "reach-maxmargin")
LONG = 400  # iterations after which a search should have little to excuse
LITTLE = 0.01  # of the largest pot
EXAMPLES = 210


def random_spot(picks, cards):
    """Few hands, one or two sizes."""
    deck = picks.sample(range(52), 52)
    board, left = deck[:cards], deck[cards:]
    ranges = {}
    for name in ("oop", "ip"):
        weights = np.zeros(1326)
        for _ in range(picks.randint(3, 6)):
            high, low = sorted(picks.sample(left, 2), reverse=True)
            weights[high * (high - 1) // 2 + low] = picks.uniform(0.2, 1.0)
        ranges[name] = Range(weights)
    label = lambda card: "23456789TJQKA"[card // 4] + "cdhs"[card % 4]  # noqa: E731
    return Spot(
        board="".join(map(label, board)),
        pot=20,
        stack=picks.choice([20, 40, 70]),
        range=ranges,
        bets={"bet": picks.choice(["50%", "100%", "50%, 150%"]), "raise": "a"},
    )


def random_strategy(spot, picks):
    """A run whose averages are random; some actions are never taken."""
    run, rng = start_spot(spot, "dcfr(gamma=5)", isomorphism=False), np.random.default_rng(picks.randrange(10**9))
    for street in run.streets:
        for tables in street.tables:
            tables.average[:] = rng.exponential(size=len(tables.average)) * (rng.random(len(tables.average)) < 0.85)
    return run


def random_places(spot, run, picks):
    """A line on the first street, or some boards of the last one with all lines that lead to them."""
    forests, blueprint = street_forests(spot), BoardProfile(run, street_forests(spot))

    def reached(path, node):
        return any(blueprint.reach(path, p)[node].any() for p in range(2))

    if len(forests) > 1 and picks.random() < 0.6:
        boards = picks.sample(range(len(run.streets[1].boards.cards)), picks.choice([1, 3, 6]))
        roots = [node for node in range(forests[1].roots) if forests[1].kind[node] <= IP]
        return [((board,), roots) for board in boards if any(reached((board,), node) for node in roots)]
    acting = [node for node in range(1, len(forests[0])) if forests[0].kind[node] <= IP and reached((), node)]
    chosen = []
    for node in picks.sample(acting, len(acting)):
        if not any(_above(forests[0], node, other) or _above(forests[0], other, node) for other in chosen):
            chosen.append(node)
        if len(chosen) == 2:
            break
    return [((), sorted(chosen))] if chosen else []


def _above(forest, node, other):
    while other > node:
        other = int(forest.parent[other])
    return other == node


def case(seed, cards):
    """A spot on which something can be searched, found from a seed."""
    for attempt in range(50):
        picks = random.Random(f"{seed}/{cards}/{attempt}")
        spot = random_spot(picks, cards)
        run = random_strategy(spot, picks)
        if run.normaliser > 0.1:
            places = random_places(spot, run, picks)
            if places:
                return spot, run, places
    raise AssertionError("no spot")


def check_total(examples, counted):
    @given(
        seed=st.integers(0, 10**6),
        cards=st.sampled_from([5, 5, 5, 4]),
        technique=st.sampled_from(SAFE),
        iterations=st.sampled_from([5, 50, LONG]),
    )
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    def one(seed, cards, technique, iterations):
        spot, run, places = case(seed, cards)
        report = check_spot_search(spot, run, places, technique, iterations=iterations)
        assert report.safe, (seed, cards, technique, iterations, report.rise, report.tolerance)
        if iterations == LONG:
            assert max(report.tolerance) <= LITTLE * (spot.pot + 2 * spot.stack), (
                seed,
                cards,
                technique,
                report.tolerance,
            )
        counted["checks"] += sum(report.solved) > 0
        counted["improved"] += min(report.rise) < -report.slack
        counted[technique] += 1
        counted[cards] += 1

    one()


@pytest.mark.parametrize("examples", [EXAMPLES // 4, pytest.param(EXAMPLES, marks=pytest.mark.slow)])
def test_two_hundred_safe_searches_of_spots(examples):
    counted = Counter()
    check_total(examples, counted)
    assert counted["checks"] >= 0.925 * examples, counted
    assert counted["improved"] >= 0.2 * examples, counted  # searches do something
    if examples == EXAMPLES:
        assert counted["improved"] >= 60, counted
        assert all(counted[technique] > 20 for technique in SAFE)
        assert counted[4] > 20


def test_unsafe_search_is_the_negative_control():
    risen = 0
    for seed in range(12):
        spot, run, places = case(seed, 5)
        report = check_spot_search(spot, run, places, "unsafe", iterations=LONG)
        assert not report.safe
        risen += max(report.rise) > 0.2
    assert risen >= 2


@pytest.mark.parametrize("technique", ["resolve", "reach-maxmargin"])
def test_alternatives_that_are_too_high_are_caught(monkeypatch, technique):
    """Hands are told that they could have had more elsewhere; for Maxmargin only every other hand, since it ignores a common shift."""
    extra = np.array([4.0, 4.0] if technique == "resolve" else [0.0, 12.0])

    original = techniques.Technique.alternatives

    def generous(self, bound, estimate, gift):
        worth, deviation = original(self, bound, estimate, gift)
        return worth + extra[np.arange(len(worth)) % 2], deviation

    monkeypatch.setattr(techniques.Technique, "alternatives", generous)
    reports = [check_spot_search(*case(seed, 5), technique, iterations=LONG) for seed in range(30)]
    assert sum(not report.safe for report in reports) >= 2


def test_gifts_that_are_counted_too_often_are_caught(monkeypatch):
    """A gift counted ten times lets the searcher give away more than was ever given."""
    original = BoardProfile.gifts
    monkeypatch.setattr(BoardProfile, "gifts", lambda *args, **how: 10.0 * original(*args, **how))
    reports = [check_spot_search(*case(seed, 5), "reach-maxmargin", iterations=LONG) for seed in range(25)]
    assert any(not report.safe for report in reports)
