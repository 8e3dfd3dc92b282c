"""Exact leaves in searches, against the engine of search with its own."""

from __future__ import annotations

import numpy as np
import pytest

from equilibrist.experiments.brown.depth_limits.dice_leaves import curve
from equilibrist.experiments.brown.learning.rebel_oracle import SOLVERS, Study
from equilibrist.forms.compiled import compiled
from equilibrist.learning.rebel.belief_game import belief_game
from equilibrist.learning.rebel.exact_leaves import ExactLeaves, expected_values
from equilibrist.learning.rebel.solving import SubgameSolver
from equilibrist.learning.rebel.templates import Templates
from equilibrist.solvers.responses.best_response import evaluate_policy

NONE = np.zeros((1, 0), dtype=np.int32)
ASKED = {"cfr-d": "CFR-D", "cfr-avg": "CFR-AVG", "modified-cfr-avg": "modified CFR-AVG"}


@pytest.mark.parametrize("asking", ASKED)
def test_policies_are_as_good_as_those_of_the_engine_of_search(asking: str) -> None:
    """Two programs, two solvers below leaves; equilibria there are not unique, so policies part after some iterations."""
    study = Study.of(3, 2)
    theirs = curve(study.game.game.public_tree, asking, (1, 2, 24), 300)  # type: ignore[arg-type]
    mine = [study.limited(ASKED[asking], t, 300) for t in (1, 2, 24)]
    assert mine[0] == pytest.approx(theirs[0], abs=1e-6)
    assert mine[1] == pytest.approx(theirs[1], rel=0.02)
    assert mine[2] == pytest.approx(theirs[2], rel=0.25)


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_with_a_proof_come_close_to_equilibrium(name: str) -> None:
    """[Brown20, Theorems 27 and 28] on dice of three faces; modified CFR-AVG has none."""
    study = Study.of(3, 2)
    found = [study.limited(name, t, 200) for t in (8, 96)]
    if "modified" in name:
        assert found[1] > 0.05
    else:
        assert found[1] < 0.3 * found[0] < 0.3


def test_expected_values_are_those_of_the_whole_game() -> None:
    game = belief_game(compiled("liars-dice(faces=3)"))
    template, random = Templates(game, 99).of(int(game.future[0])), np.random.default_rng(0)
    sums = random.random((game.slots, 3))
    policy = game.policy(sums)
    strategy = np.zeros((1, template.slots, 3))
    table = game.sums(policy)
    for m in np.flatnonzero(template.shape.player >= 0):
        first, width = template.shape.first_slot[m], template.shape.width[m]
        begin = game.first_slot[template.nodes[m]]
        strategy[0, first : first + width] = table[begin : begin + width]
    value = evaluate_policy(game.game, policy).value
    start = np.ones((1, 2, 3))
    for player in range(2):
        found = expected_values(template, player, strategy, start)[0]
        assert found @ template.prior[player] * game.unit == pytest.approx(value[player], abs=1e-12)


def test_leaves_are_as_good_as_long_searches_below_them() -> None:
    """And hands that are never held have values, too: those of a best response."""
    game = belief_game(compiled("liars-dice(faces=3)"))
    templates = Templates(game, 2)
    template = templates.of(int(game.future[0]))
    reach = np.random.default_rng(1).random((1, len(template.nodes), 2, 3))
    reach[:, :, 0, 1] = 0.0
    out = [np.empty((1, len(template.leaves), 3)) for _ in range(2)]
    for player in range(2):
        ExactLeaves(game, 2000).ask(template, player, reach, out[0])
        longer = SubgameSolver(ExactLeaves(game, 1), 4000)
        for k, leaf in enumerate(template.leaves.tolist()):
            turned = bool(template.leaf_swapped[k])
            held = reach[:, leaf, ::-1] if turned else reach[:, leaf]
            found = longer.solve(Templates(game, 99).of(int(template.leaf_future[k])), held, NONE).root
            out[1][:, k] = found[:, 1 - player if turned else player]
        np.testing.assert_allclose(out[0], out[1], atol=0.03)


def test_fictitious_play_stops_short_where_its_leaves_are_recycled() -> None:
    """Until leaves are asked again answers hardly change, so that steps do not become smaller than the share of `recycle`."""
    study = Study.of(3, 2)
    found = {}
    for share in (0.0, 0.1):
        for iterations in (64, 256):
            solver = SubgameSolver(ExactLeaves(study.game, 100), iterations, algorithm="fp", recycle=share)
            solved = solver.solve(study.template, np.ones((1, *study.template.prior.shape)), NONE)
            found[share, iterations] = study.exploitability(study.game.policy(study.spread(solved.average[0])), 500)
    assert found[0.0, 256] < 0.5 * found[0.0, 64]
    assert found[0.1, 256] > 0.7 * found[0.1, 64] > 2.0 * found[0.0, 64]
