"""More than three hands that show: against every order listed, against cards, and what has to hold whatever the ranges."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.allins.classes import class_number, class_weights, combinations
from equilibrist.cards.allins.pairs import pair_outcomes, removal
from equilibrist.cards.equity import multiway_equity
from equilibrist.cards.ranges import parse_range
from equilibrist.compute.threads import Team
from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.evaluation.verification.verify import verify
from equilibrist.forms.table_tree import table_tree
from equilibrist.forms.table_tree.table_tree import grow_table
from equilibrist.games.tables.betting import play_line
from equilibrist.games.tables.payoffs import pot_winners
from equilibrist.games.tables.table import Table
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.tables.solve_table import solve_table
from equilibrist.solvers.tables.table_cfr import EndValues
from reference.naive_showdowns import naive_worth

BLINDS = {"blinds": [0.5, 1]}
FOUR = {"stacks": [10, 6, 14, 3], "players_to_flop": 4, **BLINDS}
RANGES = ("22+,A2+,K2s+,KTo+", "55+,A7+,KTs+", "99+,AJ+", "A2+,Q2s+,54s,72o")


def worth_at(table, line, reach):
    """[seat, class] what an end pays, given that the hands are met, when seats have played these ranges."""
    tree = grow_table(table)
    end = end_number(tree, line)
    values = EndValues(tree, Team(1))
    for seat, row in enumerate(tree.rows[end]):
        values.reach[row] = reach[seat]
    values._products(0, len(values.reach), len(values.reach))
    met = [met_by(seat, reach) for seat in range(table.seats)]
    return np.array([values.of(seat)[end] / met[seat] for seat in range(table.seats)])


def met_by(seat, reach):
    """[class] chance that a seat with this hand meets all others."""
    return np.prod([removal() @ row for other, row in enumerate(reach) if other != seat], axis=0)


def end_number(tree, line):
    *before, last = line.split(":")
    decision = tree.place[":".join(before)]
    place = tree.first[decision] + tree.labels[decision].index(last)
    return -1 - int(tree.children[place])


def weights(*texts):
    return [class_weights(parse_range(text).weights) for text in texts]


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (FOUR, "a:c:c:c"),
        (FOUR | {"payouts": [50, 30, 20]}, "a:c:c:c"),
        (FOUR | {"stacks": [7, 7, 7, 7], "payouts": [50, 30, 20], "bounties": [5, 4, 3, 2], "progressive": 0.5}, "a:c:c:c"),
        ({"stacks": [5, 9, 4, 12, 7], "players_to_flop": 4, "payouts": [50, 30], **BLINDS}, "f:a:c:c:c"),
        ({"stacks": [5, 9, 4], "three_way": "odds", "ante": 0.5, "payouts": [50, 30], **BLINDS}, "a:c:c"),
    ],
)  # fmt: skip
def test_as_every_order_listed(keys, line):
    """Side pots, prizes, heads and seats that have folded."""
    table = Table(**keys)
    reach = weights(*("22+,A2+,KTs+", *RANGES)[-table.seats :])
    end, found = play_line(table, line), worth_at(table, line, reach)
    for seat in range(table.seats):
        assert found[seat] == pytest.approx(naive_worth(table, end, seat, reach), abs=1e-9)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"payouts": [50, 30, 20]},
        {"payouts": [50, 30, 20], "bunching": True},
        {"stacks": [20, 20, 12, 9], "menu": {"open": "2.5x", "3bet": "a", "limp": True, "cold_call": 4}, "leaves": "realised"},
        {"stacks": [5, 9, 4], "three_way": "odds", "players_to_flop": 3, "payouts": [50, 30]},
    ],
)  # fmt: skip
def test_values_and_gains_by_another_route(more, tmp_path):
    solution = solve_table(Table(**FOUR | more), iterations=3)
    verified = verify(solution)
    assert verified.agrees
    assert verified.difference < 1e-11
    assert "odds of two" in " ".join(solution.model)
    solution.save(tmp_path / "t.eqb")
    loaded = load_solution(tmp_path / "t.eqb")
    assert loaded.value == solution.value
    further = solve_table(loaded.table, iterations=5, resume=loaded)
    assert np.array_equal(further.strategy, solve_table(Table(**FOUR | more), iterations=5).strategy)


def test_against_cards():
    """Shares of classes in an all-in of four, against dealt hands; products of equities are more than twice as far."""
    table = Table(seats=4, stack=10, players_to_flop=4, **BLINDS)
    reach = weights(*RANGES)
    found = worth_at(table, "a:c:c:c", reach) / 40.0 + 0.25
    cards = multiway_equity(RANGES, samples=300_000, seed=1)
    off, plain, total = 0.0, 0.0, 0.0
    for seat in range(4):
        held = combinations() * class_weights(cards.reach[seat])
        won = combinations() * class_weights(np.nan_to_num(cards.hand_equity[seat]) * cards.reach[seat])
        often = held > 0.01
        share = won[often] / held[often]
        others = [reach[p] for p in range(4) if p != seat]
        products = np.prod(
            [((removal() * pair_outcomes().equity) @ r / (removal() @ r))[often] for r in others], axis=0
        )
        off += held[often] @ (found[seat][often] - share) ** 2
        plain += held[often] @ (products - share) ** 2
        total += held[often].sum()
    assert np.sqrt(off / total) < 0.05
    assert plain > 4.0 * off


@settings(max_examples=10)
@given(st.lists(st.sampled_from(["22+", "A2+", "K2s+,AA", "JTs,72o,AKo", "random", "55,A5s"]), min_size=4, max_size=4))
def test_seats_that_change_places_change_what_they_win(texts):
    """One pot, no blinds to tell seats apart in it: all orders of the ranges."""
    table = Table(seats=4, stack=10, players_to_flop=4, **BLINDS)
    reach = weights(*texts)
    first = worth_at(table, "a:c:c:c", reach)
    for order in list(permutations(range(4)))[1::7]:
        moved = worth_at(table, "a:c:c:c", [reach[p] for p in order])
        assert moved == pytest.approx(first[list(order)], abs=1e-9)


def test_equal_hands_share_alike():
    """Whoever has the same hand as all others has its part of every pot."""
    table = Table(stacks=[10, 6, 14, 3], players_to_flop=4, **BLINDS)
    aces = np.zeros(169)
    aces[class_number("AKo")] = 1.0
    found = worth_at(table, "a:c:c:c", [aces] * 4)[:, class_number("AKo")]
    assert found == pytest.approx([0.0] * 4, abs=1e-9)


@pytest.mark.parametrize(
    ("texts", "most"),
    [
        (("22+,A2+,K2s+,KTo+", "22+,A2+,K9s+", "22+,A7+,KTs+", "55+,A9+,KQs", "22+,A2+,K2+,Q8s+"), 0.05),
        (("random", "22+,A2+", "random", "55+,A5s+,KTs+", "K2+"), 0.05),
        (("22+",) * 5, 0.2),  # as bad as it gets: the average over a range of pairs says little of any of them
    ],
)
def test_nearly_all_chips_are_won(texts, most):
    """Seats look at a pot each from its own hands: what they expect adds up to all of it but for some hundredths."""
    table = Table(seats=5, stack=10, players_to_flop=5, **BLINDS)
    reach = weights(*texts)
    found, total = worth_at(table, "a:c:c:c:c", reach), 0.0
    for seat in range(5):
        weight = combinations() * reach[seat] * met_by(seat, reach)
        total += weight @ found[seat] / weight.sum()
    assert abs(total) < most * 50


def test_ways_to_win_pots():
    assert pot_winners((0, 0, 0)) == ((0,), (1,), (2,))
    assert len(pot_winners((0, 0, 1, 1))) == 2 + 2 * 2
    assert len(pot_winners(tuple(range(9)))) == 2**8
    assert set(pot_winners((1, 0))) == {(0,), (1, 0)}


def test_how_many_may_stay_in():
    six = Table(seats=6, stack=10, **BLINDS)
    assert six.players_to_flop == 3
    assert grow_table(six).showing.max() == 3
    assert grow_table(six.changed(players_to_flop=5)).showing.max() == 5
    assert grow_table(six.changed(players_to_flop=6)).decisions == 2**6 - 2
    with pytest.raises(ParameterError, match="from 2 to 6 here"):
        six.changed(players_to_flop=7)


def test_how_hands_are_compared_is_said():
    four = " ".join(solve_table(Table(**FOUR), iterations=1).model)
    assert "three by odds of two" in four
    assert "More than three are compared by odds, too." in four
    products = " ".join(solve_table(Table(**FOUR, three_way="products"), iterations=1).model)
    assert "More than three hands that show are compared by odds of two" in products


def test_too_many_ways_to_win_are_refused(monkeypatch):
    monkeypatch.setattr(table_tree, "MOST_OUTCOMES", 100)
    with pytest.raises(TooLargeError, match="more than 100 outcomes"):
        grow_table(Table(stacks=[5, 9, 4, 12, 7], players_to_flop=5, **BLINDS))
