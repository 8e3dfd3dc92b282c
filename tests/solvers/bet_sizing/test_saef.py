"""SAEF: added parts and their past, bets of any size, and rules for adding and taking out."""

import math

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree.game_tree import Extension, compile_tree
from equilibrist.forms.sequence_form.sequence_form import sequence_form
from equilibrist.solvers.bet_sizing.recovery_game import (
    RecoveredTables,
    added_part,
    merge,
    play_recovery_game,
    recommended_weight,
)
from equilibrist.solvers.bet_sizing.saef import SAEF
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import SequenceRun
from equilibrist.solvers.responses.any_size_response import bet_sizes, evaluate_on_intervals, interval_response
from equilibrist.solvers.responses.best_response import best_response, counterfactual_values
from reference.naive_intervals import NaiveIntervals

SMALL = "nolimit-kuhn(stack=2,step=1)"
CLH = "continuous-leduc"


@pytest.mark.parametrize(
    ("name", "line", "action"),
    [(CLH, "", "50%"), (CLH, "x:b2:r8:c", "20%"), ("nolimit-leduc(sizes=fcpa)", "x", "50%"), (SMALL, "", "50%")],
)
def test_grown_trees_are_compiled_trees(name, line, action):
    """Two routes to the larger tree: walking only what is new, and walking everything."""
    tree = compile_tree(eq.load_game(name))
    grown = tree.with_action(line, action)
    whole = Extension.between(tree, compile_tree(tree.game.with_action(line, action)))
    for field in ("player", "parent", "first_child", "children", "infoset", "chance_probability", "terminal", "payoff"):
        assert np.array_equal(getattr(grown.tree, field), getattr(whole.tree, field)), field
    assert grown.tree.infosets.keys == whole.tree.infosets.keys
    assert grown.tree.infosets.actions == whole.tree.infosets.actions
    for field in ("history", "infoset", "slot"):
        assert np.array_equal(getattr(grown, field), getattr(whole, field)), field
    assert eq.load_game(grown.tree.game.name).name == grown.tree.game.name


def run_of(name, iterations):
    game = eq.compiled(name)
    run = SequenceRun(CFR(updates="simultaneous"), game.sequence_form)
    profiles = []
    for _ in range(iterations):
        profiles.append(run.last())
        run.advance(1)
    return game, run, profiles


def test_what_was_earned_follows_from_regrets_and_averages():
    """Sums of counterfactual values without bookkeeping; every action gives the same."""
    game, run, profiles = run_of(CLH, 30)
    earned, values = RecoveredTables(run.form, run.regret, run.average_sum, 30.0).earned()
    expected = np.zeros(len(game.infosets))
    for profile in profiles:
        expected += sum(counterfactual_values(game, profile, p).infoset_value for p in range(2))
    assert earned == pytest.approx(expected[run.form.infoset], abs=1e-9)
    for i in range(len(earned)):
        rows = slice(run.form.first_sequence[i], run.form.first_sequence[i] + run.form.actions[i])
        if run.form.actions[i] > 1:
            assert values[rows] - run.regret[rows] == pytest.approx(np.full(run.form.actions[i], earned[i]), abs=1e-9)


def grown(name, line, action, iterations):
    game, run, profiles = run_of(name, iterations)
    extension = game.tree.with_action(line, action)
    form = sequence_form(extension.tree)
    part = added_part(extension, form)
    tables = RecoveredTables(run.form, run.regret, run.average_sum, float(iterations))
    by_form, _ = tables.earned()
    by_infoset = np.zeros(len(extension.tree.infosets))
    by_infoset[extension.infoset[run.form.infoset]] = by_form
    return extension, part, tables.carried(extension, form), by_infoset[form.infoset[part.heads]], profiles


