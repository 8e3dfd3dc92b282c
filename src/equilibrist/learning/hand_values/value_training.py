"""A network of values and what it learns from: questions and exact answers in 16 bits, a loss, and the steps of an iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from equilibrist.core.arrays import Array, Longs
from equilibrist.core.errors import TooLargeError
from equilibrist.games.size_estimate import memory_limit
from equilibrist.learning.hand_values.belief_states import HANDS, possible_hands
from equilibrist.learning.hand_values.labels import LabelledStates
from equilibrist.learning.hand_values.meetings import meetings
from equilibrist.learning.hand_values.value_errors import ValueErrors, measured_errors
from equilibrist.learning.hand_values.value_net import OUTCOMES, HandQuestion, HandValueNet
from equilibrist.learning.hand_values.value_order import ValueOrder
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.networks.torch_extra import torch_device

CLIP = 1.0  # largest norm of a gradient
BEND = 0.1  # of the pot: the error from which the loss grows linearly
NUMBERS = 22  # in memory of each hand, in 16 bits
BELIEF = 1024.0  # beliefs are kept so many times as large: 16 bits hold no smaller ones exactly


class StateMemory:
    """Questions and answers in 16 bits, on the device where they are learned from; hands that boards leave out have no place."""

    def __init__(self, device: torch.device, room: int = 0, outcomes: bool = False) -> None:
        """`room`: states that are to come."""
        self.device, self.room, self.knots = device, room, OUTCOMES * outcomes
        self.kept: dict[str, torch.Tensor] = {}
        self.kinds = list[Longs]()
        self.number = 0

    def add(self, shard: LabelledStates) -> None:
        seen, begin = meetings(shard.states, self.knots), self.number
        possible = possible_hands(shard.states.boards)
        hands = torch.from_numpy(np.nonzero(possible)[1].reshape(len(shard), -1)).to(self.device)
        of_hands = {"equity": seen.equity, "spread": seen.spread, "outcomes": seen.outcomes}
        of_both = {key: getattr(seen, key) for key in ("rank", "edge", "met", "faced", "belief")}
        self.number += len(shard)
        self.kinds.append(shard.states.kind)
        for key, array in (of_hands | of_both | {"values": shard.values}).items():
            whole = torch.from_numpy(array).to(self.device) * (BELIEF if key == "belief" else 1.0)
            self._keep(key, begin, _at_hands(whole, hands, 1 if key in of_hands else 2).to(torch.float16))
        self._keep("depth", begin, torch.from_numpy(np.log(shard.states.depth).astype(np.float32)).to(self.device))

    def _keep(self, key: str, begin: int, rows: torch.Tensor) -> None:
        if key not in self.kept:
            self.kept[key] = torch.empty(
                (max(self.room, self.number), *rows.shape[1:]), dtype=rows.dtype, device=self.device
            )
        if len(self.kept[key]) < self.number:
            self.kept[key] = torch.cat([self.kept[key][:begin], torch.empty_like(rows)])
        self.kept[key][begin : self.number] = rows

    def __len__(self) -> int:
        return self.number

    def batch(self, rows: torch.Tensor) -> tuple[HandQuestion, torch.Tensor]:
        """Questions about both players' hands, and what they are worth."""
        taken = {key: each[rows].float() for key, each in self.kept.items()}
        both = [taken[key][:, None].expand(-1, 2, *taken[key].shape[1:]) for key in ("equity", "spread", "outcomes")]
        belief = taken["belief"] / taken["belief"].sum(2, keepdim=True)
        rest = (taken[key] for key in ("rank", "edge", "met", "faced"))
        return HandQuestion._make([*both, *rest, belief, taken["depth"]]), taken["values"]


def _at_hands(whole: torch.Tensor, hands: torch.Tensor, dim: int) -> torch.Tensor:
    """Numbers of some hands [N, H]; those of all lie along `dim`."""
    index = hands.reshape(len(hands), *([1] * (dim - 1)), hands.shape[1], *([1] * (whole.ndim - dim - 1)))
    shape = list(whole.shape)
    shape[dim] = hands.shape[1]
    return torch.gather(whole, dim, index.expand(shape))


class ValueTraining:
    """Network, memory and course."""

    def __init__(self, order: ValueOrder, device: str = "cpu") -> None:
        self.order, self.device = order, torch_device(device)
        numbers = NUMBERS + OUTCOMES * order.outcomes
        need = 2 * numbers * HANDS.count * (order.states + order.held_out)
        free = memory_limit() if self.device.type == "cpu" else torch.cuda.mem_get_info(self.device)[0] // 2
        if need > free:
            raise TooLargeError(
                f"{order.states:,} states take {need / 1e9:.1f} GB, but {free / 1e9:.1f} GB may be used; ask for fewer states."
            )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(order.seed)
            net = HandValueNet(*order.shape)
        self.net = net.to(self.device)
        fused = self.device.type == "cuda"
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=order.rate, fused=fused)
        told = bool(order.outcomes)
        self.memory = StateMemory(self.device, order.shards * order.shard, told)
        self.held_out = StateMemory(self.device, order.held_out, told)
        self.iteration = 0
        self.curve: list[dict[str, Any]] = []
        self.seconds = 0.0

    def train(self, tell: Callable[[float], None] = lambda share: None) -> None:
        """The steps of one iteration, on states drawn evenly from all so far."""
        self.iteration += 1
        random, steps = np.random.default_rng([self.order.seed, self.iteration, 1]), self.order.steps
        drawn = random.integers(0, len(self.memory), size=(steps, self.order.batch))
        rows = torch.from_numpy(drawn).to(self.device)
        for step in range(steps):
            self._set_rate(self.iteration - 1 + step / steps)
            self.step(rows[step])
            tell((step + 1) / steps)

    def step(self, rows: torch.Tensor) -> None:
        """On some states; nothing waits for the device."""
        asked, values = self.memory.batch(rows)
        loss = value_loss(self.net(asked), values, asked)
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
        self.optimiser.step()

    def _set_rate(self, done: float) -> None:
        """Falls by a cosine over the iterations planned."""
        share = min(1.0, done / self.order.iterations)
        for group in self.optimiser.param_groups:
            group["lr"] = self.order.rate * (0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * share)))

    def measure(self) -> ValueErrors:
        kinds = np.concatenate(self.held_out.kinds)
        return measured_errors(self.net, self.held_out.batch, len(self.held_out), kinds)

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
