"""The betting before the boards, and bets that a blueprint in buckets does not know, against the public tree of the whole game."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from equilibrist.cards.evaluator import hand_index
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.search.depth_limited.depth_limited import draws_below, search_to_edge
from equilibrist.search.depth_limited.multi_valued_states import biased_set, exact_payoffs
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.board_subgame import BoardSubgame
from equilibrist.search.engines.games import search_board
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.engines.streamed.bucket_engine import GadgetOutcome
from equilibrist.search.engines.streamed.nested import NestedStream
from equilibrist.search.engines.streamed.places import find_board, find_place
from equilibrist.search.engines.streamed.street_engine import ContinuationEngine, StreetSubgame, search_street
from equilibrist.search.maxmargin import Maxmargin
from equilibrist.search.off_tree.nested_search import answer_inexpensive, child_of, extend
from equilibrist.search.off_tree.unknown_bet import forests_after
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import SubgameSolution, search
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.blueprint.abstract_poker import ExactBuckets
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedProfile
from streamed_games import blueprint, exact, on_tree, read_key, schedule, trunk

ITERATIONS = 300
Numbers = npt.NDArray[np.float64]


@cache
def even() -> TreeProfile:
    """What `exact` plays, on the public tree; every hand is told apart."""
    tree = blueprint().tree
    return TreeProfile(tree, tree.infosets.uniform(), tree)


def hands_of(known: TreeProfile, state: int, player: int) -> list[int]:
    """Numbers of a player's hands at a public state, in the tree's order."""
    first = known.layout.own(player).start
    keys = [known.tree.private[player].keys[k - first] for k in known.at([state], player).tolist()]
    return [int(hand_index(np.array([sorted(read_key(key)[0])]))[0]) for key in keys]


def worth(technique: Technique, alternative: Numbers | None, values: Numbers, mass: Numbers, reach: Numbers) -> float:
    """What a gadget game is worth to the opponent's hands, chips: equilibria differ, their value does not."""
    if alternative is None:
        return float((reach * mass) @ values / (reach @ mass))
    if isinstance(technique.gadget, Maxmargin):
        return float((values - alternative)[mass > 0].max())
    return float(mass @ np.maximum(values, alternative) / mass.sum())


def agree(found: GadgetOutcome, theirs: SubgameSolution, known: TreeProfile, state: int, deals: float) -> None:
    """Both routes are told the same, and their gadget games are worth the same up to how far they are solved."""
    order, technique = hands_of(known, state, 1 - theirs.searcher), find_technique(theirs.technique)
    reach, inputs = theirs.subgame.ranges[1 - theirs.searcher], found.inputs
    ours = None
    if theirs.alternative is not None:
        assert inputs.alternative is not None
        ours = inputs.alternative[order]
        met = theirs.mass > 0
        assert ours[met] == pytest.approx(theirs.alternative[met], abs=0.02)
    one = worth(technique, ours, found.values[order], inputs.mass[order], inputs.reach[order])
    two = worth(technique, theirs.alternative, theirs.values, theirs.mass, reach)
    assert found.gap / deals < 2.0  # of stacks of 1,200 chips
    assert one == pytest.approx(two, abs=1.5)


@pytest.mark.parametrize("name", ["unsafe", "resolve", "maxmargin", "reach-maxmargin"])
@pytest.mark.parametrize(
    ("line", "searcher"),
    [("", 1), ("c", 0), *(pytest.param(*each, marks=pytest.mark.slow) for each in (("c", 1), ("r300", 0)))],
)
@pytest.mark.sampled(1)
def test_the_first_street_is_searched_as_on_the_public_tree(name: str, line: str, searcher: int) -> None:
    whole, _ = exact()
    known, state = even(), even().tree.number(line) if line else 1
    plain = search(Subgame.of(known, [state]), searcher, name, blueprint=known, solver="cfr+", iterations=ITERATIONS)
    subgame = StreetSubgame.of(whole, find_place(whole, line).node)
    found = search_street(subgame, searcher, find_technique(name), schedule(), ITERATIONS)
    assert found.engine.iteration == ITERATIONS
    agree(found, plain, known, state, whole.abstract.first.pairs)
    assert found.strategy().sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("name", ["unsafe", "resolve", "reach-maxmargin", "estimate-resolve"])
