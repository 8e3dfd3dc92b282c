"""Neural fictitious self-play ([Heinrich16]): best responses learned by Q-learning, average strategies by imitation of them.

An iteration here is `rounds` iterations of the paper, each some decisions of play and then a few steps of each net. The nets are small
and their steps short, so that play and steps stay in one kernel, without PyTorch and on the CPU.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.catalogue import Entry
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.names import Name
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import Encoding, encode
from equilibrist.learning.learner import Learner, State
from equilibrist.learning.reinforcement._kernels import fictitious as kernels
from equilibrist.learning.reinforcement._kernels.small_net import Inputs, Net, Work
from equilibrist.learning.reinforcement.rewards import packed_with_unit_payoffs
from equilibrist.solvers.mccfr._kernels import packing

Array = npt.NDArray[Any]
Shape = tuple[int, int, int, int]  # inputs, width, depth, outputs of a net
PROGRESS = ("rounds", "decisions", "episodes", "nodes", "q_updates", "average_updates")


@dataclass(frozen=True)
class NFSP:
    """Settings; the defaults are those of [Heinrich16] for Leduc, rewards excepted, whose unit the paper does not tell."""

    iterations: int = 3000
    rounds: int = 1000  # the paper's iterations in one of ours
    steps: int = 128  # decisions of all players in a round
    updates: int = 2  # steps of each net in a round
    batch: int = 128
    ring: int = 200_000  # moves that Q learns from, per player
    reservoir: int = 2_000_000  # moves that the average strategy learns from, per player
    anticipation: float = 0.1  # eta
    exploration: float = 0.06  # at the first round; falls with the root of the rounds
    rate_q: float = 0.1
    rate_average: float = 0.005
    decay: int = 0  # rounds after which both rates fall with the root of the rounds; 0: never
    refit: int = 300  # updates between copies of Q to its target
    width: int = 64
    depth: int = 1
    reward: float = 5.0  # what the game's largest payoff counts

    def __repr__(self) -> str:
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "iterations"}
        return str(Name("nfsp", {key: value for key, value in given.items() if value != _DEFAULTS[key]}))

    def start(self, game: Compiled, *, seed: int = 0, device: str = "cpu") -> NFSPLearner:
        """A learner at iteration 0."""
        if device not in ("cpu", "auto"):
            raise NotApplicableError(f"NFSP runs on the CPU, but the device '{device}' was given; leave --device out.")
        return NFSPLearner(self, game, seed)

    def memory_bytes(self, game: Compiled) -> int:
        """Both memories of all players, full."""
        return game.game.players * (14 * self.ring + 6 * self.reservoir)

    @property
    def pace(self) -> kernels.Pace:
        return kernels.Pace(*(getattr(self, name) for name in kernels.Pace._fields))


class NFSPLearner(Learner):
    """NFSP at work."""

    def __init__(self, settings: NFSP, game: Compiled, seed: int) -> None:
        self.settings, self.game, self.iteration = settings, game, 0
        self.encoding = encode(game)
        self.tree = packed_with_unit_payoffs(game.tree, settings.reward)
        self.rows = rows_of(self.encoding)
        self.random = packing.random_state(seed)
        self.progress = np.zeros(len(PROGRESS), dtype=np.int64)
        players = game.game.players
        self.shape = (self.encoding.features.shape[1], settings.width, settings.depth, self.encoding.width)
        drawn = np.random.default_rng(seed)
        q, average = new_nets(players, self.shape, drawn), new_nets(players, self.shape, drawn)
        self.agents = kernels.Agents(q, Net(*(each.copy() for each in q)), average)
        self.moves = _no_moves(players, settings)
        self.scratch = _scratch(players, self.shape, settings.batch)

    def advance(self) -> None:
        with np.errstate(over="ignore"):  # random numbers wrap around; kernels left as Python would warn
            kernels.learn_rounds(
                self.tree, self.rows, self.agents, self.moves, self.settings.pace, self.settings.rounds, self.progress,
                self.random, self.scratch,
            )  # fmt: skip
        self.iteration += 1

    def policy(self) -> TabularPolicy:
        """The average nets at every infoset."""
        table = np.zeros(self.encoding.legal.shape, dtype=np.float32)
        kernels.tabulate(self.rows, self.agents.average, self.encoding.player, _work(1, self.shape), table)
        return normalise(self.game.infosets, self.encoding.by_slot(table))

    def counts(self) -> dict[str, int]:
        return dict(zip(PROGRESS, self.progress.tolist(), strict=True))

    def small_state(self) -> dict[str, Array]:
        nets = {
            f"{name}.{part}": getattr(getattr(self.agents, name), part).copy()
            for name in self.agents._fields
            for part in Net._fields
        }
        return nets | {
            "random": self.random.copy(),
            "progress": self.progress.copy(),
            "iteration": np.array(self.iteration, dtype=np.int64),
        }

    def memories(self) -> dict[str, Array]:
        """What was played, as far as the memories are filled."""
        found = {"offered": self.moves.offered.copy()}
        for name in _COLUMNS:
            column = getattr(self.moves, name)
            found[name] = column[:, : self._filled(name)].copy()
        return found

    def restore(self, small: State, memories: State | None) -> None:
        """Take a state over; without memories they start empty, and fill as it plays on."""
        for name in self.agents._fields:
            for part in Net._fields:
                _take(getattr(getattr(self.agents, name), part), small[f"{name}.{part}"], f"{name}.{part}")
        _take(self.random, small["random"], "random")
        _take(self.progress, small["progress"], "progress")
        self.iteration = int(small["iteration"])
        self.moves.offered[:] = 0 if memories is None else memories["offered"]
        if memories is not None:
            for name in _COLUMNS:
                _take(getattr(self.moves, name)[:, : self._filled(name)], memories[name], name)

    def nets(self) -> dict[str, dict[str, Array]]:
        return {"average": {part: getattr(self.agents.average, part).copy() for part in Net._fields}}

    def _filled(self, column: str) -> int:
        """Places in use of the player who has most."""
        which = 1 if column.startswith("best") else 0
        return int(min(self.moves.offered[:, which].max(), getattr(self.moves, column).shape[1]))


_COLUMNS = tuple(name for name in kernels.Moves._fields if name != "offered")


def rows_of(encoding: Encoding) -> kernels.Rows:
    """What kernels read of an encoding: of each row the inputs that are not zero."""
    used = encoding.features != 0.0
    place = np.argsort(~used, axis=1, kind="stable")[:, : max(int(used.sum(axis=1).max(initial=0)), 1)]
    value = np.take_along_axis(encoding.features, place, axis=1)
    inputs = Inputs(np.where(value != 0.0, place, 0).astype(np.int32), np.ascontiguousarray(value, dtype=np.float32))
    return kernels.Rows(inputs, encoding.legal, encoding.slot_row, encoding.output)


def new_nets(players: int, shape: Shape, random: np.random.Generator) -> Net:
    """Nets of F inputs, W units, L layers, A outputs: even weights within 1 / sqrt(inputs of a unit), and a head of zeros."""
    inputs, width, depth, outputs = shape

    def even(fan: int, *size: int) -> Array:
        return random.uniform(-(fan**-0.5), fan**-0.5, size=(players, *size)).astype(np.float32)

    bias = np.concatenate([even(inputs if k == 0 else width, 1, width) for k in range(depth)], axis=1)
    head = np.zeros((players, outputs, width), dtype=np.float32)
    return Net(
        even(inputs, inputs, width), even(width, depth - 1, width, width), bias, head, np.zeros_like(head[:, :, 0])
    )


def _no_moves(players: int, settings: NFSP) -> kernels.Moves:
    ring, reservoir = (players, settings.ring), (players, settings.reservoir)
    return kernels.Moves(
        np.zeros(ring, dtype=np.int32),
        np.zeros(ring, dtype=np.int16),
        np.zeros(ring, dtype=np.float32),
        np.zeros(ring, dtype=np.int32),
        np.zeros(reservoir, dtype=np.int32),
        np.zeros(reservoir, dtype=np.int16),
        np.zeros((players, 2), dtype=np.int64),
    )


def _work(rows: int, shape: Shape) -> Work:
    """Room for so many rows on their way through a net."""
    _, width, depth, outputs = shape
    out = np.zeros((rows, outputs), dtype=np.float32)
    hidden, delta = (np.zeros((*size, width), dtype=np.float32) for size in ((depth, rows), (2,)))
    return Work(np.zeros(rows, dtype=np.int32), hidden, out, out.copy(), delta)


def _scratch(players: int, shape: Shape, batch: int) -> kernels.Scratch:
    inputs, width, depth, outputs = shape
    sizes = ((inputs, width), (depth - 1, width, width), (depth, width), (outputs, width), (outputs,))
    return kernels.Scratch(
        Net(*(np.zeros(size, dtype=np.float32) for size in sizes)),
        _work(batch, shape),
        np.zeros(batch, dtype=np.int32),
        np.zeros((players, 2), dtype=np.int32),
        np.zeros(players, dtype=np.bool_),
    )


def _take(target: Array, given: Array, name: str) -> None:
    if target.shape != given.shape:
        raise ValueError(f"'{name}' has the shape {given.shape} instead of {target.shape}")
    target[...] = given


_DEFAULTS = {each.name: each.default for each in fields(NFSP) if each.name != "iterations"}
_BOUNDS = {
    "rounds": (1, 10**6), "steps": (1, 10**6), "updates": (1, 10**4), "batch": (1, 10**5),
    "ring": (1, 10**9), "reservoir": (1, 10**9), "anticipation": (0.0, 1.0), "exploration": (0.0, 1.0),
    "rate_q": (0.0, 10.0), "rate_average": (0.0, 10.0), "decay": (0, 10**12), "refit": (1, 10**9), "width": (1, 4096), "depth": (1, 16),
    "reward": (1e-6, 1e6),
}  # fmt: skip
ENTRIES = (
    Entry(
        "nfsp",
        "best responses by Q-learning, average strategies by imitation of them (neural fictitious self-play)",
        NFSP,
        _DEFAULTS,
        bounds=_BOUNDS,
    ),
)
