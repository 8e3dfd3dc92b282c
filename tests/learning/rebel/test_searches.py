"""Searches in lock-step against plain recursion, against the engine of search, and against exact values."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import NotApplicableError, ParameterError  # noqa: E402
from equilibrist.core.leaf_values import LeafValues  # noqa: E402
from equilibrist.forms.compiled import compiled  # noqa: E402
from equilibrist.learning.rebel.belief_game import belief_game  # noqa: E402
from equilibrist.learning.rebel.exact_leaves import ExactLeaves  # noqa: E402
from equilibrist.learning.rebel.solving import SubgameSolver  # noqa: E402
from equilibrist.learning.rebel.templates import Templates  # noqa: E402
from equilibrist.learning.rebel.value_net import NetLeaves, NetValues, Questions, ValueNet  # noqa: E402
from equilibrist.search.depth_limited.cfr_d import AskedLeaves, SolvedLeaves  # noqa: E402
from equilibrist.search.engines.public_tree import LayoutEngine  # noqa: E402
from equilibrist.search.gadget_run import GadgetRun  # noqa: E402
from equilibrist.search.gadgets import GadgetInputs, Unsafe  # noqa: E402
from equilibrist.search.subgame import Subgame  # noqa: E402
from equilibrist.search.subgame_solving import cfr_settings  # noqa: E402
from equilibrist.search.tree_profile import TreeProfile  # noqa: E402
from equilibrist.solvers.registry import make_solver  # noqa: E402
from equilibrist.solvers.responses.best_response import evaluate_policy  # noqa: E402
from learning.rebel.oracles import EvenPlay, Leaning  # noqa: E402
from reference.naive_rebel import NaiveSearch, leaning_leaf  # noqa: E402

NONE = np.zeros((1, 0), dtype=np.int32)
DICE = "liars-dice(faces=3)"


def whole_policy(game, template, average):
    """[slots, N] a search's average where it looked."""
    sums = np.zeros((game.slots, len(game.hands)))
    for m in np.flatnonzero(template.shape.player >= 0):
        first, width = template.shape.first_slot[m], template.shape.width[m]
        begin = game.first_slot[template.nodes[m]]
        sums[begin : begin + width] = average[first : first + width]
    return sums


ASKED = [("cfr-d", "linear"), ("cfr-avg", "linear"), ("modified-cfr-avg", "linear"), ("modified-cfr-avg", "plain")]


@pytest.mark.parametrize(("name", "depth"), [("kuhn", 1), ("kuhn", 9), (DICE, 2), (DICE, 3)])
@pytest.mark.parametrize(("algorithm", "weights"), ASKED)
def test_searches_equal_plain_recursion(name: str, depth: int, algorithm: str, weights: str) -> None:
    """Leaves whose values depend on beliefs."""
    game = belief_game(compiled(name))
    template = Templates(game, depth).of(int(game.future[0]))
    held = np.random.default_rng(depth).random((2, len(game.hands)))  # uneven, for rounding would decide ties
    solver = SubgameSolver(Leaning(game), 7, algorithm=algorithm, weights=weights)
    found = solver.solve(template, held[None], NONE)
    start = {(p, hand): float(found.start[0, p, n]) for p in range(2) for n, hand in enumerate(game.hands)}
    naive = NaiveSearch(game.game.game, depth, leaning_leaf, start, algorithm, weights == "plain")
    naive.run(7)
    _check_alike(game, template, found, naive, 7 if weights == "plain" else 28)


def _check_alike(game, template, found, naive, weights):
    policy = game.policy(whole_policy(game, template, found.average[0]))
    for key, sums in naive.average.items():
        expected = np.array(sums) / sum(sums) if sum(sums) > 0 else np.full(len(sums), 1 / len(sums))
        np.testing.assert_allclose(policy.row(policy.infosets.number(key)), expected, atol=1e-9)
    for player in range(2):
        weight = game.weight[0] if player == 0 else game.weight[0].T
        mass = weight @ found.start[0, 1 - player]
        for n, hand in enumerate(game.hands):
            expected = naive.root[player, hand] / weights / mass[n]
            assert found.root[0, player, n] * game.unit == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("algorithm", ["cfr-avg", "modified-cfr-avg"])
def test_where_every_leaf_is_an_end_averages_ask_for_nothing_else(algorithm: str) -> None:
    """[Brown20, §5.3.9]: leaves that are linear in the other's reach are worth to both what they are worth to CFR-D."""
    game = belief_game(compiled(DICE))
    template, held = Templates(game, 2).of(int(game.future[0])), np.random.default_rng(5).random((1, 2, 3))
    solvers = [SubgameSolver(EvenPlay(game), 4, algorithm=name) for name in ("cfr-d", algorithm)]
    one, other = (solver.solve(template, held, NONE) for solver in solvers)
    np.testing.assert_allclose(one.average, other.average, atol=1e-9)
    np.testing.assert_allclose(one.root, other.root, atol=1e-9)