@pytest.mark.parametrize(("line", "searcher"), [("", 1), ("c", 1), ("r300", 0)])
@pytest.mark.sampled(2)
def test_one_street_alone_is_that_of_the_public_tree(name: str, line: str, searcher: int, balanced: bool) -> None:
    """Hands choose among four continuations of a blueprint in buckets where the board comes."""
    known, state = blueprint(), blueprint().tree.number(line) if line else 1
    four = biased_set(known.policy)
    edge = draws_below(known.tree, state)
    own = four if balanced else None
    plain = search_to_edge(
        known, state, edge, searcher, four, own, technique=name, solver="cfr+", iterations=ITERATIONS
    )
    subgame = StreetSubgame.of(trunk(), find_place(trunk(), line).node)
    below = Continuations(balanced=balanced)
    found = search_street(subgame, searcher, find_technique(name), schedule(), ITERATIONS, continuations=below)
    agree(found, plain, known, state, trunk().abstract.first.pairs)
    other = search_street(subgame, searcher, find_technique(name), schedule(), ITERATIONS)
    assert found.values != pytest.approx(other.values, abs=0.05)  # to the end is something else


@pytest.mark.parametrize("name", ["resolve", "maxmargin", "reach-maxmargin"])
@pytest.mark.parametrize(("line", "searcher"), [("", 0), ("c", 1)])
@pytest.mark.sampled(1)
def test_an_unknown_bet_before_the_board_is_answered_as_on_the_public_tree(name: str, line: str, searcher: int) -> None:
    whole, _ = exact()
    known, state = even(), even().tree.number(line) if line else 1
    subgame = StreetSubgame.after(whole, find_place(whole, line).node, "50%")
    extended = extend(TreeProfile(known.tree, known.policy), known.tree.states[state], "50%")
    here = extended.tree.number(known.tree.states[state])
    root = child_of(extended.tree, here, subgame.line.split(":")[-1])
    plain = answer_inexpensive(known, extended, root, name, solver="cfr+", iterations=ITERATIONS).solution
    found = search_street(subgame, searcher, find_technique(name), schedule(), ITERATIONS)
    agree(found, plain, extended, root, whole.abstract.first.pairs)
    # this street alone, and below it what was learned for a while
    below = Continuations(iterations=10)
    found = search_street(subgame, searcher, find_technique(name), schedule(), ITERATIONS, continuations=below)
    assert isinstance(found.engine.below, ContinuationEngine)
    rows = [each.reshape(-1, whole.abstract.buckets) for each in found.engine.below.followed.rows]
    profile = BucketedProfile(found.engine.rows(), (rows[0], rows[1]))
    learned, _ = on_tree(extended.tree, subgame.abstract, ExactBuckets(whole.abstract.game.rules), profile)
    edge, four = draws_below(extended.tree, root), biased_set(learned)
    payoffs = exact_payoffs(extended.tree, edge, four, four)
    plain = answer_inexpensive(
        known, extended, root, name, continuations=payoffs, solver="cfr+", iterations=ITERATIONS
    ).solution
    agree(found, plain, extended, root, whole.abstract.first.pairs)


def test_an_unknown_bet_that_is_all_in_leaves_nothing_to_play() -> None:
    whole, _ = exact()
    subgame = StreetSubgame.after(whole, 0, "a")
    for below in (None, Continuations()):
        found = search_street(subgame, 0, find_technique("resolve"), schedule(), 100, continuations=below)
        assert subgame.abstract.forests[0].labels(0) == ("f", "c")
        assert np.isfinite(found.values).all()
        assert found.gap / whole.abstract.first.pairs < 3.0


