"""Locked strategies: the rest of the tree is solved around them."""

import numpy as np
import pytest

from equilibrist import Spot, load_spot_solution, solve
from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError
from equilibrist.evaluation.spot_verification import verify_spot
from equilibrist.games.cards.ranges import hand_name, hand_number
from equilibrist.games.holdem.locks import Lock
from equilibrist.solvers.solve_spot import cost_of_locks, start_spot

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
FREE = solve(SPOT, until="0.1%", iterations=2000)


def locked(*locks):
    return SPOT.changed(lock=list(locks))


def test_a_locked_player_pays_and_the_other_gains():
    solution = solve(locked(Lock("", {"b400": 1.0})), until="0.1%", iterations=2000)
    assert solution.converged
    assert solution.root.frequencies == pytest.approx([0, 0, 1], abs=1e-6)
    assert solution.ev.oop < FREE.ev.oop - 1.0
    oop, ip = cost_of_locks(solution)
    assert oop > 1.0
    assert oop + ip == pytest.approx(0.0, abs=1e-3)
    assert oop == pytest.approx(FREE.ev.oop - solution.ev.oop, abs=0.3)


def test_best_responses_respect_locks():
    """Against the same opponent a bound player can do less than a free one."""
    run = start_spot(locked(Lock("", {"b400": 1.0})))
    run.advance(200)
    free = start_spot(SPOT, isomorphism=False)
    free.restore(run.state())
    assert run.expected_value(0, respond=True) < free.expected_value(0, respond=True) - 1.0
    assert run.expected_value(1, respond=True) == pytest.approx(free.expected_value(1, respond=True), abs=1e-3)


def test_single_hands_can_be_locked():
    solution = solve(
        locked(Lock("x", {"b100": 1.0}, "QQ"), Lock("x", {"x": 0.25, "b100": 0.75}, "AhTh,AsTc")), until="0.2%"
    )
    node = solution.root.play("x")
    rows = {hand: node.strategy[list(node.hands).index(hand_number(hand))] for hand in ("QhQd", "AsTc", "AcTs")}
    assert rows["QhQd"] == pytest.approx([0, 1, 0], abs=1e-6)
    assert rows["AsTc"] == pytest.approx([0.25, 0.75, 0], abs=1e-6)
    assert rows["AcTs"] != pytest.approx([0.25, 0.75, 0], abs=1e-3)


def test_locking_the_equilibrium_changes_little():
    node = FREE.root
    locks = [
        Lock("", {label: float(p) for label, p in zip(node.labels, row / row.sum(), strict=True)}, hand_name(int(hand)))
        for hand, row in zip(node.hands, node.strategy, strict=True)
    ]
    solution = solve(locked(*locks), until="0.1%", iterations=2000)
    assert solution.ev.oop == pytest.approx(FREE.ev.oop, abs=0.4)


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
    with pytest.raises(NotApplicableError, match="locked"):
        verify_spot(solution)


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        ({"line": "x", "strategy": {"x": 0.5}}, "sum to 1"),
        ({"line": "x", "strategy": {}}, "needs a 'strategy'"),
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
