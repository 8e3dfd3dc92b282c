"""The policy network: how searches of public belief states come out, learned from their averages ([Brown20, §5.3.3])."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from equilibrist.core.arrays import Floats, Ints
from equilibrist.learning.memories.sampled import SampleMemory
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.rebel._kernels.questions import WHOEVER_ACTS, ask_beliefs
from equilibrist.learning.rebel.solving import SolvedSearches, leaf_reach
from equilibrist.learning.rebel.templates import Template, Templates
from equilibrist.learning.rebel.value_net import Questions, ValueNet

CLIP = 5.0  # largest norm of a gradient


@dataclass(frozen=True)
class Acting:
    """Nodes of a search where somebody acts, D of them at one depth."""

    nodes: Ints  # [D]
    prior: Floats  # [D, 2, N]
    swapped: npt.NDArray[np.bool_]  # [D]
    future: Ints  # [D] classes


class PolicyQuestions:
    """How a policy network is asked: about the class of a public state, and both beliefs there."""

    def __init__(self, templates: Templates) -> None:
        self.templates, game = templates, templates.game
        self.hands, self.known = len(game.hands), dict[int, list[Acting]]()
        roots = (int(game.future[0]), *templates.asked)
        inner = {int(c) for root in roots for level in self.levels(templates.of(root)) for c in level.future}
        self.questions = Questions(templates, tuple(sorted(inner)))
        widths = [len(game.children[templates.of(c).root]) for c in self.questions.classes]
        self.actions = max(widths)
        self.legal = np.arange(self.actions) < np.array(widths)[:, None]  # [classes, A]

    def levels(self, template: Template) -> list[Acting]:
        """Where somebody acts, depth by depth."""
        if template.future not in self.known:
            shape, game = template.shape, self.templates.game
            depth = np.zeros(len(template.nodes), dtype=np.int32)
            for m in range(1, len(depth)):
                depth[m] = depth[shape.parent[m]] + 1
            found = []
            for d in range(int(depth.max(initial=0)) + 1):
                nodes = np.flatnonzero((depth == d) & (shape.player >= 0)).astype(np.int32)
                if len(nodes):
                    states = template.nodes[nodes]
                    prior = np.array([game.prior(int(s)) for s in states])
                    found.append(Acting(nodes, prior, game.swapped[states], game.future[states]))
            self.known[template.future] = found
        return self.known[template.future]

    def rows(self, level: Acting, reach: Floats) -> npt.NDArray[np.float32]:
        """[B x D, width] about nodes of one depth, own reach [B, M, 2, N]."""
        own, many = self.questions, len(reach) * len(level.nodes)
        rows, asked = np.empty((many, own.width), dtype=np.float32), np.empty(many, dtype=np.int32)
        nodes = level.nodes, level.prior, own.number[level.future], level.swapped
        ask_beliefs(WHOEVER_ACTS, nodes, own.actor, own.beliefs, reach, rows, asked)
        return rows


class NetPolicies:
    """Fulfils `Policies`: one call of the network for all nodes of one depth, whose beliefs follow from those above."""

    def __init__(self, net: ValueNet, questions: PolicyQuestions, device: torch.device) -> None:
        self.net, self.questions, self.device = net, questions, device

    def strategies(self, template: Template, start: Floats) -> Floats:
        out = np.zeros((len(start), template.slots, start.shape[-1]))
        for level in self.questions.levels(template):
            rows = self.questions.rows(level, leaf_reach(template, out, start))
            found = self._answer(rows, np.tile(level.future, len(start)))
            for k, m in enumerate(level.nodes.tolist()):
                first, width = int(template.shape.first_slot[m]), int(template.shape.width[m])
                each = found.reshape(len(start), len(level.nodes), *found.shape[1:])[:, k, :, :width]
                out[:, first : first + width] = (each / each.sum(axis=2, keepdims=True)).transpose(0, 2, 1)
        return out

    def _answer(self, rows: npt.NDArray[np.float32], futures: Ints) -> Floats:
        """[Q, N, A]."""
        number = self.questions.questions.number[futures]
        legal = torch.from_numpy(self.questions.legal[number]).to(self.device)
        with torch.inference_mode():
            found = chances(self.net(torch.from_numpy(rows).to(self.device)), legal)
        out: Floats = found.double().cpu().numpy()
        return out


def chances(outputs: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """[Q, N, A] from outputs [Q, N x A]; what is no action has none."""
    each = outputs.reshape(len(outputs), -1, legal.shape[1])
    return torch.softmax(each.masked_fill(~legal[:, None], -torch.inf), dim=2)


class PolicyTraining:
    """A policy network, a ring of averages that searches came to, and its training."""

    def __init__(
        self, templates: Templates, width: int, layers: int, rate: float, memory: int, device: torch.device
    ) -> None:
        self.questions, self.device = PolicyQuestions(templates), device
        own = self.questions
        outputs = own.hands * own.actions
        self.net = ValueNet(own.questions.width, outputs, width, layers).to(device)
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=rate)
        self.memory = SampleMemory(
            memory,
            ring=True,
            state=((), np.int32),
            beliefs=((2 * own.hands,), np.float32),
            chances=((own.hands, own.actions), np.float32),
            held=((own.hands,), np.bool_),
        )
        self.policies = NetPolicies(self.net, own, device)
        self.loss = 0.0

    def remember(self, template: Template, found: SolvedSearches, times: int, random: np.random.Generator) -> None:
        """The averages at every node where somebody acts; `times` where one search stands for many."""
        own, reach = self.questions, leaf_reach(template, found.average, found.start)
        for level in own.levels(template):
            rows = own.rows(level, reach)
            shape, many = template.shape, len(found.start)
            table = np.zeros((many, len(level.nodes), own.hands, own.actions), dtype=np.float32)
            for k, m in enumerate(level.nodes.tolist()):
                first, width = int(shape.first_slot[m]), int(shape.width[m])
                table[:, k, :, :width] = found.average[:, first : first + width].transpose(0, 2, 1)
            held = (
                reach[:, level.nodes, shape.player[level.nodes]]
                * level.prior[np.arange(len(level.nodes)), shape.player[level.nodes]]
            )
            number = own.questions.number[level.future]
            self.memory.add(
                random,
                state=np.tile(number, many * times),
                beliefs=np.tile(rows[:, own.questions.beliefs :], (times, 1)),
                chances=np.tile(table.reshape(-1, own.hands, own.actions), (times, 1, 1)),
                held=np.tile(held.reshape(-1, own.hands) > 0.0, (times, 1)),
            )

    def train(self, steps: int, batch: int, rate: float, random: np.random.Generator) -> None:
        """Mean squared errors of chances; hands that never get there reach no gradient."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        for _ in range(steps):
            drawn = self.memory.draw(random, batch)
            number = self.memory["state"][drawn]
            rows = self.questions.questions.rows(number)
            rows[:, self.questions.questions.beliefs :] = self.memory["beliefs"][drawn]
            arrays = rows, self.questions.legal[number], self.memory["chances"][drawn], self.memory["held"][drawn]
            asked, legal, wanted, held = (torch.from_numpy(array).to(self.device) for array in arrays)
            off = ((chances(self.net(asked), legal) - wanted) ** 2).sum(dim=2)
            loss = (off * held).sum() / held.sum().clamp(min=1)
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
            self.optimiser.step()
            self.loss = float(loss.detach())

    def small_state(self) -> dict[str, npt.NDArray[Any]]:
        return {**net_arrays(self.net, "policy_net"), **optimiser_arrays(self.optimiser, "policy_optimiser")}

    def restore(self, small: Mapping[str, npt.NDArray[Any]], memories: Mapping[str, npt.NDArray[Any]] | None) -> None:
        load_net(self.net, small, "policy_net")
        load_optimiser(self.optimiser, small, "policy_optimiser")
        if memories is not None:
            self.memory.restore(memories, "policies")
