"""Steps of a fit as a CUDA graph: a small net waits longer for its kernels to be launched than for what they compute.

Where a net has kernels of its own (`Fused`), a step is these. The net, its optimiser, samples, rates and random numbers stay where they
are, so that one capture serves all fits of a memory. What cannot be fused, compiled or captured is done step by step.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from equilibrist.learning.networks.torch_extra import compiled_here, quick_products

log = logging.getLogger(__name__)

STEPS_AT_ONCE = 10  # of a graph
CLIP = 1.0  # of the gradient's norm
WRONG = 0.1  # share of the gradient by which rounding may change it

Loss = Callable[[Tensor], Tensor]  # of samples by number [B]
Work = Callable[[], None]


class Fused(Protocol):
    """Whole steps in a few kernels, on the weights of a net."""

    def reset(self) -> None: ...

    def step(self, chosen: Tensor, rates: Tensor, losses: Tensor, k: int) -> None: ...

    def gradients(self) -> list[Tensor]: ...


class StaticSamples(Protocol):
    """Samples that stay where they are."""

    device: torch.device

    def __len__(self) -> int: ...

    def loss_of(self, net: nn.Module, shares: bool, compiled: bool) -> Loss: ...

    def fused_of(self, net: nn.Module, batch: int, shares: bool) -> Fused | None: ...


class StepGraph:
    """Adam on one net of its own, `STEPS_AT_ONCE` steps to a replay."""

    def __init__(
        self,
        net: nn.Module,
        samples: StaticSamples,
        batch: int,
        shares: bool,
        capture: Callable[[Work, Work], Work] | None = None,
    ) -> None:
        device = samples.device
        self.net, self.samples, self.batch, self.shares = net, samples, batch, shares
        self.parameters = list(net.parameters())
        self.chosen = torch.zeros((STEPS_AT_ONCE, batch), dtype=torch.int64, device=device)
        self.rates = torch.zeros(STEPS_AT_ONCE, dtype=torch.float64, device=device)
        self.losses = torch.zeros(STEPS_AT_ONCE, device=device)
        graphs = device.type == "cuda"
        rate: Any = torch.zeros((), device=device) if graphs else 0.0
        self.optimiser = torch.optim.Adam(self.parameters, lr=rate, fused=True, capturable=graphs)
        self._capture = capture or captured
        self._loss: Loss = samples.loss_of(net, shares, False)
        self._fused: Fused | None = None
        self._replay: Work | None = None

    @property
    def fused(self) -> bool:
        """Whether its steps are kernels of the net's own."""
        return self._fused is not None

    def fit(self, net: nn.Module, rates: Tensor, random: torch.Generator) -> Tensor:
        """Fit a net from where it is, one step for each rate; losses [step]."""
        with quick_products(self.samples.device):
            self._begin(net)
            replay = self._replay = self._replay or self._prepared(net)
            found = self._run(replay, rates.to(self.rates), random)
        _load(net, self.net)
        return found

    def _run(self, replay: Work, rates: Tensor, random: torch.Generator) -> Tensor:
        out = torch.zeros(len(rates), device=self.losses.device)
        for begin in range(0, len(rates), STEPS_AT_ONCE):
            count = min(STEPS_AT_ONCE, len(rates) - begin)
            torch.randint(len(self.samples), (count, self.batch), generator=random, out=self.chosen[:count])
            self.rates[:count] = rates[begin : begin + count]
            if count == STEPS_AT_ONCE:
                replay()
            else:
                self._steps(count)
            out[begin : begin + count] = self.losses[:count]
        return out

    def _prepared(self, net: nn.Module) -> Work:
        """Trial steps with rates of 0 make libraries take their memory; then the steps are captured."""
        compiles = compiled_here(self.samples.device)
        if compiles:
            self._fused = self._tried()
            self._begin(net)
        if compiles and self._fused is None:
            plain, self._loss = self._loss, self.samples.loss_of(self.net, self.shares, True)
            try:
                self._steps(1)
            except Exception as error:  # whatever a compiler fails with
                log.warning("Steps cannot be compiled (%s): they are slower.", str(error).splitlines()[:1])
                self._loss = plain
        return self._capture(lambda: self._steps(STEPS_AT_ONCE), lambda: self._begin(net))

    def _tried(self) -> Fused | None:
        """Steps in a few kernels, if they find what PyTorch finds."""
        try:
            fused = self.samples.fused_of(self.net, self.batch, self.shares)
            wrong = self._wrong(fused) if fused else 0.0
        except Exception as error:  # whatever a compiler fails with
            log.warning("Steps cannot be fused (%s): they are slower.", str(error).splitlines()[:1])
            return None
        if not wrong < WRONG:
            log.warning("Fused steps are wrong by %.3g of the gradient: slower ones are taken.", wrong)
            return None
        return fused

    def _wrong(self, fused: Fused) -> float:
        """Share of the gradient by which fused steps are wrong, at weights of which none is zero."""
        with torch.no_grad():
            for weight in self.parameters:
                weight += 0.1 * torch.sin(torch.arange(weight.numel(), device=weight.device)).view(weight.shape)
        torch.remainder(torch.arange(self.batch, device=self.chosen.device), len(self.samples), out=self.chosen[0])
        self.rates.zero_()
        wanted = torch.autograd.grad(self._loss(self.chosen[0]), self.parameters)
        fused.step(self.chosen, self.rates, self.losses, 0)
        missed = [(a - b).square().sum() for a, b in zip(fused.gradients(), wanted, strict=True)]
        return float((torch.stack(missed).sum() / torch.stack([b.square().sum() for b in wanted]).sum()).sqrt())

    def _steps(self, count: int) -> None:
        for k in range(count):
            if self._fused:
                self._fused.step(self.chosen, self.rates, self.losses, k)
                continue
            group = self.optimiser.param_groups[0]
            if isinstance(group["lr"], Tensor):
                group["lr"].copy_(self.rates[k])
            else:
                group["lr"] = float(self.rates[k])
            self.optimiser.zero_grad(set_to_none=True)
            loss = self._loss(self.chosen[k])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.parameters, CLIP)
            self.optimiser.step()
            self.losses[k] = loss.detach()

    def _begin(self, net: nn.Module) -> None:
        """Weights of a net, and an optimiser that remembers nothing."""
        _load(self.net, net)
        if self._fused:
            self._fused.reset()
        for kept in self.optimiser.state.values():
            for value in kept.values():
                value.zero_()


def _load(net: nn.Module, other: nn.Module) -> None:
    with torch.no_grad():
        for own, given in zip(net.parameters(), other.parameters(), strict=True):
            own.copy_(given)


def one_by_one(work: Work, undo: Work) -> Work:
    """No capture: the work itself."""
    return work


def captured(work: Work, undo: Work) -> Work:
    """Work as a CUDA graph; `undo` makes good what trials and captures have changed."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        work()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            work()
    except RuntimeError as error:
        log.warning("Steps cannot be captured as a CUDA graph (%s): they are taken one by one, more slowly.", error)
        torch.cuda.synchronize()
        undo()
        return work
    undo()
    replay: Work = graph.replay
    return replay