# two rounds where ties decide: only a factor of two leaves them as they are in the last digit
@pytest.mark.parametrize(("name", "line", "rounds"), [(CLH, "x:b2", 4), ("nolimit-leduc(sizes=fcpa,stack=5)", "", 2)])
def test_merging_equals_a_replay(name, line, rounds):
    """Theorem 18: T x T_S iterations of weight 1 / T_S in the larger game have the regrets and averages of the merged tables."""
    iterations = 6
    extension, part, tables, earned, profiles = grown(name, line, "50%", iterations)
    recovery = play_recovery_game(tables, part, extension.tree, earned, rounds)
    merged = merge(tables, part, recovery, earned)
    form, infosets = tables.form, extension.tree.infosets
    steps = [play_recovery_game(tables, part, extension.tree, earned, n).strategy for n in range(1, rounds)]
    inside = np.zeros(int(form.offset[2]), dtype=bool)
    for i in part.inside:
        inside[form.first_sequence[i] : form.first_sequence[i] + form.actions[i]] = True
    uniform = form.strategy(infosets.uniform())
    replayed = [np.where(inside, step, 0.0) for step in [uniform, *steps]]
    game = Compiled(extension.tree.game, extension.tree)
    regret, average = np.zeros(infosets.slots), np.zeros(infosets.slots)
    own = form.slot >= 0
    for profile in profiles:
        outside = extension.carry(profile.probabilities)  # the new action is never played
        for step in replayed:
            policy = outside.copy()
            policy[form.slot[own & inside]] = step[own & inside]
            mixed = TabularPolicy(infosets, policy)
            for p in range(2):
                values = counterfactual_values(game, mixed, p)
                owner = np.repeat(np.arange(len(infosets)), np.diff(infosets.first_slot))
                mine = infosets.player[owner] == p
                regret[mine] += (values.slot_value - values.infoset_value[owner])[mine] / rounds
            plan = form.plan(form.strategy(mixed))
            average[form.slot[own]] += plan[own] / rounds
    assert merged.regret[own] == pytest.approx(regret[form.slot[own]], abs=1e-9)
    assert merged.average[own] == pytest.approx(average[form.slot[own]], abs=1e-9)


def test_adding_changes_nothing_elsewhere():
    """[Brown20, §4.3.1]: exact equality outside the added part, up to the factor on everything."""
    run = SAEF(threshold=math.inf).start(eq.compiled(CLH))
    run.advance(50)
    before, tree = run.tables, run.game.tree
    kept = RecoveredTables(before.form, before.regret.copy(), before.average.copy(), before.weight)
    policy = run.average()
    added = run.add("x:b2", "50%")
    carried = kept.carried(tree.with_action("x:b2", "50%"), added.tables.form)
    form = added.tables.form
    inside = np.zeros(int(form.offset[2]), dtype=bool)
    inside[added.part.entrance] = True
    for i in added.part.inside:
        inside[form.first_sequence[i] : form.first_sequence[i] + form.actions[i]] = True
    assert np.array_equal(added.tables.regret[~inside], carried.regret[~inside] * added.weight)
    assert np.array_equal(added.tables.average[~inside], carried.average[~inside] * added.weight)
    for key in ("J:x", "Q:x:b2", "K"):
        row = run.average()[key]
        assert {a: p for a, p in row.items() if p > 0} == pytest.approx({a: p for a, p in policy[key].items() if p > 0})


def largest_weight(tables: RecoveredTables, player: int, spread: float) -> float:
    """The largest w that Theorem 19 allows for a player whose payoffs have this range."""
    form = tables.form
    own = slice(int(form.first_infoset[player]), int(form.first_infoset[player + 1]))
    infosets, widest = own.stop - own.start, int(form.actions[own].max(initial=1))
    squares = tables.positive_squares(player)
    return 1.0 if squares <= 0.0 else min(1.0, infosets * spread**2 * widest * tables.weight / squares)


def test_the_recommended_weight_is_allowed():
    """Theorem 19: (4.78) never exceeds the largest weight of the theory."""
    for line in ("", "x", "x:b2", "b0.02:c"):
        extension, part, tables, earned, _ = grown(CLH, line, "40%", 40)
        merged = merge(tables, part, play_recovery_game(tables, part, extension.tree, earned), earned)
        spread = float(np.ptp(extension.tree.returns))
        weight = recommended_weight(merged, part)
        assert 0.0 < weight <= largest_weight(merged, part.player, spread)


@pytest.mark.parametrize("sizes", ["[0.01,1]", "[0.01,0.3,1]", "[0.5]"])
def test_bets_of_any_size_against_a_grid(sizes):
    """[Brown20, §4.3.3]: the closed form agrees with trying every thousandth of the pot, written from the rules."""
    game = eq.load_game(f"continuous-leduc(sizes={sizes})")
    policy = eq.solve(game, "cfr", iterations=30).policy
    found = evaluate_on_intervals(game, policy).best_response_value
    grid = np.append(np.arange(0.01, 1.0, 0.01 if sizes == "[0.01,0.3,1]" else 0.002), 1.0)
    for player in range(2):
        tried = NaiveIntervals(game, policy, player, grid).value()
        assert tried <= found[player] + 1e-9
        assert found[player] == pytest.approx(tried, abs=2e-3 if len(grid) < 200 else 1e-4)