@pytest.mark.parametrize("name", ["resolve", "maxmargin", "reach-maxmargin", "reach-maxmargin-unsplit"])
@pytest.mark.parametrize(("line", "searcher"), [("c:x:JcQdKc", 1), ("r300:c:JcQdKc:x", 0)])
@pytest.mark.sampled(3)
def test_an_unknown_bet_on_a_board_is_answered_as_on_the_public_tree(name: str, line: str, searcher: int) -> None:
    known, place = blueprint(), find_place(trunk(), line)
    assert place.suits == (0, 1)
    state = known.tree.number(line)
    extended = extend(TreeProfile(known.tree, known.policy), line, "50%")
    below, _, label = forests_after(trunk().abstract.game, trunk().abstract.forests[1], place.node, line, "50%")
    root = child_of(extended.tree, extended.tree.number(line), label)
    if name.endswith("unsplit"):  # boards up to suits are counted there, all boards here
        known = TreeProfile(known.tree, known.policy)
    plain = answer_inexpensive(known, extended, root, name, solver="cfr+", iterations=ITERATIONS).solution
    board = BoardSubgames(trunk(), place.on_board, schedule()).blueprint()
    subgame = BoardSubgame(board, (), (place.node,), below, off_tree=True)
    found = search_board(subgame, searcher, name, solver="cfr+", stop=Stop(iterations=ITERATIONS))
    assert found.alternative is not None
    assert plain.alternative is not None
    place_of = {int(hand): k for k, hand in enumerate(subgame.hands(1 - searcher).tolist())}
    order = [place_of[hand] for hand in hands_of(extended, root, 1 - searcher)]
    met = plain.mass > 0
    if not name.endswith("unsplit"):
        assert found.alternative[order][met] == pytest.approx(plain.alternative[met], abs=0.05)
        chosen, reach = find_technique(name), np.ones(len(order))
        ours = worth(chosen, found.alternative[order], found.values[order], found.mass[order], reach)
        theirs = worth(chosen, plain.alternative, plain.values, plain.mass, reach)
        assert ours == pytest.approx(theirs, abs=1.5)
    assert state > 0


def test_a_hand_is_played_out_before_the_board_and_on_it() -> None:
    whole, _ = exact()
    hand = NestedStream(whole, 1, find_technique("maxmargin"), 100)
    hand.follow("c:50%")
    answered, first = hand.trunk, hand.trunk.abstract.first
    assert answered.reach[1][0] == pytest.approx(whole.reach[1][find_place(whole, "c").node])  # as it got here
    boards = [BoardSubgames(answered, b, schedule()) for b in range(len(answered.abstract.boards[1].cards))]
    for me in range(2):  # best responses to the answer, board by board and streamed
        below = np.sum([each._placed(each.bounds[me] * each.masses[me]) for each in boards], axis=0)
        nodes = first.up(me, answered.reach[1 - me], first.over_suits(below))
        assert nodes[0] == pytest.approx(answered.best[me].nodes[0], rel=1e-4, abs=1e-2)
    hand.follow("c:JcQdKc:50%")
    assert hand.boards is not None
    (found,) = hand.boards.searches
    assert found.alternative is not None
    _, number, _ = find_board(answered, "JcQdKc")
    root = int(answered.abstract.forests[1].before.index("c:r200:c/"))
    order = np.argsort(boards[number].hands)
    held = boards[number].bounds[0].reshape(answered.abstract.roots, -1)[root][order]
    there = np.argsort(found.subgame.hands(0))
    assert found.alternative[there] == pytest.approx(held, abs=0.02)  # what the answer before leaves
    told = hand.answer("eight cards")
    assert told.line == "c:r200:c:JcQdKc:b200"
    assert told.player == told.searcher == 1
    assert all(sum(row) == pytest.approx(1.0, abs=1e-5) for row in told.hands.values())
    assert told.tolerance >= 0.0
    other = NestedStream(whole, 1, find_technique("maxmargin"), 100)
    other.follow("c:50%:c:JdQcKd:50%")
    renamed = {frozenset((key[:2], key[2:])): row for key, row in other.answer("eight cards").hands.items()}
    swap = str.maketrans("cd", "dc")
    for key, row in told.hands.items():
        turned = key.translate(swap)
        assert renamed[frozenset((turned[:2], turned[2:]))] == pytest.approx(row, abs=1e-4)


def test_clear_errors() -> None:
    whole, _ = exact()
    subgame = StreetSubgame.after(whole, 0, "50%")
    with pytest.raises(NotApplicableError, match="cannot answer an off-tree action"):
        search_street(subgame, 0, find_technique("unsafe"), schedule(), 1)
    with pytest.raises(ParameterError, match="adds nothing"):
        StreetSubgame.after(whole, 0, "100%")
    with pytest.raises(NotApplicableError, match="are for spots"):
        search_street(
            StreetSubgame.of(whole, 0), 0, find_technique("resolve"), schedule(), 1,
            continuations=Continuations(sample=(3,)),
        )  # fmt: skip
    with pytest.raises(NotApplicableError, match="begins where a player acts"):
        StreetSubgame.of(whole, int(whole.abstract.first.deals[0]))
