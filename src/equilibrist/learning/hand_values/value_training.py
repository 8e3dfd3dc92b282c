"""A network of values and what it learns from: questions and exact answers in 16 bits, a loss, and the steps of an iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from equilibrist.core.arrays import Array, Longs
from equilibrist.core.errors import TooLargeError
from equilibrist.games.size_estimate import memory_limit
from equilibrist.learning.hand_values.labels import LabelledStates
from equilibrist.learning.hand_values.meetings import meetings
from equilibrist.learning.hand_values.value_errors import ValueErrors, measured_errors
from equilibrist.learning.hand_values.value_net import HandQuestion, HandValueNet
from equilibrist.learning.hand_values.value_order import ValueOrder
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.networks.torch_extra import torch_device

CLIP = 1.0  # largest norm of a gradient
BEND = 0.1  # of the pot: the error from which the loss grows linearly
NUMBERS = 22 * 1326 * 2  # bytes of a state in memory: so many numbers of each hand


class StateMemory:
    """Questions and answers in 16 bits, on the device where they are learned from."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.parts: list[dict[str, torch.Tensor]] = []
        self.first = [0]

    def add(self, shard: LabelledStates) -> None:
        seen = meetings(shard.states)
        arrays: dict[str, Array] = {
            "equity": seen.equity,
            "spread": seen.spread,
            "rank": seen.rank,
            "edge": seen.edge,
            "met": seen.met,
            "faced": seen.faced,
            "belief": seen.belief * 1024.0,  # 16 bits hold no smaller ones exactly
            "values": shard.values,
        }
        part = {key: torch.from_numpy(array).to(self.device, torch.float16) for key, array in arrays.items()}
        part["depth"] = torch.from_numpy(np.log(shard.states.depth).astype(np.float32)).to(self.device)
        self.parts.append(part)
        self.first.append(self.first[-1] + len(shard))

    def __len__(self) -> int:
        return self.first[-1]

    def batch(self, rows: Longs) -> tuple[HandQuestion, torch.Tensor]:
        """Questions about both players' hands, and what they are worth."""
        shards = np.searchsorted(self.first, rows, side="right") - 1
        taken: dict[str, list[torch.Tensor]] = {key: [] for key in self.parts[0]}
        for number in np.unique(shards).tolist():
            here = torch.from_numpy(rows[shards == number] - self.first[number]).to(self.device)
            for key, each in self.parts[number].items():
                taken[key].append(each[here].float())
        joined = {key: torch.cat(each) for key, each in taken.items()}
        both = [joined[key][:, None].expand(-1, 2, -1) for key in ("equity", "spread")]
        belief = joined["belief"] / joined["belief"].sum(2, keepdim=True)
        rest = (joined[key] for key in ("rank", "edge", "met", "faced"))
        return HandQuestion._make([*both, *rest, belief, joined["depth"]]), joined["values"]


class ValueTraining:
    """Network, memory and course."""

    def __init__(self, order: ValueOrder, device: str = "cpu") -> None:
        self.order, self.device = order, torch_device(device)
        need = (order.states + order.held_out) * NUMBERS
        if self.device.type == "cpu" and need > memory_limit():
            raise TooLargeError(
                f"{order.states:,} states take {need / 1e9:.1f} GB, but {memory_limit() / 1e9:.1f} GB may be used; ask for fewer states."
            )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(order.seed)
            net = HandValueNet(order.width, order.wide)
        self.net = net.to(self.device)
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=order.rate)
        self.memory, self.held_out = StateMemory(self.device), StateMemory(self.device)
        self.iteration = 0
        self.curve: list[dict[str, Any]] = []
        self.seconds = 0.0

    def train(self, tell: Callable[[float], None] = lambda share: None) -> None:
        """The steps of one iteration, on states drawn evenly from all so far."""
        self.iteration += 1
        random = np.random.default_rng([self.order.seed, self.iteration, 1])
        for step in range(self.order.steps):
            self._set_rate(self.iteration - 1 + step / self.order.steps)
            asked, values = self.memory.batch(random.integers(0, len(self.memory), size=self.order.batch))
            loss = value_loss(self.net(asked), values, asked)
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
            self.optimiser.step()
            tell((step + 1) / self.order.steps)

    def _set_rate(self, done: float) -> None:
        """Falls by a cosine over the iterations planned."""
        share = min(1.0, done / self.order.iterations)
        for group in self.optimiser.param_groups:
            group["lr"] = self.order.rate * (0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * share)))

    def measure(self) -> ValueErrors:
        return measured_errors(self.net, self.held_out.batch, len(self.held_out))

    def state(self) -> dict[str, Array]:
        return {**net_arrays(self.net, "net"), **optimiser_arrays(self.optimiser, "optimiser")}

    def restore(self, state: dict[str, Array], iteration: int) -> None:
        load_net(self.net, state, "net")
        load_optimiser(self.optimiser, state, "optimiser")
        self.iteration = iteration


def value_loss(found: torch.Tensor, values: torch.Tensor, asked: HandQuestion) -> torch.Tensor:
    """Huber loss, half of it over all hands that may be held and half over hands as they are held."""
    each = torch.nn.functional.smooth_l1_loss(found, values, reduction="none", beta=BEND)
    there = (asked.met > 0.0).float()
    return 0.5 * (each * there).sum() / there.sum() + 0.5 * (each * asked.belief).sum() / asked.belief.sum()