def test_any_size_is_worth_at_least_the_menu():
    game = eq.compiled(CLH)
    policy = eq.solve(game, "dcfr", iterations=300).policy
    full, menu = evaluate_on_intervals(game, policy), [best_response(game, policy, p).value for p in range(2)]
    assert all(f >= m - 1e-12 for f, m in zip(full.best_response_value, menu, strict=True))
    shares = interval_response(bet_sizes(game), np.ones(game.infosets.slots), 0).share
    assert ((shares == 0.0) | ((shares >= 0.01) & (shares <= 1.0))).all()


def test_fixed_abstractions_level_off_in_order():
    """Branch-2 > Branch-3 > Branch-5 in the full game ([Brown20, Figure 4.9]), measured 0.47, 0.135, 0.040."""
    ends = []
    for sizes in ("[0.01,1]", "[0.01,0.33333333333,1]"):
        name = f"continuous-leduc(sizes={sizes})"
        ends.append(evaluate_on_intervals(name, eq.solve(name, "dcfr", iterations=300).policy).exploitability)
    assert 0.4 < ends[0] < 0.55
    assert 0.1 < ends[1] < 0.17


@pytest.mark.slow
def test_saef_goes_below_its_first_abstraction(tmp_path):
    solution = eq.solve(CLH, "saef", iterations=400)
    assert solution.exploitability < 0.43  # the coarse game alone levels off at 0.47
    assert solution.extra["added"] > 20
    assert solution.extra["abstract_exploitability"] < solution.exploitability
    solution.save(tmp_path / "grown.eqb")
    again = eq.load_solution(tmp_path / "grown.eqb")
    assert evaluate_on_intervals(again.game, again.policy).exploitability == pytest.approx(solution.exploitability)
    further = eq.solve(CLH, "saef", iterations=405, resume=again)
    assert further.iterations == 405
    assert further.game.startswith(again.game)


@pytest.mark.slow
def test_taking_out_undoes_adding():
    run = SAEF(threshold=math.inf).start(eq.compiled(CLH))
    run.advance(20)
    histories, name = run.game.tree.histories, run.game.game.name
    regret = run.run.regret.copy()
    weight = run.add("x", "50%").weight
    run.take_out("x", "50%")
    assert (run.game.tree.histories, run.game.game.name) == (histories, name)
    assert run.run.regret == pytest.approx(regret * weight, abs=1e-12)
    pruning = eq.solve(CLH, "saef(remove=0.5)", iterations=150)
    assert pruning.extra["removed"] > 0


@pytest.mark.parametrize("solver", ["saef(method=transfer)", "saef(estimate=response)"])
def test_variants_run(solver):
    solution = eq.solve(CLH, solver, iterations=100)
    assert solution.exploitability < 2.0
    assert solution.extra["added"] > 0


def test_a_sibling_of_the_same_size_is_a_perfect_twin():
    """Regret transfer to (nearly) the sibling's own size copies its regrets and values."""
    run = SAEF(threshold=math.inf, method="transfer").start(eq.compiled(CLH))
    run.advance(40)
    form, line = run.run.form, "x:b2:c"
    infosets = run.game.tree.infosets
    key = "Q:x:b2:c:J"
    first = infosets.first_slot[infosets.number(key)]
    sequence = {int(slot): s for s, slot in enumerate(form.slot)}
    largest = run.run.regret[sequence[first + len(infosets.actions[infosets.number(key)]) - 1]]
    added = run.add(line, "99.999%")
    new = run.game.tree.infosets
    place = new.first_slot[new.number(key)] + len(new.actions[new.number(key)]) - 2
    sequence = {int(slot): s for s, slot in enumerate(run.run.form.slot)}
    assert added.method == "transfer"
    assert run.run.regret[sequence[int(place)]] / added.weight == pytest.approx(largest, abs=1e-3)


def test_where_it_does_not_apply():
    with pytest.raises(NotApplicableError, match="shares of the pot"):
        eq.solve("leduc", "saef", iterations=5)
    for text in ("saef(threshold=0.5)", "saef(method=magic)", "saef(every=0)", "saef(remove=-1)"):
        with pytest.raises(ParameterError):
            eq.make_solver(text)
