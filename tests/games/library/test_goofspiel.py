"""Goofspiel: recomputed sizes, payoffs by hand, and OpenSpiel as a second opinion."""

import math

import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.goofspiel import GoofspielState
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.solvers.solve import solve
from reference.naive_cfr import naive_best_response_value, naive_values


def play(name: str, *moves: str) -> GoofspielState:
    state = load_game(name).start()
    for move in moves:
        labels = [label for label, _ in state.chance()] if state.player == CHANCE else list(state.actions())
        state = state.child(labels.index(move))
    return state


def test_sizes_of_goofspiel_5() -> None:
    # recomputed: revealed bids, forced last cards kept
    tree = compile_tree(load_game("goofspiel"))
    assert tree.histories == 55_731
    assert len(tree.payoff) == 14_400
    assert [(tree.infosets.player == p).sum() for p in (0, 1)] == [18_426, 18_426]


@pytest.mark.parametrize("order", ["ascending", "descending", "random"])
@pytest.mark.parametrize("reveal", ["true", "false"])
def test_terminals_and_histories(order: str, reveal: str) -> None:
    game = load_game(f"goofspiel(cards=3,order={order},reveal={reveal})")
    tree = compile_tree(game)
    assert tree.histories == game.histories()
    deals = 6 if order == "random" else 1
    assert len(tree.payoff) == deals * math.factorial(3) ** 2


def test_hidden_bids_merge_infosets_but_not_histories() -> None:
    shown, hidden = (compile_tree(load_game(f"goofspiel(cards=4,reveal={word})")) for word in ("true", "false"))
    assert shown.histories == hidden.histories
    assert len(hidden.infosets) < len(shown.infosets)


@pytest.mark.parametrize(
    ("name", "moves", "returns"),
    [
        ("goofspiel(cards=3)", ("1", "2", "3", "1", "2", "3"), 2 - 1 - 3),
        ("goofspiel(cards=3)", ("1", "3", "3", "1", "2", "2"), 2 - 1),  # equal bids win nothing
        ("goofspiel(cards=3,order=descending)", ("1", "2", "3", "3", "2", "1"), 1 - 3),
        ("goofspiel(cards=3,order=random)", ("2", "1", "2", "3", "3", "1", "1", "2", "3"), 3 - 2 - 1),
        ("goofspiel(cards=3,returns=win)", ("1", "2", "3", "1", "2", "3"), -1),
        ("goofspiel(cards=3,returns=win)", ("1", "1", "2", "2", "3", "3"), 0),
    ],
)
def test_payoffs(name: str, moves: tuple[str, ...], returns: float) -> None:
    end = play(name, *moves)
    assert end.player == TERMINAL
    assert end.returns() == (returns, -returns)


def test_what_each_sees() -> None:
    bid = play("goofspiel(cards=3)", "1", "3", "2")
    assert (bid.infoset(0), bid.infoset(1), bid.public()) == ("1:1-3 2:2-?", "1:1-3 2:*-?", "1:1-3 2:*-?")
    hidden = play("goofspiel(cards=3,reveal=false)", "1", "3", "2")
    assert (hidden.infoset(0), hidden.infoset(1), hidden.public()) == ("1:1< 2:2-?", "1:<3 2:*-?", "1:< 2:*-?")
    over = play("goofspiel(cards=3,reveal=false)", "1", "3", "2", "2", "3", "1")
    assert (over.infoset(0), over.infoset(1), over.public()) == ("1:1< 2:2= 3:3>", "1:<3 2:=2 3:>1", "1:< 2:= 3:>")


@pytest.mark.parametrize("order", ["ascending", "descending", "random"])
def test_a_symmetric_game_is_worth_nothing(order: str) -> None:
    assert solve(f"goofspiel(cards=3,order={order})", solver="lp").value[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("order", ["ascending", "descending", "random"])
def test_openspiel_agrees_about_uniform_play(order: str, hidden: bool) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    settings = f"num_cards=3,points_order={order},imp_info={hidden},returns_type=point_difference"
    theirs = pyspiel.convert_to_turn_based(pyspiel.load_game(f"goofspiel({settings})"))
    expected = exploitability.nash_conv(theirs, policy.UniformRandomPolicy(theirs))
    ours = load_game(f"goofspiel(cards=3,order={order},reveal={str(not hidden).lower()})")
    gains = [naive_best_response_value(ours, {}, p) - naive_values(ours, {})[p] for p in (0, 1)]
    assert sum(gains) == pytest.approx(2 * expected, abs=1e-9)  # OpenSpiel counts from the average of both players


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ("cards=0", "1 to 16"),
        ("order=ascendng", "Did you mean 'ascending'"),
        ("order=3", "a word such as ascending"),
        ("order=upwards", "one of ascending"),
        ("returns=money", "one of points, win"),
        ("reveal=no", "true or false"),
    ],
)
def test_refusals(parameters: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        load_game(f"goofspiel({parameters})")
