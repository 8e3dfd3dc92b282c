"""Searches of all turn boards against the public tree of the whole game, which shares neither boards nor kernels nor suits with them."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest

from equilibrist.search.alternatives import estimates, upper_bounds
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.engines.streamed.boards_at_once import BoardsAtOnce
from equilibrist.search.reach import gifts
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import search_everywhere
from equilibrist.search.techniques import TECHNIQUES, find_technique
from equilibrist.solvers.responses.public_response import evaluate_public
from reference.plain_boards_apart import PlainBoards
from streamed_games import schedule
from streamed_turns import DECK, hand_number, read_turn_key, turn_blueprint, turn_states, turn_trunk

ITERATIONS = 60
# NumPy under another name: gadgets then work by array expressions, as on a device
ARRAYS = SimpleNamespace(**{name: getattr(np, name) for name in dir(np) if not name.startswith("_")})
SPLIT = sorted(name for name in TECHNIQUES if not name.endswith("unsplit"))


@cache
def subgames() -> tuple[BoardSubgames, ...]:
    return tuple(BoardSubgames(turn_trunk(), b, schedule()) for b in range(len(turn_trunk().abstract.copies)))


def whole_value(me: int, values: list[npt.NDArray[np.float64]]) -> float:
    """From what each board is worth: flop by flop, then before the flop."""
    trunk, boards = turn_trunk(), range(len(subgames()))
    below = np.zeros(trunk.summed(boards))
    for each, found in zip(subgames(), values, strict=True):
        below[:, each.before] += found
    return trunk.whole_value(me, trunk.carried(me, boards, below))


def test_boards_add_up_to_the_best_response() -> None:
    for me in range(2):
        values = [each._placed(each.bounds[me] * each.masses[me]) for each in subgames()]
        assert whole_value(me, values) == pytest.approx(turn_trunk().best[me].average, rel=1e-5)


def test_pieces_of_whole_flops_add_up() -> None:
    trunk, borders = turn_trunk(), turn_trunk().abstract.borders.tolist()
    cuts = [borders[0], borders[3], borders[4], borders[-1]]
    for me in range(2):
        total = np.zeros((3, 36))
        for boards in map(range, cuts[:-1], cuts[1:]):
            below, first = np.zeros(trunk.summed(boards)), trunk.boards_before(boards).start
            for each in subgames()[boards.start : boards.stop]:
                below[:, each.before - first] += each._placed(each.bounds[me] * each.masses[me])
            total += trunk.carried(me, boards, below)
        assert trunk.whole_value(me, total) == pytest.approx(trunk.best[me].average, rel=1e-5)


@pytest.mark.parametrize("what", ["bound", "estimate", "gift", "mass"])
def test_what_search_is_told_is_the_same_by_both_routes(what: str) -> None:
    """Some boards, every line that leads to them, both opponents."""
    tree, forest, compared = turn_blueprint().tree, turn_trunk().abstract.last, 0
    chosen = {each.deal.board_cards: each for each in subgames()[::20]}
    for state in turn_states(tree):
        _, deals, line = read_turn_key(f"{DECK.label(0)}{DECK.label(1)}:{tree.states[state]}")
        each = chosen.get((*sorted(deals[0]), *deals[1]))
        if each is None:
            continue
        root, subgame = forest.before.index(line), Subgame.of(turn_blueprint(), [state])
        for opponent in range(2):
            theirs = told(what, subgame, opponent)
            keys = [_key(opponent, int(k)) for k in turn_blueprint().at([state], opponent)]
            place = {int(hand): n for n, hand in enumerate(each.hands)}
            order = [place[hand_number(read_turn_key(key)[0])] for key in keys]
            found, met = (
                rows.reshape(forest.roots, -1)[root, order]
                for rows in (ours(what, each, opponent), each.masses[opponent])
            )
            if what != "mass":  # values are added up in single precision before they are divided by what a hand meets
                found, theirs = found * met, theirs * met
            assert found == pytest.approx(theirs, rel=1e-4, abs=2e-3)
            compared += 1
    acting = int((forest.kind[: forest.roots] <= 1).sum())  # on the other lines both are all-in
    assert compared == 2 * acting * len(chosen)


def _key(player: int, infostate: int) -> str:
    layout = turn_blueprint().layout
    return turn_blueprint().tree.private[player].keys[infostate - layout.own(player).start]


def told(what: str, subgame: Subgame, opponent: int) -> npt.NDArray[np.float64]:
    if (
        what == "mass"
    ):  # there both deals and hands are chances: 36 hands against 21, six cards left of nine, then three, then two
        return subgame.mass(opponent) * 36 * 21 * 2
    told = {"bound": upper_bounds, "estimate": estimates, "gift": gifts}[what]
    return told(turn_blueprint(), turn_blueprint().at(subgame.roots, opponent), opponent)  # type: ignore[operator, no-any-return]


def ours(what: str, each: BoardSubgames, opponent: int) -> npt.NDArray[np.float64]:
    if what == "mass":
        return each.masses[opponent]
    if what == "gift":
        return each.on_board(turn_trunk().gifts[opponent])
    return (each.bounds if what == "bound" else each.estimates)[opponent]


@pytest.mark.parametrize("name", SPLIT)
@pytest.mark.sampled(2)
def test_techniques_leave_the_same_exploitability(name: str) -> None:
    """In chips of a game whose blueprint can be exploited by some fifty; equilibria of subgames are not unique."""
    technique, found, stated = find_technique(name), [], []
    for searcher in range(2):
        each = [here.search(technique, searcher, ITERATIONS) for here in subgames()]
        found.append(whole_value(1 - searcher, [one.values for one in each]))
        stated.append(sum(float(one.tolerances.sum()) for one in each))
    policy, solved = search_everywhere(
        turn_blueprint(), turn_states(turn_blueprint().tree), name, iterations=ITERATIONS
    )
    best = evaluate_public(turn_blueprint().tree, policy).best_response_value
    assert best is not None
    assert found == pytest.approx([best[1], best[0]], abs=0.03 * turn_trunk().exploitability)
    if technique.safe:  # what was given away at the most, chips of the whole game
        assert stated == pytest.approx([each.tolerance for each in solved], rel=0.5)


@pytest.mark.parametrize("name", sorted(name for name in TECHNIQUES if find_technique(name).safe))
def test_safe_techniques_never_raise_exploitability_beyond_what_they_say(name: str) -> None:
    technique, before = find_technique(name), turn_trunk().best
    for searcher in range(2):
        each = [here.search(technique, searcher, ITERATIONS) for here in subgames()]
        after = whole_value(1 - searcher, [one.values for one in each])
        stated = sum(float(one.tolerances.sum()) for one in each)
        assert after <= before[1 - searcher].average + stated + 1e-4
        assert after < 0.75 * before[1 - searcher].average


def test_unsplit_gifts_count_every_deal_crossed() -> None:
    """A gift before the flop is counted once for each turn board, one on the flop once for each card to come, on average."""
    trunk = turn_trunk()
    boards = [len(each.cards) for each in trunk.abstract.boards]
    flop = np.stack([trunk._given_on(1, 0, int(node)) for node in trunk.earlier.last.deals])
    split, unsplit = trunk.gifts[0], trunk.unsplit_gifts[0]
    assert flop.max() > 0.0
    assert (split - flop).max() > 0.0
    assert unsplit == pytest.approx((split - flop) * boards[2] + flop * boards[2] / boards[1])


@pytest.mark.parametrize("arrays", [False, True], ids=["kernels", "arrays"])
@pytest.mark.parametrize(
    "name", ["unsafe", "reach-resolve", "reach-maxmargin-unsplit", "reach-estimate-distributional"]
)
def test_boards_side_by_side_are_those_one_by_one(name: str, arrays: bool) -> None:
    """Those after some flops."""
    trunk, borders = turn_trunk(), turn_trunk().abstract.borders
    boards = range(int(borders[2]), int(borders[6]))
    side_by_side = BoardsAtOnce(trunk, boards, PlainBoards(trunk, boards, schedule(), ARRAYS if arrays else np))
    technique, first = find_technique(name), trunk.boards_before(boards).start
    for searcher in range(2):
        found = side_by_side.search(technique, searcher, 10)
        alone, values = [], np.zeros(trunk.summed(boards))
        for here in subgames()[boards.start : boards.stop]:
            alone.append(here.search(technique, searcher, 10))
            values[:, here.before - first] += alone[-1].values
        assert found.values == pytest.approx(values, rel=1e-3, abs=5e-3 * np.abs(values).max())
        if technique.gadget.needs_values:
            assert found.margin == pytest.approx(min(each.margin for each in alone), rel=1e-3, abs=0.05)
            stated = sum(float(each.tolerances.sum()) for each in alone)
            assert found.tolerance == pytest.approx(stated, rel=1e-3, abs=1e-3)
