"""The value network: from a class of public states and beliefs to one expected value per hand ([Brown20, §5.3.5])."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from equilibrist.core.arrays import Floats
from equilibrist.learning.rebel._kernels.subgame import ask_beliefs
from equilibrist.learning.rebel.belief_game import BeliefGame
from equilibrist.learning.rebel.templates import Template, Templates

FIRST = 2  # columns for who acts and who is asked about
SMALL = 0.01  # of the last layer at the beginning
MOST_HELD = 20_000_000  # numbers of questions that are kept for the next time


class ValueNet(nn.Module):
    """Fully connected layers with GELU and layer normalisation; the last one begins small."""

    def __init__(self, inputs: int, outputs: int, width: int = 256, layers: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(inputs if k == 0 else width, width) for k in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.head = nn.Linear(width, outputs)
        with torch.no_grad():
            self.head.weight.mul_(SMALL)
            self.head.bias.zero_()

    def forward(self, x: Tensor) -> Tensor:
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = norm(nn.functional.gelu(layer(x)))
        out: Tensor = self.head(x)
        return out


class Questions:
    """How a network is asked: who acts, who is asked about, the class of the public state, both beliefs."""

    def __init__(self, templates: Templates, classes: tuple[int, ...] | None = None) -> None:
        """`classes`: those that can be asked about (default: where searches end and begin)."""
        game = templates.game
        self.classes = templates.asked if classes is None else classes
        self.number = {future: k for k, future in enumerate(self.classes)}
        self.hands = len(game.hands)
        self.width = FIRST + len(self.classes) + 2 * self.hands
        stands = [templates.of(future) for future in self.classes]
        self.actor = np.array([t.shape.player[0] for t in stands], dtype=np.float32)
        self.possible = np.array([t.prior > 0.0 for t in stands]).reshape(-1, 2, self.hands)

    def rows(self, classes: Sequence[int] | np.ndarray) -> np.ndarray:
        """[Q, width] float32 about classes, without beliefs."""
        number = np.array([self.number[int(c)] for c in classes], dtype=np.int64)
        out = np.zeros((len(number), self.width), dtype=np.float32)
        if len(number):
            out[:, 0] = self.actor[number]
            out[np.arange(len(number)), FIRST + number] = 1.0
        return out

    @property
    def beliefs(self) -> int:
        """First column of beliefs."""
        return FIRST + len(self.classes)


class NetValues:
    """Fulfils `EdgeValues` with a network; one call for all leaves of all searches."""

    def __init__(self, net: ValueNet, questions: Questions, device: torch.device) -> None:
        self.net, self.questions, self.device = net, questions, device
        self._rows: dict[tuple[int, int], np.ndarray] = {}

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        many = len(reach)
        rows = self._rows.get((template.future, many))
        if rows is None:
            if sum(held.size for held in self._rows.values()) > MOST_HELD:
                self._rows.clear()
            rows = self._rows[template.future, many] = np.tile(self.questions.rows(template.leaf_future), (many, 1))
        ask_beliefs(
            player, template.leaves, template.leaf_prior, template.leaf_swapped, reach, self.questions.beliefs, rows
        )
        out[:] = self.answer(rows).reshape(out.shape)

    def of_state(self, game: BeliefGame, state: int, reach: Floats) -> Floats:
        """[2, N] expected values of both players at one public state, reached with [2, N]."""
        prior, swapped = game.prior(state)[None], game.swapped[[state]]
        rows, found = self.questions.rows(game.future[[state]]), np.empty((2, len(game.hands)))
        for player in range(2):
            ask_beliefs(
                player, np.zeros(1, dtype=np.int32), prior, swapped, reach[None, None], self.questions.beliefs, rows
            )
            found[player] = self.answer(rows)[0]
        return found

    def answer(self, rows: np.ndarray) -> np.ndarray:
        """[Q, N] float32."""
        with torch.inference_mode():
            found: np.ndarray = self.net(torch.from_numpy(rows).to(self.device)).cpu().numpy()
        return found


class NetLeaves:
    """Fulfils `LeafValues`: counterfactual values of public states of the tree, in chips."""

    unit = "chips"
    depends_on_ranges = True

    def __init__(self, game: BeliefGame, values: NetValues) -> None:
        self.game, self.values_of = game, values

    def values(self, states: Sequence[str], ranges: Sequence[Sequence[Floats]]) -> list[Floats]:
        """For each state [1, player, private], shorter vectors of private states filled up with zeros."""
        return [self._values(state, held) for state, held in zip(states, ranges, strict=True)]

    def _values(self, state: str, held: Sequence[Floats]) -> Floats:
        game, tree = self.game, self.game.game.public_tree
        number = tree.number(state)
        here = int(game.state_of[number])
        spans = [tree.privates(number, p) for p in range(2)]
        hands = [game.hand_of[p][spans[p]] for p in range(2)]
        reach = np.zeros((2, len(game.hands)))
        for p in range(2):  # of hands that are merged here, the mean
            count = np.bincount(hands[p], minlength=len(game.hands))
            reach[p] = np.bincount(hands[p], held[p], minlength=len(game.hands)) / np.maximum(count, 1)
        expected = self.values_of.of_state(game, here, reach)
        entries = slice(int(tree.first_joint[number]), int(tree.first_joint[number + 1]))
        joint, weight = tree.joint[entries], tree.weight[entries]
        table = np.zeros((1, 2, max(len(hand) for hand in hands)))
        for p in range(2):
            own, other = joint[:, p] - spans[p].start, joint[:, 1 - p] - spans[1 - p].start
            mass = np.bincount(own, weight * np.asarray(held[1 - p])[other], minlength=len(hands[p]))
            table[0, p, : len(hands[p])] = game.unit * mass * expected[p][hands[p]]
        return table
