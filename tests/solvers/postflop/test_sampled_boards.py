"""Sampling on the boards of spots and whole games: right on average, by all of a user's ways, with a seed."""

import numpy as np
import pytest

from equilibrist import Spot, load_solution, solve, verify
from equilibrist.core.errors import EquilibristError
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.postflop.public_chance_boards import PublicChanceBoards
from equilibrist.solvers.postflop.solve_game import start_boards
from equilibrist.solvers.postflop.solve_spot import start_spot

TURN = Spot(
    board="KhTd7c4s",
    pot=60.0,
    stack=90.0,
    range={"oop": "AA,KQs,65s", "ip": "KK,AKo,JTs:0.5"},
    bets={"bet": "a", "raise": "a"},
)


@pytest.mark.parametrize("where", ["spot", "game"])
def test_one_runout_is_right_on_average(where):
    """Regrets of every runout, weighed by its probability, add up to those of a pass over all boards, and so do averages."""

    def start(name):
        return start_spot(TURN, name) if where == "spot" else start_boards(load_game("leduc"), name)  # type: ignore[arg-type]

    exact = start("cfr")
    exact.advance(1)
    first, last = exact.streets[0].boards.first_child[:2].tolist()
    copies = exact.streets[1].boards.copies[first:last]
    total = [np.zeros_like(exact.streets[0].tables[0].regret), np.zeros_like(exact.streets[0].tables[1].average)]
    for child, chance in zip(range(first, last), copies / copies.sum(), strict=True):
        run = start("pcs-mccfr")
        assert isinstance(run, PublicChanceBoards)
        run._draw = lambda depth, board, child=child, chance=chance: (child, float(chance))  # type: ignore[method-assign]
        run.advance(1)
        total[0] += np.float32(chance) * run.streets[0].tables[0].regret
        total[1] += np.float32(chance) * run.streets[0].tables[1].average
    scale = float(np.abs(exact.streets[0].tables[0].regret).max())
    assert np.allclose(total[0], exact.streets[0].tables[0].regret, atol=2e-5 * scale)
    assert np.allclose(total[1], exact.streets[0].tables[1].average, atol=1e-5)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("solver", ["es-mccfr", "os-mccfr", "pcs-mccfr"])
def test_a_journey_through_a_game(tmp_path, solver):
    iterations, far = (2000, 0.1) if solver == "pcs-mccfr" else (200_000, 0.06 if solver == "es-mccfr" else 0.4)
    first = solve("leduc", solver, on="boards", iterations=iterations, seed=5)
    assert first.kind == "boards"
    assert first.exploitability < far
    exact = -0.0856
    assert first.evaluation.value[0] == pytest.approx(exact, abs=first.exploitability)
    first.save(tmp_path / "leduc.eqb")
    opened = load_solution(tmp_path / "leduc.eqb")
    assert verify(opened).agrees
    assert opened.policy["J"] == first.policy["J"]
    on = solve("leduc", solver, iterations=iterations + 500, resume=opened)
    whole = solve("leduc", solver, on="boards", iterations=iterations + 500, seed=5)
    assert on.exploitability == pytest.approx(whole.exploitability, rel=1e-6)
    other = solve("leduc", solver, on="boards", iterations=500, seed=6)
    assert other.exploitability != solve("leduc", solver, on="boards", iterations=500, seed=5).exploitability


def test_runouts_of_a_spot_lead_to_its_value(tmp_path):
    exact = solve(TURN, until="0.1%")
    found = solve(TURN, "pcs-mccfr(weighting=linear,period=1000)", iterations=3000, seed=1)
    assert found.ev[0] == pytest.approx(exact.ev[0], abs=found.exploitability + 0.1)
    assert found.exploitability < 0.05 * TURN.pot
    found.save(tmp_path / "turn.eqb")
    opened = load_solution(tmp_path / "turn.eqb")
    assert verify(opened).agrees
    on = solve(TURN, "pcs-mccfr(weighting=linear,period=1000)", iterations=3200, resume=opened)
    whole = solve(TURN, "pcs-mccfr(weighting=linear,period=1000)", iterations=3200, seed=1)
    assert on.exploitability == pytest.approx(whole.exploitability, rel=1e-6)


def test_refusals():
    for how, words in (({"threads": 2}, "one thread"), ({"bits": 16}, "32 bits")):
        with pytest.raises(EquilibristError, match=words):
            solve(TURN, "pcs-mccfr", iterations=3, **how)
    with pytest.raises(EquilibristError, match="'traversals'"):
        solve(TURN, "pcs-mccfr(traversals=2)", iterations=3)
    with pytest.raises(EquilibristError, match="on=tree, on=boards, on=buckets"):
        solve("leduc", "dcfr", iterations=3, on="boats")
    with pytest.raises(EquilibristError, match="Only games of buckets"):
        solve("leduc", "dcfr", iterations=3, on="buckets")
