"""A street of a trained blueprint searched as a spot."""

from functools import cache

import numpy as np
import pytest

from equilibrist.agents.blueprint.blueprint_search import search_blueprint, spot_of
from equilibrist.core.errors import EquilibristError
from equilibrist.games.catalogue import load_game
from equilibrist.search.requests.request import SearchRequest
from rank_blueprint import rank_blueprint


@cache
def blueprint():
    return rank_blueprint(load_game("nolimit-holdem(stack=2000)"))


def line():
    """A call and a check, then a flop on which the first player checks."""
    return "c:x:Td9d6h:x"


def test_the_spot_has_the_pot_and_the_ranges_of_the_line():
    spot = spot_of(blueprint(), line())
    rules = blueprint().abstract.rules
    assert spot.board_text == "Td9d6h"
    assert spot.pot == 2.0 * max(rules.blinds)
    assert spot.stack == rules.stack - max(rules.blinds)
    assert spot.line == ("x",)
    # the second player called first: its weights are the blueprint's probabilities of a call with each highest card
    tree = blueprint().abstract.tree
    called = blueprint().strategies(0, np.arange(13))[:, tree.actions(0).index("c")]
    weights = spot.weights(int(tree.player[0]))
    held = [hand for hand in (1325, 1225, 900) if weights[hand] > 0]
    assert held
    highest = {hand: next(h for h in range(52) if h * (h - 1) // 2 <= hand < h * (h + 1) // 2) // 4 for hand in held}
    for hand in held[1:]:
        assert weights[hand] / weights[held[0]] == pytest.approx(
            called[highest[hand]] / called[highest[held[0]]], rel=1e-6
        )


@pytest.mark.slow
def test_a_street_is_searched_alone_or_to_the_end():
    request = SearchRequest(line="c:x:Td9d6h:x:x:2s:x:x:Kc", iterations=30)
    found = search_blueprint(blueprint(), request)
    assert (found.searcher, found.technique.name) == ("oop", "unsafe")
    assert found.solution.root.player == "oop"
    alone = search_blueprint(blueprint(), SearchRequest(line="c:x:Td9d6h:x:x:2s", iterations=5, depth="street"))
    assert alone.solution.missing == ("river",)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (SearchRequest(line=line(), technique="resolve"), "buckets of hands only"),
        (SearchRequest(line="c:x"), "no flop"),
        (SearchRequest(line="r9999:c:Td9d6h"), "no line of this blueprint"),
        (SearchRequest(line=line(), bet="b100"), "write the bet itself"),
    ],
)
def test_what_a_blueprint_cannot_answer(request_, said):
    with pytest.raises(EquilibristError, match=said):
        search_blueprint(blueprint(), request_)
