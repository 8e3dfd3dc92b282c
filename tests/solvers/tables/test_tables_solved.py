"""Tables solved: known numbers, other routes to them, files that go on."""

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.cards.allins.classes import class_number, class_weights, combinations
from equilibrist.cards.allins.pairs import pair_outcomes, removal
from equilibrist.cards.allins.triples import deals_of, listed_triples, sample_triples
from equilibrist.cards.equity import equity
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import parse_range
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, ParameterError, TooLargeError
from equilibrist.evaluation.verification.verify import verify
from equilibrist.forms.table_tree.table_tree import count_decisions, estimate_decisions, grow_table
from equilibrist.games.tables.table import Table
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.tables import flop_plan
from equilibrist.solvers.tables.showdowns import three_hands
from equilibrist.solvers.tables.solve_table import solve_table, target_gain
from equilibrist.solvers.tables.table_cfr import TableRun
from reference.naive_jam_fold import by_fictitious_play, by_linear_program, jam_fold_matrices

HEADS_UP = {"seats": 2, "stack": 10, "blinds": [0.5, 1]}
RAISES = {"open": "2.5x", "3bet": "a", "limp": True}


@pytest.fixture(scope="module")
def heads_up():
    return eq.solve(Table(**HEADS_UP), until=1e-6)


def test_heads_up_with_ten_big_blinds(heads_up):
    """The small blind jams about 58 % and the big blind calls about 37 %, as published charts have it."""
    assert heads_up.converged
    assert heads_up.root.frequencies == pytest.approx([0.417, 0.583], abs=2e-3)
    assert heads_up.at("a").frequencies == pytest.approx([0.626, 0.374], abs=2e-3)
    assert sum(heads_up.value) == pytest.approx(0.0, abs=1e-12)
    assert heads_up.policy["AA:"] == pytest.approx({"f": 0.0, "a": 1.0}, abs=1e-6)
    assert heads_up.policy["72o:a"] == pytest.approx({"f": 1.0, "c": 0.0}, abs=1e-6)


@pytest.mark.parametrize("stack", [5, 10])
def test_as_the_linear_program(stack):
    solution = eq.solve(Table(**HEADS_UP | {"stack": stack}), until=1e-6)
    deal, called = jam_fold_matrices(pair_outcomes().equity, removal(), combinations(), stack)
    value, _ = by_linear_program(deal, called)
    assert solution.value[0] == pytest.approx(value, abs=1e-6)


def test_as_fictitious_play(heads_up):
    deal, called = jam_fold_matrices(pair_outcomes().equity, removal(), combinations(), 10)
    jam, call = by_fictitious_play(deal, called, 4000)
    held = deal.sum(axis=1)
    assert held @ jam == pytest.approx(heads_up.root.frequencies[1], abs=2e-3)
    assert held @ call == pytest.approx(heads_up.at("a").frequencies[1], abs=2e-3)


def test_the_value_is_that_of_both_ranges_by_cards():
    """Ranges of single hands against each other, board by board, as spots have them."""
    held = {"SB": "AA,KQs,55", "BB": "KK,A5s,QQ:0.5"}
    solution = solve_table(Table(**HEADS_UP, range=held), iterations=20)
    jam, call = solution.at("a").range("SB"), solution.at("a:c").range("BB")
    found, dealt = equity(jam, call), equity(held["SB"], held["BB"])
    cell = hands_of(STANDARD).cell
    jams = dealt.reach[0] @ solution.root.strategy[cell, 1]
    met = removal() / combinations()  # of single hands

    def together(first, second):
        return float((combinations() * first) @ met @ (combinations() * second))

    weights = [solution.table.weights(seat) for seat in range(2)]
    both = together(solution.at("a").reach("SB"), solution.at("a:c").reach("BB")) / together(*weights)
    value = -0.5 * (1.0 - jams) + (jams - both) + both * 10.0 * (2.0 * found.equity[0] - 1.0)
    assert value == pytest.approx(solution.value[0], abs=1e-9)


