"""Public trees of poker built from betting lines and boards are those of the walk over all histories, number for number."""

import numpy as np
import pytest

from equilibrist.forms.public_tree.public_tree import public_tree, walked_public_tree
from equilibrist.games.catalogue import load_game

GAMES = (
    "kuhn",
    "kuhn(players=3)",
    "leduc",
    "leduc(suits=merged)",
    "nolimit-leduc(stack=6,sizes=fcpa)",
    "continuous-leduc(sizes=[0.5,1])",
    "rhode-island(ranks=2,suits=2)",
    pytest.param("flop-holdem(ranks=4,suits=2)", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("name", GAMES)
def test_the_direct_tree_is_the_walked_one(name):
    game = load_game(name)
    direct, walked = public_tree(game), walked_public_tree(game)
    assert direct.states == walked.states
    assert direct.infosets.keys == walked.infosets.keys
    assert direct.infosets.actions == walked.infosets.actions
    assert direct.infosets.public == walked.infosets.public
    for field in ("parent", "player", "first_joint", "joint"):
        assert np.array_equal(getattr(direct, field), getattr(walked, field)), field
        assert getattr(direct, field).dtype == getattr(walked, field).dtype
    assert direct.weight == pytest.approx(walked.weight, rel=1e-12)
    assert direct.returns == pytest.approx(walked.returns, rel=1e-12, abs=1e-12)
    for one, other in zip(direct.private, walked.private, strict=True):
        assert one.keys == other.keys
        for field in ("first", "parent", "action", "row", "first_choice"):
            assert np.array_equal(getattr(one, field), getattr(other, field)), field
            assert getattr(one, field).dtype == getattr(other, field).dtype
    assert np.array_equal(direct.infosets.player, walked.infosets.player)


def test_added_bets_are_in_the_direct_tree_too():
    game = load_game("nolimit-leduc(stack=12,sizes=[1])").with_action("", "60%")
    direct, walked = public_tree(game), walked_public_tree(game)
    assert direct.states == walked.states
    assert direct.infosets.keys == walked.infosets.keys
