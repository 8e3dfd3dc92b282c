"""Hold'em searched again on its boards: safe where it says so, and the same as search on the plain public tree."""

import numpy as np
import pytest

from equilibrist import Spot, compiled, solve
from equilibrist.cards.ranges import parse_cards
from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError, UnknownNameError
from equilibrist.core.solution import SolveRecord
from equilibrist.search.engines.spot_rest import spot_at
from equilibrist.search.engines.spots import search_from, search_spot
from equilibrist.search.node_alternatives import gifts_at
from equilibrist.search.reach import gifts
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import search
from equilibrist.search.techniques import TECHNIQUES
from equilibrist.search.tree_profile import TreeProfile
from reference.spot_game import SpotGame

RANGES = {
    "oop": "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    "ip": "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
}
SPOT = Spot(board="Td9d6hQc", pot=200, stack=900, range=RANGES, bets={"bet": "60%", "raise": "a"})


@pytest.fixture(scope="module")
def blueprint():
    """Far from solved: there is something to gain and to lose."""
    return solve(SPOT, iterations=40)


@pytest.mark.parametrize("technique", ["resolve", "maxmargin"])
@pytest.mark.parametrize(("line", "searcher"), [("x:x:2s", "ip"), ("x:b120:c:Kd", "oop"), ("x:x:7d:x", "oop")])
def test_safe_search_leaves_no_hand_of_the_opponent_better_off(blueprint, technique, line, searcher):
    found = search_from(blueprint.at(line), searcher, technique, iterations=1500)
    assert found.exploitability < 0.5
    assert found.tolerance <= 2.0 * found.exploitability + 1e-3
    if technique == "maxmargin":
        assert found.margin >= -2.0 * found.exploitability - 1e-3


def test_unsafe_search_does_hurt(blueprint):
    """The control: hands that the blueprint's opponent would not hold get more than before."""
    place = blueprint.at("x:x:2s")
    found = search_from(place, "ip", "unsafe", iterations=1500)
    before = np.full(1326, np.nan)
    before[place.hands_of("oop")] = place.best_response_ev("oop")
    assert np.nanmax(found.values - before[found.hands]) > 3.0


def test_a_bet_that_the_solution_does_not_know_is_answered_safely(blueprint):
    place = blueprint.at("x:x:2s:x")
    found = search_from(place, "oop", "resolve", bet="b37", iterations=1500)
    assert found.solution.root.player == "oop"
    assert found.solution.spot.line == ("x", "b37")
    before = dict(zip(place.hands_of("ip").tolist(), place.best_response_ev("ip").tolist(), strict=True))
    # what each hand could have without the bet, counted in the pot that now holds the bet
    assert found.alternative == pytest.approx(
        [before[hand] + 37.0 for hand in found.hands.tolist()], abs=1e-3, nan_ok=True
    )
    assert found.tolerance <= 2.0 * found.exploitability + 1e-3


TINY = Spot(
    board="Td9d6hQc2s",
    pot=20,
    stack=40,
    range={"oop": "AsAc,KsKc:0.7,8s7s,5s4s", "ip": "AhAd,TsTc:0.5,Js8c,7c5c"},
    bets={"bet": "100%", "raise": "a"},
)


@pytest.mark.parametrize("technique", ["resolve", "maxmargin"])
@pytest.mark.parametrize("searcher", [0, 1])
def test_boards_and_plain_public_trees_find_the_same(technique, searcher):
    tree = compiled(SpotGame(TINY)).public_tree
    root = next(s for s, above in enumerate(tree.parent.tolist()) if above == 0)
    uniform = TreeProfile(tree, tree.infosets.uniform())
    plain = search(Subgame.of(uniform, [root]), searcher, technique, blueprint=uniform, solver="cfr+", iterations=4000)
    start = _uniform(TINY)
    alternative = np.full(1326, np.nan)
    alternative[start.root.hands_of(1 - searcher)] = start.root.best_response_ev(1 - searcher)
    found = search_spot(
        TINY, ("oop", "ip")[searcher], technique, alternative=alternative, iterations=4000, solver="cfr+"
    )
    if technique == "maxmargin":
        assert found.margin == pytest.approx(plain.margin, abs=0.02)
    else:
        assert found.margin >= -0.02
        assert plain.margin >= -0.02
    net = np.sort(found.alternative - TINY.pot / 2)
    assert net == pytest.approx(np.sort(plain.alternative), abs=1e-4)


SEEN = {  # the margins of both routes after x:b20 of a uniform blueprint, once computed by a third one
    "maxmargin": 7.02567,
    "reach-maxmargin": 8.46806,
}


@pytest.mark.parametrize("name", sorted(SEEN))
def test_margins_of_a_tiny_spot_are_those_of_its_public_tree(name):
    tree = compiled(SpotGame(TINY)).public_tree
    uniform = TreeProfile(tree, tree.infosets.uniform())
    plain = search(Subgame.of(uniform, [":x:b20"]), 0, name, blueprint=uniform, solver="cfr+", iterations=2000)
    found = search_from(_uniform(TINY).at("x:b20"), "oop", name, solver="cfr+", iterations=2000, bits=32)
    assert plain.margin == pytest.approx(SEEN[name], abs=1e-4)
    assert found.margin == pytest.approx(SEEN[name], abs=1e-3)
    assert np.sort(found.values) == pytest.approx(np.sort(plain.values) + TINY.pot / 2 + 20, abs=0.01)