TABLES = {
    "three": {"stacks": [10, 6, 14], "blinds": [0.5, 1], "ante": 0.1},
    "products": {"stacks": [10, 6, 14], "blinds": [0.5, 1], "payouts": [50, 30], "three_way": "products"},
    "products and bunching": {"stacks": [10, 6, 14], "blinds": [0.5, 1], "bunching": True, "three_way": "products"},
    "prizes": {"stacks": [10, 6, 14, 3], "blinds": [0.5, 1], "payouts": [50, 30, 20]},
    "bounties": {
        "stacks": [10, 6, 14], "blinds": [0.5, 1], "payouts": [50, 30], "bounties": [5, 5, 5], "progressive": 0.5,
    },
    "raises": {"stacks": [20, 20, 12], "blinds": [0.5, 1], "menu": RAISES, "rake": {"rate": 0.05, "cap": 1}},
    "bunching": {"stacks": [10, 6, 14, 3], "blinds": [0.5, 1], "payouts": [50, 30, 20], "bunching": True},
    "bunching and raises": {"stacks": [20, 20, 12], "blinds": [0.5, 1], "menu": RAISES, "bunching": True, "range": {"BTN": "22+,A2+,K2s+"}},
    "ranges": {"stacks": [9, 9], "blinds": [0.5, 1], "range": {"SB": "22+,A2+", "BB": "AA,KQs:0.5,72o"}},
    "locks": {
        "stacks": [8, 8, 8], "blinds": [0.5, 1],
        "lock": [{"line": "a:f", "strategy": {"f": 0.25, "c": 0.75}, "weight": 0.5}, {"line": "f", "hands": "AA", "strategy": {"f": 1.0}}],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_values_and_gains_by_another_route(name):
    """Plain recursion over the betting, outcome by outcome, after few iterations: every seat still gains something."""
    solution = solve_table(Table(**TABLES[name]), iterations=3)
    verified = verify(solution)
    assert verified.agrees
    assert min(solution.gains.values()) > 1e-4
    assert verified.difference < 1e-11


@pytest.fixture(scope="module")
def few_samples():
    """A table of triples of few samples: what is done with it is the same."""
    table = sample_triples(listed_triples(), samples=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(three_hands, "made_triples", lambda: table)
        three_hands.showdown_cube.cache_clear()
        yield
    three_hands.showdown_cube.cache_clear()


@pytest.mark.parametrize("name", ["three", "bunching"])
@pytest.mark.usefixtures("few_samples")
def test_three_hands_by_a_table(name, tmp_path):
    table = Table(**TABLES[name], three_way="table")
    solution = solve_table(table, iterations=14)
    assert verify(solution).agrees
    assert "sampled showdowns" in " ".join(solution.model)
    part = solve_table(table, iterations=10)
    part.save(tmp_path / "t.eqb")
    further = solve_table(table, iterations=14, resume=load_solution(tmp_path / "t.eqb"))
    assert np.array_equal(further.strategy, solution.strategy)
    products = solve_table(table.changed(three_way="products"), iterations=14)
    assert not np.allclose(products.strategy, solution.strategy, atol=1e-3)


@pytest.mark.usefixtures("few_samples")
def test_three_hands_by_what_there_is(monkeypatch, tmp_path):
    """The table where it is made, otherwise odds; the answer says which, and a file keeps to it on any machine."""
    table = Table(**TABLES["three"])
    assert table.three_way == "auto"
    assert "three_way" not in table.to_toml()
    odds = solve_table(table, iterations=10)
    odds.save(tmp_path / "p.eqb")
    monkeypatch.setattr(three_hands, "table_is_made", lambda: True)
    by_table = solve_table(table, iterations=10)
    assert (odds.table.three_way, by_table.table.three_way) == ("odds", "table")
    assert "sampled showdowns, made once" in " ".join(odds.model)
    assert "table of sampled showdowns" in " ".join(by_table.model)
    loaded = load_solution(tmp_path / "p.eqb")
    further = solve_table(table, iterations=12, resume=loaded)
    assert further.table.three_way == "odds"
    assert np.array_equal(further.strategy, solve_table(table.changed(three_way="odds"), iterations=12).strategy)
    assert solve_table(Table(**HEADS_UP), iterations=1).table == Table(**HEADS_UP)  # nothing to choose


def test_bunching_against_all_deals_of_three():
    """How often the small blind jams after a fold, seen by hands of the big blind: exactly by counted deals, with bunching nearly so."""
    folds = np.where(class_weights(parse_range("22+,A2+,K9+,Q9s+,J9s+").weights) > 0.0, 0.0, 1.0)
    jams = class_weights(parse_range("A2+,K2s+,55+").weights)
    own = [class_number(name) for name in ("AA", "AKs", "KQo", "77", "72o", "32s")]
    triples = np.array([[a, b, c] for a in own for b in range(169) for c in range(169)])
    deals = deals_of(np.sort(triples, axis=1)).reshape(len(own), 169, 169)
    exact = np.einsum("abc,b,c->a", deals, jams, folds) / np.einsum("abc,c->a", deals, folds)
    errors = {}
    for bunching in (False, True):
        tree = grow_table(Table(seats=3, stack=10, blinds=[0.5, 1], bunching=bunching))
        strategy = np.zeros((tree.slot_count, 169))
        for line, jam in (("", 1.0 - folds), ("f", jams), ("f:a", 0.0), ("a", 0.0), ("a:f", 0.0), ("a:c", 0.0)):
            fold, other = tree.slots_of(tree.place[line])
            strategy[fold], strategy[other] = 1.0 - jam, jam
        run = TableRun(tree, VANILLA)
        for seat in range(3):
            run._ends.play(seat, strategy)
        ends = run._ends.of(2)

        def chance(line, paid, tree=tree, ends=ends):
            """Of the end after a fold there, seen by the big blind, who gets `paid`."""
            return ends[-1 - tree.children[tree.first[tree.place[line]]]] / paid

        jammed, walked = chance("f:a", -1.0), chance("f", 0.5)
        errors[bunching] = np.abs((jammed / (jammed + walked))[own] - exact).max()
    assert errors[True] < 0.2 * errors[False]
    assert errors[True] < 2e-3


def test_a_changed_strategy_is_noticed(heads_up, tmp_path):
    heads_up.save(tmp_path / "t.eqb")
    artifact = load_artifact(tmp_path / "t.eqb", "table-solution")
    strategy = artifact.arrays["strategy"].copy()
    strategy[:, 5] = 0.5
    save_artifact(
        tmp_path / "u.eqb", Artifact("table-solution", artifact.header, {**artifact.arrays, "strategy": strategy})
    )
    assert not verify(load_solution(tmp_path / "u.eqb")).agrees
    total = artifact.arrays["state.total"].copy()
    total[0, 5] *= 2.0
    changed = Artifact("table-solution", artifact.header, {**artifact.arrays, "state.total": total})
    save_artifact(tmp_path / "w.eqb", changed)
    verified = verify(load_solution(tmp_path / "w.eqb"))
    assert not verified.agrees
    assert "average to go on from" in verified.problems[0]
    strategy[:, 5] = 0.6
    save_artifact(
        tmp_path / "v.eqb", Artifact("table-solution", artifact.header, {**artifact.arrays, "strategy": strategy})
    )
    with pytest.raises(FormatError, match="no distribution"):
        load_solution(tmp_path / "v.eqb")


@pytest.mark.parametrize("name", ["prizes", "raises"])
def test_gains_become_small(name):
    solution = solve_table(Table(**TABLES[name]), until="0.01%")
    assert solution.converged
    assert solution.exploitability == max(solution.gains.values())
    assert solution.nash_conv == pytest.approx(sum(solution.gains.values()))


def test_alike_seats_are_worth_the_same_whatever_their_names():
    """Without blinds to tell them apart, but for who acts when: other names and other units change nothing."""
    small = solve_table(Table(stacks=[10, 6, 14], blinds=[0.5, 1], names=["X", "Y", "Z"]), iterations=50)
    large = solve_table(Table(stacks=[1000, 600, 1400], blinds=[50, 100]), iterations=50)
    assert small.value == pytest.approx(large.value, abs=1e-9)
    assert np.allclose(small.strategy, large.strategy, atol=1e-9)


def test_prizes_for_the_winner_alone_are_chips():
    """With one prize and two players prize money is a share of the chips."""
    chips = solve_table(Table(**HEADS_UP), iterations=100)
    prizes = solve_table(Table(**HEADS_UP, payouts=[20]), iterations=100)
    assert np.subtract(prizes.value, 10.0) == pytest.approx(chips.value, abs=1e-9)


def test_files_keep_everything_and_runs_go_on(tmp_path):
    table = Table(**TABLES["prizes"])
    whole = solve_table(table, iterations=24)
    part = solve_table(table, iterations=10)
    part.save(tmp_path / "t.eqb")
    loaded = load_solution(tmp_path / "t.eqb")
    assert np.array_equal(loaded.strategy, part.strategy)
    assert loaded.value == part.value
    assert loaded.to_json() == part.to_json()
    further = solve_table(loaded.table, iterations=24, resume=loaded)
    assert further.value == whole.value
    assert np.array_equal(further.strategy, whole.strategy)
    with pytest.raises(FormatError, match="cannot go on"):
        solve_table(Table(**TABLES["three"]), resume=loaded)
    with pytest.raises(FormatError, match="cannot go on"):
        solve_table(table, "cfr+", resume=loaded)


def test_threads_change_nothing():
    table = Table(seats=6, stack=15, blinds=[0.5, 1], menu={"open": "2x", "3bet": "a"})
    one, two = (solve_table(table, iterations=4, threads=threads) for threads in (1, 2))
    assert one.value == two.value
    assert np.array_equal(one.strategy, two.strategy)


def test_locked_hands_do_as_they_are_told():
    solution = solve_table(Table(**TABLES["locks"]), iterations=30)
    assert solution.policy["AA:f"]["f"] == 1.0
    called = solution.at("a:f").strategy[:, 1]
    assert called.min() >= 0.375 - 1e-12
    assert called.max() <= 0.875 + 1e-12
    assert called[class_number("AA")] == pytest.approx(0.875, abs=1e-4)


def test_values_of_actions(heads_up):
    hands = heads_up.root.to_json()["hands"]
    assert hands["72o"]["ev_by_action"][0] == pytest.approx(-0.5)
    assert hands["AA"]["ev_by_action"][1] > 2.5
    worth = sum(count * hand["ev"] for count, hand in zip(combinations(), hands.values(), strict=True)) / 1326
    assert worth == pytest.approx(heads_up.value[0], abs=1e-9)
    over = heads_up.at("a:c")
    assert (over.player, over.seat("BB"), over.labels) == (None, 1, ())
    assert repr(over) == "TableNode(after a:c: the betting is over, pot 20)"
    assert repr(heads_up.root) == "TableNode(at the beginning: SB acts (fold, all-in 10), pot 1.5)"
    assert heads_up.at("a").actions == ("fold", "call 9")


@pytest.mark.parametrize("name", ["three", "prizes", "bunching and raises"])
def test_places_know_what_every_seat_expects(name):
    """At the beginning the values of the whole solution; below it what the actions are worth, and what any other seat has there."""
    solution = solve_table(Table(**TABLES[name]), iterations=5)
    root = solution.root
    assert [root.range_ev(player) for player in root.players] == pytest.approx(solution.value, abs=1e-9)
    place = root.play(root.actions[-1])
    assert place.line == root.labels[-1]
    mixed = (place.strategy * place.ev_by_action).sum(axis=1)
    assert place.ev() == pytest.approx(mixed, abs=1e-9, nan_ok=True)
    below = root.ev_by_action[:, -1]  # the same hands one action later
    assert place.ev(root.player) == pytest.approx(below, abs=1e-9, nan_ok=True)
    with pytest.raises(ParameterError, match="Nobody acts"):
        solution.at("f:f").ev() if len(root.players) == 3 else solution.at("f:f:f").ev()


def test_sizes_are_known_before_memory_is_taken(monkeypatch):
    table = Table(seats=6, stack=100, blinds=[0.5, 1], menu={"open": "2.5x", "3bet": "3x", "cold_call": 0})
    tree = grow_table(table)
    assert count_decisions(table) == tree.decisions
    with pytest.raises(TooLargeError, match="more than 50 decisions"):
        count_decisions(table, 50)
    assert estimate_decisions(table) == pytest.approx(tree.decisions, rel=0.5)
    many = {"open": "2.5x, a", "3bet": "3x, a", "4bet": "2.2x, a", "5bet": "a", "limp": True, "cold_call": 9}
    with pytest.raises(TooLargeError, match="about [1-9],000,000 decisions"):  # after seconds: they are not all grown
        grow_table(Table(seats=9, stack=100, blinds=[0.5, 1], menu=many))
    run = TableRun(grow_table(table.changed(bunching=True)), VANILLA)
    arrays = [run._ends.chance, run.strategy, run.regret, run.total, run._values, run._best, run.average()]
    arrays += [run._ends.reach, run._ends.met, run._ends.won, run._ends.tied, run._ends._out]
    assert run.memory_bytes == sum(array.nbytes for array in arrays)
    monkeypatch.setattr(flop_plan, "memory_limit", lambda: 1000)
    with pytest.raises(TooLargeError, match="GB are available"):
        solve_table(table)


def test_targets():
    chips, prizes = Table(**HEADS_UP), Table(**HEADS_UP, payouts=[60, 40])
    assert target_gain("5mbb", chips) == 0.005
    assert target_gain("0.1%", chips) == pytest.approx(0.001)
    assert target_gain("0.1%", prizes) == pytest.approx(0.1)
    with pytest.raises(NotApplicableError, match="plays for prizes"):
        target_gain("5mbb", prizes)
    with pytest.raises(ParameterError, match="Cannot read the target"):
        target_gain("little", chips)
    for nothing in (0, "0", "0%", float("nan")):
        with pytest.raises(ParameterError, match="never reached"):
            solve_table(chips, until=nothing)


@pytest.mark.parametrize(
    "wrong",
    [
        {"solver": "lp"},
        {"solver": "es-mccfr"},
        {"solver": "pcfr+"},
        {"on": "tree"},
        {"nodes": 5},
        {"keep_best": True},
        {"bits": 16},
    ],
)
def test_what_is_not_for_tables(wrong):
    with pytest.raises(EquilibristError):
        eq.solve(Table(**HEADS_UP), **wrong)


def test_what_the_model_leaves_out_is_said():
    assert solve_table(Table(**HEADS_UP), iterations=1).model == []
    said = " ".join(solve_table(Table(**TABLES["raises"]), iterations=1).model)
    for words in ("checked down", "bunching", "no guarantee"):
        assert words in said


def test_progress_never_goes_below_nothing():
    """Gains may rise between checks at first."""
    seen = []
    table = Table(
        stacks=[500] * 3, blinds=[10, 20], payouts=[100], menu=RAISES | {"open": "2x, a"}, three_way="products"
    )
    solve_table(table, until=0.05, progress=seen.append)
    gains = [each.exploitability for each in seen if each.exploitability is not None]
    assert max(gains) > gains[0]
    known = [each for each in seen if each.fraction is not None]
    assert min(each.fraction for each in known) >= 0.0
    assert min(each.seconds_left for each in known if each.seconds_left is not None) >= 0.0
