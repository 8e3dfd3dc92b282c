"""Captured steps are the steps of `fit`: the same samples, rates, losses and weights, whatever was fitted before."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.learning.memories.on_device import DeviceReservoir  # noqa: E402
from equilibrist.learning.networks.card_net import CardNet  # noqa: E402
from equilibrist.learning.poker.samples import PokerSamples, shown_places  # noqa: E402
from equilibrist.learning.regression.fitting import FitPlan, fit, fit_captured  # noqa: E402
from equilibrist.learning.regression.step_graphs import STEPS_AT_ONCE, StepGraph, one_by_one  # noqa: E402

CPU = torch.device("cpu")
HANDS, DECISIONS, ROWS, GROUPS, DECK = 40, 7, 500, (2, 3), 9


@pytest.fixture
def samples():
    draw = torch.Generator().manual_seed(0)
    hole = torch.stack([torch.randperm(DECK, generator=draw)[:5] for _ in range(HANDS)]).to(torch.int8)
    hole[: HANDS // 4, 2:] = -1  # before the flop
    legal = torch.rand(DECISIONS, 3, generator=draw) < 0.8
    legal[:, 1] = True
    columns = {"values": ((3,), torch.float32), "weight": ((), torch.float32)}
    memory = DeviceReservoir(ROWS, CPU, hand=((), torch.int32), decision=((), torch.int16), **columns)
    memory.add(
        draw,
        hand=torch.randint(HANDS, (ROWS,), generator=draw),
        decision=torch.randint(DECISIONS, (ROWS,), generator=draw),
        weight=1.0 + torch.arange(ROWS) % 5,
        values=torch.randn(ROWS, 3, generator=draw),
    )
    made = PokerSamples(
        memory, hole, torch.rand(DECISIONS, 24, generator=draw), legal, shown_places(hole, GROUPS, DECK)
    )
    made.begin()
    return made


def fresh(seed):
    torch.manual_seed(seed)
    net = CardNet(GROUPS, 3, 3, 24, 3, width=16)
    torch.nn.init.normal_(net.head.weight)
    return net


def plainly(samples):
    """Samples whose loss is that of their batches."""

    class Plain(PokerSamples):
        def loss_of(self, net, shares, compiled):
            from equilibrist.learning.regression.fitting import masked_loss

            def loss(chosen):
                decision = self.memory["decision"][chosen].long()
                out = net(self.cards[self.memory["hand"][chosen].long()], self.numbers[decision])
                weight = self.memory["weight"][chosen] / self.mean
                return masked_loss(out, self.legal[decision], self.memory["values"][chosen], weight, shares)

            return loss

    made = Plain(samples.memory, samples.cards, samples.numbers, samples.legal, samples.shown)
    made.begin()
    return made


@pytest.mark.parametrize("shares", [False, True])
@pytest.mark.parametrize("plan", [FitPlan(2 * STEPS_AT_ONCE + 3, 64, 1e-3), FitPlan(7, 32, 1e-2, False)], ids=str)
def test_bookkeeping_changes_no_bit(samples, plan, shares):
    """Two fits, one after the other, by one graph: the second begins as if there had been no first."""
    graph = StepGraph(fresh(9), plainly(samples), plan.batch, shares, one_by_one)
    for seed in (1, 2):
        one, other = fresh(seed), fresh(seed)
        found = fit(one, samples, plan, torch.Generator().manual_seed(seed), shares=shares)
        assert fit_captured(graph, other, plan, torch.Generator().manual_seed(seed)) == found
        assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_products_of_matrices_are_the_same_mathematics(samples):
    plan = FitPlan(30, 64, 1e-3)
    one, other = fresh(1), fresh(1)
    graph = StepGraph(copy.deepcopy(other), samples, plan.batch, False, one_by_one)
    wanted = fit(one, samples, plan, torch.Generator().manual_seed(1))
    assert fit_captured(graph, other, plan, torch.Generator().manual_seed(1)) == pytest.approx(wanted, rel=1e-4)
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.allclose(a, b, atol=2e-4)


def test_cards_as_zeros_and_ones_are_seen_as_cards(samples):
    net = fresh(3).double()
    lines = torch.arange(HANDS) % DECISIONS
    numbers = samples.numbers.double()
    assert torch.allclose(net.by_places(samples.shown, lines, numbers), net(samples.cards, numbers[lines]), atol=1e-12)


def test_what_a_capture_tries_leaves_no_trace(samples):
    """Trial steps before a capture are made good."""

    def tried(work, undo):
        work()
        undo()
        return work

    plan = FitPlan(2 * STEPS_AT_ONCE, 64, 1e-3)
    one, other = fresh(1), fresh(1)
    fit(one, samples, plan, torch.Generator().manual_seed(1))
    graph = StepGraph(fresh(2), plainly(samples), plan.batch, False, tried)
    fit_captured(graph, other, plan, torch.Generator().manual_seed(1))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_graphs_on_a_device_fit_as_steps_on_a_cpu(samples):
    """TF32 rounds factors to 10 bits; the fit ends at the same loss."""
    cuda = torch.device("cuda")
    memory = DeviceReservoir(
        ROWS, cuda, **{key: (tuple(c.shape[1:]), c.dtype) for key, c in samples.memory.columns.items()}
    )
    memory.restore(samples.memory.arrays("m"), "m")
    there = PokerSamples(memory, *(t.to(cuda) for t in (samples.cards, samples.numbers, samples.legal, samples.shown)))
    there.begin()
    plan = FitPlan(300, 256, 3e-3)
    one, other = fresh(1), fresh(1).to(cuda)
    wanted = fit(one, samples, plan, torch.Generator().manual_seed(1))
    found = fit_captured(
        StepGraph(fresh(2).to(cuda), there, 256, False), other, plan, torch.Generator(cuda).manual_seed(1)
    )
    assert found == pytest.approx(wanted, rel=0.1)
