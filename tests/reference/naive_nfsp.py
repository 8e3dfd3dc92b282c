"""Neural fictitious self-play written down plainly: lists as memories, nets and gradients by PyTorch, one line per idea.

Random numbers are those of the kernels (`Stream`), so that memories must come out equal, entry by entry.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import Encoding
from equilibrist.learning.reinforcement.nfsp import NFSP
from reference.naive_mccfr import Stream

CHANCE, TERMINAL = -1, -2


def torch_net(arrays: Any, player: int) -> nn.Sequential:
    """A net of one player with the weights of a `Net`."""
    layers: list[nn.Module] = []
    bias = torch.tensor(arrays.bias[player])
    for k in range(len(bias)):
        weight = torch.tensor(arrays.first[player] if k == 0 else arrays.middle[player][k - 1]).T
        layers += [_linear(weight, bias[k]), nn.ReLU()]
    layers.append(_linear(torch.tensor(arrays.head[player]), torch.tensor(arrays.head_bias[player])))
    return nn.Sequential(*layers)


def _linear(weight: torch.Tensor, bias: torch.Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight = nn.Parameter(weight.clone())
    layer.bias = nn.Parameter(bias.clone())
    return layer


class NaiveNFSP:
    """Two players on a game whose chance outcomes are equally likely."""

    def __init__(self, settings: NFSP, game: Compiled, encoding: Encoding, words: list[int], agents: Any) -> None:
        self.settings, self.game, self.encoding = settings, game, encoding
        self.stream = Stream(words)
        self.features = torch.from_numpy(encoding.features)
        self.legal = torch.from_numpy(encoding.legal)
        self.q, self.target, self.average = (
            [torch_net(nets, p) for p in range(2)] for nets in (agents.q, agents.target, agents.average)
        )
        self.ring: list[list[tuple[int, int, float, int]]] = [[], []]
        self.reservoir: list[list[tuple[int, int]]] = [[], []]
        self.offered = [[0, 0], [0, 0]]
        self.rounds = self.decisions = self.q_updates = 0

    def round(self) -> None:
        self.rounds += 1
        while self.decisions < self.rounds * self.settings.steps:
            self.episode(self.settings.exploration / self.rounds**0.5)
        for _ in range(self.settings.updates):
            for p in range(2):
                if self.offered[p][0] >= self.settings.batch:
                    self.learn_values(p)
                if self.offered[p][1] >= self.settings.batch:
                    self.learn_average(p)
            if max(self.offered[0][0], self.offered[1][0]) >= self.settings.batch:
                self.q_updates += 1
                if self.q_updates % self.settings.refit == 0:
                    for p in range(2):
                        self.target[p].load_state_dict(self.q[p].state_dict())

    @property
    def cooled(self) -> float:
        decay = self.settings.decay
        return min(1.0, decay / self.rounds) ** 0.5 if decay else 1.0

    def episode(self, exploration: float) -> None:
        tree, encoding = self.game.tree, self.encoding
        best = [self.stream.uniform() < self.settings.anticipation for _ in range(2)]
        last: list[tuple[int, int] | None] = [None, None]
        n = 0
        while tree.player[n] != TERMINAL:
            player = int(tree.player[n])
            if player == CHANCE:
                outcomes = self.below_chance(n)
                n = outcomes[int(self.stream.uniform() * len(outcomes))]
                continue
            slot, width = int(tree.infosets.first_slot[tree.infoset[n]]), int(tree.children[n])
            row = int(encoding.slot_row[slot])
            outputs = [int(encoding.output[slot + a]) for a in range(width)]
            if (before := last[player]) is not None:
                self.remember(player, (*before, 0.0, row))
            if best[player]:
                a = self.respond(player, row, outputs, exploration)
                self.keep_best(player, (row, outputs[a]))
            else:
                logits = self.average[player](self.features[row])[outputs]
                a = self.stream.action(torch.softmax(logits, 0).tolist())
            last[player] = row, outputs[a]
            self.decisions += 1
            n = int(tree.first_child[n]) + a
        most = abs(tree.returns).max()
        for player in range(2):
            if (before := last[player]) is not None:
                reward = float(tree.returns[tree.terminal[n], player]) / most * self.settings.reward
                self.remember(player, (*before, reward, -1))

    def below_chance(self, n: int) -> list[int]:
        """What comes after chance, in the order of the tree."""
        tree = self.game.tree
        children = range(int(tree.first_child[n]), int(tree.first_child[n] + tree.children[n]))
        found = [
            m for child in children for m in ([child] if tree.player[child] != CHANCE else self.below_chance(child))
        ]
        return sorted(found)

    def respond(self, player: int, row: int, outputs: list[int], exploration: float) -> int:
        if self.stream.uniform() < exploration:
            return int(self.stream.uniform() * len(outputs))
        values = self.q[player](self.features[row])[outputs].tolist()
        chosen, ties = 0, 1
        for a in range(1, len(values)):
            if values[a] > values[chosen]:
                chosen, ties = a, 1
            elif values[a] == values[chosen]:
                ties += 1
                if self.stream.uniform() * ties < 1.0:
                    chosen = a
        return chosen

    def remember(self, player: int, move: tuple[int, int, float, int]) -> None:
        ring, place = self.ring[player], self.offered[player][0] % self.settings.ring
        self.offered[player][0] += 1
        ring[place : place + 1] = [move]

    def keep_best(self, player: int, move: tuple[int, int]) -> None:
        place = self.offered[player][1]
        self.offered[player][1] += 1
        if place >= self.settings.reservoir:
            place = int(self.stream.uniform() * (place + 1))
        if place < self.settings.reservoir:
            self.reservoir[player][place : place + 1] = [move]

    def learn_values(self, player: int) -> None:
        drawn = [self.ring[player][self.draw(self.ring[player])] for _ in range(self.settings.batch)]
        goals = []
        for _, _, reward, after in drawn:
            if after >= 0:
                with torch.no_grad():
                    reward += float(self.target[player](self.features[after])[self.legal[after]].max())
            goals.append(reward)
        outputs = self.q[player](self.features[[row for row, *_ in drawn]])
        chosen = outputs[range(len(drawn)), [output for _, output, *_ in drawn]]
        self.step(self.q[player], ((chosen - torch.tensor(goals)) ** 2).mean(), self.settings.rate_q * self.cooled)

    def learn_average(self, player: int) -> None:
        drawn = [self.reservoir[player][self.draw(self.reservoir[player])] for _ in range(self.settings.batch)]
        rows = [row for row, _ in drawn]
        logits = self.average[player](self.features[rows]).masked_fill(~self.legal[rows], -torch.inf)
        loss = nn.functional.cross_entropy(logits, torch.tensor([output for _, output in drawn]))
        self.step(self.average[player], loss, self.settings.rate_average * self.cooled)

    def draw(self, memory: list[Any]) -> int:
        return int(self.stream.uniform() * len(memory))

    @staticmethod
    def step(net: nn.Module, loss: torch.Tensor, rate: float) -> None:
        optimiser = torch.optim.SGD(net.parameters(), lr=rate)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
