"""A street searched with solved leaves: against plain recursion on Leduc poker, against vector CFR, against locked spots."""

from __future__ import annotations

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.experiments.brown.turn_endgames.turn_endgame import POT_AND_ALL_IN, turn_endgame
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.forms.boards.poker_streets import betting_streets, deal_of
from equilibrist.forms.boards.street_boards import deal_boards
from equilibrist.games.catalogue import load_game
from equilibrist.games.spots.locks import Lock, strategy_text
from equilibrist.games.spots.spot import Spot
from equilibrist.learning.rebel_boards.first_street import FirstStreet
from equilibrist.learning.rebel_boards.later_streets import SolvedStreets
from equilibrist.learning.rebel_boards.optimal_below import JointPlay, loss_bracket
from equilibrist.learning.rebel_boards.street_search import ALGORITHMS, FirstStreetSearch
from equilibrist.solvers.cfr.schedules import LINEAR
from equilibrist.solvers.postflop.board_runs import DealtBoards
from equilibrist.solvers.postflop.solve_game import deal_game
from equilibrist.solvers.postflop.solve_spot import solve_spot
from reference.naive_street_search import NaiveSearch

LEDUC = load_game("leduc")


def uneven_leduc() -> tuple[FirstStreet, list[dict[str, float]]]:
    """Leduc poker from uneven ranges, since rounding would decide between equal actions."""
    deal, forests = deal_of(LEDUC.rules), betting_streets(LEDUC.rules)
    weights = list(np.random.default_rng(3).uniform(0.2, 1.0, (2, len(deal.hands))))
    dealt = DealtBoards(forests, deal, weights, deal_boards(deal, weights, False), False)
    names = [LEDUC.rules.deck.label(card) for card in range(LEDUC.rules.deck.size)]
    return FirstStreet(dealt), [dict(zip(names, own.tolist(), strict=True)) for own in weights]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_searches_equal_plain_recursion(algorithm: str) -> None:
    street, weights = uneven_leduc()
    search = FirstStreetSearch(street, SolvedStreets(street, 3, least=1e-3), algorithm)
    naive = NaiveSearch(LEDUC, weights, algorithm, 3, 1e-3)
    for iterations in (1, 2, 9) if algorithm == "fp" else (1, 3):  # pure answers change late
        search.advance(iterations)
        naive.run(iterations)
        for player in range(2):
            assert compared(street, player, search.average()[player], naive) >= 12


def compared(street: FirstStreet, player: int, found: np.ndarray, naive: NaiveSearch) -> int:
    """Infosets of a player at which both averages are the same."""
    checked, names = 0, list(naive.weights[player])

    def walk(node: int, states: dict) -> None:
        nonlocal checked
        actor, own, below = street.decisions[node]
        if actor > 1:
            return
        assert list(street.betting.labels(node)) == list(next(iter(states.values())).actions())
        if actor == player:
            for cards, state in states.items():
                expected = naive.mean(player, state)
                column = street.hands[player].tolist().index(names.index(cards[player]))
                np.testing.assert_allclose(found[own, column], expected, atol=2e-4)
                checked += 1
        for a, child in enumerate(range(below.start, below.stop)):
            walk(child, {cards: state.child(a) for cards, state in states.items()})

    walk(0, naive.root)
    return checked


def small_turn(board: str = "3s7hTdKs", **how: object) -> Spot:
    """A turn with few hands and two sizes."""
    ranges = {"oop": "AA,KK,QQ,77,AKs,KTs,QJs,98s", "ip": "KK,JJ,TT,AKo,KQs,T9s,A5s,86s"}
    bets = {street: {"bet": "100%, a", "raise": "a"} for street in ("turn", "river")}
    return Spot(board=board, pot=200, stack=500, range=ranges, bets=bets, **how)


def first_street(spot: Spot, *, isomorphism: bool = True) -> FirstStreet:
    return FirstStreet.of_spot(compile_spot(spot, isomorphism=isomorphism))


@pytest.mark.parametrize("name", ["leduc", "turn"])
def test_joint_play_of_both_streets_is_vector_cfr(name: str) -> None:
    """Which has 32 bits on the first street, too: after some iterations that decides where an action gains exactly nothing."""
    street = uneven_leduc()[0] if name == "leduc" else first_street(small_turn())
    run, play = street.start(LINEAR), JointPlay(street, schedule=LINEAR)
    for iterations in range(1, 16):
        run.advance(1)
        play.advance(1)
        found = (play.best(0) + play.best(1)) / 2.0
        assert found == pytest.approx(run.exploitability(), rel=1e-6 if iterations <= 6 else 5e-3)


def test_what_a_strategy_loses_is_what_locks_say() -> None:
    street = first_street(small_turn())
    search = FirstStreetSearch(street, SolvedStreets(street, 20), "cfr-d")
    search.advance(2)  # early, so that much is lost
    low, high = loss_bracket(street, search.average(), 400)
    lost = 0.0
    for player in range(2):
        locks = [
            Lock(street.betting.line(node), strategy_text(street.hands[player], street.betting.labels(node), rows.T))
            for node, (actor, own, _) in enumerate(street.decisions)
            if actor == player
            for rows in (search.average()[player][own],)
        ]
        lost += solve_spot(small_turn(lock=locks), until="0.01%").evaluation.value[1 - player] / 2.0
    assert high - low < 0.1  # chips; the pot is 200
    assert low > 2.0
    assert low - 0.05 < lost < high + 0.05


