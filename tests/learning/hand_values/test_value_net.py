"""What holds of the network by construction."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

from equilibrist.learning.hand_values.belief_states import HANDS, BeliefStates, possible_hands, random_states  # noqa: E402
from equilibrist.learning.hand_values.labels import LabelledStates  # noqa: E402
from equilibrist.learning.hand_values.value_net import OUTCOMES, HandValueNet, balanced, hats  # noqa: E402
from equilibrist.learning.hand_values.value_training import StateMemory, value_loss  # noqa: E402


def asked(states: BeliefStates, outcomes: bool = False) -> tuple:
    memory = StateMemory(torch.device("cpu"), outcomes=outcomes)
    memory.add(LabelledStates(states, np.zeros((len(states), 2, HANDS.count), np.float32), np.zeros(len(states))))
    return memory.batch(torch.arange(len(states)))[0]


def at_all_hands(states: BeliefStates, values: torch.Tensor) -> torch.Tensor:
    """[N, 2, 1326] from values of the hands that the boards leave."""
    out = torch.zeros(len(states), 2, HANDS.count)
    for n, possible in enumerate(possible_hands(states.boards)):
        out[n][:, possible] = values[n]
    return out


def learned_net() -> HandValueNet:
    torch.manual_seed(3)
    net = HandValueNet(8, 16)
    torch.nn.init.normal_(net.worth[-1].weight)
    return net


@pytest.mark.parametrize("street", ["turn", "river"])
def test_what_one_player_expects_the_other_loses(street: str) -> None:
    question = asked(random_states(street, 4, np.random.default_rng(1), (0.3, 4.0)))  # type: ignore[arg-type]
    values = learned_net()(question)
    weight = question.belief * question.met
    worth = (weight * values).sum(2) / weight.sum(2)
    assert worth.sum(1).abs().max() < 1e-5
    assert worth.abs().max() > 1e-3


def test_before_it_learns_hands_are_worth_their_equity() -> None:
    question = asked(random_states("river", 3, np.random.default_rng(1), (1.0,)))
    found = HandValueNet(8, 16)(question)
    assert (found == balanced(0.5 * question.edge, question)).all()
    assert (found - 0.5 * question.edge).abs().max() < 2.0**-12  # what 16 bits round away of an edge


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("outcomes", [False, True])
def test_networks_of_all_shapes_know_what_they_are_told(rounds: int, outcomes: bool) -> None:
    """Every part of a question moves some value, and a network comes back from its file as it was."""
    states = random_states("turn", 2, np.random.default_rng(1), (0.5, 4.0))
    torch.manual_seed(1)
    net = HandValueNet(8, 16, rounds, outcomes)
    torch.nn.init.normal_(net.worth[-1].weight)
    question = asked(states, outcomes)
    found = net(question)
    assert question.outcomes.shape[-1] == (OUTCOMES if outcomes else 0)
    if outcomes:
        assert question.outcomes.sum(-1).numpy() == pytest.approx(1.0, abs=1e-2)
        middle = (question.outcomes * torch.linspace(0.0, 1.0, OUTCOMES)).sum(-1)
        assert middle.numpy() == pytest.approx(question.equity.numpy(), abs=2e-3)  # its mean is the equity
    for name in question._fields:
        if outcomes or name != "outcomes":
            other = net(question._replace(**{name: getattr(question, name).roll(1, dims=-1)}))
            assert name == "depth" or (other - found).abs().max() > 1e-5
    assert (net(question._replace(depth=question.depth + 1.0)) - found).abs().max() > 1e-5


def test_exchanging_suits_changes_nothing() -> None:
    states = random_states("turn", 2, np.random.default_rng(2), (1.0,))
    suits = np.array([2, 0, 3, 1])
    card = 4 * (np.arange(52) // 4) + suits[np.arange(52) % 4]
    low, high = np.sort(np.stack([card[HANDS.low], card[HANDS.high]]), axis=0)
    moved = high * (high - 1) // 2 + low  # where each hand goes
    ranges = np.empty_like(states.ranges)
    ranges[:, :, moved] = states.ranges
    other = BeliefStates(card[states.boards], ranges, states.depth, states.kind)
    net = learned_net()
    first, second = (at_all_hands(each, net(asked(each))) for each in (states, other))
    assert (first - second[:, :, moved]).abs().max() < 1e-3  # questions are kept in 16 bits
    assert (first - second).abs().max() > 1e-2


def test_hats_share_out_one() -> None:
    x = torch.linspace(0.0, 1.0, 101)
    found = hats(x, 16)
    assert (found.sum(-1) - 1.0).abs().max() < 1e-5
    assert ((found * torch.linspace(0.0, 1.0, 16)).sum(-1) - x).abs().max() < 1e-5


def test_places_without_a_hand_reach_no_gradient() -> None:
    question = asked(random_states("river", 2, np.random.default_rng(1), (1.0,)))
    for each in (question.met, question.belief):
        each[:, 1, 100:150] = 0.0
    found = torch.zeros_like(question.met, requires_grad=True)
    value_loss(found, torch.ones_like(found), question).backward()
    dead = question.met == 0.0
    assert dead.sum() >= 100
    assert (found.grad[dead] == 0.0).all()
    assert (found.grad[~dead] != 0.0).all()
