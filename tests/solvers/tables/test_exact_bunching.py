"""Two seats after folds, exactly: by counted deals of three classes, and as the solution has it where hands are independent."""

import numpy as np
import pytest

from equilibrist.cards.allins.classes import class_number, combinations
from equilibrist.cards.allins.triples import deals_of
from equilibrist.core.errors import NotApplicableError
from equilibrist.games.tables.table import Table
from equilibrist.solvers.tables.exact_bunching import bunching_at
from equilibrist.solvers.tables.solve_table import solve_table


@pytest.fixture(scope="module")
def three():
    return solve_table(Table(seats=3, stack=10, blinds=[0.5, 1], three_way="products"), iterations=60)


@pytest.mark.parametrize("line", ["f", "f:a", "a:f"])
def test_weights_are_those_of_all_deals(three, line):
    found = bunching_at(three, line)
    gone = next(p for p in range(3) if three.table.names[p] not in (found.seat, found.other))
    fold, held = three.at(line).reach(gone), three.at(line).reach(found.other)
    for name in ("AA", "K9s", "72o"):
        own = class_number(name)
        triples = np.array([[own, b, c] for b in range(169) for c in range(169)])
        deals = deals_of(np.sort(triples, axis=1)).reshape(169, 169)
        weight = (deals @ fold) * held
        assert found.weights["exact"][own] == pytest.approx(weight / weight.sum(), abs=1e-12)
    assert np.abs(found.weights["first order"] - found.weights["exact"]).max() > 1e-5


@pytest.mark.parametrize("line", ["f", "f:a", "a:f"])
def test_independent_hands_are_worth_what_the_solution_says(three, line):
    found = bunching_at(three, line)
    assert found.ev["independent"] == pytest.approx(three.at(line).ev_by_action.T, abs=1e-9)


def test_jams_that_lose(three):
    """Solved without bunching few jams lose in the model, more by the cards; folded strong hands make aces worth more."""
    found = bunching_at(three, "f")
    assert (found.seat, found.other, found.exact_seats) == ("SB", "BB", ("BTN",))
    assert found.lost("independent") < 0.03 < found.lost("exact")
    assert found.largest_change(1, "independent")[0] == "AA"
    plays = combinations() * found.mix[:, 1]
    assert plays @ found.ev["exact"][1] < plays @ found.ev["independent"][1]


def test_where_it_cannot_be_compared(three):
    with pytest.raises(NotApplicableError, match="all but two seats have folded"):
        bunching_at(three, "a:c")
    raises = Table(seats=2, stack=10, blinds=[0.5, 1], menu={"open": "2x", "3bet": "a", "limp": True})
    with pytest.raises(NotApplicableError, match="flops are played"):
        bunching_at(solve_table(raises, iterations=1), "")