def test_ties_under_resolve_are_broken_alike_on_boards_and_trees():
    """A uniform blueprint is worth the same inside and outside, so nobody enters and the searcher learns nothing."""
    tree = compiled(SpotGame(TINY)).public_tree
    uniform = TreeProfile(tree, tree.infosets.uniform())
    plain = search(Subgame.of(uniform, [":x:b20"]), 0, "resolve", blueprint=uniform, solver="cfr+", iterations=500)
    found = search_from(_uniform(TINY).at("x:b20"), "oop", "resolve", solver="cfr+", iterations=500, bits=32)
    assert plain.margin == pytest.approx(0.0, abs=1e-9)
    assert found.margin == pytest.approx(0.0, abs=1e-4)
    assert np.sort(found.values) == pytest.approx(np.sort(plain.values) + TINY.pot / 2 + 20, abs=1e-3)


TINY_TURN = Spot(
    board="Td9d6hQc",
    pot=20,
    stack=70,
    range={"oop": "AsAc,KsKc:0.7,3s2c,5s4s", "ip": "AhAd,TsTc:0.5,Js8c,3d2h"},
    bets={
        "turn": {"bet": "300%", "raise": "a"},
        "river": {"bet": "", "raise": ""},
    },  # no bluffs, so bad calls are gifts
)


def _key(hand):
    high = next(h for h in range(52) if h * (h - 1) // 2 <= hand < h * (h + 1) // 2)
    return str((high, hand - high * (high - 1) // 2))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize(("line", "card"), [("b60:c:Kd", 0), ("x:b60:c:Kd:x", 1)])
def test_gifts_across_streets_are_those_of_the_public_tree(split, line, card):
    tree = compiled(SpotGame(TINY_TURN)).public_tree
    uniform = TreeProfile(tree, tree.infosets.uniform())
    place = _uniform(TINY_TURN).at(line)
    opponent = 1 - ("oop", "ip").index(place.player)
    assert card == 1 - opponent
    before, after = line.split(":Kd")
    state = f":{before}/{parse_cards('Kd')[0]}{after}"
    hands = uniform.at([tree.number(state)], opponent)
    layout = uniform.layout
    keys = tree.private[opponent].keys
    theirs = dict(
        zip(
            (keys[k - layout.own(opponent).start].split(")")[0] + ")" for k in hands.tolist()),
            gifts(uniform, hands, opponent, split=split).tolist(),
            strict=True,
        )
    )
    ours = gifts_at(place, opponent, split=split)
    assert max(theirs.values()) > 0.3
    for hand in place.hands_of(opponent).tolist():
        assert ours[hand] == pytest.approx(theirs[_key(hand)], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("name", [name for name in TECHNIQUES if name != "unsafe"])
@pytest.mark.parametrize(("line", "searcher"), [("x:b120", "oop"), ("x:x:2s", "ip")])
@pytest.mark.sampled(8)
def test_every_technique_searches_turns_and_rivers(blueprint, name, line, searcher):
    found = search_from(blueprint.at(line), searcher, name, iterations=150)
    assert found.technique.name == name
    assert 0.0 <= found.exploitability < 20.0
    assert np.isfinite(found.values[found.mass > 0]).all()
    rows = found.solution.root.strategy
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert np.isnan(found.tolerance) == (not found.technique.safe)


def _uniform(spot):
    """A solution that plays every action alike."""
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
    from equilibrist.solvers.postflop.solve_spot import start_spot

    run = start_spot(spot, isomorphism=False)
    return SpotSolution.of_run(run, spot, SolveRecord("dcfr(gamma=3)"))


def test_the_rest_of_a_spot_is_a_spot(blueprint):
    rest = spot_at(blueprint.at("x:b120:c:Kd:x"))
    assert (rest.board_text, rest.pot, rest.stack, rest.line) == ("Td9d6hQcKd", 440.0, 780.0, ("x",))


@pytest.mark.parametrize(
    ("error", "said", "make"),
    [
        (NotApplicableError, "needs to know", lambda b: search_spot(SPOT, "ip", "resolve")),
        (UnknownNameError, "no search technique 'magic'", lambda b: search_spot(SPOT, "ip", "magic")),
        (
            NotApplicableError,
            "how uncertain",
            lambda b: search_spot(SPOT, "ip", "estimate-distributional", alternative=np.zeros(1326)),
        ),
        (ParameterError, "'oop' or 'ip'", lambda b: search_spot(SPOT, "dealer")),
        (ParameterError, "1326 shares", lambda b: search_spot(SPOT, "ip", "resolve", alternative=[1.0])),
        (NotApplicableError, "Nobody acts", lambda b: search_from(b.at("x:x"), "ip")),
        (ParameterError, "least bet is 1", lambda b: search_from(b.at("x"), "oop", bet="b0.5")),
        (ParameterError, "least raise is to 240", lambda b: search_from(b.at("x:b120"), "ip", bet="r130")),
        (ParameterError, "itself acts", lambda b: search_from(b.at("x"), "ip", bet="b50")),
        (
            NotApplicableError,
            "rake",
            lambda b: search_spot(SPOT.changed(rake={"rate": 0.05}), "ip", "resolve", alternative=np.zeros(1326)),
        ),
    ],
)
def test_impossible_searches_are_refused(blueprint, error, said, make):
    with pytest.raises(EquilibristError, match=said) as caught:
        make(blueprint)
    assert isinstance(caught.value, error)
