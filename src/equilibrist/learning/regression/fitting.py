"""Networks fitted to what walks found: the loss is that of all samples, and outputs that are no action are no part of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from equilibrist.core.arrays import Ints
from equilibrist.learning.encoders.infosets import Encoding
from equilibrist.learning.networks.feature_net import FeatureNet
from equilibrist.learning.regression._kernels.walks import Store
from equilibrist.learning.regression.step_graphs import CLIP, StepGraph


@dataclass(frozen=True)
class FitPlan:
    """How a net is fitted."""

    steps: int
    batch: int
    rate: float  # of Adam, falling to 0 by a cosine where `anneal` says so
    anneal: bool = True

    @property
    def last(self) -> int:
        """Steps whose losses are told."""
        return max(1, self.steps // 10)

    def rates(self) -> list[float]:
        """Of every step."""
        if not self.anneal:
            return [self.rate] * self.steps
        return [self.rate * 0.5 * (1.0 + math.cos(math.pi * step / self.steps)) for step in range(self.steps)]


class FitBatch(NamedTuple):
    """Samples that one step is taken on."""

    inputs: tuple[Tensor, ...]  # of the net
    legal: Tensor  # [B, A] 1 where an output is an action
    wanted: Tensor  # [B, A]
    weight: Tensor  # [B]


class Source(Protocol):
    """Where batches come from."""

    device: torch.device

    @property
    def seen(self) -> bool:
        """Whether there is anything to fit."""

    def batch(self, size: int, random: torch.Generator) -> FitBatch: ...


class Targets:
    """Rows, what their outputs should be and how much they count, from a store of sums or of samples."""

    def __init__(self, encoding: Encoding, rows: Ints, store: Store, device: torch.device) -> None:
        self.encoding, self.device = encoding, device
        place = np.full(encoding.rows, -1)
        place[rows] = np.arange(len(rows))
        self.features = torch.from_numpy(encoding.features[rows]).to(device)
        self.legal = torch.from_numpy(encoding.legal[rows]).to(device).float()
        if len(store.weight):
            self._take_sums(rows, store)
        else:
            self._take_samples(place, store)

    def _take_sums(self, rows: Ints, store: Store) -> None:
        weight = self.encoding.sums_of_infosets(store.weight)[rows]
        total = self.encoding.by_row(store.total)[rows]
        mean = total / np.where(weight > 0.0, weight, 1.0)[:, None]
        self.rows = torch.arange(len(rows), device=self.device)
        self.wanted = torch.from_numpy(mean).float().to(self.device)
        self._weigh(weight)

    def _take_samples(self, place: npt.NDArray[Any], store: Store) -> None:
        count = min(int(store.offered[0]), len(store.infoset))
        infoset = store.infoset[:count]
        first = self.encoding.first_slot
        wanted = np.zeros((count, self.encoding.width), dtype=np.float32)
        for a in range(store.sample.shape[1]):
            there = np.flatnonzero(first[infoset] + a < first[infoset + 1])
            wanted[there, self.encoding.output[first[infoset[there]] + a]] = store.sample[there, a]
        self.rows = torch.from_numpy(place[self.encoding.row[infoset]]).to(self.device)
        self.wanted = torch.from_numpy(wanted).to(self.device)
        self._weigh(store.sample_weight[:count])

    def _weigh(self, weight: npt.NDArray[Any]) -> None:
        self.seen = bool(len(weight)) and float(weight.max()) > 0.0
        mean = float(weight.mean()) if self.seen else 1.0
        self.weight = torch.from_numpy(np.asarray(weight / mean, dtype=np.float32)).to(self.device)

    def batch(self, size: int, random: torch.Generator) -> FitBatch:
        """Everything where that is no more than a batch, else drawn evenly."""
        if len(self.rows) <= size:
            if len(self.rows) == len(self.features):
                return FitBatch((self.features,), self.legal, self.wanted, self.weight)
            chosen = torch.arange(len(self.rows), device=self.device)
        else:
            chosen = torch.randint(len(self.rows), (size,), generator=random).to(self.device)
        rows = self.rows[chosen]
        return FitBatch((self.features[rows],), self.legal[rows], self.wanted[chosen], self.weight[chosen])


def fit(net: nn.Module, targets: Source, plan: FitPlan, random: torch.Generator, *, shares: bool = False) -> float:
    """Adam on the weighted squared error of legal outputs ([Brown20, §4.1.2]); with `shares` outputs are logits of probabilities.

    Returns the mean loss of the last tenth of the steps.
    """
    if not targets.seen:
        return 0.0
    fused = targets.device.type in ("cpu", "cuda")
    optimiser = torch.optim.Adam(net.parameters(), lr=plan.rate, fused=fused)
    parameters = list(net.parameters())
    losses = []
    for step, rate in enumerate(plan.rates()):
        optimiser.param_groups[0]["lr"] = rate
        batch = targets.batch(plan.batch, random)
        loss = masked_loss(net(*batch.inputs), batch.legal, batch.wanted, batch.weight, shares)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        optimiser.step()
        if step >= plan.steps - plan.last:
            losses.append(loss.detach())
    return float(torch.stack(losses).mean()) if losses else 0.0


def fit_captured(graph: StepGraph, net: nn.Module, plan: FitPlan, random: torch.Generator) -> float:
    """`fit` by captured steps on samples that stay where they are."""
    losses = graph.fit(net, torch.tensor(plan.rates(), dtype=torch.float64), random)
    return float(losses[-plan.last :].mean())


def masked_loss(out: Tensor, legal: Tensor, wanted: Tensor, weight: Tensor, shares: bool) -> Tensor:
    """Mean over rows of weight x squared error, summed over legal outputs."""
    if shares:
        out = torch.softmax(out.masked_fill(legal == 0.0, -torch.inf), dim=1)
    loss: Tensor = (weight[:, None] * legal * (out - wanted) ** 2).sum() / len(out)
    return loss


def predict(net: FeatureNet, encoding: Encoding, rows: Ints, device: torch.device, at_once: int = 65536) -> Any:
    """[R, A] outputs at rows, 0 at all others."""
    out = np.zeros(encoding.legal.shape)
    with torch.no_grad():
        for k in range(0, len(rows), at_once):
            part = rows[k : k + at_once]
            out[part] = net(torch.from_numpy(encoding.features[part]).to(device)).cpu().numpy()
    return out
