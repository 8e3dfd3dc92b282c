"""Searches of one street with values of a network at its end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

import equilibrist as eq  # noqa: E402
from equilibrist.core.errors import FormatError, NotApplicableError  # noqa: E402
from equilibrist.learning.hand_values.belief_states import HANDS  # noqa: E402
from equilibrist.learning.hand_values.edge_values import NetStreetEnds  # noqa: E402
from equilibrist.learning.hand_values.network_values import NetworkValues  # noqa: E402
from equilibrist.learning.hand_values.value_file import load_values, save_values  # noqa: E402
from equilibrist.learning.hand_values.value_net import HandValueNet  # noqa: E402
from equilibrist.learning.hand_values.value_order import ValueOrder  # noqa: E402
from equilibrist.search import Continuations, search_spot  # noqa: E402

TURN = eq.Spot(
    board="Ks7h2d4c", pot=100, stack=250, bets={"bet": "75%, a", "raise": "a"},
    range={"oop": "99-66,AA,A9s,A5s,KQs,QJs,T9s", "ip": "TT-55,KK,ATs,A8s,KJs"},
)  # fmt: skip
FLOP = TURN.changed(board="Ks7h2d")
ERRORS = {"in_range": 1.0}


@pytest.fixture
def even_values(tmp_path: Path) -> Path:
    """A network that has learned nothing: hands are worth their equity."""
    save_values(tmp_path / "river.eqb", HandValueNet(4, 8), ValueOrder("river", width=4, wide=8), ERRORS)
    return tmp_path / "river.eqb"


@pytest.mark.parametrize("spot", [TURN, FLOP], ids=["turn", "flop"])
def test_values_by_equity_are_the_search_that_checks_down(spot: eq.Spot, tmp_path: Path) -> None:
    """Two routes to one game: showdown odds inside the kernels, and a network at the edge; after more iterations rounding tells."""
    street = "river" if spot is TURN else "turn"
    order = ValueOrder(street, width=4, wide=8)  # type: ignore[arg-type]
    save_values(tmp_path / "even.eqb", HandValueNet(4, 8), order, ERRORS)
    found = [
        search_spot(spot, "oop", iterations=5, depth="street", continuations=below)
        for below in (Continuations(values=NetworkValues(tmp_path / "even.eqb")), Continuations(blueprint="check"))
    ]
    first, second = (each.solution.root.strategy for each in found)
    assert first == pytest.approx(second, abs=2e-5)
    ev = [each.solution.ev[0] for each in found]
    assert ev[0] == pytest.approx(ev[1], abs=0.01)


def test_threads_change_nothing(even_values: Path) -> None:
    one, two = (
        search_spot(
            TURN,
            "ip",
            iterations=5,
            threads=n,
            depth="street",
            continuations=Continuations(values=NetworkValues(even_values)),
        )
        for n in (1, 2)
    )
    assert (one.solution.root.strategy == two.solution.root.strategy).all()


def test_safe_searches_take_values_too(even_values: Path) -> None:
    alternative = np.full(1326, 0.5)
    below = Continuations(values=NetworkValues(even_values))
    found = search_spot(
        TURN, "oop", "resolve", alternative=alternative, iterations=20, depth="street", continuations=below
    )
    assert found.solution.settings["values"] == "river"
    assert np.isfinite(found.solution.root.strategy).all()


def test_answers_say_what_they_stand_on(even_values: Path) -> None:
    below = Continuations(values=NetworkValues(even_values))
    found = search_spot(TURN.changed(stack=2500), "oop", iterations=5, depth="street", continuations=below).solution
    assert (found.settings["values"], found.settings["values_error"]) == ("river", 1.0)
    assert found.settings["outside"] == pytest.approx(25.0 / 13.0, rel=0.01)  # 0.1 to 13 pots were trained
    assert "continuations" not in found.settings


def test_what_values_do_not_know_is_refused(even_values: Path, tmp_path: Path) -> None:
    below = Continuations(values=NetworkValues(even_values))
    with pytest.raises(NotApplicableError, match="start of the river.*4 cards on the board, but this one has 3"):
        search_spot(FLOP, "oop", iterations=1, depth="street", continuations=below)
    with pytest.raises(NotApplicableError, match="river spot"):
        search_spot(TURN.changed(board="Ks7h2d4c9c"), "oop", iterations=1, depth="street", continuations=below)
    damaged = tmp_path / "other.eqb"
    TURN.changed(board="Ks7h2d4c9c")
    eq.solve("kuhn", iterations=5).save(damaged)
    with pytest.raises(FormatError, match=r"values|expected"):
        load_values(damaged)


def test_leaves_where_nobody_can_bet_are_worth_their_equity(even_values: Path) -> None:
    from equilibrist.forms.boards.compiled_spot import compile_spot

    torch.manual_seed(0)
    wild = HandValueNet(4, 8)
    torch.nn.init.normal_(wild.worth[-1].weight)
    save_values(even_values, wild, ValueOrder("river", width=4, wide=8), ERRORS)
    edge = NetStreetEnds(load_values(even_values), compile_spot(TURN))
    assert (~edge.asked).any()
    reach = tuple(np.ones((len(edge.pots), len(hands)), dtype=np.float32) for hands in edge.hands)
    found = edge.ask(0, reach)  # type: ignore[arg-type]
    allin = found[~edge.asked] / edge.pots[~edge.asked, None]
    assert allin == pytest.approx(np.broadcast_to(allin[0], allin.shape), rel=1e-4)
    total = (found * 1.0).sum(axis=1) + edge.ask(1, reach).sum(axis=1)  # type: ignore[arg-type]
    assert np.abs(total / np.abs(found).sum(axis=1)).max() < 1e-3  # zero-sum at every leaf


@pytest.mark.parametrize(
    ("board", "asked"), [("Ks7s2d", 36), ("Ks7s2s", 23), ("Ks7h2d", 49), ("KsKh2d", 37), ("Ks7s2d4s", 35)]
)
def test_cards_that_suits_make_alike_are_asked_once(board: str, asked: int, even_values: Path, tmp_path: Path) -> None:
    """Values are those of all cards one by one, hand by hand."""
    from equilibrist.forms.boards.compiled_spot import compile_spot

    street = "turn" if len(board) == 6 else "river"
    torch.manual_seed(0)
    wild, order = HandValueNet(4, 8), ValueOrder(street, width=4, wide=8)  # type: ignore[arg-type]
    torch.nn.init.normal_(wild.worth[-1].weight)
    save_values(tmp_path / "wild.eqb", wild, order, ERRORS)
    spot = compile_spot(TURN.changed(board=board))
    merged, plain = (NetStreetEnds(load_values(tmp_path / "wild.eqb"), each) for each in (spot, spot.unmerged()))
    assert (len(merged.after.left), len(plain.after.left)) == (asked, 52 - len(board) // 2)
    random, reach = np.random.default_rng(1), []
    for own in plain.hands:  # what suits cannot tell apart is reached alike
        by_class = random.random((len(plain.pots), 169)).astype(np.float32)
        reach.append(by_class[:, HANDS.cell[own]])
    for player in range(2):
        first, second = (ends.ask(player, (reach[0], reach[1])) for ends in (merged, plain))
        assert first == pytest.approx(second, rel=1e-3, abs=1e-4 * float(np.abs(second).max()))
