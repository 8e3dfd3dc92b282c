"""Locked strategies: the rest of the tree is solved around them."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist import Spot, compiled, solve
from equilibrist.cards.ranges import hand_name, hand_number
from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.core.opponent import Binding
from equilibrist.evaluation.verification.spots import verify_spot
from equilibrist.forms.boards.street_betting import street_forests
from equilibrist.games.spots.locks import Lock, scaled_to
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import Discounted
from equilibrist.solvers.postflop.locks.frequency_locks import CLOSE, lock_reports
from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution
from equilibrist.solvers.postflop.solve_spot import cost_of_locks, start_spot
from equilibrist.solvers.responses.best_response import evaluate_policy
from reference.locked_spot_game import LockedSpotGame
from reference.spot_game import SpotGame
from reference.spot_policy import run_policy

BASE = """
board = "Td9d6hQc"
pot = 200
stack = 400
[range]
oop = "88,A5s,KQo,J8s"
ip = "QQ,J9s,ATo,76s"
[bets]
bet = "50%, a"
raise = "a"
"""
SPOT = Spot.from_text(BASE)


@cache
def free_solution():
    return solve(SPOT, until="0.1%", iterations=2000)


def locked(*locks):
    return SPOT.changed(lock=list(locks))


def test_a_locked_player_pays_and_the_other_gains():
    solution = solve(locked(Lock("", {"b400": 1.0})), until="0.1%", iterations=2000)
    assert solution.converged
    assert solution.root.frequencies == pytest.approx([0, 0, 1], abs=1e-6)
    assert solution.ev.oop < free_solution().ev.oop - 1.0
    oop, ip = cost_of_locks(solution)
    assert oop > 1.0
    assert oop + ip == pytest.approx(0.0, abs=1e-3)
    assert oop == pytest.approx(free_solution().ev.oop - solution.ev.oop, abs=0.3)


LOCKS = {
    "half of a range": [Lock("", {"b50": 1.0}, weight=0.5)],
    "whole node and parts of two others": [
        Lock("", {"b50": 0.3, "x": 0.7}, weight=0.5),
        Lock("x", {"b50": 1.0}, "QhQd,9s8s", weight=0.8),
        Lock("b50", {"f": 1.0}),
    ],
    "by hand": [Lock("x", {"x": "QhQd:0.25,9s8s", "b50": "QhQd:0.75,AdKd"}, weight=0.9)],
    "later names win": [Lock("x", {"x": 1.0}), Lock("x", {"b200": 1.0}, "AdKd", weight=0.6)],
}
LATER = {
    "turn and river": [
        Lock("x:x:8h:x", {"b50": 1.0}, weight=0.6),
        Lock("", {"x": 0.9, "b200": 0.1}, weight=0.4),
        Lock("x", {"x": 1.0}, weight=0.5),
    ]
}


def tiny(locks, board="Td9d6hQc2s"):
    return Spot(
        board=board,
        pot=100,
        stack=200,
        range={"oop": "AsAc,KhJh,8d7d:0.5,Ts9s", "ip": "QhQd,AdKd,9s8s,AsTc"},
        bets={"bet": "50%, a", "raise": "a"},
        lock=locks,
    )


CASES = [tiny(locks) for locks in LOCKS.values()] + [tiny(locks, "Td9d6hQc") for locks in LATER.values()]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("case", "bits"),
    [*((case, 32) for case in CASES), (CASES[1], 16)],
    ids=[*LOCKS, *LATER, "16 bits"],
)
def test_locked_games_have_the_value_of_their_linear_program(case, bits):
    """The plain rules draw before a locked decision whether the hand is free; best responses in them are the engine's."""
    rules = LockedSpotGame(case)
    rules.zero_sum = True
    game = compiled(rules)
    run = start_spot(case, "dcfr", bits=bits)
    run.advance(1000)
    assert run.expected_value(0) == pytest.approx(solve(game, "lp").value[0], abs=0.05)
    exact, mine = evaluate_policy(game, run_policy(run, game, free_part)), run.evaluate()
    assert mine.value == pytest.approx(exact.value, abs=1e-3)
    assert mine.best_response_value == pytest.approx(exact.best_response_value, abs=1e-3)


