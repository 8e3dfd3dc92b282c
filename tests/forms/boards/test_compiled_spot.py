"""A compiled spot: betting is grown and boards are dealt once for one solve."""

import sys

import pytest

from equilibrist import load_solution, solve
from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.forms.boards import compiled_spot as module
from equilibrist.forms.boards import street_boards
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.locks import Lock
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.cli.study.solve_request import SolveRequest
from equilibrist.solvers.postflop import vector_cfr
from equilibrist.solvers.postflop.locks.frequency_locks import check_locks
from equilibrist.solvers.postflop.solve_spot import solve_spot, start_spot
from equilibrist.solvers.postflop.spot_size import spot_size

TURN = Spot(
    board="Td9d6hQc",
    pot=200,
    stack=900,
    range={"oop": "QQ,JJ,AhKh", "ip": "TT,88,KsJs"},
    bets={"bet": "50%, a", "raise": "a"},
)


@pytest.fixture
def counts(monkeypatch):
    """How often betting was grown and boards were dealt, wherever that is done."""
    seen = {"street_forests": 0, "deal_boards": 0}

    def count(name, original):
        def counted(*given, **named):
            seen[name] += 1
            return original(*given, **named)

        return counted

    originals = {"street_forests": module.street_forests, "deal_boards": street_boards.deal_boards}
    for loaded in list(sys.modules.values()):
        for name, original in originals.items():
            if getattr(loaded, name, None) is original:
                monkeypatch.setattr(loaded, name, count(name, original))
    return seen


ONCE = {"street_forests": 1, "deal_boards": 1}


def test_one_solve_grows_and_deals_once(counts):
    solution = solve(TURN, iterations=3)
    assert solution.root.strategy.shape[1] == 3
    assert solution.nodes["turn"] > 0
    assert counts == ONCE


def test_the_command_grows_and_deals_once(counts, tmp_path, capsys):
    file = tmp_path / "turn.toml"
    file.write_text(TURN.to_toml(), encoding="utf-8")
    SolveRequest(game=str(file), iterations=3, threads=1).run().to_json()
    assert "decisions" in capsys.readouterr().err
    assert counts == ONCE


def test_locks_by_frequency_share_betting_and_boards(counts):
    locked = TURN.changed(lock=[Lock("", {}, frequency={"x": 0.3})])
    solution = solve_spot(locked, iterations=20)
    assert solution.spot.locks[0].settled
    assert counts["street_forests"] == 1
    assert counts["deal_boards"] == 2  # merged by suits for the solves, each by itself to check the locks


def test_an_opened_file_grows_once_and_deals_when_looked_at(tmp_path, counts):
    path = tmp_path / "turn.eqb"
    solve_spot(TURN, iterations=3).save(path)
    counts.update(street_forests=0, deal_boards=0)
    solution = load_solution(path)
    assert counts == {"street_forests": 1, "deal_boards": 0}
    assert solution.at("x:b100").strategy.sum(axis=1) == pytest.approx(1.0)
    assert counts == ONCE


def test_sizes_are_those_of_the_run():
    for bits in (16, 32):
        for solver, predictive in (("dcfr", False), ("pcfr+", True)):
            run = start_spot(TURN, solver, bits=bits)
            here = compile_spot(TURN)
            assert here.table_bytes(predictive=predictive, bits=bits) == run.memory_bytes
            assert spot_size(here, solver, bits).table_bytes == run.memory_bytes
    assert here.hands == tuple(int((TURN.weights(p) > 0).sum()) for p in range(2))
    assert here.decisions == {"turn": here.forests[0].counts[0], "river": here.forests[1].counts[0]}


def test_what_is_compiled_is_taken_as_it_is():
    here = compile_spot(TURN)
    assert compile_spot(here) is here
    apart = compile_spot(here, isomorphism=False)
    assert apart.forests is here.forests
    assert here.isomorphism
    assert not apart.isomorphism
    assert len(apart.boards[1].cards) == 48
    assert len(here.boards[1].cards) <= 48
    assert compile_spot(apart).isomorphism is False


def test_other_locks_share_boards_unless_they_tell_suits_apart():
    spot = TURN.changed(range={"oop": "QQ,JJ,AKs", "ip": "TT,88"}, board="Td9d6dQd")
    here = compile_spot(spot)
    boards = here.boards
    alike = here.with_locks([Lock("", {"x": 1.0}, hands="JJ")])
    assert alike.boards is boards
    assert alike.forests is here.forests
    told_apart = here.with_locks([Lock("", {"x": 1.0}, hands="AhKh")])
    assert not told_apart.isomorphism
    assert len(told_apart.boards[1].cards) == 48
    back = told_apart.with_locks(())
    assert back.isomorphism
    assert len(back.boards[1].cards) == len(boards[1].cards) < 48


def test_a_run_on_a_compiled_spot_equals_one_on_the_spot():
    one, other = start_spot(TURN), vector_cfr.BoardCFR.on_spot(compile_spot(TURN), start_spot(TURN).schedule)
    for run in (one, other):
        run.advance(5)
    assert one.evaluate() == other.evaluate()


def test_too_large_a_street_is_refused():
    with pytest.raises(TooLargeError, match="more than 5 nodes"):
        compile_spot(TURN, largest=5)


def test_locks_are_checked_on_a_compiled_spot():
    here = compile_spot(TURN)
    check_locks(here.with_locks([Lock("", {"x": 1.0}, hands="AhKh")]))
    with pytest.raises(ParameterError, match="none of which the player can hold"):
        check_locks(here.with_locks([Lock("", {"x": 1.0}, hands="77")]))


def test_betting_is_grown_once_for_many_boards(counts):
    here = compile_spot(TURN)
    for board in ("AsKsQsJs", "2c2d2h3s", "Td9d6hQc"):
        there, anew = here.on_board(board), compile_spot(TURN.changed(board=board))
        assert there.spot == anew.spot
        assert there.boards[-1].cards == anew.boards[-1].cards
        for p in range(2):
            assert (there.weights[p] == anew.weights[p]).all()
            assert (there.boards[-1].player[p].pair == anew.boards[-1].player[p].pair).all()
        assert there.forests is here.forests
    assert counts["street_forests"] == 4  # one for `here`, three for what it is compared with


def test_boards_of_another_length_or_without_hands_are_refused():
    with pytest.raises(ParameterError, match="must have 4 cards"):
        compile_spot(TURN).on_board("AsKsQs")
    with pytest.raises(ParameterError, match=r"'range\.ip' has no hand left"):
        TURN.changed(range={"oop": "QQ,JJ", "ip": "AsKs"}).on_board("AsKhQs2c")
