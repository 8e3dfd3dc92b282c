"""A tree that is being grown stops when its time is over."""

from __future__ import annotations

import time

import pytest

from equilibrist.compute.time_limit import building_is_over, check_time, time_limit
from equilibrist.core.errors import TimeLimitError
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.solve import solve


def test_the_limit_holds_inside_and_is_lifted_by_the_work() -> None:
    check_time("Nothing")
    with time_limit(0.0):
        time.sleep(0.001)
        with pytest.raises(TimeLimitError, match="The tree was not finished within the 0 seconds"):
            check_time("The tree")
        with time_limit(None):
            check_time("The tree")
        building_is_over()
        check_time("The tree")
    check_time("Nothing")


@pytest.mark.parametrize("game", ["repeated(stages=8)", "leduc(ranks=12)", "goofspiel(cards=6)"])
def test_growing_a_tree_ends_in_time(game: str) -> None:
    began = time.process_time()
    with pytest.raises(TimeLimitError, match="was not finished within the 0.2 seconds allowed"):
        solve(game, "cfr+", seconds=0.2)
    assert time.process_time() - began < 3.0


@pytest.mark.parametrize("game", ["leduc(ranks=10)", "goofspiel(cards=5)"])
def test_growing_a_public_tree_ends_in_time(game: str) -> None:
    with time_limit(0.0), pytest.raises(TimeLimitError, match="public tree"):
        public_tree(load_game(game))


def test_a_solve_whose_time_is_over_keeps_what_it_found() -> None:
    assert solve("kuhn", "cfr+", seconds=0.05).iterations > 0