def free_part(state, played):
    """What a state decides of the strategy played there: the lock's share is chance's."""
    binding = state.game.binding(state.line, state.hands[state.player])
    if binding is None:
        return played
    weight, shares = binding
    forced = np.array([shares.get(label, 0.0) for label in state.actions()])
    return np.maximum((played - weight * forced) / (1 - weight), 0.0)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6))
def test_random_partial_locks_against_the_linear_program(seed):
    rng = np.random.default_rng(seed)
    lines = {
        "": ("x", "b50", "b200"),
        "x": ("x", "b50", "b200"),
        "b50": ("f", "c", "r200"),
        "x:b50": ("f", "c", "r200"),
    }
    locks = []
    for line in rng.choice(list(lines), 2, replace=False):
        shares = np.round(rng.dirichlet(np.ones(3)), 3)
        shares[0] = round(1 - shares[1:].sum(), 3)
        locks.append(
            Lock(line, dict(zip(lines[line], shares, strict=True)), weight=round(float(rng.random()), 2) or 1.0)
        )
    case = tiny(locks)
    rules = LockedSpotGame(case)
    rules.zero_sum = True
    run = start_spot(case, "dcfr")
    run.advance(1000)
    assert run.expected_value(0) == pytest.approx(solve(compiled(rules), "lp").value[0], abs=0.05)


@pytest.mark.parametrize("weight", [0.3, 0.8])
def test_partial_locks_everywhere_are_a_binding(weight):
    """All decisions of ip bound alike: `Binding` per infoset on the sequence form of the plain rules is the same game."""
    free = tiny([])
    game = compiled(SpotGame(free))
    lines = [forest.line(int(n)) for forest in street_forests(free) for n in np.flatnonzero(forest.kind == 1)]
    labels = [forest.labels(int(n)) for forest in street_forests(free) for n in np.flatnonzero(forest.kind == 1)]
    even = [{label: 1 / len(names) for label in names} for names in labels]
    run = start_spot(tiny([Lock(line, share, weight=weight) for line, share in zip(lines, even, strict=True)]), "dcfr")
    bound = Binding(game.infosets.uniform(), player=1, weight=weight, mode="per_infoset")
    other = CFR(schedule=Discounted(), bindings=(bound,)).start(game)
    for each in (run, other):
        each.advance(1000)
    theirs, mine = other.evaluate(), run.evaluate()
    assert mine.value == pytest.approx(theirs.value, abs=5e-3)
    assert mine.best_response_value == pytest.approx(theirs.best_response_value, abs=1e-2)
    assert mine.exploitability < 5e-3


def test_less_weight_costs_less():
    costs = [
        cost_of_locks(solve(locked(Lock("", {"b400": 1.0}, weight=w)), until="0.05%", iterations=3000))[0]
        for w in (0.1, 0.5, 1.0)
    ]
    assert costs[0] > 0.5
    assert costs[1] > costs[0] + 2
    assert costs[2] > costs[1] + 2