def test_suits_that_are_alike_may_be_merged() -> None:
    """The first answer is that of even play; afterwards rounding decides between suits, which are worth the same."""
    merged, apart = (first_street(small_turn("3s7sTsKs"), isomorphism=alike) for alike in (True, False))
    assert len(merged.dealt.boards[1].cards) < len(apart.dealt.boards[1].cards)
    found, lost = [], []
    for street in (merged, apart):
        even = street.even(0), street.even(1)
        reach = tuple(street.reach(p, even[p])[street.leaves] for p in range(2))
        oracle = SolvedStreets(street, 1)
        oracle.believe(reach)
        found.append([oracle.values(p, reach[1 - p]) for p in range(2)])
        lost.append(loss_bracket(street, even, 300))
    for player in range(2):
        np.testing.assert_allclose(found[0][player], found[1][player], rtol=1e-4, atol=1e-3)
    assert max(low for low, _ in lost) <= min(high for _, high in lost)
    np.testing.assert_allclose(lost[0], lost[1], atol=0.05)


def test_stopping_changes_nothing() -> None:
    street = first_street(small_turn())
    whole = FirstStreetSearch(street, SolvedStreets(street, 5), "modified-cfr-avg")
    whole.advance(4)
    first = FirstStreetSearch(street, SolvedStreets(street, 5), "modified-cfr-avg")
    first.advance(2)
    kept = {name: array.copy() for name, array in (first.state() | first.leaves.state()).items()}
    again = FirstStreetSearch(street, SolvedStreets(street, 5), "modified-cfr-avg")
    again.restore(kept)
    again.leaves.restore(kept)
    np.testing.assert_array_equal(again.leaves.gaps(), first.leaves.gaps())
    again.advance(2)
    for player in range(2):
        np.testing.assert_array_equal(again.average()[player], whole.average()[player])


def test_more_iterations_of_an_oracle_answer_more_exactly() -> None:
    street = first_street(small_turn())
    even = tuple(street.reach(p, street.even(p))[street.leaves] for p in range(2))
    gaps = []
    for iterations in (5, 20, 80):
        oracle = SolvedStreets(street, iterations, carried=False)
        oracle.believe(even)
        gaps.append(float(oracle.gaps().max()))
        total = sum((even[p] * oracle.values(p, even[1 - p])).sum() for p in range(2))
        assert total == pytest.approx(0.0, abs=1e-2)  # chips, over all pairs of hands: what one wins the other loses
    assert gaps[0] > 3 * gaps[1] > 9 * gaps[2]


def test_hands_that_do_not_come_are_still_answered() -> None:
    street = first_street(small_turn())
    oracle, other = SolvedStreets(street, 60), SolvedStreets(street, 60)
    reach = [street.reach(p, street.even(p))[street.leaves] for p in range(2)]
    reach[0] = reach[0] * (np.arange(len(street.hands[0])) % 2)
    oracle.believe((reach[0], reach[1]))
    other.believe((np.zeros_like(reach[0]), reach[1]))
    gone = oracle.values(0, reach[1])
    best = oracle.later.values(0, reach[1], respond=True)
    pot = 2.0 * street.betting.stake[street.leaves][:, None] * street.met(1, reach[1])
    assert ((best - gone) / pot).max() < 0.03  # also for hands that are not there
    np.testing.assert_array_equal(other.values(1, np.zeros_like(reach[0])), 0.0)


def test_what_cannot_be_searched_is_refused() -> None:
    street = first_street(small_turn())
    with pytest.raises(ParameterError, match="cfr-d, cfr-avg, modified-cfr-avg, fp"):
        FirstStreetSearch(street, SolvedStreets(street, 1), "cfr")
    network = SolvedStreets(street, 1)
    network.follows = False
    with pytest.raises(NotApplicableError, match="use modified-cfr-avg"):
        FirstStreetSearch(street, network, "cfr-avg")
    ranges, bets = {"oop": "AA", "ip": "QQ"}, {"river": {"bet": "100%"}}
    river = Spot(board="3s7hTdKs2c", pot=200, stack=500, range=ranges, bets=bets)
    with pytest.raises(NotApplicableError, match="after the river there is none"):
        first_street(river)


def test_the_experiments_game_is_turn_endgame_holdem_of_the_catalogue() -> None:
    ours = turn_endgame(POT_AND_ALL_IN).dealt.forests
    whole = betting_streets(load_game("turn-endgame-holdem").rules)[-2:]
    for mine, theirs in zip(ours, whole, strict=True):
        np.testing.assert_array_equal(mine.kind, theirs.kind)
        np.testing.assert_array_equal(mine.parent, theirs.parent)
        np.testing.assert_allclose(mine.paid, theirs.paid - 100.0)  # the big blind is in the pot
        np.testing.assert_allclose(mine.stake, theirs.stake)


def test_on_leduc_poker_modified_cfr_avg_does_not_converge() -> None:
    """As on dice, and unlike the text's games; CFR-AVG does."""
    street = FirstStreet(deal_game(LEDUC))
    lost = {}
    for algorithm in ("cfr-avg", "modified-cfr-avg"):
        search = FirstStreetSearch(street, SolvedStreets(street, 50), algorithm)
        search.advance(64)
        lost[algorithm] = loss_bracket(street, search.average(), 500)
    assert lost["cfr-avg"][1] < 0.011  # chips
    assert lost["modified-cfr-avg"][0] > 0.018
