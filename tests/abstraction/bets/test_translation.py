"""Translation of bets: axioms and which mapping breaks which, published numbers, and exploitability two ways."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from equilibrist.abstraction.bets.translated_policy import TranslatedPolicy
from equilibrist.abstraction.bets.translation import MAPPINGS, find_mapping
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.experiments.ganzfried.translation import clairvoyance, kuhn_model
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.responses.best_response import best_response
from equilibrist.solvers.responses.translated_response import translated_response
from equilibrist.solvers.solve import solve

SIZE = st.floats(0.01, 20)
RANDOMISED = [name for name, mapping in MAPPINGS.items() if mapping.randomised]


@st.composite
def neighbours(draw, lowest=0.01):
    """A < x < B, well apart."""
    a = draw(st.one_of(st.just(0.0), st.floats(lowest, 10))) if lowest == 0 else draw(st.floats(lowest, 10))
    b = a + draw(st.floats(0.05, 10))
    x = a + (b - a) * draw(st.floats(0.001, 0.999))
    return a, x, b


@pytest.mark.parametrize("name", MAPPINGS)
@given(case=neighbours(), other=st.floats(0.001, 0.999))
@settings(max_examples=40, deadline=None)
def test_ends_are_certain_and_larger_bets_are_read_as_the_smaller_size_less_often(name, case, other):
    mapping, (a, x, b) = MAPPINGS[name], case
    assert mapping.share(a, a, b) == 1.0
    assert mapping.share(b, a, b) == 0.0
    assert 0.0 <= mapping.share(x, a, b) <= 1.0
    further = x + (b - x) * other
    assert mapping.share(further, a, b) <= mapping.share(x, a, b) + 1e-9


@pytest.mark.parametrize("name", MAPPINGS)
@given(case=neighbours(), scale=st.sampled_from([0.5, 2.0, 4.0]))
@settings(max_examples=40, deadline=None)
def test_chips_and_pots_can_be_counted_in_any_unit(name, case, scale):
    mapping, (a, x, b) = MAPPINGS[name], case
    assume(mapping.randomised or abs(x - mapping.turning_point(a, b)) > 1e-3)
    assert mapping.share(scale * x, scale * a, scale * b, pot=scale) == pytest.approx(mapping.share(x, a, b), abs=1e-9)


def test_pseudo_harmonic_depends_on_the_pot_and_the_others_do_not():
    # scaling sizes without the pot leaves all mappings but the pseudo-harmonic as they are
    moved = {n for n, m in MAPPINGS.items() if abs(m.share(3.0, 2.0, 8.0) - m.share(0.75, 0.5, 2.0)) > 1e-9}
    assert moved == {"rand-pshar"}
    assert MAPPINGS["det-pshar"].turning_point(2, 8) != pytest.approx(4 * MAPPINGS["det-pshar"].turning_point(0.5, 2))


@pytest.mark.parametrize("name", MAPPINGS)
def test_small_changes_of_the_bet_matter_little_exactly_to_randomised_mappings(name):
    mapping = MAPPINGS[name]
    grid = np.linspace(0.5, 2.0, 3001)
    values = [mapping.share(x, 0.5, 2.0) for x in grid]
    jump = np.abs(np.diff(values)).max()
    assert jump < 0.01 if mapping.randomised else jump == 1.0


def test_small_changes_of_the_menu_matter_little_to_arithmetic_and_pseudo_harmonic_mappings():
    # geometric mappings jump at A = 0: everything becomes B ([Ganzfried15, Table 7.1])
    jump = {
        name: abs(MAPPINGS[name].share(1e-5, 1e-6, 1.0) - MAPPINGS[name].share(1e-5, 0.0, 1.0)) for name in RANDOMISED
    }
    assert {name for name, change in jump.items() if change > 1e-4} == {"rand-geo-1", "rand-geo-2"}
    assert MAPPINGS["rand-geo-1"].share(0.25, 0.0, 1.0) == 0.0
    assert MAPPINGS["det-geo"].share(1e-6, 0.0, 1.0) == 0.0


@given(case=neighbours(lowest=0.01), step=st.floats(1e-6, 0.3))
@settings(max_examples=60, deadline=None)
def test_the_lipschitz_constant_of_the_pseudo_harmonic_mapping(case, step):
    # in A: (1+B)/((B-A1)(1+A2)), [Ganzfried15, Proposition 2], for A1 < A2 <= x; the larger distance to B binds
    a, x, b = case
    second = a + step * (x - a)
    mapping = MAPPINGS["rand-pshar"]
    change = abs(mapping.share(x, a, b) - mapping.share(x, second, b))
    assert change <= (1 + b) / ((b - second) * (1 + a)) * (second - a) + 1e-9


@given(case=neighbours())
@settings(max_examples=60, deadline=None)
def test_pseudo_harmonic_keeps_calling_frequencies(case):
    a, x, b = case
    f = MAPPINGS["rand-pshar"].share(x, a, b)
    assert f / (1 + a) + (1 - f) / (1 + b) == pytest.approx(1 / (1 + x))


@pytest.mark.parametrize("name", RANDOMISED)
@given(case=neighbours())
@settings(max_examples=30, deadline=None)
def test_the_turning_point_is_read_either_way(name, case):
    a, _, b = case
    mapping = MAPPINGS[name]
    if mapping.metric == "pseudo-harmonic" or mapping.metric == "arithmetic" or a > 0:
        assert mapping.share(mapping.turning_point(a, b), a, b) == pytest.approx(0.5, abs=1e-6)


def test_known_numbers():
    assert find_mapping("soft-arithmetic").share(1.55, 1, 2) == pytest.approx(0.45)  # [Lu16, §3.3.4]
    assert find_mapping("hard-geometric").turning_point(1, 2) == pytest.approx(2**0.5)
    assert find_mapping("soft-pseudo-harmonic").share(0.75, 0.5, 1) == pytest.approx(3 / 7)
    # [Gilpin09, §7.4.2]: 500 chips between 5 and 999 are all-in for the relative mapping, in chips just nearer to 999
    assert find_mapping("relative").read(500, [5, 999]) == [(1, 1.0)]
    assert find_mapping("randomised").read(502, [5, 999])[0][1] == pytest.approx(0.5)
    assert find_mapping("relative").read(3, [0, 5, 999]) == [(1, 1.0)]  # a check is no neighbour of a bet
    assert find_mapping("rand-pshar").read(7, [0, 0.5, 1]) == [(2, 1.0)]
    assert find_mapping("rand-pshar").read(0.5, [0, 0.5, 1]) == [(1, 1.0)]


def test_refusals():
    with pytest.raises(EquilibristError, match="Did you mean 'rand-pshar'"):
        find_mapping("rand-psharm")
    with pytest.raises(ParameterError, match="ties=smaller"):
        find_mapping("det-arith(ties=both)")
    with pytest.raises(ParameterError, match="0 <= A < B"):
        MAPPINGS["rand-arith"].share(1.0, 2.0, 1.0)
    real, few, policy = kuhn_model(1, 0.4)
    with pytest.raises(ParameterError, match="more than their bets"):
        TranslatedPolicy(load_game("nolimit-leduc"), few, policy, MAPPINGS["det-geo"])
    with pytest.raises(EquilibristError, match="no hand 'A'"):
        TranslatedPolicy(real, few, policy, MAPPINGS["det-geo"])["A:b1"]


def test_clairvoyance_by_a_best_response_in_the_game_itself():
    mapping, game = MAPPINGS["rand-geo-1"], Compiled(load_game("clairvoyance(stack=3)"))
    policy = game.infosets.uniform()
    for i, key in enumerate(game.infosets.keys):
        if game.infosets.player[i] == 1:
            reads = mapping.read(float(key[1:]), [0.0, 1.0, 3.0])
            call = sum(p * (1.0, 1 / 2, 1 / 4)[at] for at, p in reads)
            policy = policy.with_row(key, [1 - call, call])
    assert clairvoyance(mapping, 3) == pytest.approx(best_response(game, policy, 0).value - 3 / 8)


def leduc(stack, sizes):
    return load_game(f"nolimit-leduc(stack={stack},sizes={sizes})")


@pytest.mark.parametrize("name", ["rand-pshar", "det-geo", "rand-arith"])
@pytest.mark.parametrize("scale", ["abstract", "real"])
def test_translated_responses_are_best_responses_to_the_behaviour_strategy(name, scale):
    """Public recursion over hidden histories against the tree of all histories of the real game."""
    real, few = leduc(5, "any"), leduc(5, "fcpa")
    solution, game = solve(few, "lp"), Compiled(real)
    policy = TranslatedPolicy(real, few, solution.policy, MAPPINGS[name], scale=scale)
    table = policy.tabular(game.infosets)
    for player in (0, 1):
        assert translated_response(policy, player) == pytest.approx(best_response(game, table, player).value, abs=1e-9)


def test_on_the_menu_nothing_is_translated():
    few = leduc(6, "fcpa")
    solution, game = solve(few, "lp"), Compiled(few)
    policy = TranslatedPolicy(few, few, solution.policy, MAPPINGS["rand-pshar"])
    for player in (0, 1):
        best = best_response(game, solution.policy, player).value
        assert translated_response(policy, player) == pytest.approx(best, abs=1e-9)


def test_a_model_whose_pot_has_drifted_plays_the_real_one():
    # [Ganzfried15, §10.2.4]: pot 5,000, stacks 17,500, bet 10,000 read as 5,000; the model believes 15,000 and 12,500
    rules = replace(
        load_game("nolimit-leduc(stack=20000)").rules, ante=2500, minimum_bet=100, menus=(Menu(("*5000",)),) * 2
    )
    real = Poker("real", rules)
    few = Poker("few", replace(rules, menus=(Menu(("100%", "a")),) * 2))
    policy = TranslatedPolicy(real, few, Compiled(few).infosets.uniform(), find_mapping("det-arith"))
    (heard,) = [h for h in policy.hypotheses(1, "b10000") if h.weight.sum() > 0]
    after_call, model = policy.node("b10000:c"), heard.call().node
    assert (sum(after_call.paid), 20000 - max(after_call.paid)) == (25_000, 7_500)
    assert (sum(model.paid), 20000 - max(model.paid)) == (15_000, 12_500)


def test_a_small_bet_read_as_a_check_is_called():
    real, few, policy = kuhn_model(20, 1.0)
    translated = TranslatedPolicy(real, few, policy, MAPPINGS["det-arith"])
    assert translated["J:b0.3"] == {"f": 0.0, "c": 1.0}
    assert translated["J:b0.7"] == {"f": 1.0, "c": 0.0}
    assert translated["K:b20"]["c"] == pytest.approx(2 / 21)


@pytest.mark.slow
def test_more_sizes_make_continuous_leduc_less_exploitable():
    # [Brown20, Figure 4.9]: Branch-3 has a lower plateau than Branch-2; on a grid, a lower bound for all sizes
    found = []
    for sizes in ("0.01,1", "0.01,0.3333333333,1"):
        few = load_game(f"continuous-leduc(sizes=[{sizes}])")
        grid = sorted({*map(float, sizes.split(",")), 0.2575, 0.7525})
        real = load_game(f"continuous-leduc(sizes=[{','.join(map(str, grid))}])")
        policy = TranslatedPolicy(real, few, solve(few, "lp").policy, MAPPINGS["rand-pshar"])
        found.append(sum(translated_response(policy, player) for player in (0, 1)) / 2)
    assert found[0] > 2 * found[1] > 0


def test_what_was_read_as_a_check_is_never_raised():
    # half a pot is a tie between check and pot; read as a check it is called, even where the model would bet after a check
    real, few = leduc(12, "any"), leduc(12, "fcpa")
    solution = solve(few, "lp")
    assert solution.policy["K:x"]["x"] < 1.0
    policy = TranslatedPolicy(real, few, solution.policy, find_mapping("det-arith(ties=smaller)"))
    assert all(policy[f"{card}:b1"]["c"] == 1.0 for card in "JQK")
    assert policy["J:b3"] != policy["K:b3"]
