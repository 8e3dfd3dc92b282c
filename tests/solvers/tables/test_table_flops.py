"""Tables whose heads-up pots are played on flops: the flop as a spot has it, gains through the flops, files that go on."""

import math

import numpy as np
import pytest

from equilibrist.cards.equity import equity
from equilibrist.cards.ranges import parse_range
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, ParameterError, TooLargeError
from equilibrist.evaluation.verification.verify import verify
from equilibrist.forms.table_tree.table_tree import grow_table
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.games.tables.table import Table
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.tables import flop_plan
from equilibrist.solvers.tables.solve_table import solve_table, start_table

HELD = {"SB": "AA,KQs,77,65s:0.5", "BB": "QQ,AJs,T9s,88"}
TWO = {"stacks": {"SB": 6, "BB": 6}, "blinds": [0.5, 1], "menu": {"open": "2x, a", "3bet": "a", "limp": True}}
SMALL = {"flops": ["Td9d6h:3", "AcKd2h", "8d8c5c:2"], "turns": 2, "rivers": 2, "reach": 0}


@pytest.fixture(scope="module")
def small():
    return solve_table(Table(**TWO, range=HELD, leaves=SMALL), until="5mbb")


@pytest.mark.parametrize("rake", [{}, {"rate": 0.1, "cap": 0.5}], ids=["free", "raked"])
def test_a_limped_pot_is_the_spot_on_its_flop(rake):
    """The table's value is that of checking down over all boards, and what the spot is worth beyond checking down on its flop."""
    lock = {"line": "", "strategy": {"f": 0.0, "c": 1.0}}
    given = TWO | {"menu": {"limp": True}, "range": HELD, "lock": [lock], "postflop": {"bet": "100%", "raise": "a"}}
    table = Table(**given, rake=rake, leaves={"flops": ["Td9d6h"], "turns": "all", "rivers": "all", "reach": 0})
    tree = grow_table(table)
    solution, run = solve_table(tree, iterations=10), start_table(tree)
    run.restore(solution.state)
    spot = solution.at("c:x").to_spot("Td9d6h")
    [line] = run.flops.lines
    played = line.spots[0]
    played.weights = [spot.weights(player) for player in range(2)]
    played.root_weights, played.normaliser = (
        [played._root_weights(player) for player in range(2)],
        played._compatible_weight(),
    )

    kept = 2.0 - min(2.0 * rake.get("rate", 0.0), rake.get("cap", math.inf))
    on_flop, before = equity(*spot.ranges, "Td9d6h"), equity(HELD["BB"], HELD["SB"])
    deals = sum(  # pairs of hands that share no card
        float(a * b) for one, a in _hands(HELD["BB"]) for other, b in _hands(HELD["SB"]) if not set(one) & set(other)
    )
    chance = 22_100 / math.comb(48, 3) * played.normaliser / deals
    for player, seat in enumerate(("BB", "SB")):
        beyond = played.evaluate().value[player] - (kept * on_flop.equity[player] - 1.0)
        expected = kept * before.equity[player] - 1.0 + chance * beyond
        assert solution.ev[seat] == pytest.approx(expected, abs=2e-6)
        assert abs(chance * beyond) > 1e-2


def _hands(text):
    from equilibrist.cards.range_text import STANDARD, hands_of

    held, hands = parse_range(text).weights, hands_of(STANDARD)
    return [((int(hands.low[h]), int(hands.high[h])), held[h]) for h in np.flatnonzero(held)]


def test_gains_fall_through_the_flops(small):
    assert small.converged
    assert sum(small.value) == pytest.approx(0.0, abs=1e-6)
    assert min(small.gains.values()) >= -1e-6
    checked = solve_table(small.table.changed(leaves="check-down"))
    assert np.abs(small.root.frequencies - checked.root.frequencies).max() > 0.02
    told = " ".join(small.model)
    assert "3 of 3 lines go on over 3 weighted flops with 2 sampled turns with 2 sampled rivers each" in told
    assert "too rarely" not in told


def test_values_of_actions_are_those_of_the_whole(small):
    place = small.root
    worth = np.nansum(place.strategy * place.ev_by_action, axis=1)
    assert worth == pytest.approx(np.nan_to_num(place.ev()), abs=1e-9)
    assert place.range_ev() == pytest.approx(small.value[0], abs=1e-6)


