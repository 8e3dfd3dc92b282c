"""Networks fitted to means: what samples say of a row is added up first, so that one step sees all of them at once.

The squared error of all samples and that of their means have the same gradient. Outputs that are no action weigh nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from equilibrist.learning.networks.feature_net import FeatureNet
from equilibrist.learning.regression.fitting import FitPlan
from equilibrist.learning.regression.step_graphs import CLIP

Array = npt.NDArray[Any]
NEVER = -1e9  # logit of what is no action


class RowNet:
    """A net over rows of numbers, its optimiser, and the table of its outputs."""

    def __init__(self, features: Array, outputs: int, width: int, depth: int, device: torch.device, seed: int) -> None:
        self.device = device
        self.features = torch.from_numpy(np.asarray(features, dtype=np.float32)).to(device)
        self.shape = (features.shape[1], outputs, width, depth)
        self.renew(seed)

    def renew(self, seed: int) -> None:
        """New random weights."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.net = FeatureNet(*self.shape)
        self.net.to(self.device)
        self.forget()

    def forget(self) -> None:
        """The same weights, the optimiser as new."""
        self.optimiser = torch.optim.Adam(self.net.parameters(), fused=self.device.type in ("cpu", "cuda"))

    def table(self, at_once: int = 65536) -> Array:
        """[R, A] outputs at all rows."""
        with torch.no_grad():
            parts = [self.net(rows).cpu().numpy() for rows in self.features.split(at_once)]
        return np.concatenate(parts).astype(np.float64)

    def shares(self, legal: Array) -> Array:
        """[R, A] the same as probabilities of legal actions."""
        logits = np.where(legal, self.table(), -np.inf)
        out = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(out / out.sum(axis=1, keepdims=True))

    def fit(
        self,
        wanted: Array,
        weight: Array,
        plan: FitPlan,
        seed: int,
        *,
        shares: bool = False,
        entropy: bool = False,
        clip: bool = True,
    ) -> None:
        """Towards `wanted` [R, A] where `weight` [R, A] is positive; with `shares` outputs are logits of probabilities.

        The loss is the squared error; that of `shares` can be the cross-`entropy`.
        """
        total = float(weight.sum())
        if not total > 0.0:
            return
        batches = Batches(self.features, wanted, weight / total, plan.batch, seed)
        parameters = list(self.net.parameters())
        for step in range(plan.steps):
            share = 0.5 * (1.0 + math.cos(math.pi * step / plan.steps)) if plan.anneal else 1.0
            self.optimiser.param_groups[0]["lr"] = plan.rate * share
            x, y, w = batches.draw()
            out = self.net(x)
            if shares:
                out = out.masked_fill(w == 0.0, NEVER)
                out = torch.log_softmax(out, dim=1) if entropy else torch.softmax(out, dim=1)
            loss = -(w * y * out).sum() if entropy else (w * (out - y) ** 2).sum()
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            if clip:
                torch.nn.utils.clip_grad_norm_(parameters, CLIP)
            self.optimiser.step()


class Batches:
    """All rows with their weights, or rows drawn in proportion to them where there are more than a batch."""

    def __init__(self, features: Tensor, wanted: Array, weight: Array, batch: int, seed: int) -> None:
        of_row = weight.sum(axis=1)
        self.rows = np.flatnonzero(of_row > 0.0)
        self.size = batch if len(self.rows) > batch else 0
        if self.size:
            weight = weight / np.where(of_row > 0.0, of_row, 1.0)[:, None] / batch
            self.until = np.cumsum(of_row[self.rows]) / of_row.sum()
            self.random = np.random.default_rng(seed)
        chosen = torch.from_numpy(self.rows).to(features.device)
        self.features = features if len(self.rows) == len(features) else features[chosen]
        self.wanted = torch.from_numpy(np.asarray(wanted[self.rows], dtype=np.float32)).to(features.device)
        self.weight = torch.from_numpy(np.asarray(weight[self.rows], dtype=np.float32)).to(features.device)

    def draw(self) -> tuple[Tensor, Tensor, Tensor]:
        if not self.size:
            return self.features, self.wanted, self.weight
        drawn = np.minimum(np.searchsorted(self.until, self.random.random(self.size)), len(self.rows) - 1)
        chosen = torch.from_numpy(drawn).to(self.features.device)
        return self.features[chosen], self.wanted[chosen], self.weight[chosen]