def test_a_range_plays_as_often_as_asked():
    """Ip bets more than it would, the way it would; the node is not far down, so a scaled strategy keeps its frequency."""
    solution = solve(locked(Lock("x", {}, frequency={"b100": 0.3})), until="0.1%", iterations=2000)
    free, node = free_solution().at("x"), solution.at("x")
    assert node.frequencies[1] == pytest.approx(0.3, abs=CLOSE)
    kept = node.strategy[:, 0] / np.where(free.strategy[:, 0] > 1e-3, free.strategy[:, 0], np.nan)
    assert np.nanmax(kept) == pytest.approx(np.nanmin(kept), abs=0.02)  # all hands check less in the same proportion
    (report,) = lock_reports(solution)
    assert report.missed <= CLOSE
    assert solution.to_json()["locks"][0]["reached"]["b100"] == pytest.approx(0.3, abs=CLOSE)
    assert cost_of_locks(solution) == pytest.approx(
        np.subtract(free_solution().ev, solution.ev), abs=1e-3
    )  # the same free solve
    again = Spot.from_text(solution.spot.to_toml())
    assert again == solution.spot
    assert again.asked == locked(Lock("x", {}, frequency={"b100": 0.3}))
    resumed = solve(locked(Lock("x", {}, frequency={"b100": 0.3})), iterations=solution.iterations + 5, resume=solution)
    assert resumed.spot == solution.spot


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_scaling_gives_exactly_the_frequencies_asked_for(seed):
    rng = np.random.default_rng(seed)
    hands, actions = rng.integers(1, 6), rng.integers(2, 5)
    strategy = rng.dirichlet(np.full(actions, 0.3), hands)
    weights = rng.random(hands) + 0.01
    asked = rng.dirichlet(np.ones(actions))
    asked[rng.integers(0, actions)] = np.nan
    scaled = scaled_to(strategy, weights, asked)
    assert scaled.sum(axis=1) == pytest.approx(1.0)
    assert scaled.min() >= -1e-12
    said = ~np.isnan(asked)
    assert (weights @ scaled / weights.sum())[said] == pytest.approx(asked[said])
    moved = weights @ np.abs(scaled - strategy).sum(axis=1) / weights.sum() / 2
    now = weights @ strategy / weights.sum()
    goal = weights @ scaled / weights.sum()
    assert moved == pytest.approx(np.abs(goal - now).sum() / 2)  # no strategy with these frequencies is nearer


def test_a_place_can_be_locked_as_it_was_solved():
    lock = free_solution().root.lock()
    solution = solve(locked(lock), until="0.1%", iterations=2000)
    assert solution.root.strategy == pytest.approx(free_solution().root.strategy, abs=2e-6)
    assert solution.ev.oop == pytest.approx(free_solution().ev.oop, abs=0.4)
    node = free_solution().at("x")
    assert node.lock({"x": 1.0}, hands="QQ", weight=0.5) == Lock("x", {"x": 1.0}, "QQ", 0.5)
    part = node.lock(frequency={"x": 0.5}, hands="QQ,ATo")
    shares, bound = part.rows(node.labels)
    assert {hand_name(int(h))[0] for h in np.flatnonzero(bound)} == {"Q", "A"}
    weights = (node.reach() * node.met())[bound[node.hands] > 0]
    assert shares[0, node.hands][bound[node.hands] > 0] @ weights / weights.sum() == pytest.approx(0.5, abs=1e-5)


def test_single_hands_can_be_locked():
    solution = solve(
        locked(Lock("x", {"b100": 1.0}, "QQ"), Lock("x", {"x": 0.25, "b100": 0.75}, "AhTh,AsTc")), until="0.2%"
    )
    node = solution.root.play("x")
    rows = {hand: node.strategy[list(node.hands).index(hand_number(hand))] for hand in ("QhQd", "AsTc", "AcTs")}
    assert rows["QhQd"] == pytest.approx([0, 1, 0], abs=1e-6)
    assert rows["AsTc"] == pytest.approx([0.25, 0.75, 0], abs=1e-6)
    assert rows["AcTs"] != pytest.approx([0.25, 0.75, 0], abs=1e-3)


def test_locks_on_later_streets_and_in_files(tmp_path):
    spot = locked(Lock("x:x:8h:x", {"b100": 1.0}))
    assert Spot.from_text(spot.to_toml()).to_toml() == spot.to_toml()
    solution = solve(spot, iterations=60)
    solution.save(tmp_path / "l.eqb")
    again = load_spot_solution(tmp_path / "l.eqb")
    for one in (solution, again):
        assert one.at("x:x:8h:x").frequencies[1] == pytest.approx(1.0, abs=1e-6)
        assert one.at("x:x:8s:x").frequencies[1] < 0.99
    whole = solve(spot, iterations=90)
    resumed = solve(spot, iterations=90, resume=again)
    assert np.array_equal(resumed.root.strategy, whole.root.strategy)


