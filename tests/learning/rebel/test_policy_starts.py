"""Searches that begin from a policy, and the network that learns it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import ParameterError  # noqa: E402
from equilibrist.forms.compiled import compiled  # noqa: E402
from equilibrist.learning.catalogue import load_method  # noqa: E402
from equilibrist.learning.rebel.belief_game import belief_game  # noqa: E402
from equilibrist.learning.rebel.exact_leaves import ExactLeaves  # noqa: E402
from equilibrist.learning.rebel.playing import Playing  # noqa: E402
from equilibrist.learning.rebel.policy_net import PolicyTraining  # noqa: E402
from equilibrist.learning.rebel.rebel import ReBeL  # noqa: E402
from equilibrist.learning.rebel.solving import SubgameSolver, leaf_reach  # noqa: E402
from equilibrist.learning.rebel.templates import Template, Templates  # noqa: E402
from equilibrist.learning.rebel.warm_start import PolicyStart  # noqa: E402
from equilibrist.solvers.responses.best_response import evaluate_policy  # noqa: E402
from learning.contract import check_learner  # noqa: E402
from learning.rebel.oracles import EvenPlay, Leaning  # noqa: E402
from reference.naive_rebel import NaiveSearch, leaning_leaf  # noqa: E402

NONE = np.zeros((1, 0), dtype=np.int32)
DICE = "liars-dice(faces=3)"
SMALL = ReBeL(inside=24, hands=16, width=16, batch=32, memory=300, reuse=4.0, throughs=8, policy=True)


class Fixed:
    """One table of strategies for all searches of one shape."""

    def __init__(self, table) -> None:
        self.table = table

    def strategies(self, template: Template, start):
        return np.broadcast_to(self.table, (len(start), *self.table.shape))


class Averages:
    """What long searches come to: a policy network without error."""

    def __init__(self, values, iterations: int) -> None:
        self.solver = SubgameSolver(values, iterations)

    def strategies(self, template: Template, start):
        return self.solver.solve(template, start, np.zeros((len(start), 0), dtype=np.int32)).average


def some_table(template: Template, seed: int):
    random, shape = np.random.default_rng(seed), template.shape
    out = np.zeros((template.slots, template.prior.shape[1]))
    for m in np.flatnonzero(shape.player >= 0):
        first, width = shape.first_slot[m], shape.width[m]
        out[first : first + width] = random.dirichlet(np.ones(width), size=out.shape[1]).T
    return out


@pytest.mark.parametrize(("name", "depth"), [("kuhn", 1), ("kuhn", 9), (DICE, 2), (DICE, 3)])
@pytest.mark.parametrize(
    ("algorithm", "weights"),
    [("cfr-d", "linear"), ("cfr-d", "plain"), ("cfr-avg", "linear"), ("modified-cfr-avg", "linear")],
)
def test_starts_equal_plain_recursion(name: str, depth: int, algorithm: str, weights: str) -> None:
    """A policy that stands for five iterations, and those after it; later on rounding decides regrets that are exactly 0."""
    game, last = belief_game(compiled(name)), 6 if algorithm == "modified-cfr-avg" else 7
    template = Templates(game, depth).of(int(game.future[0]))
    held, table = np.random.default_rng(depth).random((2, len(game.hands))), some_table(template, depth)
    warm = PolicyStart(Fixed(table), 5)
    found = SubgameSolver(Leaning(game), last, algorithm=algorithm, weights=weights, warm=warm).solve(
        template, held[None], NONE
    )
    start = {(p, hand): float(found.start[0, p, n]) for p in range(2) for n, hand in enumerate(game.hands)}
    naive = NaiveSearch(game.game.game, depth, leaning_leaf, start, algorithm, weights == "plain")
    naive.start_from(as_rows(game, template, table), 5)
    naive.run(last)
    wanted = as_rows(game, template, found.average[0])
    for key, sums in naive.average.items():
        expected = np.array(sums) / sum(sums) if sum(sums) > 0 else np.full(len(sums), 1 / len(sums))
        np.testing.assert_allclose(wanted[key], expected, atol=1e-9)
    for player in range(2):
        weight = game.weight[0] if player == 0 else game.weight[0].T
        mass = weight @ found.start[0, 1 - player]
        for n, hand in enumerate(game.hands):
            expected = naive.root[player, hand] / (last if weights == "plain" else last * (last + 1) / 2) / mass[n]
            assert found.root[0, player, n] * game.unit == pytest.approx(expected, abs=1e-9)


def as_rows(game, template: Template, table) -> dict[str, list[float]]:
    """By infoset key, as plain recursion has it."""
    sums = np.zeros((game.slots, len(game.hands)))
    for m in np.flatnonzero(template.shape.player >= 0):
        first, width = template.shape.first_slot[m], template.shape.width[m]
        sums[game.first_slot[template.nodes[m]] :][:width] = table[first : first + width]
    policy, inside = game.policy(sums), set(template.nodes[template.shape.player >= 0].tolist())
    first = policy.infosets.first_slot[:-1]
    return {
        key: policy.row(row).tolist()
        for row, key in enumerate(policy.infosets.keys)
        if int(game.slot_state[first[row]]) in inside
    }


@pytest.mark.parametrize("algorithm", ["cfr-d", "fp", "flop"])
def test_a_good_policy_makes_the_first_iterates_good(algorithm: str) -> None:
    """Dice searched to the end: after 16 iterations that began from what 2,000 came to, and that did not."""
    game = belief_game(compiled(DICE))
    templates = Templates(game, 99)
    warm = PolicyStart(Averages(EvenPlay(game), 2000))
    found = {}
    for t in (16, 40):
        for start in (None, warm):
            play = Playing(templates, SubgameSolver(EvenPlay(game), t, algorithm=algorithm, warm=start))
            found[t, start is warm] = evaluate_policy(game.game, play.averages()).exploitability
    assert found[16, True] < 0.2 * found[16, False]
    assert found[40, True] < 0.7 * found[40, False]


def test_random_iterates_of_a_good_policy_are_better_from_the_first_on() -> None:
    """Two levels of searches with exact leaves; every iterate that is played comes after those that the start stands for."""
    game = belief_game(compiled(DICE))
    templates, leaves = Templates(game, 2), ExactLeaves(game, 100)
    solver = SubgameSolver(leaves, 16, warm=PolicyStart(Averages(leaves, 300)))
    assert (solver.drawn(np.random.default_rng(0), (1000,)) == 16).all()
    assert solver.shares().tolist() == [0.0] * 15 + [1.0]
    cold = SubgameSolver(leaves, 16)
    first, second = (
        evaluate_policy(game.game, Playing(templates, each).play_throughs(8, np.random.default_rng(0))).exploitability
        for each in (solver, cold)
    )
    assert first < 0.5 * second


def test_a_start_needs_iterations_after_it() -> None:
    game = belief_game(compiled("kuhn"))
    with pytest.raises(ParameterError, match="15 iterations"):
        SubgameSolver(EvenPlay(game), 15, warm=PolicyStart(Averages(EvenPlay(game), 2)))
    with pytest.raises(ParameterError, match="'inside' must be more"):
        load_method("rebel(inside=10,policy=true)")
    assert repr(load_method("rebel(policy=true,warm=4,inside=10)")) == "rebel(inside=10,policy=true,warm=4)"


def training(game, templates: Templates, memory: int = 10_000) -> PolicyTraining:
    torch.manual_seed(0)
    return PolicyTraining(templates, 32, 2, 3e-3, memory, torch.device("cpu"))


@pytest.mark.parametrize("name", ["kuhn", "leduc", DICE])
def test_what_it_learns_are_averages(name: str) -> None:
    """Searches from one belief each, seen over and over."""
    game = belief_game(compiled(name))
    templates, random = Templates(game), np.random.default_rng(0)
    policies = training(game, templates)
    solver, searches = SubgameSolver(EvenPlay(game), 30), []
    for future in (int(game.future[0]), *templates.asked[:2]):
        template = templates.of(future)
        found = solver.solve(template, random.random((1, 2, len(game.hands))) + 0.2, NONE)
        policies.remember(template, found, 1, random)
        searches.append((template, found))
    policies.train(1500, 64, 3e-3, random)
    for template, found in searches:
        told = policies.policies.strategies(template, found.start)
        reach = leaf_reach(template, found.average, found.start)
        for m in np.flatnonzero(template.shape.player >= 0):
            slots = slice(template.shape.first_slot[m], template.shape.first_slot[m] + template.shape.width[m])
            held = reach[0, m, template.shape.player[m]] > 0.05  # beliefs below follow from what is told above
            np.testing.assert_allclose(told[0, slots][:, held], found.average[0, slots][:, held], atol=0.08)
            np.testing.assert_allclose(told[0, slots].sum(axis=0), 1.0, atol=1e-6)


def test_a_state_and_its_exchange_are_told_the_same() -> None:
    game = belief_game(compiled(DICE))
    templates = Templates(game)
    policies, random = training(game, templates), np.random.default_rng(0)
    own = policies.questions
    future = next(
        int(c) for c in own.questions.classes if len(set(game.swapped[(game.future == c) & (game.player >= 0)])) == 2
    )
    alike = np.flatnonzero((game.future == future) & (game.player >= 0))
    reach = random.random((1, 1, 2, 3))
    rows = []
    for state in (alike[~game.swapped[alike]][0], alike[game.swapped[alike]][0]):
        turned = bool(game.swapped[state])
        level = dataclasses.replace(
            own.levels(templates.of(int(game.future[0])))[0],
            nodes=np.zeros(1, np.int32), prior=game.prior(int(state))[None], swapped=np.array([turned]), future=np.array([future]),
        )  # fmt: skip
        rows.append(own.rows(level, np.ascontiguousarray(reach[:, :, ::-1]) if turned else reach))
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-7)


def test_hands_that_never_get_there_are_not_learned() -> None:
    game = belief_game(compiled("kuhn"))
    templates, random = Templates(game), np.random.default_rng(0)
    policies = training(game, templates)
    template = templates.of(int(game.future[0]))
    begin = np.ones((1, 2, 3))
    begin[0, 0, 1] = 0.0
    policies.remember(template, SubgameSolver(EvenPlay(game), 5).solve(template, begin, NONE), 2, random)
    held = policies.memory["held"]
    assert np.array_equal(held[0], held[1])  # one search that stands for two, depth by depth
    assert len(policies.questions.levels(template)[0].nodes) == 1
    assert held[0].tolist() == [True, False, True]


@pytest.mark.parametrize("name", ["kuhn", "liars-dice(faces=2)"])
def test_it_fulfils_what_every_learner_must(name: str) -> None:
    check_learner(SMALL, name)


def test_states_without_a_policy_are_refused() -> None:
    game = compiled("kuhn")
    without = dataclasses.replace(SMALL, policy=False).start(game, seed=0, device="cpu")
    with pytest.raises(ValueError, match="with a policy"):
        SMALL.start(game, seed=0, device="cpu").restore(without.small_state(), None)
    learner = SMALL.start(game, seed=0, device="cpu")
    assert learner.nets().keys() == {"values", "policy"}
    assert SMALL.memory_bytes(game) == sum(
        memory.nbytes for memory in (learner.memory, learner.policies.memory if learner.policies else learner.memory)
    )


def test_first_searches_weigh_as_many_hands_as_they_stand_for() -> None:
    learner = SMALL.start(compiled("leduc"), seed=0, device="cpu")
    learner.settings = dataclasses.replace(SMALL, reuse=0.0)
    assert learner.policies is not None
    learner.policies = training(learner.beliefs, learner.templates)
    learner.advance()
    own = learner.policies
    first = learner.templates.of(int(learner.beliefs.future[0]))
    inner = [int(c) for level in own.questions.levels(first) for c in level.future]
    counts = np.bincount(own.memory["state"], minlength=len(own.questions.questions.classes))
    for future in inner:
        assert counts[own.questions.questions.number[future]] >= SMALL.hands
