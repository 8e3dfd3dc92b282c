"""States that a street of betting leaves: play on it is that of the depth-limited search that checks down, and states are well made."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.forms.boards.street_betting import FOLD, street_forests
from equilibrist.learning.hand_values.belief_states import HANDS, KINDS, possible_hands
from equilibrist.learning.hand_values.played_states import _apart, played_states
from equilibrist.learning.hand_values.played_street import PlayedStreet, open_ends
from equilibrist.search import Continuations, search_spot
from equilibrist.solvers.postflop.depth_limited.showdown_odds import exact_odds

TURN = eq.Spot(
    board="Ks7h2d4c", pot=100, stack=250, bets={"bet": "75%, a", "raise": "a"},
    range={"oop": "99-66,AA,A9s,A5s,KQs,QJs,T9s", "ip": "TT-55,KK,ATs,A8s,KJs"},
)  # fmt: skip
DEPTHS = (0.2, 0.8, 3.0)
BETS = {"bet": "75%, a", "raise": "a"}


def street(beside: float = 0.0) -> tuple[PlayedStreet, np.ndarray]:
    hands = np.flatnonzero(possible_hands(np.array([TURN.board]))[0])
    starts = tuple(np.asarray(TURN.weights(p))[hands].astype(np.float32) for p in range(2))
    none = tuple(np.full(len(hands), sign * beside, dtype=np.float32) for sign in (1.0, -1.0))
    odds, apart = exact_odds(TURN.board, hands, hands), _apart()[np.ix_(hands, hands)]
    return PlayedStreet(street_forests(TURN)[0], odds, apart, starts, none), hands  # type: ignore[arg-type]


def value(play: PlayedStreet) -> float:
    """Of the first player, by both averages, in chips."""
    played = [play._matched(p, play.average[p]) for p in range(2)]
    reach = play._reach(played)
    ends = play._ends(reach)
    over = play.betting.kind >= FOLD
    both = float(play.starts[0] @ play.apart @ play.starts[1])
    worth = [float((reach[p][over] * ends[p][over]).sum()) / both for p in range(2)]
    assert worth[0] == pytest.approx(-worth[1], abs=1e-3)  # what one wins the other loses
    return worth[0]


def test_play_is_that_of_the_search_that_checks_down() -> None:
    play, hands = street()
    play.run(1000)
    below = Continuations(blueprint="check")
    known = search_spot(TURN, "oop", iterations=1000, depth="street", continuations=below).solution
    assert value(play) == pytest.approx(known.ev[0] - 0.5 * TURN.pot, abs=0.06)
    checked = int(play.betting.first_child[0])
    own = play.beliefs(checked, averages=True)[0][np.asarray(TURN.weights(0))[hands] > 0.0]
    assert own.sum() / play.starts[0].sum() == pytest.approx(float(known.root.frequencies[0]), abs=0.05)


def test_what_hands_are_worth_beside_their_showdowns_counts() -> None:
    """Who earns a twentieth of the pot at every open end wins so much more where all hands always get there."""
    plain, _ = street()
    more, _ = street(0.05)
    played = [plain._matched(p, plain.average[p]) for p in range(2)]
    reach = plain._reach(played)
    ends, _ = open_ends(plain.betting, 0.01)
    gained = [b[ends] - a[ends] for a, b in zip(plain._ends(reach), more._ends(reach), strict=True)]
    pots = 2.0 * plain.betting.stake[ends][:, None]
    for p, sign in ((0, 1.0), (1, -1.0)):
        met = reach[1 - p][ends] @ plain.apart
        assert gained[p] == pytest.approx(sign * 0.05 * pots * met, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("name", ["turn", "river"])
def test_states_are_well_made_and_repeat(name: str) -> None:
    states = played_states(name, 70, np.random.default_rng(2), DEPTHS, BETS)  # type: ignore[arg-type]
    again = played_states(name, 70, np.random.default_rng(2), DEPTHS, BETS)  # type: ignore[arg-type]
    assert states.hashes() == again.hashes()
    assert len(set(states.hashes())) == 70
    assert set(states.kind) == {KINDS.index("played")}
    possible = possible_hands(states.boards)
    assert states.boards.shape == (70, {"turn": 4, "river": 5}[name])
    assert all(len(set(board)) == len(board) for board in states.boards.tolist())
    assert ((states.ranges > 0.0) == possible[:, None]).all()
    assert (states.ranges.max(axis=2) == 1.0).all()
    assert (states.depth >= 0.1).all()
    assert (states.depth <= 3.0).all()
    # a bet and a call: (0.8 - 0.75) / 2.5 is less than the least depth; (3 - 0.75) / 2.5
    assert set(np.round(states.depth, 3)) <= {0.2, 0.8, 3.0, 0.9}


def test_products_are_those_of_numpy() -> None:
    from equilibrist.learning.hand_values.played_street import _product

    random = np.random.default_rng(0)
    first, second, matrix = (random.random(shape).astype(np.float32) for shape in ((3, 20), (2, 20), (20, 30)))
    assert _product([first, second], matrix) == pytest.approx(np.concatenate([first, second]) @ matrix, rel=1e-5)
    assert len(list(combinations(range(52), 2))) == HANDS.count