@pytest.mark.parametrize("bits", [32, 16])
def test_the_second_opinion_knows_locks(tmp_path, bits):
    """Explicit matrices, locks found by another walk: the same values and best responses of the locked game."""
    spot = locked(
        Lock("", {"b400": 1.0}, weight=0.5),
        Lock("", {"x": 0.5, "b100": 0.5}, "88"),
        Lock("x:x:8h:x", {"x": "QQ:0.2,ATo", "b100": "QQ:0.8"}, weight=0.7),
    )
    solution = solve(spot, iterations=40, bits=bits)
    checked = verify_spot(solution)
    assert checked.agrees
    assert checked.difference < 1e-3
    solution.save(tmp_path / "l.eqb")
    artifact = open_artifact(tmp_path / "l.eqb", "spot-solution")
    header = {**artifact.header, "spot": artifact.header["spot"].replace("weight = 0.5", "weight = 0.4")}
    save_artifact(tmp_path / "other.eqb", Artifact("spot-solution", header, artifact.arrays))
    assert not verify_spot(load_spot_solution(tmp_path / "other.eqb")).agrees


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        ({"line": "x", "strategy": {"x": 0.5}}, "sum to 1"),
        ({"line": "x", "strategy": {}}, "needs a 'strategy'"),
        ({"line": "x", "strategy": {"x": 1.0}, "weight": 1.5}, "at most 1"),
        ({"line": "x", "strategy": {"x": 1.0}, "weight": 0}, "above 0"),
        ({"line": "x", "strategy": {"x": "QQ", "b100": 0.5}}, "must be hands"),
        ({"line": "x", "strategy": {"x": "QQ", "b100": "QQ:0.5"}}, "those of QdQc sum to 1.5"),
        ({"line": "x", "strategy": {"x": "QQQ"}}, "lock.strategy.x"),
        ({"line": "x", "strategy": 1.0}, "a name and a share"),
        ({"line": "x", "frequency": {"x": 0.7, "b100": 0.6}}, "at most 1"),
        ({"line": "x", "frequency": {"x": 0.7}}, "only in solve_spot"),
        ({"line": "x", "strategy": {"b77": 1.0}}, "names 'b77'"),
        ({"line": "x:x", "strategy": {"x": 1.0}}, "Nobody acts"),
        ({"line": "x:x:Td", "strategy": {"x": 1.0}}, "not on the board"),
        ({"line": "zz", "strategy": {"x": 1.0}}, "no action 'zz'"),
        ({"line": "x", "hands": "22", "strategy": {"x": 1.0}}, "none of which"),
        ({"line": "x", "hand": "22", "strategy": {"x": 1.0}}, "hand"),
    ],
)
def test_bad_locks_get_one_sentence(lock, sentence):
    with pytest.raises(EquilibristError, match=sentence):
        start_spot(SPOT.changed(lock=[lock]))
    with pytest.raises(ParameterError):
        SPOT.changed(lock={"line": "x"})


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        (Lock("x:zz", {}, frequency={"x": 0.5}), "no action 'zz'"),
        (Lock("x:x", {}, frequency={"x": 0.5}), "Nobody acts"),
        (Lock("x", {}, frequency={"b77": 0.5}), "names 'b77'"),
        (Lock("x", {}, "22", frequency={"x": 0.5}), "none of which"),
    ],
)
def test_bad_frequencies_are_refused_before_anything_is_solved(lock, sentence):
    def never(_):
        raise AssertionError("nothing is solved")

    with pytest.raises(EquilibristError, match=sentence):
        solve(locked(lock), iterations=10, progress=never)
    with pytest.raises(ParameterError, match="names every action sum to 1"):
        free_solution().at("x").lock(frequency={"x": 0.2, "b100": 0.2, "b400": 0.2})
