"""Networks at the end of the turn: what they are asked, what they are taught, and what the algorithm with them plays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import NotApplicableError  # noqa: E402
from equilibrist.forms.boards.compiled_spot import compile_spot  # noqa: E402
from equilibrist.games.spots.spot import Spot  # noqa: E402
from equilibrist.learning.rebel_boards.endgame_rebel import EndgameLearner, EndgameReBeL, leaf_reach  # noqa: E402
from equilibrist.learning.rebel_boards.first_street import FirstStreet  # noqa: E402
from equilibrist.learning.rebel_boards.later_streets import SolvedStreets  # noqa: E402
from equilibrist.learning.rebel_boards.leaf_net import LeafQuestions  # noqa: E402
from equilibrist.learning.rebel_boards.play_throughs import PlayThroughs, played  # noqa: E402
from equilibrist.learning.rebel_boards.street_search import FirstStreetSearch  # noqa: E402
from equilibrist.solvers.cfr.schedules import LINEAR  # noqa: E402

HANDS = "AA,KK,TT,77,AKs,KTs,QJs,98s,65s"
SMALL = EndgameReBeL(inside=8, rivers=12, drawn=4, width=32, batch=16, reuse=16.0)


def turn(ip: str = HANDS, board: str = "3s7hTdKs") -> FirstStreet:
    """A turn with few hands; one pot-size bet and all-ins."""
    bets = {street: {"bet": "100%", "raise": "a"} for street in ("turn", "river")}
    spot = Spot(board=board, pot=200, stack=700, range={"oop": HANDS, "ip": ip}, bets=bets)
    return FirstStreet.of_spot(compile_spot(spot))


def even_reach(street: FirstStreet):  # type: ignore[no-untyped-def]
    return leaf_reach(street, (street.even(0), street.even(1)))


def random_profile(street: FirstStreet, random: np.random.Generator):  # type: ignore[no-untyped-def]
    """Any strategies [slot, H] of both."""
    return tuple(street.matched(p, random.exponential(size=street.even(p).shape)) for p in range(2))


def test_called_all_ins_are_worth_what_checking_down_says() -> None:
    street = turn()
    asked, oracle, reach = LeafQuestions(street), SolvedStreets(street, 4), even_reach(street)
    called = np.flatnonzero(asked.left(asked.pots) < 1e-9)
    assert 0 < len(called) < len(asked.pots)
    oracle.believe(reach)
    for me in range(2):
        rows = asked.rows(me, reach[me], reach[1 - me], asked.pots)
        base = asked.pots[:, None] * asked.base(rows) * street.met(1 - me, reach[1 - me])
        exact = oracle.values(me, reach[1 - me])
        np.testing.assert_allclose(base[called], exact[called], atol=1e-3)
        assert np.abs(base - exact).max() > 1.0  # elsewhere there is something to learn


def test_rows_do_not_depend_on_the_scale_of_reach() -> None:
    street = turn()
    asked, (own, theirs) = LeafQuestions(street), even_reach(street)
    rows = asked.rows(1, own, theirs, asked.pots)
    np.testing.assert_allclose(asked.rows(1, 0.01 * own, 7.0 * theirs, asked.pots), rows, rtol=1e-5)
    nobody = asked.rows(1, 0.0 * own, theirs, asked.pots)
    assert np.all(nobody[:, 2 : 2 + asked.hands] == 1.0)


def test_examples_are_what_an_oracle_says() -> None:
    """A network that answered with its examples would be the oracle."""
    street = turn()
    learner = EndgameLearner(street, SMALL)
    reach = leaf_reach(street, random_profile(street, np.random.default_rng(1)))
    rows, values = learner._examples(reach)
    oracle, asked = SolvedStreets(street, SMALL.rivers), learner.questions
    oracle.believe(reach)
    for me in range(2):
        part = slice(me * len(asked.pots), (me + 1) * len(asked.pots))
        told = asked.pots[:, None] * (values[part] + asked.base(rows[part])) * street.met(1 - me, reach[1 - me])
        np.testing.assert_allclose(told, oracle.values(me, reach[1 - me]), rtol=1e-3, atol=2e-2)


def test_learning_brings_the_error_down_and_play_with_it() -> None:
    street = turn()
    learner = EndgameLearner(street, SMALL)

    def now() -> tuple[float, float]:
        search = learner.search()
        search.advance(SMALL.inside)
        return learner.error(leaf_reach(street, search.iterate)), played(learner.search(), [16], 20)[0]

    start = now()
    for _ in range(25):
        learner.advance()
    end = now()
    exact = played(FirstStreetSearch(street, SolvedStreets(street, 40)), [16], 20)[0]
    assert end[0] < 0.5 * start[0]
    assert end[1] < 0.5 * start[1]
    assert exact < end[1]


@pytest.mark.parametrize("random_beliefs", [False, True])
def test_stopping_changes_nothing(random_beliefs: bool) -> None:
    street, own = turn(), EndgameReBeL(**{**vars(SMALL), "random_beliefs": random_beliefs})
    whole, first, again = (EndgameLearner(street, own, seed=5) for _ in range(3))
    whole.advance()
    whole.advance()
    first.advance()
    again.restore({name: np.array(array) for name, array in first.state().items()})
    again.advance()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(again.state()[name], array, err_msg=name)


def test_play_is_the_mean_over_iterates_weighted_by_reach() -> None:
    """At the first decision of each river, against strategies of the single solves."""
    street, random = turn(), np.random.default_rng(2)
    play = PlayThroughs(street, 6)
    betting, player = play.rest.betting, 0
    root = betting.before.index("b200:c/")  # here it matters which iterates bet this hand
    own = play.rest.boards.player[player]
    assert int(betting.kind[root]) == player
    places = own.count[0]
    number = {hand: k for k, hand in enumerate(street.hands[player].tolist())}
    column = [number[hand] for hand in own.pair[0, :places].tolist()]
    weighted, whole = 0.0, 0.0
    for t in range(1, 5):
        profile = random_profile(street, random)
        play.add(profile, float(t))
        held = t * leaf_reach(street, profile)[player][root, column]
        weighted = weighted + held * play.rest.strategy(0, root)[:, :places]
        whole = whole + held
    first, wide = int(betting.slot[root]), int(betting.children[root])
    sums = np.moveaxis(play.behind[player][0][:, first : first + wide], 1, 0).reshape(wide, -1)[:, :places]
    reached = whole > 1e-6
    assert reached.sum() > 20
    np.testing.assert_allclose((sums / sums.sum(axis=0))[:, reached], (weighted / whole)[:, reached], atol=2e-5)


def test_exploitability_of_play_is_that_of_vector_cfr() -> None:
    street = turn()
    search, play = FirstStreetSearch(street, SolvedStreets(street, 5)), PlayThroughs(street, 6)
    for t in range(1, 4):
        search.advance(1)
        play.add(search.iterate, float(t))
    run = street.start(LINEAR)
    tables = run.state()
    for p in range(2):
        behind = play.behind[p] / play.behind[p].max()
        tables[f"average.1.{p}"][:] = behind.ravel().astype(np.float32)
        own = run.streets[0].boards.player[p]
        rows = np.zeros((street.betting.slots[p], own.places))
        rows[:, : own.count[0]] = play.sums[p]
        shape = run.streets[0].shape(p)
        tables[f"average.0.{p}"][:] = np.moveaxis(rows.reshape(shape[2], shape[1], shape[3]), 0, 1).ravel()
    assert play.exploitability() == pytest.approx(run.exploitability(), rel=1e-4)


def test_what_cannot_be_learned_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="both must hold the same hands"):
        EndgameLearner(turn("AA,KK"), SMALL)
    merged = turn(board="3s7sTsKs")
    with pytest.raises(NotApplicableError, match="isomorphism=False"):
        EndgameLearner(merged, SMALL).advance()
    with pytest.raises(NotApplicableError, match="loss_bracket"):
        played(FirstStreetSearch(merged, SolvedStreets(merged, 1), "fp"), [1], 1)
    if not torch.cuda.is_available():
        with pytest.raises(NotApplicableError, match="finds no CUDA device"):
            EndgameLearner(turn(), SMALL, device="cuda")


def test_threads_change_no_bit_of_what_is_solved() -> None:
    street = turn()
    solved = [SolvedStreets(replace(street, threads=threads), 3) for threads in (1, 3)]
    for each in solved:
        each.believe(even_reach(street))
    for player in range(2):
        one, other = (each.values(player, even_reach(street)[1 - player]) for each in solved)
        assert np.array_equal(one, other)
    assert len(solved[1].later.workers) == 3
