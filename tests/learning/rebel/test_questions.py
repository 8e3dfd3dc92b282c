"""Which leaves a network is asked about and how often, and what it is told that searches are worth."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import ParameterError  # noqa: E402
from equilibrist.forms.compiled import compiled  # noqa: E402
from equilibrist.learning.rebel.belief_game import belief_game  # noqa: E402
from equilibrist.learning.rebel.self_play import SelfPlay  # noqa: E402
from equilibrist.learning.rebel.solving import SubgameSolver  # noqa: E402
from equilibrist.learning.rebel.templates import Templates  # noqa: E402
from equilibrist.learning.rebel.value_net import NetValues, Questions, ValueNet  # noqa: E402
from equilibrist.solvers.responses.best_response import evaluate_policy  # noqa: E402
from learning.rebel.oracles import EvenPlay  # noqa: E402

NONE = np.zeros((1, 0), dtype=np.int32)
DICE = "liars-dice(faces=3)"


class EveryLeaf:
    """The same network asked about all leaves, with questions written down one by one."""

    def __init__(self, values: NetValues) -> None:
        self.values, self.asked = values, 0

    def ask(self, template, player, reach, out) -> None:
        own = self.values.questions
        for b in range(len(reach)):
            for number, leaf in enumerate(template.leaves.tolist()):
                future, turned = int(template.leaf_future[number]), bool(template.leaf_swapped[number])
                beliefs = []
                for p in range(2):
                    weights = template.leaf_prior[number, p] * reach[b, leaf, p]
                    prior = template.leaf_prior[number, p]
                    beliefs.append(weights / weights.sum() if weights.sum() > 0.0 else prior / prior.sum())
                row = np.zeros(own.width, dtype=np.float32)
                row[0], row[1] = own.actor[own.classes.index(future)], player != turned
                row[2 + own.classes.index(future)] = 1.0
                row[own.beliefs :] = np.concatenate(beliefs[::-1] if turned else beliefs)
                out[b, number] = self.values.answer(row[None])[0]
                self.asked += 1


class Counted(NetValues):
    asked = 0

    def answer(self, rows):
        self.asked += len(rows)
        return super().answer(rows)


def network(name: str) -> tuple[Templates, Counted]:
    game = belief_game(compiled(name))
    templates = Templates(game)
    torch.manual_seed(0)
    questions = Questions(templates)
    net = ValueNet(questions.width, len(game.hands), 16)
    with torch.no_grad():
        net.head.weight.mul_(100.0)
    return templates, Counted(net, questions, torch.device("cpu"))


@pytest.mark.parametrize("name", ["leduc", DICE])
def test_leaves_that_the_opponent_never_gets_to_are_not_asked_about_and_nothing_changes(name: str) -> None:
    templates, values = network(name)
    every = EveryLeaf(values)
    template = templates.of(int(templates.game.future[0]))
    beliefs = np.random.default_rng(0).random((1, *template.prior.shape))
    found = SubgameSolver(values, 20).solve(template, beliefs, NONE)
    asked, values.asked = values.asked, 0
    expected = SubgameSolver(every, 20).solve(template, beliefs, NONE)
    np.testing.assert_allclose(found.average, expected.average, atol=1e-5)
    np.testing.assert_allclose(found.root, expected.root, atol=1e-5)
    assert every.asked == 2 * 20 * len(template.leaves)
    assert asked < every.asked


def test_fictitious_play_asks_again_once_its_averages_have_moved() -> None:
    templates, values = network(DICE)
    template = templates.of(int(templates.game.future[0]))
    beliefs, found = np.random.default_rng(0).random((1, *template.prior.shape)), {}
    for share in (0.0, 0.05):
        values.asked = 0
        for iterations in (20, 400):
            solver = SubgameSolver(values, iterations, algorithm="fp", recycle=share)
            found[share, iterations] = solver.solve(template, beliefs, NONE)
        found[share] = values.asked
    assert np.array_equal(found[0.0, 20].average, found[0.05, 20].average)
    assert found[0.05] < 0.3 * found[0.0]
    np.testing.assert_allclose(found[0.05, 400].root, found[0.0, 400].root, atol=0.01)


def worth(beliefs, values):
    """[B, 2] what each player can expect."""
    return (beliefs * values).sum(axis=2) / beliefs.sum(axis=2)


@pytest.mark.parametrize("algorithm", ["fp", "flop"])
def test_values_of_averages_are_what_the_policy_is_worth_and_sum_to_zero(algorithm: str) -> None:
    """[Brown20, §5.3.3, footnote 13]; means over answers are worth too much to both."""
    game = belief_game(compiled("kuhn"))
    template, start = Templates(game, 9).of(int(game.future[0])), np.ones((1, 2, 3))
    found = {
        targets: SubgameSolver(EvenPlay(game), 40, algorithm=algorithm, targets=targets).solve(template, start, NONE)
        for targets in ("iterates", "averages")
    }
    whole = np.zeros((game.slots, 3))
    for m in np.flatnonzero(template.shape.player >= 0):
        first, width = template.shape.first_slot[m], template.shape.width[m]
        begin = game.first_slot[template.nodes[m]]
        whole[begin : begin + width] = found["averages"].average[0, first : first + width]
    value = evaluate_policy(game.game, game.policy(whole)).value
    beliefs = found["averages"].start * template.prior
    expected = worth(beliefs, found["averages"].root)[0] * game.unit
    np.testing.assert_allclose(expected, value, atol=1e-9)
    assert worth(beliefs, found["iterates"].root).sum() > 0.01
    assert np.array_equal(found["iterates"].average, found["averages"].average)


def test_centred_values_sum_to_zero_and_differ_as_much_from_hand_to_hand() -> None:
    game = belief_game(compiled(DICE))
    templates, solver = Templates(game), SubgameSolver(EvenPlay(game), 3)
    plain, moved = (
        SelfPlay(templates, solver, centred=way).play(30, np.random.default_rng(0)) for way in (False, True)
    )
    off = [np.abs(worth(example.beliefs, example.values).sum(axis=1)).max() for example in plain]
    assert max(off) > 0.005
    for example, other in zip(plain, moved, strict=True):
        assert np.array_equal(example.beliefs, other.beliefs)
        np.testing.assert_allclose(worth(other.beliefs, other.values).sum(axis=1), 0.0, atol=1e-12)
        shift = example.values - other.values
        np.testing.assert_allclose(shift, np.broadcast_to(shift[:, :1, :1], shift.shape), atol=1e-12)


def test_values_of_averages_are_refused_where_iterates_are_played() -> None:
    with pytest.raises(ParameterError, match="fictitious play"):
        SubgameSolver(EvenPlay(belief_game(compiled("kuhn"))), 4, targets="averages")