@pytest.mark.parametrize(("algorithm", "weights", "name"), [
    ("fp", "linear", "linear-fp"), ("fp", "plain", "fp"), ("flop", "linear", "flop"), ("cfr-d", "linear", "lcfr"),
    ("cfr-d", "plain", "cfr"),
])  # fmt: skip
def test_a_search_of_the_whole_game_is_what_the_solver_of_that_name_does(algorithm, weights, name) -> None:
    game = belief_game(compiled("kuhn(ante=1.37,bet=0.9113)"))  # no ties, which rounding would decide
    template = Templates(game, 99).of(int(game.future[0]))
    solver = SubgameSolver(EvenPlay(game), 40, algorithm=algorithm, weights=weights)
    found = solver.solve(template, np.ones((1, 2, 3)), NONE)
    run = make_solver(name).start(game.game)
    run.advance(40)
    ours = game.policy(whole_policy(game, template, found.average[0]))
    worth = [evaluate_policy(game.game, policy).exploitability for policy in (ours, run.average())]
    assert worth[0] == pytest.approx(worth[1], abs=1e-9)


def test_what_is_kept_of_averages_is_the_average_of_a_shorter_search() -> None:
    game = belief_game(compiled(DICE))
    template, held = Templates(game, 2).of(int(game.future[0])), np.random.default_rng(5).random((1, 2, 3))
    wanted = np.array([[4, 9]], dtype=np.int32)
    for algorithm in ("cfr-avg", "modified-cfr-avg"):
        long, short = (SubgameSolver(Leaning(game), t, algorithm=algorithm) for t in (12, 4))
        found = long.solve(template, held, wanted)
        np.testing.assert_allclose(found.kept[0, 0], short.solve(template, held, NONE).average[0], atol=1e-12)
        assert not np.allclose(found.kept, found.iterates)
    for algorithm in ("fp", "flop"):  # before the answer of that iteration
        long, short = (SubgameSolver(Leaning(game), t, algorithm=algorithm) for t in (12, 3))
        found = long.solve(template, held, wanted)
        np.testing.assert_allclose(found.kept[0, 0], short.solve(template, held, NONE).average[0], atol=1e-12)


def test_a_network_of_values_is_not_enough_for_cfr_avg() -> None:
    game = belief_game(compiled(DICE))
    templates = Templates(game)
    questions = Questions(templates)
    values = NetValues(ValueNet(questions.width, 3, 8), questions, torch.device("cpu"))
    solver = SubgameSolver(values, 2, algorithm="cfr-avg")
    with pytest.raises(NotApplicableError, match="modified-cfr-avg"):
        solver.solve(templates.of(int(game.future[0])), np.ones((1, 2, 3)), NONE)
    with pytest.raises(ParameterError, match="linear"):
        SubgameSolver(values, 2, algorithm="flop", weights="plain")


def test_a_batch_of_many_equals_many_batches_of_one() -> None:
    game = belief_game(compiled("leduc"))
    templates, random = Templates(game), np.random.default_rng(1)
    values = ExactLeaves(game, 3)
    for future in (int(game.future[0]), templates.asked[2]):
        template = templates.of(future)
        beliefs = random.random((5, 2, 3))
        wanted = random.integers(1, 12, size=(5, 2)).astype(np.int32)
        solver = SubgameSolver(values, 11)
        together = solver.solve(template, beliefs, wanted)
        for b in range(5):
            alone = solver.solve(template, beliefs[b : b + 1], wanted[b : b + 1])
            for name in ("average", "root", "kept"):
                np.testing.assert_allclose(getattr(alone, name)[0], getattr(together, name)[b], atol=1e-13)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_engine_of_search_finds_the_same_with_the_same_network(name: str) -> None:
    """A network as `LeafValues` below the tabular engine, which knows suits and no classes."""
    game = belief_game(compiled(name))
    templates = Templates(game)
    torch.manual_seed(0)
    questions = Questions(templates)
    net = ValueNet(questions.width, len(game.hands), 16)
    with torch.no_grad():
        net.head.weight.mul_(100.0)
    values = NetValues(net, questions, torch.device("cpu"))
    template = templates.of(int(game.future[0]))
    leaves = NetLeaves(game, values)
    assert isinstance(leaves, LeafValues)
    found = SubgameSolver(values, 6, "simultaneous").solve(template, np.ones((1, 2, len(game.hands))), NONE)
    tree = game.game.public_tree
    edge = [s for s in range(len(tree.states)) if game.state_of[s] in set(template.nodes[template.leaves].tolist())]
    blueprint = TreeProfile(tree, tree.infosets.uniform())
    subgame = Subgame.of(blueprint, [1], edge)
    engine = LayoutEngine.of(cfr_settings("lcfr(updates=simultaneous)"), subgame, leaves=AskedLeaves(leaves, edge))
    inputs = GadgetInputs(subgame.mass(1), subgame.groups(1), subgame.ranges[1])
    GadgetRun(engine, 0, Unsafe(), inputs, subgame.ranges[0]).advance(6)
    theirs = engine.splice(blueprint.policy, engine.average_strategy(), (0, 1))
    ours = game.policy(whole_policy(game, template, found.average[0]))
    for row, key in enumerate(tree.infosets.keys):
        np.testing.assert_allclose(ours.row(ours.infosets.number(key)), theirs.row(row), atol=1e-5)


