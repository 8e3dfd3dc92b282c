"""Fused steps under Triton's interpreter beside PyTorch's; writes what was found as JSON. `TRITON_INTERPRET=1` must be set."""

from __future__ import annotations

import copy
import json
import sys

import torch

from equilibrist.learning.memories.on_device import DeviceReservoir
from equilibrist.learning.networks.card_net import CardNet
from equilibrist.learning.poker.fused_fit import FusedFit, Tiling
from equilibrist.learning.poker.samples import PokerSamples, sampled_loss, shown_places
from equilibrist.learning.regression import step_graphs
from equilibrist.learning.regression.fitting import FitPlan, fit, fit_captured
from equilibrist.learning.regression.step_graphs import StepGraph, one_by_one

RANKS, SUITS, BETS, RATE = 5, 2, 24, 1e-2
EXACT = Tiling(32, 4, "fp32", "ieee")
CASES = [  # width, batch, outputs, lines, groups, shares, tiling
    (16, 70, 3, 21, (2, 3), False, EXACT),
    (16, 64, 3, 21, (2, 3), True, EXACT),
    (32, 33, 4, 7, (2, 3), False, EXACT._replace(stashed=True)),
    (64, 5, 3, 40, (2,), True, EXACT),
    (64, 40, 3, 21, (2, 3, 1), False, EXACT),
    (64, 96, 3, 21, (2, 3), False, Tiling(32, 4, "fp16", "tf32")),
]  # the interpreter knows no bfloat16


def random_samples(
    device: torch.device, outputs: int, lines: int, groups: tuple[int, ...], rows: int = 300
) -> PokerSamples:
    draw = torch.Generator().manual_seed(1)
    deck, hands = RANKS * SUITS, 40
    cards = torch.stack([torch.randperm(deck, generator=draw)[: sum(groups)] for _ in range(hands)]).to(torch.int8)
    cards[:10, 2:] = -1
    legal = torch.rand(lines, outputs, generator=draw) < 0.7
    legal[:, 1] = True
    values = ((outputs,), torch.float32)
    memory = DeviceReservoir(
        rows,
        device,
        hand=((), torch.int32),
        decision=((), torch.int16),
        weight=((), torch.float32),
        values=values,
        fixed=True,
    )
    memory.add(
        draw,
        hand=torch.randint(hands, (rows,), generator=draw),
        decision=torch.randint(lines, (rows,), generator=draw),
        weight=1.0 + torch.arange(rows) % 5,
        values=torch.randn(rows, outputs, generator=draw),
    )
    numbers, shown = torch.rand(lines, BETS, generator=draw), shown_places(cards, groups, deck)
    made = PokerSamples(memory, *(each.to(device) for each in (cards, numbers, legal, shown)))
    made.begin()
    return made


def random_net(groups: tuple[int, ...], outputs: int, width: int) -> CardNet:
    torch.manual_seed(2)
    net = CardNet(groups, RANKS, SUITS, BETS, outputs, width)
    torch.nn.init.normal_(net.head.weight)
    torch.nn.init.normal_(net.head.bias)
    return net


def beside_autograd(
    device: torch.device, width: int, batch: int, outputs: int, lines: int, groups: tuple[int, ...], shares: bool, tiling: Tiling
) -> dict[str, float]:  # fmt: skip
    """Differences as shares: of the first loss, of any parameter's first gradient, of three losses, and of weights after them."""
    samples, net = random_samples(device, outputs, lines, groups), random_net(groups, outputs, width).to(device)
    other = copy.deepcopy(net)
    fused = FusedFit(net, samples.held(), batch, shares, 1.0, tiling)
    plain = torch.optim.Adam(other.parameters(), lr=RATE)
    chosen = torch.randint(len(samples), (3, batch), generator=torch.Generator().manual_seed(3)).to(device)
    rates = torch.full((3,), RATE, dtype=torch.float64, device=device)
    losses = torch.zeros(3, device=device)
    found: dict[str, float] = {"first": 0.0, "loss": 0.0, "gradient": 0.0}
    for k in range(3):
        plain.zero_grad()
        loss = sampled_loss(other, samples.held(), chosen[k], shares)
        loss.backward()
        fused.step(chosen, rates, losses, k)
        found["loss"] = max(found["loss"], abs(float(losses[k]) / float(loss.detach()) - 1.0))
        if k == 0:
            found["first"] = found["loss"]
            for mine, theirs in zip(fused.gradients(), other.parameters(), strict=True):
                missed = (mine - theirs.grad).norm() / theirs.grad.norm()
                found["gradient"] = max(found["gradient"], float(missed))
        torch.nn.utils.clip_grad_norm_(other.parameters(), 1.0)
        plain.step()
    pairs = zip(net.parameters(), other.parameters(), strict=True)
    found["weights"] = max(float((a - b).detach().abs().max()) for a, b in pairs)
    return found


def fits() -> dict[str, float]:
    """Two fits by one graph of fused steps, beside steps one by one."""
    groups = (2, 3)
    samples = random_samples(torch.device("cpu"), 3, 21, groups)
    samples.tiling, step_graphs.compiled_here = EXACT, lambda device: True
    graph, plan = StepGraph(random_net(groups, 3, 16), samples, 64, False, one_by_one), FitPlan(13, 64, 1e-3)
    found = {}
    for seed in (1, 2):
        one, other = random_net(groups, 3, 16), random_net(groups, 3, 16)
        wanted = fit(one, samples, plan, torch.Generator().manual_seed(seed))
        found[f"loss {seed}"] = fit_captured(graph, other, plan, torch.Generator().manual_seed(seed)) / wanted - 1.0
    return found | {"fused": float(graph.fused)}


def overflown() -> float:
    """By how much a step changes weights whose gradient half precision cannot hold."""
    groups = (2, 3)
    samples, net = random_samples(torch.device("cpu"), 3, 21, groups), random_net(groups, 3, 16)
    with torch.no_grad():
        net.head.weight *= 1e4
    fused = FusedFit(net, samples.held(), 64, False, 1.0, Tiling(32, 4, "fp16", "tf32"))
    before = fused.weights.clone()
    fused.step(torch.zeros((1, 64), dtype=torch.int64), torch.full((1,), RATE).double(), torch.zeros(1), 0)
    assert not torch.isfinite(torch.cat([each.flatten() for each in fused.gradients()])).all()
    return float((fused.weights - before).abs().max())


if __name__ == "__main__":
    torch.set_num_threads(1)
    found = {"cases": [beside_autograd(torch.device("cpu"), *case) for case in CASES], "fits": fits()}
    found["overflown"] = overflown()
    sys.stdout.write(json.dumps(found) + "\n")