def test_another_route(small, tmp_path):
    """Double precision over the tables of the flops; what a file states of them where it has none; wrong values are seen."""
    assert verify(small).agrees
    assert verify(small).difference < 1e-5
    short = small.saved_without_flops()
    assert verify(short).agrees
    small.save(tmp_path / "t.eqb")
    loaded = load_solution(tmp_path / "t.eqb")
    loaded.state["flop_worth"][0] += 0.01
    assert verify(loaded).agrees  # tables are looked at, not what is stated of them
    assert not verify(loaded.saved_without_flops()).agrees


def test_files_go_on_bit_by_bit(tmp_path):
    table = Table(**TWO, range=HELD, leaves=SMALL)
    whole, part = solve_table(table, iterations=9), solve_table(table, iterations=5)
    part.save(tmp_path / "t.eqb")
    loaded = load_solution(tmp_path / "t.eqb")
    assert loaded.table == table
    further = solve_table(table, iterations=9, resume=loaded, threads=2)
    assert np.array_equal(further.strategy, whole.strategy)
    assert further.gains == whole.gains
    part.saved_without_flops().save(tmp_path / "s.eqb")
    with pytest.raises(FormatError, match="without the tables of its flops"):
        solve_table(table, iterations=9, resume=load_solution(tmp_path / "s.eqb"))


def test_three_seats(tmp_path):
    """Two of three see a flop: a third that folds, another stack, and lines that are left out."""
    table = Table(
        stacks={"BTN": 7, "SB": 5, "BB": 6},
        blinds=[0.5, 1],
        menu={"open": "2x", "3bet": "a", "limp": False},
        range={"BTN": "AA,KQs,76s", "SB": "QQ,AJs", "BB": "JJ,T9s,AKs"},
        leaves=SMALL | {"reach": 0.05},
        three_way="products",
    )
    solution = solve_table(table, iterations=12)
    assert 0 < len(solution.flop_ends) < len(solution.tree.flop_ends)
    assert "come too rarely are checked down: " in " ".join(solution.model)
    assert verify(solution).agrees


def test_tables_of_flops_are_read_back():
    table = Table(
        **TWO, leaves={"flops": 25, "turns": "all", "rivers": 3}, postflop={"bet": "50%", "river": {"bet": "a"}}
    )
    assert Table.from_text(table.to_toml()) == table
    assert isinstance(table.leaves, FlopLeaves)
    assert sum(weight for _, weight in table.leaves.flops) == pytest.approx(22_100)
    assert Table(**TWO, leaves={"flops": 47}).leaves.table() == {"flops": 47}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"leaves": "flops"}, "'leaves' must be"),
        ({"leaves": {"turns": 3}}, "names no flops"),
        ({"leaves": {"flops": 26}}, "subsets of 25, 47, 95, 184"),
        ({"leaves": {"flops": ["Td9d"]}}, "three cards"),
        ({"leaves": {"flops": 25, "turns": 0}}, "'leaves.turns'"),
        ({"leaves": {"flops": 25, "turn": 3}}, "Unknown key 'turn'"),
        ({"leaves": {"flops": 25}, "payouts": [3, 1]}, "played for chips"),
        ({"leaves": {"flops": 25}, "bunching": True}, "without 'bunching'"),
        ({"postflop": {"bets": "66%"}}, "In 'postflop': Unknown key 'bets'"),
        ({"postflop": "66%"}, "'postflop' must be a table"),
    ],
)
def test_bad_flops_get_one_sentence(given, said):
    with pytest.raises(EquilibristError, match=said) as caught:
        Table(**TWO | given)
    assert isinstance(caught.value, ParameterError)
    assert "\n" not in str(caught.value)


def test_what_does_not_fit_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(flop_plan, "memory_limit", lambda: 1e6)
    with pytest.raises(TooLargeError, match="lines are played on 25 flops"):
        solve_table(Table(**TWO, range=HELD, leaves={"flops": 25, "reach": 0}), iterations=1)


def test_a_gpu_is_for_flops():
    with pytest.raises(NotApplicableError, match="unless they play flops"):
        solve_table(Table(**TWO), iterations=1, device="cuda")
