"""The value network: from a class of public states and beliefs to one expected value per hand ([Brown20, §5.3.5])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from equilibrist.core.arrays import Floats, Ints
from equilibrist.learning.rebel._kernels.questions import ask_beliefs, take_answers
from equilibrist.learning.rebel.belief_game import BeliefGame
from equilibrist.learning.rebel.templates import Template, Templates

FIRST = 2  # columns for who acts and who is asked about
SMALL = 0.01  # of the last layer at the beginning
AT_ONCE = 512  # questions of a call on a CPU: what is held between layers stays in its cache

Leaves = tuple[Ints, Floats, Ints, npt.NDArray[np.bool_]]  # node, prior [L, 2, N], number of the class, exchanged


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
        self.number = np.full(int(game.future.max()) + 1, -1, dtype=np.int32)  # by class
        self.number[list(self.classes)] = np.arange(len(self.classes))
        self.hands = len(game.hands)
        self.width = FIRST + len(self.classes) + 2 * self.hands
        stands = [templates.of(future) for future in self.classes]
        self.actor = np.array([t.shape.player[0] for t in stands], dtype=np.float32)
        self.possible = np.array([t.prior > 0.0 for t in stands]).reshape(-1, 2, self.hands)

    def rows(self, numbers: npt.NDArray[np.integer[Any]]) -> np.ndarray:
        """[Q, width] float32 about classes by their numbers here, without beliefs."""
        out = np.zeros((len(numbers), self.width), dtype=np.float32)
        if len(numbers):
            out[:, 0] = self.actor[numbers]
            out[np.arange(len(numbers)), FIRST + numbers] = 1.0
        return out

    @property
    def beliefs(self) -> int:
        """First column of beliefs."""
        return FIRST + len(self.classes)


class NetValues:
    """Fulfils `EdgeValues` with a network; one question for each leaf that the opponent gets to."""

    def __init__(self, net: ValueNet, questions: Questions, device: torch.device) -> None:
        self.net, self.questions, self.device = net, questions, device
        self._rows = np.empty((0, questions.width), dtype=np.float32)
        self._asked = np.empty(0, dtype=np.int32)

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        leaves = (
            template.leaves,
            template.leaf_prior,
            self.questions.number[template.leaf_future],
            template.leaf_swapped,
        )
        self._ask(leaves, player, reach, out.reshape(-1, out.shape[-1]))

    def of_state(self, game: BeliefGame, state: int, reach: Floats) -> Floats:
        """[2, N] expected values of both players at one public state, reached with [2, N]; 0 where the other one never gets."""
        number = self.questions.number[game.future[[state]]]
        leaves = np.zeros(1, dtype=np.int32), game.prior(state)[None], number, game.swapped[[state]]
        found = np.empty((2, 1, len(game.hands)))
        for player in range(2):
            self._ask(leaves, player, reach[None, None], found[player])
        return found[:, 0]

    def _ask(self, leaves: Leaves, player: int, reach: Floats, out: Floats) -> None:
        if len(self._rows) < len(out):
            self._rows = np.empty((len(out), self.questions.width), dtype=np.float32)
            self._asked = np.empty(len(out), dtype=np.int32)
        own = self.questions
        many = ask_beliefs(player, leaves, own.actor, own.beliefs, reach, self._rows, self._asked)
        take_answers(self.answer(self._rows[:many]), self._asked[:many], out)

    def answer(self, rows: np.ndarray) -> np.ndarray:
        """[Q, N] float32."""
        parts = []
        with torch.inference_mode():
            asked = torch.from_numpy(rows).to(self.device)
            at_once = AT_ONCE if self.device.type == "cpu" else max(1, len(rows))
            parts = [self.net(part) for part in asked.split(at_once)]
            found: np.ndarray = torch.cat(parts).cpu().numpy()
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