@pytest.mark.parametrize(("name", "tolerance"), [("leduc", 3e-3), (DICE, 1e-3)])
def test_roots_where_play_ends_below_are_worth_what_exact_solving_says(name: str, tolerance: float) -> None:
    game = belief_game(compiled(name))
    templates, random = Templates(game), np.random.default_rng(2)
    tree = game.game.public_tree
    for future in templates.asked[:4]:
        template = templates.of(future)
        if len(template.leaves):
            continue
        beliefs = random.random((1, 2, len(game.hands)))
        found = SubgameSolver(EvenPlay(game), 3000).solve(template, beliefs, NONE)
        state = int(np.flatnonzero(game.state_of == template.root)[0])
        spans = [tree.privates(state, p) for p in range(2)]
        ranges = [found.start[0, p][game.hand_of[p][spans[p]]] for p in range(2)]
        exact = SolvedLeaves(tree, [state], iterations=2000).values([tree.states[state]], [ranges])[0][0]
        entries = slice(int(tree.first_joint[state]), int(tree.first_joint[state + 1]))
        weight = tree.weight[entries].copy()
        for p in range(2):
            weight *= ranges[p][tree.joint[entries, p] - spans[p].start]
        for p in range(2):
            value = (exact[p][: len(ranges[p])] * ranges[p]).sum() / weight.sum() / game.unit
            joint = found.start[0, 0] @ game.weight[template.root] @ found.start[0, 1]
            mine = _joint_value(game, template.root, found, p) / joint
            assert mine == pytest.approx(value, abs=tolerance)


def _joint_value(game, root, found, player):
    """Chips that a player wins on average, from expected values of hands."""
    weight = game.weight[root] if player == 0 else game.weight[root].T
    mass = weight @ found.start[0, 1 - player]
    return float((found.start[0, player] * mass * found.root[0, player]).sum())


def test_kuhn_searched_to_its_end_is_worth_a_chip_in_eighteen() -> None:
    game = belief_game(compiled("kuhn"))
    template = Templates(game, 9).of(int(game.future[0]))
    found = SubgameSolver(EvenPlay(game), 2000).solve(template, np.ones((1, 2, 3)), NONE)
    assert [_joint_value(game, 0, found, p) * game.unit for p in range(2)] == pytest.approx([-1 / 18, 1 / 18], abs=1e-3)


def test_a_network_is_asked_alike_about_a_state_and_its_exchange() -> None:
    game = belief_game(compiled(DICE))
    questions, random = Questions(Templates(game)), np.random.default_rng(0)
    values = NetValues(ValueNet(questions.width, 3, 16), questions, torch.device("cpu"))
    for future in questions.classes:
        alike = np.flatnonzero(game.future == future)
        turned, straight = alike[game.swapped[alike]], alike[~game.swapped[alike]]
        if not len(turned):
            continue
        reach = random.random((2, 3))
        one, other = values.of_state(game, int(straight[0]), reach), values.of_state(game, int(turned[0]), reach[::-1])
        np.testing.assert_allclose(one, other[::-1], atol=1e-7)
        assert not np.allclose(one[0], one[1])


def test_an_untrained_network_says_next_to_nothing_and_a_zero_one_nothing() -> None:
    game = belief_game(compiled(DICE))
    questions = Questions(Templates(game))
    net = ValueNet(questions.width, 3, 32)
    values = NetValues(net, questions, torch.device("cpu"))
    rows = questions.rows(np.arange(len(questions.classes)))
    assert np.abs(values.answer(rows)).max() < 0.02
    with torch.no_grad():
        net.head.weight.zero_()
    template = Templates(game).of(int(game.future[0]))
    out = np.ones((1, len(template.leaves), 3))
    values.ask(template, 0, np.ones((1, len(template.nodes), 2, 3)), out)
    assert not out.any()


def test_fictitious_play_comes_to_the_same_value() -> None:
    game = belief_game(compiled(DICE))
    template = Templates(game).of(int(game.future[0]))
    values, start = EvenPlay(game), np.ones((1, 2, 3))
    cfr = SubgameSolver(values, 400).solve(template, start, NONE)
    fp = SubgameSolver(values, 800, algorithm="fp").solve(template, start, NONE)
    for player in range(2):
        assert _joint_value(game, 0, fp, player) == pytest.approx(_joint_value(game, 0, cfr, player), abs=0.02)
