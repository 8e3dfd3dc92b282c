"""The two networks: values of flops learn by squared errors, since examples are noisy, values of turns by Huber's loss."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from equilibrist.core.arrays import Array
from equilibrist.learning.hand_values.belief_states import BOARD_CARDS
from equilibrist.learning.hand_values.labels import LabelledStates
from equilibrist.learning.hand_values.network_values import ready_values
from equilibrist.learning.hand_values.value_errors import measured_errors
from equilibrist.learning.hand_values.value_net import HandQuestion, HandValueNet
from equilibrist.learning.hand_values.value_training import CLIP, StateMemory, value_loss
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.rebel_holdem.class_questions import ClassQuestions
from equilibrist.learning.rebel_holdem.flop_play import ClassExamples

DECAY = 0.01  # of weights, so that the luck of single flops is not learned by heart
READY = "net"


@dataclass(frozen=True)
class NetSettings:
    """Of both networks."""

    width: int
    wide: int
    rate: float
    batch: int
    memory: int  # newest examples learned from
    begin: str  # values of turns begin as those of the package (`net`), or with nothing learned


class FittedNet:
    """A network with its optimiser."""

    def __init__(self, net: HandValueNet, settings: NetSettings, device: torch.device, decay: float = 0.0) -> None:
        self.net: HandValueNet = net.to(device)
        self.settings, self.device = settings, device
        self.optimiser = torch.optim.AdamW(self.net.parameters(), lr=settings.rate, weight_decay=decay)

    def step(self, loss: Tensor, rate: float) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
        self.optimiser.step()

    def rows(self, number: int, steps: int, random: np.random.Generator) -> Iterator[Tensor]:
        """The newest examples, drawn evenly, batch after batch."""
        begin = max(0, number - self.settings.memory)
        for _ in range(steps):
            yield torch.from_numpy(random.integers(begin, number, size=self.settings.batch)).to(self.device)

    def state(self, name: str) -> dict[str, Array]:
        return {**net_arrays(self.net, name), **optimiser_arrays(self.optimiser, f"{name}-optimiser")}

    def restore(self, state: dict[str, Array], name: str) -> None:
        load_net(self.net, state, name)
        load_optimiser(self.optimiser, state, f"{name}-optimiser")


class FlopNet(FittedNet):
    """What classes are worth at the start of the flop; small, so it stays on the CPU."""

    def __init__(self, settings: NetSettings, questions: ClassQuestions, seed: int) -> None:
        net = _fresh(seed, settings, outcomes=True)
        super().__init__(net, settings, torch.device("cpu"), DECAY)
        self.questions = questions
        self.asked: HandQuestion | None = None
        self.target, self.share = torch.empty(0), torch.empty(0)

    @property
    def number(self) -> int:
        return len(self.target)

    def add(self, examples: ClassExamples) -> None:
        asked, target, share = self._told(examples)
        before = self.asked
        self.asked = asked if before is None else HandQuestion._make(map(torch.cat, zip(before, asked, strict=True)))
        self.target, self.share = torch.cat([self.target, target]), torch.cat([self.share, share])

    def train(self, steps: int, rate: float, random: np.random.Generator) -> None:
        assert self.asked is not None
        for rows in self.rows(self.number, steps, random):
            asked = HandQuestion._make([each[rows] for each in self.asked])
            self.step(squared_loss(self.net(asked), self.target[rows], self.share[rows], asked), rate)

    def errors(self, examples: ClassExamples) -> dict[str, float]:
        """Roots of mean squares, % of the pot, of what is answered less what one flop says; the luck of the flop is part of them."""
        asked, target, share = self._told(examples)
        with torch.no_grad():
            found = self.net(asked)
        answers = {"flop": found, "flop_check_down": 0.5 * asked.edge}
        return {name: 100.0 * float(held_loss(each, target, share, asked).sqrt()) for name, each in answers.items()}

    def _told(self, examples: ClassExamples) -> tuple[HandQuestion, Tensor, Tensor]:
        """Questions, answers [N, 2, class] and the share of each class that the flop left."""
        asked = self.questions.ask(examples.weights.astype(np.float64), examples.depth)
        target = 0.5 * asked.edge + torch.from_numpy(examples.added)
        return asked, target, torch.from_numpy(examples.share)[:, None].expand_as(target).clone()


class TurnNet(FittedNet):
    """What hands are worth at the start of the turn."""

    def __init__(self, settings: NetSettings, seed: int, device: torch.device) -> None:
        self.package = deepcopy(ready_values(BOARD_CARDS["turn"]).net).to(device)
        net = deepcopy(self.package) if settings.begin == READY else _fresh(seed, settings)
        super().__init__(net.train(), settings, device)
        self.memory = StateMemory(device)

    def train(self, steps: int, rate: float, random: np.random.Generator) -> None:
        for rows in self.rows(len(self.memory), steps, random):
            asked, values = self.memory.batch(rows)
            self.step(value_loss(self.net(asked), values, asked), rate)

    def errors(self, turns: LabelledStates, own: int) -> dict[str, float]:
        """% of the pot, of the first `own` turns: this network's, the package's, and if hands were worth their equity."""
        some = LabelledStates(turns.states[:own], turns.values[:own], turns.error[:own])
        seen = StateMemory(self.device)
        seen.add(some)
        found = measured_errors(self.net, seen.batch, own)
        package = measured_errors(self.package, seen.batch, own)
        return {"turn": found.in_range, "turn_package": package.in_range, "turn_check_down": found.check_down}

    def on_host(self) -> HandValueNet:
        """A copy for searches."""
        out: HandValueNet = deepcopy(self.net).cpu()
        out.eval()
        return out


def _fresh(seed: int, settings: NetSettings, outcomes: bool = False) -> HandValueNet:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return HandValueNet(settings.width, settings.wide, 1, outcomes)


def held_loss(found: Tensor, target: Tensor, share: Tensor, asked: HandQuestion) -> Tensor:
    """Mean squared error over hands as they are held."""
    weight = share * asked.belief * asked.met
    return (weight * (found - target) ** 2).sum() / weight.sum()


def squared_loss(found: Tensor, target: Tensor, share: Tensor, asked: HandQuestion) -> Tensor:
    """Half of it over all hands alike, half over hands as they are held; a class counts as far as the flop leaves it."""
    return 0.5 * (share * (found - target) ** 2).sum() / share.sum() + 0.5 * held_loss(found, target, share, asked)
