"""The postflop engine against reference values, plain rules and itself without symmetry or threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist import compiled, make_solver, solve
from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.range_text import parse_cards
from equilibrist.core.errors import EquilibristError
from equilibrist.evaluation.verification.spots import verify_spot
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.responses.best_response import evaluate_policy
from reference.spot_game import SpotGame
from reference.spot_policy import run_policy

EXAMPLE = {
    "oop": "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    "ip": "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
}
ALL = {"oop": "random", "ip": "random"}


def spot(board, ranges=EXAMPLE, bets='bet = "50%, a"\nraise = "a"', more="", pot=200, stack=900):
    lines = [f'board = "{board}"', f"pot = {pot}", f"stack = {stack}", "[range]"]
    lines += [f'{side} = "{text}"' for side, text in ranges.items()]
    return Spot.from_text("\n".join([*lines, "[bets]", bets, more]))


XRIVER = spot("Td9d6hQc2s", ALL, 'bet = "50%, 100%, a"\nraise = "a"')
XTURN = spot("Td9d6hQc")


# reference/postflop.md: best responses to uniform play, two independent engines agree on them
@pytest.mark.parametrize(
    ("case", "responses", "value"),
    [(XRIVER, (138.64473, 167.56375), 6.25), (XTURN, (164.22684, 137.01607), 39.4905)],
    ids=["xriver", "xturn"],
)
def test_best_responses_to_uniform_play(case, responses, value):
    run = start_spot(case)
    assert [run.expected_value(p, respond=True) for p in range(2)] == pytest.approx(responses, abs=5e-4)
    assert run.expected_value(0) == pytest.approx(value, abs=5e-4)


# reference/postflop.md 1.3: bounds on the value, out-of-position player, net of half the pot
@pytest.mark.parametrize(
    ("case", "iterations", "low", "high", "percent"),
    [(XRIVER, 2000, -6.173140, -6.165261, 0.005), (XTURN, 600, -6.140373, -6.100568, 0.03)],
    ids=["xriver", "xturn"],
)
def test_values_of_reference_spots(case, iterations, low, high, percent):
    run = start_spot(case)
    run.advance(iterations)
    evaluation = run.evaluate()
    assert evaluation.exploitability / 2 < percent
    assert -evaluation.best_response_value[1] - 1e-3 <= high
    assert evaluation.best_response_value[0] + 1e-3 >= low
    assert evaluation.value[0] == pytest.approx((low + high) / 2, abs=0.02)


def test_tree_sizes_and_memory_of_the_flop():
    """reference/postflop.md: the flop spot takes 721.2 MB in the fastest open engine."""
    flop = spot(
        "Td9d6h",
        bets='bet = "60%, e, a"\nraise = "2.5x"\n[bets.river]\ndonk = "50%"',
        more="[thresholds]\nadd_allin = 1.5\nforce_allin = 0.15\nmerge = 0.1",
    )
    compiled_flop = compile_spot(flop)
    assert [f.counts for f in compiled_flop.forests] == [(10, 26, 12), (50, 130, 64), (113, 255, 163)]
    assert compiled_flop.table_bytes() < 721.2e6


@pytest.mark.parametrize("solver", ["dcfr", "cfr+", "pcfr+", "lcfr"])
@pytest.mark.parametrize("rake", ["", "[rake]\nrate = 0.05\ncap = 8"], ids=["free", "raked"])
@pytest.mark.sampled(2)
def test_engine_plays_as_the_generic_solver(solver, rake):
    """Tiny ranges on the turn: the same average strategies as CFR on the public tree of the plain rules."""
    case = spot("Td9d6hQc", {"oop": "AsAc,KhJh,8d7d:0.5", "ip": "QhQd,AdKd,9s8s"}, more=rake)
    run = start_spot(case, solver)
    run.advance(30)
    rules = compiled(SpotGame(case))
    other = make_solver(f"{solver}(on=tree)").start(rules)
    other.advance(30)
    value = evaluate_policy(rules, other.average())
    mine = run.evaluate()
    assert mine.value == pytest.approx(value.value, abs=0.02 * abs(value.value[0]) + 0.5)
    policy = run_policy(run, rules)
    exact = evaluate_policy(rules, policy)
    assert mine.value == pytest.approx(exact.value, abs=2e-3)
    assert mine.best_response_value == pytest.approx(exact.best_response_value, abs=2e-3)
    assert np.allclose(run.streets[0].strategy(0, 0).sum(axis=0), 1.0, atol=1e-5)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6))
def test_random_river_spots_have_the_value_of_their_linear_program(seed):
    rng = np.random.default_rng(seed)
    deck = rng.permutation(52)
    names = [f"{'23456789TJQKA'[c // 4]}{'cdhs'[c % 4]}" for c in deck]
    hands = [",".join(f"{names[5 + 2 * k + s * 8]}{names[6 + 2 * k + s * 8]}:{rng.choice([0.25, 0.5, 1])}" for k in range(4))
             for s in range(2)]  # fmt: skip
    case = spot("".join(names[:5]), {"oop": hands[0], "ip": hands[1]}, pot=100, stack=int(rng.integers(50, 400)))
    rules = SpotGame(case)
    rules.zero_sum = True
    run = start_spot(case, "cfr+")
    run.advance(3000)
    assert run.expected_value(0) == pytest.approx(solve(compiled(rules), "lp").value[0], abs=0.05)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("board", ["Td9d6d", "Td9d6h", "9c9d9h", "AhKhQh", "Tc9d6h"])
def test_symmetric_deals_change_nothing(board):
    """The same solve without isomorphism, on monotone, two-tone, trips and rainbow flops, symmetric and asymmetric ranges."""
    for ranges in ({"oop": "88,A5s,KQo", "ip": "QQ,J9s,ATo"}, {"oop": "88,A5s,KQo,AsJs:0.3", "ip": "QQ,J9s,7h6h"}):
        case = spot(board, ranges, bets='bet = "a"\nraise = "a"', stack=150)
        merged, plain = start_spot(case), start_spot(case, isomorphism=False)
        assert len(merged.streets[1].boards.cards) <= len(plain.streets[1].boards.cards)
        for p in range(2):  # nothing learned yet: no rounding is amplified
            assert merged.values(p, respond=True).sum() == pytest.approx(plain.values(p, respond=True).sum(), rel=2e-5)
        for run in (merged, plain):
            run.advance(12)
        check_same_game(merged.evaluate(), plain.evaluate())


def test_symmetry_is_used_only_where_it_exists():
    symmetric = start_spot(spot("Td9d6h", {"oop": "88,A5s", "ip": "QQ"}, bets='bet = "a"\nraise = "a"'))
    broken = start_spot(spot("Td9d6h", {"oop": "88,A5s,AsKs", "ip": "QQ"}, bets='bet = "a"\nraise = "a"'))
    assert len(symmetric.streets[1].boards.cards) == 36
    assert len(broken.streets[1].boards.cards) == 49


def test_threads_agree():
    """What one thread and two find is the same game."""
    runs = [start_spot(XTURN, threads=threads) for threads in (1, 2)]
    for p in range(2):
        assert runs[1].values(p, respond=True) == pytest.approx(runs[0].values(p, respond=True), rel=1e-4, abs=0.05)
    for run in runs:
        run.advance(150)
    check_same_game(runs[0].evaluate(), runs[1].evaluate())
    assert runs[1].evaluate().exploitability == pytest.approx(runs[0].evaluate().exploitability, rel=0.25)


def check_same_game(first, second):
    """Best responses bracket the value of the game, so the brackets of two runs on one game overlap."""
    for one, other in ((first, second), (second, first)):
        assert one.best_response_value[0] >= -other.best_response_value[1] - 1e-3
    assert abs(first.value[0] - second.value[0]) <= first.exploitability + second.exploitability


def test_state_can_be_restored():
    whole = start_spot(XTURN, "pcfr+")
    whole.advance(9)
    half = start_spot(XTURN, "pcfr+")
    half.advance(4)
    again = start_spot(XTURN, "pcfr+")
    again.restore({name: array.copy() for name, array in half.state().items()})
    again.advance(5)
    assert all(np.array_equal(a, b) for a, b in zip(again.state().values(), whole.state().values(), strict=True))


@pytest.mark.parametrize("solver", ["dcfr(gamma=3)", "pcfr+"])
def test_sixteen_bits_halve_the_memory(solver):
    """Same answer within the brackets of both; about half the bytes; as near to equilibrium after as many iterations."""
    wide, narrow = start_spot(XTURN, solver), start_spot(XTURN, solver, bits=16, threads=2)
    assert narrow.memory_bytes < 0.56 * wide.memory_bytes
    for run in (wide, narrow):
        run.advance(150)
    check_same_game(wide.evaluate(), narrow.evaluate())
    assert narrow.exploitability() == pytest.approx(wide.exploitability(), rel=0.3)
    assert np.allclose(narrow.streets[0].strategy(0, 0).sum(axis=0), 1.0, atol=1e-5)


def test_sixteen_bits_do_not_freeze():
    """Rounded to the nearest, averages stood still at 0.107 % of the pot after 600 iterations; 32 bits reach 0.027 %."""
    bets = 'bet = "33%, 75%, 150%, a"\nraise = "60%, 2.5x, a"'
    case = spot("Td9d6hQc2s", ALL, bets, "[thresholds]\nforce_allin = 0.15")  # the river of reference/postflop.md
    run = start_spot(case, bits=16)
    run.advance(600)
    assert run.exploitability() / 2 < 0.035


def test_other_numbers_of_bits_are_refused():
    with pytest.raises(EquilibristError, match="32 or 16 bits"):
        start_spot(XTURN, bits=8)


@pytest.mark.parametrize("solver", ["dcfr(gamma=3)", "pcfr+"])
def test_sixteen_bits_are_saved_and_resumed(tmp_path, solver):
    half = solve(XRIVER, solver, iterations=20, bits=16)
    half.save(tmp_path / "x.eqb")
    again = load_spot_solution(tmp_path / "x.eqb")
    assert again.bits == 16
    assert np.array_equal(again.root.strategy, half.root.strategy)
    resumed = solve(XRIVER, solver, iterations=45, bits=16, resume=again)
    whole = solve(XRIVER, solver, iterations=45, bits=16)
    assert np.array_equal(resumed.root.strategy, whole.root.strategy)
    assert verify_spot(whole).agrees


def test_rake_with_hands_that_both_players_can_hold():
    """A hand never meets itself, also among the ties that share the raked pot."""
    ranges = {"oop": "AsAc,AhAd,KhJh,8d7d", "ip": "AsAc,AhAd,KhJh,7c5c"}
    case = spot("Td9d6hQc2s", ranges, more="[rake]\nrate = 0.05\ncap = 8")
    rules = compiled(SpotGame(case))
    exact, mine = evaluate_policy(rules, rules.infosets.uniform()), start_spot(case).evaluate()
    assert mine.value == pytest.approx(exact.value, abs=1e-3)
    assert mine.best_response_value == pytest.approx(exact.best_response_value, abs=1e-3)


@pytest.mark.parametrize("more", ["", "[rake]\nrate = 0.05\ncap = 30"], ids=["plain", "raked"])
@pytest.mark.parametrize("board", ["Td9d6hQc2s", "Td9d6hQc"])
def test_exploitability_alone_is_that_of_all_values(board, more):
    run = start_spot(spot(board, more=more))
    run.advance(12)
    assert run.exploitability() == pytest.approx(run.evaluate().exploitability, rel=1e-5)


def test_hands_that_meet_no_opponent_are_worth_exactly_nothing():
    # every hand of one side holds the ace of spades, and so does AsKs on the other: their sums cancel only up to rounding
    others = [rank + suit for rank in "KJ8543" for suit in "cdh"]
    aces = ",".join(f"As{card}:{(0.137 * k) % 0.9 + 0.0513:.4f}" for k, card in enumerate(others))
    run = start_spot(spot("Td9d6hQc2s", {"oop": aces, "ip": "AsKs,77,55"}))
    run.advance(30)
    own = run.streets[0].boards.player[1]
    place = int(np.flatnonzero(own.pair[0] == hand_index(np.array([parse_cards("AsKs")]))[0])[0])
    assert run.values(1)[place] == 0.0
    assert run.values(1, respond=True)[place] == 0.0
    assert np.count_nonzero(run.values(1)) > 0
