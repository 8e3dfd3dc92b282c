"""Subgames of streamed boards against the public tree of the whole game, which shares neither boards nor kernels nor suits with them."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import hand_index
from equilibrist.games.rules import CHANCE
from equilibrist.search.alternatives import estimates, upper_bounds
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.engines.streamed.bucket_engine import search_in_buckets
from equilibrist.search.reach import gifts
from equilibrist.search.subgame import Subgame, after_chance
from equilibrist.search.subgame_solving import search, search_everywhere
from equilibrist.search.techniques import TECHNIQUES, find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import evaluate_public
from streamed_games import blueprint, exact, read_key, schedule, trunk

ITERATIONS = 100


@cache
def subgames() -> tuple[BoardSubgames, ...]:
    return tuple(BoardSubgames(trunk(), b, schedule()) for b in range(len(trunk().abstract.boards[1].cards)))


def test_the_blueprint_is_as_exploitable_by_both_routes() -> None:
    best = blueprint().evaluate().best_response_value
    assert best is not None
    assert [values.average for values in trunk().best] == pytest.approx(list(best), abs=1e-3)


def test_boards_add_up_to_the_best_response() -> None:
    for me in range(2):
        below = sum(each._placed(each.bounds[me] * each.masses[me]) for each in subgames())
        assert isinstance(below, np.ndarray)
        assert trunk().whole_value(me, below) == pytest.approx(trunk().best[me].average, abs=1e-3)


@pytest.mark.parametrize("what", ["bound", "estimate", "gift", "mass"])
def test_what_search_is_told_is_the_same_by_both_routes(what: str) -> None:
    """Some boards, every line that leads to them, both opponents."""
    tree, forest = blueprint().tree, trunk().abstract.forests[1]
    compared = 0
    for state in after_chance(tree):
        *line, text = tree.states[state].split(":")
        root = forest.before.index(":".join(line) + "/")
        for each in subgames()[::5]:
            if "".join(map(Deck(4, 2).label, sorted(each.deal.board_cards))) != text:
                continue
            subgame = Subgame.of(blueprint(), [state])
            for opponent in range(2):
                theirs = _told(what, subgame, opponent)
                hands = [read_key(_key(opponent, int(k)))[0] for k in blueprint().at([state], opponent)]
                place = {int(hand): n for n, hand in enumerate(each.hands)}
                order = [place[int(hand_index(np.array([sorted(hand)]))[0])] for hand in hands]
                ours = _ours(what, each, opponent).reshape(len(forest.before), -1)[root, order]
                if (
                    what != "mass"
                ):  # values are added up in single precision before they are divided by what a hand meets
                    met = each.masses[opponent].reshape(len(forest.before), -1)[root, order]
                    ours, theirs = ours * met, theirs * met
                assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-2)
                compared += 1
    assert compared == 2 * len(forest.before) * len(subgames()[::5])


def _key(player: int, infostate: int) -> str:
    layout = blueprint().layout
    return blueprint().tree.private[player].keys[infostate - layout.own(player).start]


def _told(what: str, subgame: Subgame, opponent: int) -> npt.NDArray[np.float64]:
    if what == "mass":  # there chance is counted: 28 hands against 15, four flops
        return subgame.mass(opponent) * 28 * 15 * 4
    told = {"bound": upper_bounds, "estimate": estimates, "gift": gifts}[what]
    hands = blueprint().at(subgame.roots, opponent)
    return told(blueprint(), hands, opponent)  # type: ignore[operator, no-any-return]


def _ours(what: str, each: BoardSubgames, opponent: int) -> npt.NDArray[np.float64]:
    if what == "mass":
        return each.masses[opponent]
    if what == "gift":
        return trunk().gifts[opponent][:, each.hands].ravel()
    return (each.bounds if what == "bound" else each.estimates)[opponent]


@pytest.mark.parametrize("name", sorted(set(TECHNIQUES) - {name for name in TECHNIQUES if name.endswith("unsplit")}))
@pytest.mark.sampled(2)
def test_techniques_leave_the_same_exploitability(name: str) -> None:
    """In chips of a game whose blueprint can be exploited by some hundred; equilibria of subgames are not unique."""
    technique = find_technique(name)
    ours = []
    for searcher in range(2):
        found = [each.search(technique, searcher, ITERATIONS) for each in subgames()]
        ours.append(trunk().whole_value(1 - searcher, np.sum([each.values for each in found], axis=0)))
    policy, _ = search_everywhere(blueprint(), after_chance(blueprint().tree), name, iterations=ITERATIONS)
    best = evaluate_public(blueprint().tree, policy).best_response_value
    assert best is not None
    allowed = 0.02 * trunk().exploitability
    assert ours == pytest.approx([best[1], best[0]], abs=allowed)
    before = [trunk().best[1].average, trunk().best[0].average]
    if technique.safe:
        assert all(after <= value + allowed for after, value in zip(ours, before, strict=True))


def test_unsplit_gifts_are_counted_once_for_every_board() -> None:
    split, unsplit = (find_technique(f"reach-maxmargin{end}") for end in ("", "-unsplit"))
    door, bare = subgames()[0].inputs(split, 0), subgames()[0].inputs(find_technique("maxmargin"), 0)
    assert door.alternative is not None
    assert bare.alternative is not None
    gift = door.alternative - bare.alternative
    whole = subgames()[0].inputs(unsplit, 0).alternative
    assert whole is not None
    assert gift.max() > 0
    assert whole - bare.alternative == pytest.approx(len(subgames()) * gift)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "searcher"),
    [
        ("maxmargin", 0),
        ("reach-maxmargin", 1),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (("maxmargin", 1), ("reach-maxmargin", 0))),
    ],
)
def test_all_boards_at_once_are_the_subgames_before_the_cards(name: str, searcher: int) -> None:
    """One engine streams over all boards; with a bucket for each hand nothing is lost against the public tree."""
    trunk, stream = exact()
    tree = blueprint().tree
    uniform = TreeProfile(tree, tree.infosets.uniform())
    draws = [s for s in range(1, len(tree.states)) if tree.player[s] == CHANCE]
    plain = search(Subgame.of(uniform, draws), searcher, name, blueprint=uniform, solver="cfr+", iterations=300)
    found = search_in_buckets(trunk, stream, searcher, find_technique(name), schedule(), 300)
    assert found.engine.iteration == 300
    by_line = dict(zip(stream.abstract.forests[1].before, found.margins.tolist(), strict=True))
    ours = [by_line[f"{tree.states[root]}/"] for root in plain.subgame.roots]
    theirs = np.full(len(ours), np.inf)
    assert plain.alternative is not None
    held = plain.mass > 0
    np.minimum.at(theirs, plain.subgame.groups(1 - searcher)[held], (plain.alternative - plain.values)[held])
    assert max(ours) > 10.0  # chips
    assert ours == pytest.approx(theirs.tolist(), rel=0.02, abs=1.0)
