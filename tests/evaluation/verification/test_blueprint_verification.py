"""Blueprints of games that are too large to be walked: every strategy is looked at, and hands are dealt and bet by the rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.evaluation.verification.blueprints import DEALT_HANDS
from equilibrist.evaluation.verification.verify import verify
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from rank_blueprint import rank_blueprint


@pytest.fixture(scope="module")
def blueprint() -> PokerBlueprint:
    made: PokerBlueprint = rank_blueprint(load_game("nolimit-holdem(stack=2000,blinds=[50,100])"))
    return made


@pytest.mark.slow
def test_hands_are_dealt_by_the_rules(blueprint: PokerBlueprint) -> None:
    found = verify(blueprint)
    assert found.agrees
    assert found.histories == DEALT_HANDS
    assert sum(found.recomputed.value) == pytest.approx(0.0, abs=1e-6)
    assert any("distributions" in claim for claim in found.claims.right)


@pytest.mark.parametrize("place", [0, -1])
def test_a_strategy_that_is_none_is_found_wherever_it_stands(blueprint: PokerBlueprint, place: int) -> None:
    packed = blueprint.packed.copy()
    packed[place] ^= 1
    found = verify(replace(blueprint, packed=packed))
    assert not found.agrees
    assert "no distribution" in found.problems[0]


def test_a_tree_of_other_bets_than_the_rules_offer_is_found(blueprint: PokerBlueprint) -> None:
    """The tree says that the first bets are larger than they are."""
    tree = blueprint.abstract.tree
    wrong = replace(tree, paid=np.where(tree.paid > 100.0, tree.paid + 7.0, tree.paid))
    found = verify(replace(blueprint, abstract=replace(blueprint.abstract, tree=wrong)))
    assert not found.agrees
    assert "the rules offer" in found.problems[0]
